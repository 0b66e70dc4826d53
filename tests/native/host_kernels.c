#include "host_kernels.h"

#include "host_vendor.h"

#include "base/clock.h"
#include "model/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- programs --------------------------------------------------------------------------------------------------------------- */

struct module;
struct function { struct module *module; void (*run)(const struct module *m, unsigned blocks, void **a); const char *name; };
struct module {
	unsigned storage, epilogue, w_columns;
	struct function functions[9];
};

static enum ilab_dtype dtype_of(const struct module *m)
{
	return m->storage == 1 ? ILAB_F16 : m->storage == 2 ? ILAB_BF16 : ILAB_F32;
}

static void store(enum ilab_dtype dtype, void *array, size_t i, double v)
{
	uint32_t bits = ilab_dtype_encode(dtype, (float)v);
	memcpy((char *)array + i * ilab_dtype_bytes(dtype), &bits, ilab_dtype_bytes(dtype));
}

#define U64(i) (*(uint64_t *)a[i])
#define U32(i) (*(uint32_t *)a[i])
#define F32(i) (*(float *)a[i])
#define PTR(i) ((void *)(uintptr_t)*(native_ptr *)a[i])

static struct ilab_tensor tensor(const struct module *m, uint64_t seed, uint64_t stream, uint64_t rows, uint64_t cols, uint32_t columns, float bound)
{
	return (struct ilab_tensor){ .seed = seed, .stream = (enum ilab_stream)stream, .dtype = dtype_of(m), .rows = rows, .cols = cols,
		.layout = columns ? ILAB_LAYOUT_COLS : ILAB_LAYOUT_ROWS, .bound = bound };
}

static void run_fill(const struct module *m, unsigned blocks, void **a)
{
	(void)blocks;
	const struct ilab_tensor t = tensor(m, U64(0), U64(1), U64(2), U64(3), U32(4), F32(5));
	ilab_rule_fill(&t, 0, t.rows * t.cols, PTR(6));
}

static void run_poison(const struct module *m, unsigned blocks, void **a)
{
	(void)blocks;
	for (uint64_t i = 0; i < U64(0); i++)
		store(dtype_of(m), PTR(1), i, NAN);
}

static void run_checksum(const struct module *m, unsigned blocks, void **a)
{
	const struct ilab_tensor t = tensor(m, 0, U64(0), U64(1), U64(2), U32(3), 1);
	uint64_t *partials = PTR(5);
	memset(partials, 0, blocks * sizeof(*partials));
	partials[blocks - 1] = ilab_checksum_data(&t, 0, t.rows * t.cols, PTR(4));
}

static void add_bias(const struct module *m, void **a, bool gelu)
{
	const enum ilab_dtype d = dtype_of(m);
	for (uint64_t r = 0; r < U64(0); r++) {
		for (uint32_t c = 0; c < U32(1); c++) {
			double v = (double)ilab_dtype_load(d, PTR(3), r * U32(1) + c) + (double)ilab_dtype_load(d, PTR(2), c);
			store(d, PTR(3), r * U32(1) + c, gelu ? ilab_gelu(v) : v);
		}
	}
}

static void run_bias(const struct module *m, unsigned blocks, void **a) { (void)blocks; add_bias(m, a, false); }
static void run_gelu(const struct module *m, unsigned blocks, void **a)
{
	(void)blocks;
	for (uint64_t i = 0; i < U64(0); i++)
		store(dtype_of(m), PTR(1), i, ilab_gelu((double)ilab_dtype_load(dtype_of(m), PTR(1), i)));
}

static void run_bias_gelu(const struct module *m, unsigned blocks, void **a) { (void)blocks; add_bias(m, a, true); }

/* y[m, n] = epilogue(x W^T + bias), by double sums. */
static void product(enum ilab_dtype d, uint64_t m, uint64_t n, uint64_t k, bool columns, const void *x, const void *w, const void *bias,
	void *y, unsigned epilogue)
{
#pragma omp parallel for if (m * n * k > 1u << 18)
	for (uint64_t r = 0; r < m; r++) {
		for (uint64_t c = 0; c < n; c++) {
			double sum = 0;
			for (uint64_t i = 0; i < k; i++)
				sum += (double)ilab_dtype_load(d, x, r * k + i) * (double)ilab_dtype_load(d, w, columns ? i * n + c : c * k + i);
			if (epilogue)
				sum += (double)ilab_dtype_load(d, bias, c);
			store(d, y, r * n + c, epilogue == 2 ? ilab_gelu(sum) : sum);
		}
	}
}

static void run_gemm(const struct module *m, unsigned blocks, void **a)
{
	(void)blocks;
	product(dtype_of(m), U32(0), U32(1), U32(2), m->w_columns, PTR(3), PTR(4), PTR(5), PTR(6), m->epilogue);
}

static void run_probe(const struct module *m, unsigned blocks, void **a)
{
	(void)m;
	float *dst = PTR(3);
	for (unsigned i = 0; i < blocks * 256; i++)
		dst[i] = 16 * F32(2) / (1 - F32(1));
}

enum ilab_status host_compile(const char *text, const char *label, const char *architecture, void **image, struct ilab_err *err)
{
	if (strcmp(architecture, "host") || !strstr(text, "#line 1 \"cl/common.cl\""))
		return ilab_err_set(err, ILAB_REFUSED, "compile", 0, "not a text for this architecture");
	*image = strdup(label);
	return ILAB_OK;
}

static unsigned macro(const char *label, const char *name)
{
	const char *at = strstr(label, name);
	return at ? (unsigned)atoi(at + strlen(name)) : 0;
}

int host_module_load(void **out, const void *image)
{
	struct module *m = calloc(1, sizeof(*m));
	*m = (struct module){ macro(image, " STORAGE="), macro(image, " EPILOGUE="), macro(image, " W_COLUMNS="), {
		{ m, run_fill, "fill" }, { m, run_poison, "poison" }, { m, run_checksum, "checksum" }, { m, run_bias, "bias" },
		{ m, run_bias_gelu, "bias_gelu" }, { m, run_gelu, "gelu_in_place" },
		{ m, run_gemm, "gemm" }, { m, run_probe, "probe_multiply_add" } } };
	*out = m;
	return 0;
}

int host_module_unload(void *m)
{
	free(m);
	return 0;
}

int host_module_function(void **function, void *module, const char *name)
{
	struct module *m = module;
	for (struct function *f = m->functions; f->name; f++) {
		if (!strcmp(f->name, name)) {
			*function = f;
			return 0;
		}
	}
	return 500;
}

int host_kernel_run(void *function, unsigned blocks, void **arguments)
{
	struct function *f = function;
	f->run(f->module, blocks, arguments);
	return 0;
}

/* --- the matrix library ------------------------------------------------------------------------------------------------------- */

static enum ilab_status gemm_open(struct ilab_arena *arena, int device, void **library, struct ilab_err *err)
{
	(void)arena, (void)device;
	if (!vendor.library)
		return ilab_err_set(err, ILAB_REFUSED, "dlopen", 0, "the tests' library is not there");
	*library = &vendor;
	return ILAB_OK;
}

static void gemm_close(void *library)
{
	(void)library;
}

struct host_product { struct native_gemm_request request; bool own_choice, wrong; };

/* A temporary buffer that depends on the shape, to be counted. With parameters: as many bytes as they say. */
static enum ilab_status gemm_plan(void *library, struct ilab_arena *arena, const struct native_gemm_request *r, struct native_gemm_choice *out,
	struct ilab_err *err)
{
	(void)library;
	if (vendor.nothing || (r->biased && !vendor.biased))
		return ilab_err_set(err, ILAB_REFUSED, "plan", 0, "no algorithm for this product");
	struct host_product *kept = ilab_arena_alloc(arena, sizeof(*kept));
	*kept = (struct host_product){ .request = *r, .own_choice = !r->entry };
	*out = (struct native_gemm_choice){ .temporary_bytes = r->max_temporary_bytes < 64 * r->n ? r->max_temporary_bytes : 64 * r->n,
		.parameters = ilab_arena_alloc(arena, sizeof(*out->parameters)), .parameter_count = 1, .state = kept };
	if (r->entry && r->entry->parameter_count) {
		out->temporary_bytes = (uint64_t)atoll(r->entry->parameters[0].value);
		kept->wrong = vendor.wrong_bytes && (!strcmp(vendor.wrong_bytes, "any") || !strcmp(vendor.wrong_bytes, r->entry->parameters[0].value));
	}
	out->parameters[0] = (struct ilab_parameter){ "bytes", ilab_arena_printf(arena, "%llu", (unsigned long long)out->temporary_bytes) };
	return ILAB_OK;
}

static enum ilab_status gemm_candidates(void *library, struct ilab_arena *arena, const struct native_gemm_request *r, struct ilab_tuning_entry **out,
	size_t *count, struct ilab_err *err)
{
	(void)library, (void)err;
	static const struct ilab_parameter sizes[] = { { "bytes", "0" }, { "bytes", "4096" } };
	*count = 2;
	*out = ilab_arena_alloc(arena, 2 * sizeof(**out));
	for (int i = 0; i < 2; i++)
		(*out)[i] = (struct ilab_tuning_entry){ r->dtype, r->m, r->n, r->k, native_form_name(false, i ? ILAB_LAYOUT_COLS : ILAB_LAYOUT_ROWS), &sizes[i], 1 };
	return ILAB_OK;
}

static void delay(unsigned us)
{
	const uint64_t until_ns = ilab_clock_ns() + UINT64_C(1000) * us;
	while (us && ilab_clock_ns() < until_ns)
		;
}

static enum ilab_status gemm_run(void *library, const struct native_gemm_choice *choice, native_ptr x, native_ptr w, native_ptr bias,
	native_ptr y, native_ptr temporary, void *stream, struct ilab_err *err)
{
	(void)library, (void)stream;
	const struct host_product *p = choice->state;
	const struct native_gemm_request *r = &p->request;
	void *result = (void *)(uintptr_t)y;
	if (r->biased != (bias != 0) || (choice->temporary_bytes && !temporary))
		return ilab_err_set(err, ILAB_FAILED, "run", 1, "called otherwise than planned");
	if (choice->temporary_bytes)
		memset((void *)(uintptr_t)temporary, 0x55, choice->temporary_bytes);
	product(r->dtype, r->m, r->n, r->k, r->weight_layout == ILAB_LAYOUT_COLS, (void *)(uintptr_t)x, (void *)(uintptr_t)w,
		(void *)(uintptr_t)bias, result, r->biased);
	for (uint64_t c = 0; p->wrong && c < r->n; c++)
		store(r->dtype, result, vendor.wrong_row * r->n + c, 1 + (double)ilab_dtype_load(r->dtype, result, vendor.wrong_row * r->n + c));
	delay((p->own_choice ? vendor.own_delay_us : vendor.candidate_delay_us) + (vendor.after_candidate ? vendor.after_candidate_delay_us : 0));
	vendor.after_candidate = !p->own_choice;
	vendor.products++;
	return ILAB_OK;
}

const struct native_gemm host_gemm = {
	.provider = ILAB_GEMM_CUBLASLT,
	.tf32 = true, .open = gemm_open, .close = gemm_close, .plan = gemm_plan, .candidates = gemm_candidates, .run = gemm_run,
};
