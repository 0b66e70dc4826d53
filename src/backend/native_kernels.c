#include "backend/native_session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The kernels of cl/, compiled for the device at run time, and the operations that are one kernel. */

struct native_program {
	struct native_program *next;
	char label[ILAB_PROGRAM_LABEL_SIZE];
	void *module;
};

/* --- programs ----------------------------------------------------------------------------------------------------------- */

static enum ilab_status build_module(struct ilab_session *s, const struct ilab_program *program, const char *label, void **module, struct ilab_err *err)
{
	char *text = ilab_program_text(program, native_vendor.prelude);
	if (!text)
		return ilab_err_set(err, ILAB_FAILED, "open_memstream", 0, "out of host memory");
	void *image = NULL;
	enum ilab_status status = native_vendor.compile(text, label, s->architecture, &image, err);
	if (!status)
		status = NATIVE_CALL(s, module_load, (module, image), "load our kernels", err);
	free(image);
	free(text);
	return status;
}

static enum ilab_status find_program(struct ilab_session *s, const struct ilab_program *program, struct native_program **out, struct ilab_err *err)
{
	char label[ILAB_PROGRAM_LABEL_SIZE];
	ilab_program_label(program, label, sizeof(label));
	for (*out = s->programs; *out; *out = (*out)->next)
		if (!strcmp((*out)->label, label))
			return ILAB_OK;
	struct native_program *p = calloc(1, sizeof(*p));
	if (!p)
		return ilab_err_set(err, ILAB_FAILED, "calloc", 0, "out of host memory");
	enum ilab_status status = build_module(s, program, label, &p->module, err);
	if (status) {
		free(p);
		return status;
	}
	memcpy(p->label, label, sizeof(label));
	p->next = s->programs;
	s->programs = p;
	*out = p;
	return ILAB_OK;
}

enum ilab_status native_kernel(struct ilab_session *s, const struct ilab_program *program, const char *name, void **out, struct ilab_err *err)
{
	struct native_program *p;
	enum ilab_status status = find_program(s, program, &p, err);
	if (status)
		return status;
	return NATIVE_CALL(s, module_function, (out, p->module, name), "find one of our kernels", err);
}

enum ilab_status native_elements(struct ilab_session *s, enum ilab_dtype dtype, const struct native_elements **out, struct ilab_err *err)
{
	struct native_elements *e = &s->elements[dtype == ILAB_F16 ? 1 : dtype == ILAB_BF16 ? 2 : 0];
	*out = e;
	if (e->bias_gelu)
		return ILAB_OK;
	const struct ilab_program program = ilab_program_elements(dtype, ILAB_MULTIPLY_ADD_FMA);
	struct { const char *name; void **kernel; } rows[] = { { "fill", &e->fill }, { "poison", &e->poison },
		{ "checksum", &e->checksum }, { "bias", &e->bias }, { "gelu_in_place", &e->gelu },
		{ "bias_gelu", &e->bias_gelu } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum ilab_status status = native_kernel(s, &program, rows[i].name, rows[i].kernel, err);
		if (status)
			return status;
	}
	return ILAB_OK;
}

enum ilab_status native_launch(struct ilab_session *s, void *kernel, const struct ilab_grid *grid, void **arguments, const char *doing,
	struct ilab_err *err)
{
	unsigned blocks[3], threads[3];
	for (int i = 0; i < 3; i++) {
		blocks[i] = (unsigned)(grid->global[i] / grid->local[i]);
		threads[i] = (unsigned)grid->local[i];
	}
	return NATIVE_CALL(s, launch, (kernel, blocks, threads, s->stream, arguments), doing, err);
}

void native_kernels_close(struct ilab_session *s)
{
	while (s->programs) {
		struct native_program *p = s->programs;
		s->programs = p->next;
		s->rt->module_unload(p->module);
		free(p);
	}
	if (s->partials)
		s->rt->plain_free(s->partials);
	if (s->partials_host)
		s->rt->pinned_free(s->partials_host);
}

/* --- fill --------------------------------------------------------------------------------------------------------------- */

static uint32_t is_columns(const struct ilab_tensor *t)
{
	return t->layout == ILAB_LAYOUT_COLS;
}

enum ilab_status native_fill(struct ilab_session *s, struct ilab_buffer *b, enum ilab_fill what, const struct ilab_tensor *t, struct ilab_err *err)
{
	const struct native_elements *kernels;
	enum ilab_status status = native_elements(s, t->dtype, &kernels, err);
	if (status)
		return status;
	uint64_t seed = t->seed, stream = (uint64_t)t->stream, rows = t->rows, cols = t->cols, count = rows * cols;
	uint32_t columns = is_columns(t);
	float bound = t->bound;
	native_ptr dst = native_address(b);
	assert(count * ilab_dtype_bytes(t->dtype) <= b->bytes);
	const struct ilab_grid grid = ilab_grid_elements(count);
	if (what == ILAB_FILL_POISON)
		return native_launch(s, kernels->poison, &grid, (void *[]){ &count, &dst }, "queue the poison kernel", err);
	return native_launch(s, kernels->fill, &grid, (void *[]){ &seed, &stream, &rows, &cols, &columns, &bound, &dst }, "queue the fill kernel", err);
}

/* --- checksum ----------------------------------------------------------------------------------------------------------- */

/* Outside the pool, so that a checksum between two phases changes no counter of theirs. */
static enum ilab_status partials_open(struct ilab_session *s, size_t groups, struct ilab_err *err)
{
	if (groups <= s->partials_capacity)
		return ILAB_OK;
	if (s->partials)
		s->rt->plain_free(s->partials);
	if (s->partials_host)
		s->rt->pinned_free(s->partials_host);
	s->partials = 0;
	s->partials_host = NULL;
	s->partials_capacity = 0;
	void *host = NULL;
	if (NATIVE_CALL(s, plain_alloc, (&s->partials, groups * sizeof(uint64_t)), "allocate room for checksums", err) ||
		NATIVE_CALL(s, pinned_alloc, (&host, groups * sizeof(uint64_t)), "allocate pinned host memory", err))
		return ILAB_FAILED;
	s->partials_host = host;
	s->partials_capacity = groups;
	return ILAB_OK;
}

enum ilab_status native_checksum(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, uint64_t *out, struct ilab_err *err)
{
	const struct native_elements *kernels;
	const struct ilab_grid grid = ilab_grid_elements(t->rows * t->cols);
	const size_t groups = ilab_grid_groups(&grid);
	enum ilab_status status = native_elements(s, t->dtype, &kernels, err);
	if (!status)
		status = partials_open(s, groups, err);
	if (status)
		return status;
	uint64_t stream = (uint64_t)t->stream, rows = t->rows, cols = t->cols;
	uint32_t columns = is_columns(t);
	native_ptr src = native_address(b), partials = s->partials;
	if (native_launch(s, kernels->checksum, &grid, (void *[]){ &stream, &rows, &cols, &columns, &src, &partials }, "queue the checksum kernel", err) ||
		NATIVE_CALL(s, copy_to_host, (s->partials_host, s->partials, groups * sizeof(uint64_t), s->stream), "queue a transfer to the host", err))
		return ILAB_FAILED;
	status = native_sync(s, err);
	if (status)
		return status;
	*out = 0;
	for (size_t i = 0; i < groups; i++)
		*out += s->partials_host[i];
	return ILAB_OK;
}
