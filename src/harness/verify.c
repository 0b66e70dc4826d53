#include "harness/verify_state.h"

#include "base/checked.h"
#include "model/reference.h"

#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- bounds ----------------------------------------------------------------------------------------------------------- */

/* A row's error scatters more than that of all sampled rows together; a bad one among eight could hide up to 2.8 bounds in their norm. */
double ilab_verify_row_bound(const struct ilab_verifier *v)
{
	return 2 * v->base_bound * ilab_bound_few(v->shape.width);
}

/* A single unit, so not an average: roundoff of its value and of the sum before the bias, with room. */
double ilab_verify_hidden_bound(const struct ilab_verifier *v)
{
	return 6 * v->base_bound;
}

/* --- preparing -------------------------------------------------------------------------------------------------------- */

/* Streams of random numbers that no tensor uses. */
enum { STREAM_SIGNS = 16, STREAM_COLUMNS = 17 };

static uint64_t random_word(uint64_t seed, uint64_t stream, uint64_t index)
{
	return ilab_splitmix64(seed ^ ilab_splitmix64(stream * 0xD1342543DE82EF95u + index));
}

static void *new_array(uint64_t a, uint64_t b, size_t element_bytes, struct ilab_err *err)
{
	uint64_t count, bytes;
	void *memory = NULL;
	if (ilab_checked_mul(a, b, &count) && ilab_checked_mul(count, element_bytes, &bytes) && bytes <= SIZE_MAX)
		memory = calloc(1, (size_t)bytes);
	if (!memory)
		ilab_err_set(err, ILAB_FAILED, "calloc", 0, "out of host memory for the reference: %llu x %llu values of %zu bytes",
			(unsigned long long)a, (unsigned long long)b, element_bytes);
	return memory;
}

/* First, last, and the rest spread evenly. */
static void choose_rows(struct ilab_verifier *v)
{
	for (size_t i = 0; i < v->row_count; i++)
		v->rows[i] = v->row_count == 1 ? 0 : (uint64_t)((ilab_u128)i * (v->sizes.rows - 1) / (v->row_count - 1));
}

static void choose_columns(struct ilab_verifier *v, uint64_t seed)
{
	const uint64_t hidden = v->shape.hidden;
	v->column_count = hidden < ILAB_VERIFY_COLUMNS ? (size_t)hidden : ILAB_VERIFY_COLUMNS;
	for (size_t i = 0; i < v->column_count; i++)
		v->columns[i] = hidden <= ILAB_VERIFY_COLUMNS ? i : random_word(seed, STREAM_COLUMNS, i) % hidden;
	v->columns[0] = 0;
	v->columns[v->column_count - 1] = hidden - 1;
}

static bool new_doubles(double **out, uint64_t a, uint64_t b, struct ilab_err *err)
{
	return (*out = new_array(a, b, sizeof(**out), err)) != NULL;
}

static enum ilab_status allocate(struct ilab_verifier *v, struct ilab_err *err)
{
	const uint64_t rows = v->sizes.rows, width = v->shape.width, hidden = v->shape.hidden, blocks = v->block_count;
	v->rows = new_array(v->row_count, 1, sizeof(*v->rows), err);
	bool done = v->rows
		&& new_doubles(&v->rows_reference, v->row_count, width, err)
		&& (v->rows_seen_values = new_array(v->row_count, width, sizeof(*v->rows_seen_values), err)) != NULL
		&& new_doubles(&v->rows_norm2, v->row_count, 1, err)
		&& new_doubles(&v->rows_error2, v->row_count, 1, err)
		&& new_doubles(&v->rows_max, v->row_count, 1, err)
		&& new_doubles(&v->columns_reference, v->column_count, rows, err)
		&& new_doubles(&v->r, width, 1, err)
		&& new_doubles(&v->v, blocks, hidden, err)
		&& new_doubles(&v->c, blocks, 1, err)
		&& new_doubles(&v->low, rows, blocks, err)
		&& new_doubles(&v->high, rows, blocks, err)
		&& new_doubles(&v->norm, rows, blocks, err)
		&& new_doubles(&v->scratch, (uint64_t)v->threads, width > hidden ? width : hidden, err);
	for (uint64_t i = 0; done && i < rows * blocks; i++) {
		v->low[i] = v->norm[i] = INFINITY;
		v->high[i] = -INFINITY;
	}
	return done ? ILAB_OK : ILAB_FAILED;
}

static enum ilab_status reference_rows(struct ilab_verifier *v, uint64_t seed, struct ilab_err *err)
{
	const size_t width = (size_t)v->shape.width;
	choose_rows(v);
	enum ilab_status status = ilab_reference_rows(&v->shape, v->dtype, seed, v->rows, v->row_count, v->rows_reference, err);
	for (size_t i = 0; !status && i < v->row_count; i++)
		for (size_t j = 0; j < width; j++)
			v->rows_norm2[i] += v->rows_reference[i * width + j] * v->rows_reference[i * width + j];
	return status;
}

/* Each block's own v and c come from the signs of its columns alone. */
static enum ilab_status reference_projection(struct ilab_verifier *v, uint64_t seed, struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;
	for (size_t b = 0; !status && b < v->block_count; b++) {
		memset(v->r, 0, (size_t)v->shape.width * sizeof(*v->r));
		for (uint64_t j = ilab_verify_block_start(v, b); j < ilab_verify_block_start(v, b + 1); j++)
			v->r[j] = random_word(seed, STREAM_SIGNS, j) >> 63 ? 1 : -1;
		status = ilab_reference_projection(&v->shape, v->dtype, seed, v->r, v->v + b * v->shape.hidden, &v->c[b], err);
	}
	for (uint64_t j = 0; j < v->shape.width; j++)
		v->r[j] = random_word(seed, STREAM_SIGNS, j) >> 63 ? 1 : -1;
	return status;
}

enum ilab_status ilab_verifier_new(const struct ilab_shape *shape, enum ilab_dtype dtype, uint64_t seed, uint64_t rows,
	bool half_accumulation, struct ilab_verifier **out, struct ilab_err *err)
{
	struct ilab_verifier *v = new_array(1, 1, sizeof(*v), err);
	*out = v;
	if (!v)
		return ILAB_FAILED;
	enum ilab_status status = ilab_shape_sizes(shape, dtype, &v->sizes, err);
	if (status)
		goto out;
	v->shape = *shape;
	v->dtype = dtype;
	v->half_accumulation = half_accumulation;
	v->base_bound = ilab_bound_norm(dtype, shape, half_accumulation);
	v->row_count = (size_t)(rows == 0 ? 1 : rows < v->sizes.rows ? rows : v->sizes.rows);
	v->block_count = (size_t)ilab_bound_blocks(shape->width);
	v->threads = omp_get_max_threads();
	choose_columns(v, seed);

	status = allocate(v, err);
	if (!status)
		status = reference_rows(v, seed, err);
	if (!status)
		status = ilab_reference_hidden_columns(shape, dtype, seed, v->columns, v->column_count, v->columns_reference, err);
	if (!status)
		status = reference_projection(v, seed, err);
out:
	if (status) {
		ilab_verifier_free(v);
		*out = NULL;
	}
	return status;
}

void ilab_verifier_free(struct ilab_verifier *v)
{
	if (!v)
		return;
	void *arrays[] = { v->rows, v->rows_reference, v->rows_seen_values, v->rows_norm2, v->rows_error2, v->rows_max, v->columns_reference,
		v->r, v->v, v->c, v->low, v->high, v->norm, v->scratch };
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
	free(v);
}

/* --- reporting -------------------------------------------------------------------------------------------------------- */

void ilab_verifier_fail(struct ilab_verifier *v, const char *format, ...)
{
	if (v->failure[0])
		return;
	va_list ap;
	va_start(ap, format);
	vsnprintf(v->failure, sizeof(v->failure), format, ap);
	va_end(ap);
}

void ilab_verifier_sample(const struct ilab_verifier *v, uint64_t *rows, uint64_t *width, const float **values)
{
	*rows = v->row_count;
	*width = v->shape.width;
	*values = v->rows_seen_values;
}

static struct ilab_real figure(double value, const char *reason)
{
	return reason ? (struct ilab_real){ 0, reason } : (struct ilab_real){ value, NULL };
}

void ilab_verifier_report(const struct ilab_verifier *v, struct ilab_verify_report *out)
{
	const char *sampled = isfinite(v->relative_error) ? NULL : "invalid: a sampled row of the output is not finite";
	const char *projection = !v->projected ? "not-run: the hidden units were not read back"
		: v->nonfinite ? "invalid: an output or a hidden unit is not finite" : NULL;
	*out = (struct ilab_verify_report){
		.bound = v->base_bound * ilab_bound_few(v->row_count * v->shape.width),
		.relative_error = figure(v->relative_error, sampled),
		.max_abs_error = figure(v->max_abs_error, sampled),
		.projection_error = figure(v->projection_error, projection),
		.projection_bound = ilab_bound_projection(v->dtype, &v->shape, v->half_accumulation),
		.rows_checked = v->row_count,
		.elements_checked = v->sizes.rows * v->shape.width,
		.failure = v->failure[0] ? v->failure : NULL,
	};
}
