#ifndef ILAB_MODEL_SHAPE_H
#define ILAB_MODEL_SHAPE_H

#include "base/err.h"
#include "model/dtype.h"

#include <stdint.h>

/* x[batch, context, width] -> Linear(width, hidden) -> GELU -> Linear(hidden, width). rows M = batch * context. */
struct ilab_shape { uint64_t batch, context, width, hidden; };

/* Everything that follows from shape and type, in elements and bytes. Index 0 is the first layer, 1 the second. */
struct ilab_sizes {
	uint64_t rows;                 /* M = batch * context */
	uint64_t parameters;           /* 2 * width * hidden + hidden + width */
	uint64_t weight_bytes[2];      /* [hidden, width] and [width, hidden] */
	uint64_t bias_bytes[2];
	uint64_t parameter_bytes;
	uint64_t input_bytes;          /* M * width */
	uint64_t hidden_bytes;         /* M * hidden */
	uint64_t output_bytes;         /* M * width */
	uint64_t flop_per_forward;     /* 4 * M * width * hidden */
};

/* ILAB_REFUSED, naming the quantity, when a dimension is 0 or a size passes 2^63-1. */
enum ilab_status ilab_shape_sizes(const struct ilab_shape *shape, enum ilab_dtype dtype, struct ilab_sizes *out, struct ilab_err *err);

#endif
