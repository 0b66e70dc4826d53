#include "host_backend.h"

#include "base/clock.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct host_state host;

struct ilab_buffer {
	unsigned char *data;
	uint64_t bytes;
	bool used;
	struct ilab_buffer *next;
};

struct ilab_session {
	struct ilab_buffer *buffers;   /* latest freed first */
	struct ilab_memory memory;
	struct ilab_session_info info;
	uint64_t begin_ns, end_ns, first_begin_ns, first_end_ns;
	bool span_open;
	bool recording;                /* what is queued goes into `recorded` */
	struct recorded {
		struct ilab_plan plan;
		int layer;
		struct ilab_buffer *x, *w, *b, *y, *temporary;
		enum ilab_epilogue epilogue;
	} recorded[4];
	size_t recorded_count;
};

static const struct host_place nowhere = { HOST_OFF, HOST_OFF, 0, 0 };

void host_reset(void)
{
	host = (struct host_state){
		.limits = { (uint64_t)1 << 32, (uint64_t)1 << 30 },
		.fail_status = ILAB_FAILED, .fail_text = "the device does not answer",
		.drop = nowhere, .corrupt = nowhere, .nan = nowhere, .swap = nowhere,
		.half_k_layer = HOST_OFF, .no_bias_layer = HOST_OFF, .short_upload = ILAB_STREAM_Y,
	};
}

static enum ilab_status count(enum host_op op, struct ilab_err *err)
{
	host.calls[op]++;
	if (host.fail_op == op && host.fail_at == host.calls[op])
		return ilab_err_set(err, host.fail_status, "hostCall", -5, "%s", host.fail_text);
	return ILAB_OK;
}

static bool here(const struct host_place *p, int layer)
{
	return p->layer == layer && (p->pass == HOST_ALWAYS || p->pass == host.pass);
}

/* --- session ---------------------------------------------------------------------------------------------------------- */

static enum ilab_status host_enumerate(const struct ilab_surroundings *surroundings, struct ilab_arena *arena, struct ilab_listing *out,
	struct ilab_err *err)
{
	(void)surroundings, (void)arena, (void)err;
	*out = (struct ilab_listing){ .backend = "host", .state = "no-device", .reason = "unavailable: a test double" };
	return ILAB_OK;
}

static enum ilab_status host_open(const struct ilab_open_options *options, struct ilab_session **out, struct ilab_err *err)
{
	static struct ilab_library libraries[] = { { "hostlib", "1" } };
	(void)options;
	enum ilab_status status = count(HOST_OPEN, err);
	if (status)
		return status;
	struct ilab_session *s = calloc(1, sizeof(*s));
	assert(s && host.open_sessions == 0);
	host.open_sessions++;
	host.pass = 0;
	s->memory.driver_used_bytes.reason = "unavailable: host memory";
	s->info = (struct ilab_session_info){
		.device = { .selector = "host:0", .backend = "host", .platform = "Host", .name = "host memory", .vendor = "none", .type = "cpu",
			.pci_address = { NULL, "unavailable: no bus" }, .uuid = { NULL, "unavailable: no identity" },
			.driver_version = { "1", NULL }, .api_version = { "1", NULL }, .runtime_version = { NULL, "unavailable: none" },
			.total_memory_bytes = host.limits.total_memory_bytes, .max_allocation_bytes = host.limits.max_allocation_bytes,
			.compute_units = 1 },
		.libraries = libraries, .library_count = 1, .kernel_cache = "none",
		.counters_source = "host_pool", .counters_scope = "the test double's pool", .counters_reset = "peaks become the current values",
		.driver_source = { NULL, "unavailable: no driver" }, .driver_scope = { NULL, "unavailable: no driver" },
		.timer_source = { "host clock", NULL }, .timer_resolution_seconds = 1e-9,
	};
	if (host.stamps == HOST_STAMPS_REFUSED)
		s->info.timer_source = (struct ilab_text){ NULL, "unsupported: the queue was refused profiling" };
	*out = s;
	return ILAB_OK;
}

static void host_close(struct ilab_session *s)
{
	if (!s)
		return;
	host.buffers_left = 0;
	for (struct ilab_buffer *b = s->buffers, *next; b; b = next) {
		next = b->next;
		host.buffers_left += b->used;
		free(b->data);
		free(b);
	}
	host.open_sessions--;
	free(s);
}

static const struct ilab_session_info *host_info(struct ilab_session *s)
{
	return &s->info;
}

static void host_limits(struct ilab_session *s, struct ilab_limits *out)
{
	(void)s;
	*out = host.limits;
}

static enum ilab_status host_plan(struct ilab_session *s, const struct ilab_shape *shape, enum ilab_dtype dtype, enum ilab_gemm gemm,
	const struct ilab_tuning *tuning, struct ilab_plan *out, struct ilab_err *err)
{
	static struct ilab_parameter parameters[] = { { "TILE", "16" }, { "UNROLL", "4" } };
	static const char *forms[] = { "plain", "plain" };
	(void)s, (void)gemm, (void)tuning;
	*out = (struct ilab_plan){
		.shape = *shape, .dtype = dtype, .provider = ILAB_GEMM_BUILTIN,
		.weight_layout = { host.weight_layout[0], host.weight_layout[1] }, .temporary_bytes = host.temporary_bytes,
		.record = { .provider = "builtin", .version = { "7", NULL }, .parameters = parameters, .parameter_count = LENGTH(parameters),
			.accumulation = host.half_accumulation ? "float16" : "float32", .forms = forms, .form_count = 2,
			.temporary_bytes = host.temporary_bytes, .launches_per_pass = 2 },
	};
	return count(HOST_PLAN, err);
}

/* --- memory ----------------------------------------------------------------------------------------------------------- */

static void raise_peaks(struct ilab_memory *m)
{
	if (m->peak_allocated_bytes < m->allocated_bytes)
		m->peak_allocated_bytes = m->allocated_bytes;
	if (m->peak_reserved_bytes < m->reserved_bytes)
		m->peak_reserved_bytes = m->reserved_bytes;
}

/* Take a cached block of exactly this size out of the list. */
static struct ilab_buffer *take_cached(struct ilab_session *s, uint64_t bytes)
{
	for (struct ilab_buffer *b = s->buffers; b; b = b->next)
		if (!b->used && b->bytes == bytes)
			return b;
	return NULL;
}

static struct ilab_buffer *new_block(struct ilab_session *s, uint64_t bytes)
{
	struct ilab_buffer *b = calloc(1, sizeof(*b));
	assert(b);
	b->data = calloc(1, bytes);
	assert(b->data);
	b->bytes = bytes;
	b->next = s->buffers;
	s->buffers = b;
	s->memory.reserved_bytes += bytes;
	return b;
}

static enum ilab_status host_alloc(struct ilab_session *s, uint64_t bytes, struct ilab_buffer **out, struct ilab_err *err)
{
	assert(bytes > 0 && !s->recording);
	enum ilab_status status = count(HOST_ALLOC, err);
	if (status)
		return status;
	struct ilab_buffer *b = take_cached(s, bytes);
	if (!b && s->memory.reserved_bytes + bytes > host.limits.total_memory_bytes)
		return ilab_err_set(err, ILAB_FAILED, "hostAlloc", -4, "out of device memory: %llu bytes asked for", (unsigned long long)bytes);
	if (!b)
		b = new_block(s, bytes);
	b->used = true;
	s->memory.allocated_bytes += bytes;
	raise_peaks(&s->memory);
	*out = b;
	return ILAB_OK;
}

static void host_free(struct ilab_session *s, struct ilab_buffer *b)
{
	if (!b)
		return;
	assert(b->used);
	b->used = false;
	s->memory.allocated_bytes -= b->bytes;
}

static enum ilab_status host_trim(struct ilab_session *s, struct ilab_err *err)
{
	for (struct ilab_buffer **at = &s->buffers; *at;) {
		struct ilab_buffer *b = *at;
		if (b->used) {
			at = &b->next;
			continue;
		}
		*at = b->next;
		s->memory.reserved_bytes -= b->bytes;
		free(b->data);
		free(b);
	}
	host.trims++;
	return count(HOST_TRIM, err);
}

static void host_memory(struct ilab_session *s, struct ilab_memory *out)
{
	*out = s->memory;
}

static void host_reset_peaks(struct ilab_session *s)
{
	s->memory.peak_allocated_bytes = s->memory.allocated_bytes;
	s->memory.peak_reserved_bytes = s->memory.reserved_bytes;
}

/* --- transfers and fills ---------------------------------------------------------------------------------------------- */

static uint64_t tensor_bytes(const struct ilab_tensor *t)
{
	return t->rows * t->cols * ilab_dtype_bytes(t->dtype);
}

static enum ilab_status host_upload(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, struct ilab_err *err)
{
	(void)s;
	assert(b->used && tensor_bytes(t) == b->bytes);
	uint64_t elements = t->rows * t->cols;
	if (host.short_upload == t->stream)
		elements -= elements / 4 ? elements / 4 : 1;
	ilab_rule_fill(t, 0, elements, b->data);
	return count(HOST_UPLOAD, err);
}

static enum ilab_status host_download(struct ilab_session *s, struct ilab_buffer *b, uint64_t offset_bytes, uint64_t bytes, void *dst,
	struct ilab_err *err)
{
	(void)s;
	assert(b->used && offset_bytes + bytes <= b->bytes);
	memcpy(dst, b->data + offset_bytes, bytes);
	return count(HOST_DOWNLOAD, err);
}

static void store(enum ilab_dtype dtype, void *array, uint64_t i, float v)
{
	uint32_t bits = ilab_dtype_encode(dtype, v);
	uint16_t half = (uint16_t)bits;
	if (ilab_dtype_bytes(dtype) == 2)
		memcpy((char *)array + 2 * i, &half, 2);
	else
		memcpy((char *)array + 4 * i, &bits, 4);
}

static enum ilab_status host_fill(struct ilab_session *s, struct ilab_buffer *b, enum ilab_fill what, const struct ilab_tensor *t,
	struct ilab_err *err)
{
	(void)s;
	struct ilab_tensor used = *t;
	assert(b->used && tensor_bytes(t) <= b->bytes);
	if (what == ILAB_FILL_POISON) {
		for (uint64_t i = 0; i < t->rows * t->cols; i++)
			store(t->dtype, b->data, i, NAN);
		host.poisoned = true;
		return count(HOST_FILL, err);
	}
	if (host.wrong_inputs)
		used.seed++;
	ilab_rule_fill(&used, 0, used.rows * used.cols, b->data);
	return count(HOST_FILL, err);
}

static enum ilab_status host_checksum(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, uint64_t *out,
	struct ilab_err *err)
{
	(void)s;
	assert(b->used && tensor_bytes(t) == b->bytes);
	*out = ilab_checksum_data(t, 0, t->rows * t->cols, b->data);
	return count(HOST_CHECKSUM, err);
}

/* --- the product ------------------------------------------------------------------------------------------------------ */

struct layer {
	enum ilab_dtype dtype;
	enum ilab_epilogue epilogue;
	uint64_t m, n, k, k_used;
	float *x, *w;                  /* [m, k] and [n, k] */
	const void *b;
	void *y;
	int index;
};

/* Operands as floats, row-major [rows, k]; tf32 drops the low 13 bits of the mantissa. */
static float *operands(enum ilab_dtype dtype, enum ilab_layout layout, const void *array, uint64_t rows, uint64_t k)
{
	float *out = malloc(rows * k * sizeof(*out));
	assert(out);
	for (uint64_t i = 0; i < rows * k; i++) {
		uint32_t bits;
		float v = ilab_dtype_load(dtype, array, layout == ILAB_LAYOUT_ROWS ? i : i % k * rows + i / k);
		memcpy(&bits, &v, 4);
		bits &= dtype == ILAB_TF32 ? 0xFFFFE000u : 0xFFFFFFFFu;
		memcpy(&out[i], &bits, 4);
	}
	return out;
}

static float gelu(float x)
{
	if (host.tanh_gelu)
		return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
	return 0.5f * x * (1 + erff(x * 0.70710678f));
}

static float rounded(enum ilab_dtype dtype, float v)
{
	return ilab_dtype_decode(dtype, ilab_dtype_encode(dtype, v));
}

static float element(const struct layer *l, uint64_t row, uint64_t col)
{
	const uint64_t x_row = l->index == 0 && host.tile_rows && row >= host.tile_rows ? row % host.tile_rows : row;
	float sum = 0;
	for (uint64_t k = 0; k < l->k_used; k++) {
		sum += l->x[x_row * l->k + k] * l->w[col * l->k + k];
		if (host.half_accumulation)
			sum = rounded(ILAB_F16, sum);
	}
	if (host.unfused)
		sum = rounded(l->dtype, sum);
	if (l->epilogue != ILAB_EPILOGUE_NONE && host.no_bias_layer != l->index)
		sum += ilab_dtype_load(l->dtype, l->b, col);
	return l->epilogue == ILAB_EPILOGUE_BIAS_GELU ? gelu(sum) : sum;
}

static void swap_rows(const struct layer *l)
{
	const uint64_t bytes = l->n * ilab_dtype_bytes(l->dtype);
	char *a = (char *)l->y + host.swap.row * bytes, *b = (char *)l->y + host.swap.column * bytes;
	for (uint64_t i = 0; i < bytes; i++) {
		char c = a[i];
		a[i] = b[i];
		b[i] = c;
	}
}

static void corrupt(const struct layer *l)
{
	const uint64_t at = host.corrupt.row * l->n + host.corrupt.column;
	double square = 0;
	for (uint64_t c = 0; c < l->n; c++)
		square += pow(ilab_dtype_load(l->dtype, l->y, host.corrupt.row * l->n + c), 2);
	store(l->dtype, l->y, at, (float)(ilab_dtype_load(l->dtype, l->y, at) + host.corrupt_rms * sqrt(square / (double)l->n)));
}

static void apply_faults(const struct layer *l)
{
	if (here(&host.swap, l->index))
		swap_rows(l);
	if (here(&host.corrupt, l->index))
		corrupt(l);
	if (here(&host.nan, l->index))
		store(l->dtype, l->y, host.nan.row * l->n + host.nan.column, NAN);
	if (host.jitter && l->index == 1 && host.pass % 2 == 0) {
		uint16_t bits;                 /* the low bits of a float32, all of a 16-bit type */
		memcpy(&bits, l->y, sizeof(bits));
		bits ^= 1;
		memcpy(l->y, &bits, sizeof(bits));
	}
}

static void note_pass(int layer)
{
	if (layer != 0)
		return;
	host.pass++;
	host.unpoisoned_passes += host.pass > 1 && !host.poisoned;
	host.poisoned = false;
}

static enum ilab_status host_linear(struct ilab_session *s, const struct ilab_plan *plan, int layer, struct ilab_buffer *x,
	struct ilab_buffer *w, struct ilab_buffer *b, struct ilab_buffer *y, struct ilab_buffer *temporary, enum ilab_epilogue epilogue,
	struct ilab_err *err)
{
	if (s->recording) {
		assert(s->recorded_count < LENGTH(s->recorded));
		s->recorded[s->recorded_count++] = (struct recorded){ *plan, layer, x, w, b, y, temporary, epilogue };
		return count(HOST_LINEAR, err);
	}
	struct layer l = {
		.dtype = plan->dtype, .epilogue = epilogue, .m = plan->shape.batch * plan->shape.context,
		.n = layer ? plan->shape.width : plan->shape.hidden, .k = layer ? plan->shape.hidden : plan->shape.width,
		.b = b->data, .y = y->data, .index = layer,
	};
	const uint64_t size = ilab_dtype_bytes(plan->dtype);
	assert(x->used && w->used && b->used && y->used && x != y);
	assert(x->bytes == l.m * l.k * size && w->bytes == l.n * l.k * size && b->bytes == l.n * size && y->bytes == l.m * l.n * size);
	assert(plan->temporary_bytes ? temporary && temporary->used && temporary->bytes == plan->temporary_bytes : !temporary);
	note_pass(layer);
	l.k_used = host.half_k_layer == layer ? l.k / 2 : l.k;
	if (here(&host.drop, layer))
		return count(HOST_LINEAR, err);
	l.x = operands(l.dtype, ILAB_LAYOUT_ROWS, x->data, l.m, l.k);
	l.w = operands(l.dtype, plan->weight_layout[layer], w->data, l.n, l.k);
	for (uint64_t row = 0; row < l.m; row++)
		for (uint64_t col = 0; col < l.n; col++)
			store(l.dtype, l.y, row * l.n + col, element(&l, row, col));
	apply_faults(&l);
	free(l.x);
	free(l.w);
	return count(HOST_LINEAR, err);
}

static enum ilab_status host_graph_begin(struct ilab_session *s, struct ilab_err *err)
{
	assert(!s->recording);
	enum ilab_status status = count(HOST_GRAPH_BEGIN, err);
	s->recording = !status;
	s->recorded_count = 0;
	return status;
}

static enum ilab_status host_graph_end(struct ilab_session *s, struct ilab_err *err)
{
	assert(s->recording);
	s->recording = false;
	return count(HOST_GRAPH_END, err);
}

static enum ilab_status host_graph_launch(struct ilab_session *s, struct ilab_err *err)
{
	assert(!s->recording && s->recorded_count);
	enum ilab_status status = count(HOST_GRAPH_LAUNCH, err);
	for (size_t i = 0; i < s->recorded_count && !status; i++) {
		const struct recorded *r = &s->recorded[i];
		status = host_linear(s, &r->plan, r->layer, r->x, r->w, r->b, r->y, r->temporary, r->epilogue, err);
	}
	return status;
}

static enum ilab_status host_probe(struct ilab_session *s, enum ilab_probe what, enum ilab_dtype dtype, struct ilab_buffer *scratch,
	uint64_t amount, uint64_t *done, struct ilab_err *err)
{
	(void)s, (void)what, (void)dtype, (void)scratch, (void)amount, (void)done;
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "unsupported: a test double");
}

/* --- time ------------------------------------------------------------------------------------------------------------- */

static enum ilab_status host_sync(struct ilab_session *s, struct ilab_err *err)
{
	(void)s;
	return count(HOST_SYNC, err);
}

static enum ilab_status host_span_begin(struct ilab_session *s, struct ilab_err *err)
{
	assert(!s->span_open);
	s->span_open = true;
	s->begin_ns = ilab_clock_ns();
	return count(HOST_SPAN_BEGIN, err);
}

static enum ilab_status host_span_end(struct ilab_session *s, struct ilab_err *err)
{
	assert(s->span_open);
	s->span_open = false;
	s->end_ns = ilab_clock_ns();
	return count(HOST_SPAN_END, err);
}

static bool host_span_read(struct ilab_session *s, uint64_t *begin_ns, uint64_t *end_ns)
{
	uint64_t begin = s->begin_ns, end = s->end_ns;
	switch (host.stamps) {
	case HOST_STAMPS_TRUE: break;
	case HOST_STAMPS_REFUSED:
	case HOST_STAMPS_NONE: return false;
	case HOST_STAMPS_TWO_THREE: begin = 2, end = 3; break;
	case HOST_STAMPS_ZERO: begin = end = 0; break;
	case HOST_STAMPS_REVERSED: begin = s->end_ns, end = s->begin_ns; break;
	case HOST_STAMPS_SHORT: end = begin + (end - begin) / 116; break;
	case HOST_STAMPS_FAST: begin = begin * 3 / 2, end = end * 3 / 2; break;
	case HOST_STAMPS_STALE:
		if (host.pass == 0) {
			s->first_begin_ns = begin;
			s->first_end_ns = end;
		}
		begin = s->first_begin_ns, end = s->first_end_ns;
		break;
	}
	*begin_ns = begin;
	*end_ns = end;
	return true;
}

const struct ilab_backend host_backend = {
	.abi = ILAB_BACKEND_ABI, .name = "host",
	.enumerate = host_enumerate, .open = host_open, .close = host_close, .info = host_info, .limits = host_limits, .plan = host_plan,
	.alloc = host_alloc, .free = host_free, .trim = host_trim, .upload = host_upload, .download = host_download, .fill = host_fill,
	.checksum = host_checksum, .linear = host_linear, .probe = host_probe, .sync = host_sync,
	.span_begin = host_span_begin, .span_end = host_span_end, .span_read = host_span_read,
	.graph_begin = host_graph_begin, .graph_end = host_graph_end, .graph_launch = host_graph_launch,
	.memory = host_memory, .reset_peaks = host_reset_peaks,
};
