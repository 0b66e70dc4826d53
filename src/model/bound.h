#ifndef ILAB_MODEL_BOUND_H
#define ILAB_MODEL_BOUND_H

#include "model/shape.h"

#include <stdbool.h>
#include <stdint.h>

/* What a correct output may be off by, from type and shape alone. The check of a pass and the check of a saved document use the
 * same functions (docs/methodology.md). */

/* Columns that one projection covers: wider outputs get one for every so many, so that sensitivity does not fall with width. */
#define ILAB_BOUND_BLOCK 1024
/* Root mean square that an element of the output is taken to have at least, so that a row that happens to be near zero, in
 * networks of a few units, is not judged by its own cancellation. Correct outputs have 0.1 or more at every shape. */
#define ILAB_BOUND_LEAST_RMS 0.05

/* On ||y - ref|| / ||ref|| over many elements; `half_accumulation`: products are summed in 16 bits. */
double ilab_bound_norm(enum ilab_dtype dtype, const struct ilab_shape *shape, bool half_accumulation);
/* Factor on that bound for few elements: 1 from 256 on, where a norm averages the rounding errors; sqrt(256 / elements) below. */
double ilab_bound_few(uint64_t elements);
/* On the sampled rows together: the two above for rows * width elements. */
double ilab_bound_sample(enum ilab_dtype dtype, const struct ilab_shape *shape, bool half_accumulation, uint64_t rows);
/* Blocks of nearly equal width that a row is projected in. */
uint64_t ilab_bound_blocks(uint64_t width);
/* On |y.r - (h.v + c)| over the norm of the block. */
double ilab_bound_projection(enum ilab_dtype dtype, const struct ilab_shape *shape, bool half_accumulation);
/* Norm of `n` elements that errors are measured against: never less than what n elements have at least. */
double ilab_bound_scale(double norm, uint64_t n);
/* What no element of an output of this network can pass in size, whatever the seed: every value of the input rule is within its
 * bound, and |GELU(z)| <= |z|. */
double ilab_bound_element(const struct ilab_shape *shape);

#endif
