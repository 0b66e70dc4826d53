#ifndef ILAB_MODEL_RULE_H
#define ILAB_MODEL_RULE_H

#include "model/shape.h"

#include <stddef.h>
#include <stdint.h>

/* The input rule: which value stands at which place, bit-identical on the host and on every device.
 *
 *   h = splitmix64(seed ^ splitmix64(stream * 0xD1342543DE82EF95 + index))
 *   value = ((float)(int)((h >> 40) - 2^23) * 2^-23) * bound
 *
 * `index` is the logical row-major index ([out, in] for weights) whatever the storage layout; one IEEE multiplication rounds.
 * 16-bit types hold that float rounded to nearest even. */
enum ilab_stream { ILAB_STREAM_W1, ILAB_STREAM_B1, ILAB_STREAM_W2, ILAB_STREAM_B2, ILAB_STREAM_X, ILAB_STREAM_Y /* checksums only */ };

/* How a [rows, cols] matrix lies in memory. ROWS: element (r, c) at r * cols + c. COLS: at c * rows + r.
 * For weights [out, in] ROWS is the form of y = x W^T ("NK"), COLS is W stored transposed, [in, out] ("KN"). */
enum ilab_layout { ILAB_LAYOUT_ROWS, ILAB_LAYOUT_COLS };

/* One tensor of the network: enough to make its values, or the checksum of them, anywhere. */
struct ilab_tensor {
	uint64_t seed;
	enum ilab_stream stream;
	enum ilab_dtype dtype;
	enum ilab_layout layout;
	uint64_t rows, cols;           /* logical; a bias is 1 x n */
	float bound;
};

uint64_t ilab_splitmix64(uint64_t z);
/* 1/sqrt(fan_in) for weights and biases, 1 for inputs; computed once, in double, then rounded to float. */
float ilab_rule_bound(enum ilab_stream stream, const struct ilab_shape *shape);
/* The tensor of a stream for this network (ILAB_STREAM_Y: the output [M, width], for its checksum). */
struct ilab_tensor ilab_rule_tensor(enum ilab_stream stream, const struct ilab_shape *shape, enum ilab_dtype dtype, enum ilab_layout layout, uint64_t seed);

float ilab_rule_value(const struct ilab_tensor *t, uint64_t index);            /* before rounding to 16 bits */
/* Stored elements [first, first + count) in memory order of the tensor's layout, written to dst; parallel (OpenMP). */
void ilab_rule_fill(const struct ilab_tensor *t, uint64_t first, size_t count, void *dst);
/* The values that logical elements [first, first + count) hold once stored (rounded to 16 bits where the type has 16), for
 * the reference. In the calling thread: its caller is parallel. */
void ilab_rule_values(const struct ilab_tensor *t, uint64_t first, size_t count, double *dst);

/* Checksum of a tensor's bits: the sum, modulo 2^64, over all elements of
 *   splitmix64((stream * 0xD1342543DE82EF95 + index) * 0x9E3779B97F4A7C15 + bits)
 * with the logical index and the zero-extended stored bits. A sum, so that any order of evaluation gives it; the index inside,
 * so that two exchanged elements change it; logical, so that the layout does not. */
uint64_t ilab_checksum_term(enum ilab_stream stream, uint64_t index, uint32_t bits);
/* Over stored elements [first, first + count) held in host memory at `data`. Parallel; partial sums add up. */
uint64_t ilab_checksum_data(const struct ilab_tensor *t, uint64_t first, size_t count, const void *data);
/* Of the values that the rule gives, without storing them. Parallel. */
uint64_t ilab_checksum_rule(const struct ilab_tensor *t);

#endif
