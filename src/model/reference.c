#include "model/reference.h"

#include "base/checked.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Columns regenerated at a time: values and the rows they meet stay in the first-level cache. */
#define CHUNK ((size_t)512)

double ilab_dot(const double *a, const double *b, size_t n)
{
	double sum = 0;
	#pragma omp simd reduction(+ : sum)
	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

double ilab_gelu(double x)
{
	return 0.5 * x * erfc(-x * M_SQRT1_2);
}

static double *new_doubles(uint64_t a, uint64_t b, struct ilab_err *err)
{
	uint64_t count;
	double *memory = NULL;
	if (ilab_checked_mul(a, b, &count) && count <= SIZE_MAX / sizeof(*memory))
		memory = malloc((size_t)count * sizeof(*memory));
	if (!memory)
		ilab_err_set(err, ILAB_FAILED, "malloc", 0, "reference: out of host memory for %llu x %llu float64 values",
			(unsigned long long)a, (unsigned long long)b);
	return memory;
}

static size_t chunk_size(uint64_t cols, uint64_t done)
{
	return cols - done < CHUNK ? (size_t)(cols - done) : CHUNK;
}

/* out[i][r] = sum over k of t[r][k] * in[i][k], for every row r of `t` and count rows of `in`. Each value of `t` is made
 * once. A row r belongs to one thread, so there is no race and the order of additions is fixed. */
static void products(const struct ilab_tensor *t, const double *in, size_t count, double *out)
{
	const uint64_t rows = t->rows, cols = t->cols;
	#pragma omp parallel for schedule(static) if (rows * cols >= ILAB_PARALLEL_LEAST)
	for (uint64_t r = 0; r < rows; r++) {
		double values[CHUNK];
		for (size_t i = 0; i < count; i++)
			out[i * rows + r] = 0;
		for (uint64_t k = 0; k < cols; k += CHUNK) {
			const size_t n = chunk_size(cols, k);
			ilab_rule_values(t, r * cols + k, n, values);
			for (size_t i = 0; i < count; i++)
				out[i * rows + r] += ilab_dot(values, in + i * cols + k, n);
		}
	}
}

/* The given rows of a tensor, as doubles. */
static void gather(const struct ilab_tensor *t, const uint64_t *rows, size_t count, double *out)
{
	for (size_t i = 0; i < count; i++)
		ilab_rule_values(t, rows[i] * t->cols, (size_t)t->cols, out + i * t->cols);
}

/* Add the bias to each of count rows, and apply GELU when asked. */
static void finish_layer(const double *bias, uint64_t width, size_t count, bool gelu, double *y)
{
	#pragma omp parallel for schedule(static) if (width * count >= ILAB_PARALLEL_LEAST)
	for (uint64_t c = 0; c < width; c++)
		for (size_t i = 0; i < count; i++) {
			double v = y[i * width + c] + bias[c];
			y[i * width + c] = gelu ? ilab_gelu(v) : v;
		}
}

static struct ilab_tensor tensor_of(enum ilab_stream stream, const struct ilab_shape *shape, enum ilab_dtype dtype, uint64_t seed)
{
	return ilab_rule_tensor(stream, shape, dtype, ILAB_LAYOUT_ROWS, seed);
}

enum ilab_status ilab_reference_rows(const struct ilab_shape *shape, enum ilab_dtype dtype, uint64_t seed,
	const uint64_t *rows, size_t count, double *y, struct ilab_err *err)
{
	const struct ilab_tensor x = tensor_of(ILAB_STREAM_X, shape, dtype, seed);
	const struct ilab_tensor w1 = tensor_of(ILAB_STREAM_W1, shape, dtype, seed), b1 = tensor_of(ILAB_STREAM_B1, shape, dtype, seed);
	const struct ilab_tensor w2 = tensor_of(ILAB_STREAM_W2, shape, dtype, seed), b2 = tensor_of(ILAB_STREAM_B2, shape, dtype, seed);
	enum ilab_status status = ILAB_FAILED;
	double *inputs = new_doubles(count, shape->width, err), *hidden = new_doubles(count, shape->hidden, err);
	double *bias1 = new_doubles(1, shape->hidden, err), *bias2 = new_doubles(1, shape->width, err);
	if (!inputs || !hidden || !bias1 || !bias2)
		goto out;

	gather(&x, rows, count, inputs);
	ilab_rule_values(&b1, 0, (size_t)b1.cols, bias1);
	ilab_rule_values(&b2, 0, (size_t)b2.cols, bias2);
	products(&w1, inputs, count, hidden);
	finish_layer(bias1, shape->hidden, count, true, hidden);
	products(&w2, hidden, count, y);
	finish_layer(bias2, shape->width, count, false, y);
	status = ILAB_OK;
out:
	free(bias2);
	free(bias1);
	free(hidden);
	free(inputs);
	return status;
}

enum ilab_status ilab_reference_hidden_columns(const struct ilab_shape *shape, enum ilab_dtype dtype, uint64_t seed,
	const uint64_t *columns, size_t count, double *h, struct ilab_err *err)
{
	const struct ilab_tensor x = tensor_of(ILAB_STREAM_X, shape, dtype, seed);
	const struct ilab_tensor w1 = tensor_of(ILAB_STREAM_W1, shape, dtype, seed), b1 = tensor_of(ILAB_STREAM_B1, shape, dtype, seed);
	double *weights = new_doubles(count, shape->width, err);
	if (!weights)
		return ILAB_FAILED;

	/* The roles are swapped: all rows of x stream past the few rows of weights. */
	gather(&w1, columns, count, weights);
	products(&x, weights, count, h);
	#pragma omp parallel for schedule(static) if (x.rows * count >= ILAB_PARALLEL_LEAST)
	for (size_t i = 0; i < count; i++) {
		double bias;
		ilab_rule_values(&b1, columns[i], 1, &bias);
		for (uint64_t m = 0; m < x.rows; m++)
			h[i * x.rows + m] = ilab_gelu(h[i * x.rows + m] + bias);
	}
	free(weights);
	return ILAB_OK;
}

/* A block of columns belongs to one thread, which adds the rows in order: no race, and one fixed order of additions. */
static void project_block(const struct ilab_tensor *w, const double *r, uint64_t first, size_t n, double *v)
{
	double values[CHUNK];
	memset(v, 0, n * sizeof(*v));
	for (uint64_t row = 0; row < w->rows; row++) {
		const double factor = r[row];
		if (factor == 0)
			continue;
		ilab_rule_values(w, row * w->cols + first, n, values);
		for (size_t i = 0; i < n; i++)
			v[i] += factor * values[i];
	}
}

enum ilab_status ilab_reference_projection(const struct ilab_shape *shape, enum ilab_dtype dtype, uint64_t seed,
	const double *r, double *v, double *c, struct ilab_err *err)
{
	const struct ilab_tensor w2 = tensor_of(ILAB_STREAM_W2, shape, dtype, seed), b2 = tensor_of(ILAB_STREAM_B2, shape, dtype, seed);
	double *bias = new_doubles(1, shape->width, err);
	if (!bias)
		return ILAB_FAILED;

	#pragma omp parallel for schedule(static) if (w2.rows * w2.cols >= ILAB_PARALLEL_LEAST)
	for (uint64_t first = 0; first < w2.cols; first += CHUNK)
		project_block(&w2, r, first, chunk_size(w2.cols, first), v + first);
	ilab_rule_values(&b2, 0, (size_t)b2.cols, bias);
	*c = ilab_dot(bias, r, (size_t)b2.cols);
	free(bias);
	return ILAB_OK;
}
