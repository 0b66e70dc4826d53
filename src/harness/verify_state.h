#ifndef ILAB_HARNESS_VERIFY_STATE_H
#define ILAB_HARNESS_VERIFY_STATE_H

#include "harness/verify.h"
#include "model/bound.h"
#include "model/shape.h"

/* What the files verify*.c share. Matrices are row-major. */

#define ILAB_VERIFY_COLUMNS 4              /* hidden columns compared: first, last, and two at random */

struct ilab_verifier {
	struct ilab_shape shape;
	struct ilab_sizes sizes;
	enum ilab_dtype dtype;
	bool half_accumulation;
	double base_bound;                 /* ilab_bound_norm */

	/* sampled rows */
	uint64_t *rows; size_t row_count;  /* ascending, none twice */
	double *rows_reference;            /* [row_count][width] */
	float *rows_seen_values;           /* [row_count][width] of the pass checked last */
	double *rows_norm2;                /* [row_count] of the reference */
	double *rows_error2, *rows_max;    /* [row_count] of the pass in progress */
	double relative_error, max_abs_error;

	/* hidden columns */
	uint64_t columns[ILAB_VERIFY_COLUMNS]; size_t column_count;
	double *columns_reference;         /* [column_count][M] */

	/* projection, in `block_count` blocks of columns of nearly equal width */
	size_t block_count;
	double *r;                         /* [width] of +1 and -1 */
	double *v, *c;                     /* [block_count][hidden], [block_count]: the second layer seen through r */
	double *low, *high, *norm;         /* [M][block_count]: least and largest y.r, least norm, over the passes checked */
	double projection_error;
	bool projected;

	/* the pass in progress */
	char pass[48];
	uint64_t rows_seen, bad_count, bad_first;
	bool nonfinite;                    /* any element of any pass */

	/* hidden units seen */
	uint64_t hidden_bad_count, hidden_bad_first;
	struct ilab_worst { double ratio; uint64_t row, item; double found, expected; } column_worst, projection_worst;

	int threads;
	double *scratch;                   /* [threads][max(width, hidden)] */
	char failure[320];
};

/* First column of a block; of block_count: one past the last column. */
static inline uint64_t ilab_verify_block_start(const struct ilab_verifier *v, size_t block)
{
	return (uint64_t)((unsigned __int128)v->shape.width * block / v->block_count);
}

/* Bounds on one sampled row, on one hidden unit (relative to max(|h|, ILAB_VERIFY_HIDDEN_RMS)). */
double ilab_verify_row_bound(const struct ilab_verifier *v);
double ilab_verify_hidden_bound(const struct ilab_verifier *v);
#define ILAB_VERIFY_HIDDEN_RMS 0.2

/* The larger; NaN is the worst of all. */
static inline double ilab_verify_worse(double a, double b)
{
	return b != b || b > a ? b : a;
}

#endif
