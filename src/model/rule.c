#include "model/rule.h"

#include "model/dtype_bits.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#define STREAM_STEP UINT64_C(0xD1342543DE82EF95)
#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

/* Elements that one thread makes at a time: long enough to hide the scheduling, short enough to stay in its cache. */
#define BLOCK ((size_t)32768)

static inline uint64_t mix(uint64_t z)
{
	z += GOLDEN;
	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

/* `place` is stream * STREAM_STEP + index. */
static inline float value_at(uint64_t seed, uint64_t place, float bound)
{
	uint64_t h = mix(seed ^ mix(place));
	int32_t k = (int32_t)(h >> 40) - (1 << 23);
	return ((float)k * 0x1p-23f) * bound;
}

static inline uint64_t term_at(uint64_t place, uint32_t bits)
{
	return mix(place * GOLDEN + bits);
}

static uint64_t first_place(enum ilab_stream stream, uint64_t index)
{
	return (uint64_t)stream * STREAM_STEP + index;
}

uint64_t ilab_splitmix64(uint64_t z)
{
	return mix(z);
}

/* --- the tensors of the network ------------------------------------------------------------------------------------- */

float ilab_rule_bound(enum ilab_stream stream, const struct ilab_shape *shape)
{
	switch (stream) {
	case ILAB_STREAM_W1: case ILAB_STREAM_B1: return (float)(1 / sqrt((double)shape->width));
	case ILAB_STREAM_W2: case ILAB_STREAM_B2: return (float)(1 / sqrt((double)shape->hidden));
	default: return 1;
	}
}

struct ilab_tensor ilab_rule_tensor(enum ilab_stream stream, const struct ilab_shape *shape, enum ilab_dtype dtype,
	enum ilab_layout layout, uint64_t seed)
{
	struct ilab_tensor t = { .seed = seed, .stream = stream, .dtype = dtype, .layout = layout };
	t.bound = ilab_rule_bound(stream, shape);
	switch (stream) {
	case ILAB_STREAM_W1: t.rows = shape->hidden; t.cols = shape->width; break;
	case ILAB_STREAM_B1: t.rows = 1; t.cols = shape->hidden; break;
	case ILAB_STREAM_W2: t.rows = shape->width; t.cols = shape->hidden; break;
	case ILAB_STREAM_B2: t.rows = 1; t.cols = shape->width; break;
	case ILAB_STREAM_X: case ILAB_STREAM_Y: t.rows = shape->batch * shape->context; t.cols = shape->width; break;
	}
	return t;
}

float ilab_rule_value(const struct ilab_tensor *t, uint64_t index)
{
	return value_at(t->seed, first_place(t->stream, index), t->bound);
}

uint64_t ilab_checksum_term(enum ilab_stream stream, uint64_t index, uint32_t bits)
{
	return term_at(first_place(stream, index), bits);
}

/* --- stretches of memory -------------------------------------------------------------------------------------------- */

/* Elements side by side in memory whose places grow by a fixed step: the loops over them need neither a division nor a
 * look at layout or type. */
struct run {
	uint64_t place, step;
	size_t count;
};

/* The run that starts at stored element `position`, of at most `limit` elements. */
static struct run run_at(const struct ilab_tensor *t, uint64_t position, size_t limit)
{
	if (t->layout == ILAB_LAYOUT_ROWS || t->rows == 1)
		return (struct run){ first_place(t->stream, position), 1, limit };
	uint64_t row = position % t->rows, column = position / t->rows, left = t->rows - row;
	return (struct run){ first_place(t->stream, row * t->cols + column), t->cols, left < limit ? (size_t)left : limit };
}

static size_t block_size(size_t count, size_t done)
{
	return count - done < BLOCK ? count - done : BLOCK;
}

/* --- values --------------------------------------------------------------------------------------------------------- */

static void fill_run(const struct ilab_tensor *t, struct run r, void *dst)
{
	const uint64_t seed = t->seed;
	const float bound = t->bound;
	uint16_t *halves = dst;
	float *floats = dst;
	switch (t->dtype) {
	case ILAB_F16:
		for (size_t i = 0; i < r.count; i++)
			halves[i] = ilab_f16_bits(value_at(seed, r.place + i * r.step, bound));
		break;
	case ILAB_BF16:
		for (size_t i = 0; i < r.count; i++)
			halves[i] = ilab_bf16_bits(value_at(seed, r.place + i * r.step, bound));
		break;
	default:
		for (size_t i = 0; i < r.count; i++)
			floats[i] = value_at(seed, r.place + i * r.step, bound);
	}
}

static void fill_block(const struct ilab_tensor *t, uint64_t first, size_t count, unsigned char *dst)
{
	for (size_t done = 0; done < count;) {
		struct run r = run_at(t, first + done, count - done);
		fill_run(t, r, dst + done * ilab_dtype_bytes(t->dtype));
		done += r.count;
	}
}

void ilab_rule_fill(const struct ilab_tensor *t, uint64_t first, size_t count, void *dst)
{
	#pragma omp parallel for schedule(static) if (count > BLOCK)
	for (size_t done = 0; done < count; done += BLOCK)
		fill_block(t, first + done, block_size(count, done), (unsigned char *)dst + done * ilab_dtype_bytes(t->dtype));
}

void ilab_rule_values(const struct ilab_tensor *t, uint64_t first, size_t count, double *dst)
{
	const uint64_t seed = t->seed, place = first_place(t->stream, first);
	const float bound = t->bound;
	switch (t->dtype) {
	case ILAB_F16:
		for (size_t i = 0; i < count; i++)
			dst[i] = (double)ilab_f16_value(ilab_f16_bits(value_at(seed, place + i, bound)));
		break;
	case ILAB_BF16:
		for (size_t i = 0; i < count; i++)
			dst[i] = (double)ilab_bf16_value(ilab_bf16_bits(value_at(seed, place + i, bound)));
		break;
	default:
		for (size_t i = 0; i < count; i++)
			dst[i] = (double)value_at(seed, place + i, bound);
	}
}

/* --- checksums ------------------------------------------------------------------------------------------------------ */

static uint64_t checksum_run(enum ilab_dtype dtype, struct run r, const void *data)
{
	const uint16_t *halves = data;
	const float *floats = data;
	uint64_t sum = 0;
	if (ilab_dtype_bytes(dtype) == 2)
		for (size_t i = 0; i < r.count; i++)
			sum += term_at(r.place + i * r.step, halves[i]);
	else
		for (size_t i = 0; i < r.count; i++)
			sum += term_at(r.place + i * r.step, ilab_float_bits(floats[i]));
	return sum;
}

static uint64_t checksum_block(const struct ilab_tensor *t, uint64_t first, size_t count, const unsigned char *data)
{
	uint64_t sum = 0;
	for (size_t done = 0; done < count;) {
		struct run r = run_at(t, first + done, count - done);
		sum += checksum_run(t->dtype, r, data + done * ilab_dtype_bytes(t->dtype));
		done += r.count;
	}
	return sum;
}

uint64_t ilab_checksum_data(const struct ilab_tensor *t, uint64_t first, size_t count, const void *data)
{
	uint64_t sum = 0;
	#pragma omp parallel for schedule(static) reduction(+ : sum) if (count > BLOCK)
	for (size_t done = 0; done < count; done += BLOCK)
		sum += checksum_block(t, first + done, block_size(count, done),
			(const unsigned char *)data + done * ilab_dtype_bytes(t->dtype));
	return sum;
}

/* The sum does not depend on the layout, so the loop runs over logical indices. */
static uint64_t checksum_values(const struct ilab_tensor *t, uint64_t index, size_t count)
{
	const uint64_t seed = t->seed, place = first_place(t->stream, index);
	const float bound = t->bound;
	uint64_t sum = 0;
	switch (t->dtype) {
	case ILAB_F16:
		for (size_t i = 0; i < count; i++)
			sum += term_at(place + i, ilab_f16_bits(value_at(seed, place + i, bound)));
		break;
	case ILAB_BF16:
		for (size_t i = 0; i < count; i++)
			sum += term_at(place + i, ilab_bf16_bits(value_at(seed, place + i, bound)));
		break;
	default:
		for (size_t i = 0; i < count; i++)
			sum += term_at(place + i, ilab_float_bits(value_at(seed, place + i, bound)));
	}
	return sum;
}

uint64_t ilab_checksum_rule(const struct ilab_tensor *t)
{
	const size_t count = (size_t)(t->rows * t->cols);
	uint64_t sum = 0;
	#pragma omp parallel for schedule(static) reduction(+ : sum) if (count > BLOCK)
	for (size_t done = 0; done < count; done += BLOCK)
		sum += checksum_values(t, done, block_size(count, done));
	return sum;
}
