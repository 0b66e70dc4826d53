/* The product of the test double, element by element, its faults, and graphs of products. */
#include "host_session.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static bool here(const struct host_place *p, int layer)
{
	return p->layer == layer && (p->pass == HOST_ALWAYS || p->pass == host.pass);
}

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
	host_store(l->dtype, l->y, at, (float)(ilab_dtype_load(l->dtype, l->y, at) + host.corrupt_rms * sqrt(square / (double)l->n)));
}

static void apply_faults(const struct layer *l)
{
	if (here(&host.swap, l->index))
		swap_rows(l);
	if (here(&host.corrupt, l->index))
		corrupt(l);
	if (here(&host.nan, l->index))
		host_store(l->dtype, l->y, host.nan.row * l->n + host.nan.column, NAN);
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

enum ilab_status host_linear(struct ilab_session *s, const struct ilab_plan *plan, int layer, struct ilab_buffer *x,
	struct ilab_buffer *w, struct ilab_buffer *b, struct ilab_buffer *y, struct ilab_buffer *temporary, enum ilab_epilogue epilogue,
	struct ilab_err *err)
{
	if (s->recording) {
		assert(s->recorded_count < LENGTH(s->recorded));
		s->recorded[s->recorded_count++] = (struct recorded){ *plan, layer, x, w, b, y, temporary, epilogue };
		return host_count(HOST_LINEAR, err);
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
		return host_count(HOST_LINEAR, err);
	l.x = operands(l.dtype, ILAB_LAYOUT_ROWS, x->data, l.m, l.k);
	l.w = operands(l.dtype, plan->weight_layout[layer], w->data, l.n, l.k);
	for (uint64_t row = 0; row < l.m; row++)
		for (uint64_t col = 0; col < l.n; col++)
			host_store(l.dtype, l.y, row * l.n + col, element(&l, row, col));
	apply_faults(&l);
	free(l.x);
	free(l.w);
	return host_count(HOST_LINEAR, err);
}

enum ilab_status host_graph_begin(struct ilab_session *s, struct ilab_err *err)
{
	assert(!s->recording);
	enum ilab_status status = host_count(HOST_GRAPH_BEGIN, err);
	s->recording = !status;
	s->recorded_count = 0;
	return status;
}

enum ilab_status host_graph_end(struct ilab_session *s, struct ilab_err *err)
{
	assert(s->recording);
	s->recording = false;
	return host_count(HOST_GRAPH_END, err);
}

enum ilab_status host_graph_launch(struct ilab_session *s, struct ilab_err *err)
{
	assert(!s->recording && s->recorded_count);
	enum ilab_status status = host_count(HOST_GRAPH_LAUNCH, err);
	for (size_t i = 0; i < s->recorded_count && !status; i++) {
		const struct recorded *r = &s->recorded[i];
		status = host_linear(s, &r->plan, r->layer, r->x, r->w, r->b, r->y, r->temporary, r->epilogue, err);
	}
	return status;
}
