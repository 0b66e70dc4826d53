#ifndef ILAB_MODEL_REFERENCE_H
#define ILAB_MODEL_REFERENCE_H

#include "model/rule.h"

#include <stddef.h>
#include <stdint.h>

/* The network in float64 on the host. Inputs, weights and biases are the stored (rounded) values of `dtype`; everything after
 * that is double. Values are regenerated while streaming, never stored whole; parallel (OpenMP). */

/* Loops over fewer values than this are done sooner than other threads wake up. */
#define ILAB_PARALLEL_LEAST ((uint64_t)16384)

/* Sum of a[i] * b[i], in an order of its own that is always the same for one n. */
double ilab_dot(const double *a, const double *b, size_t n);

/* Exact-erf GELU: 0.5 x erfc(-x / sqrt 2), which keeps relative accuracy for negative x. */
double ilab_gelu(double x);

/* y[count][width] for the given rows (indices into M). Cost O(count * width * hidden). ILAB_FAILED when memory runs out. */
enum ilab_status ilab_reference_rows(const struct ilab_shape *shape, enum ilab_dtype dtype, uint64_t seed,
	const uint64_t *rows, size_t count, double *y, struct ilab_err *err);

/* Hidden units h[count][M] after GELU for the given columns (indices into hidden), over all M rows. O(count * M * width). */
enum ilab_status ilab_reference_hidden_columns(const struct ilab_shape *shape, enum ilab_dtype dtype, uint64_t seed,
	const uint64_t *columns, size_t count, double *h, struct ilab_err *err);

/* The second layer seen through a projection r[width]: v[hidden] = W2^T r and c = b2 . r, so that for every row
 * y . r = h . v + c. O(width * hidden); columns of y that r leaves out (r = 0) cost nothing. */
enum ilab_status ilab_reference_projection(const struct ilab_shape *shape, enum ilab_dtype dtype, uint64_t seed,
	const double *r, double *v, double *c, struct ilab_err *err);

#endif
