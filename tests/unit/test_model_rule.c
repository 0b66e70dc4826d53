/* model/rule: known answers, worked out apart from this program in exact integer and rational arithmetic. */
#include "model/rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static float float_of(uint32_t bits)
{
	float v;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

static void splitmix64_known_answers(void **state)
{
	(void)state;
	assert_true(ilab_splitmix64(0) == 0xe220a8397b1dcdafu);
	assert_true(ilab_splitmix64(1) == 0x910a2dec89025cc1u);
	assert_true(ilab_splitmix64(UINT64_MAX) == 0xe4d971771b652c20u);
	/* The published test sequence of the generator, seed 1234567: its state grows by the golden constant. */
	static const uint64_t sequence[] = { 6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u,
		16408922859458223821u };
	for (uint64_t i = 0; i < 5; i++)
		assert_true(ilab_splitmix64(1234567 + i * 0x9e3779b97f4a7c15u) == sequence[i]);
}

static void values_known_answers(void **state)
{
	(void)state;
	static const struct { uint64_t seed; enum ilab_stream stream; uint64_t index; uint32_t bound, f32; uint16_t f16, bf16; } rows[] = {
		{ 0, ILAB_STREAM_W1, 0, 0x3f13cd3a, 0x3e3441d2, 0x31a2, 0x3e34 },
		{ 0, ILAB_STREAM_X, 0, 0x3f800000, 0x3f573e00, 0x3aba, 0x3f57 },
		{ 0, ILAB_STREAM_X, 1, 0x3f800000, 0x3f5240ba, 0x3a92, 0x3f52 },
		{ UINT64_MAX, ILAB_STREAM_X, 0, 0x3f800000, 0xbf1ad1ae, 0xb8d7, 0xbf1b },
		{ UINT64_MAX, ILAB_STREAM_W2, 14, 0x3ee4f92e, 0xbe4b3a46, 0xb25a, 0xbe4b },
		{ 42, ILAB_STREAM_B1, 7, 0x3f13cd3a, 0x3e86af2d, 0x3435, 0x3e87 },
		{ 1, ILAB_STREAM_B2, 1099511627781, 0x3ee4f92e, 0xbe8c250e, 0xb461, 0xbe8c },
		{ 7, ILAB_STREAM_W1, 9223372036854775806u, 0x3f13cd3a, 0x3f00e9a1, 0x3807, 0x3f01 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ilab_tensor t = { .seed = rows[i].seed, .stream = rows[i].stream, .layout = ILAB_LAYOUT_ROWS, .rows = 1,
			.cols = INT64_MAX, .bound = float_of(rows[i].bound) };
		const float v = ilab_rule_value(&t, rows[i].index);
		assert_int_equal(ilab_dtype_encode(ILAB_F32, v), rows[i].f32);
		uint32_t word = 0;
		uint16_t half = 0;
		double value = 0;
		t.dtype = ILAB_TF32, ilab_rule_fill(&t, rows[i].index, 1, &word);
		assert_int_equal(word, rows[i].f32);
		t.dtype = ILAB_F16, ilab_rule_fill(&t, rows[i].index, 1, &half);
		assert_int_equal(half, rows[i].f16);
		t.dtype = ILAB_BF16, ilab_rule_fill(&t, rows[i].index, 1, &half);
		assert_int_equal(half, rows[i].bf16);
		ilab_rule_values(&t, rows[i].index, 1, &value);
		assert_true(value == (double)float_of((uint32_t)rows[i].bf16 << 16));
	}
}

static void bounds_and_tensors(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 2, 7, 3, 5 };
	static const struct { enum ilab_stream stream; uint64_t rows, cols; uint32_t bound; } rows[] = {
		{ ILAB_STREAM_W1, 5, 3, 0x3f13cd3a }, { ILAB_STREAM_B1, 1, 5, 0x3f13cd3a }, { ILAB_STREAM_W2, 3, 5, 0x3ee4f92e },
		{ ILAB_STREAM_B2, 1, 3, 0x3ee4f92e }, { ILAB_STREAM_X, 14, 3, 0x3f800000 }, { ILAB_STREAM_Y, 14, 3, 0x3f800000 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ilab_tensor t = ilab_rule_tensor(rows[i].stream, &shape, ILAB_F16, ILAB_LAYOUT_COLS, 9);
		assert_int_equal(t.rows, rows[i].rows);
		assert_int_equal(t.cols, rows[i].cols);
		assert_true(t.bound == float_of(rows[i].bound) && t.bound == ilab_rule_bound(rows[i].stream, &shape));
		assert_true(t.seed == 9 && t.stream == rows[i].stream && t.dtype == ILAB_F16 && t.layout == ILAB_LAYOUT_COLS);
	}
}

/* Each stored element of each layout and type, against the definition: also across blocks of the parallel loops, and for
 * any first element and count. */
static void check_layout(uint64_t rows, uint64_t cols, enum ilab_layout layout, enum ilab_dtype dtype)
{
	const struct ilab_tensor t = { .seed = 99, .stream = ILAB_STREAM_W1, .dtype = dtype, .layout = layout, .rows = rows, .cols = cols,
		.bound = 0.125f };
	const size_t count = rows * cols, bytes = ilab_dtype_bytes(dtype);
	unsigned char *data = malloc(count * bytes), *part = malloc(count * bytes + 1);
	double *values = malloc(count * sizeof(*values));
	assert_true(data && part && values);
	ilab_rule_fill(&t, 0, count, data);
	ilab_rule_values(&t, 0, count, values);
	uint64_t sum = 0;
	for (uint64_t r = 0; r < rows; r++) {
		for (uint64_t c = 0; c < cols; c++) {
			const uint64_t index = r * cols + c, position = layout == ILAB_LAYOUT_ROWS ? index : c * rows + r;
			const uint32_t expected = ilab_dtype_encode(dtype, ilab_rule_value(&t, index));
			uint32_t bits = 0;
			memcpy(&bits, data + position * bytes, bytes);
			if (bits != expected || values[index] != (double)ilab_dtype_decode(dtype, expected))
				fail_msg("%s, layout %d, row %u, column %u", ilab_dtype_name(dtype), (int)layout, (unsigned)r, (unsigned)c);
			sum += ilab_checksum_term(ILAB_STREAM_W1, index, bits);
		}
	}
	assert_true(ilab_checksum_data(&t, 0, count, data) == sum);
	assert_true(ilab_checksum_rule(&t) == sum);

	const size_t first = count / 3, length = count / 2;
	part[length * bytes] = 0xee;
	ilab_rule_fill(&t, first, length, part);
	assert_memory_equal(part, data + first * bytes, length * bytes);
	assert_int_equal(part[length * bytes], 0xee);
	assert_true(ilab_checksum_data(&t, 0, first, data) + ilab_checksum_data(&t, first, length, part) +
		ilab_checksum_data(&t, first + length, count - first - length, data + (first + length) * bytes) == sum);
	free(values);
	free(part);
	free(data);
}

static void layouts_and_types_follow_the_definition(void **state)
{
	(void)state;
	static const uint64_t shapes[][2] = { { 1, 1 }, { 1, 17 }, { 17, 1 }, { 5, 3 }, { 31, 33 }, { 40007, 3 }, { 3, 40007 }, { 301, 307 } };
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++)
			for (int layout = 0; layout < 2; layout++)
				check_layout(shapes[i][0], shapes[i][1], (enum ilab_layout)layout, (enum ilab_dtype)dtype);
}

static void checksums_known_answers(void **state)
{
	(void)state;
	assert_true(ilab_checksum_term(ILAB_STREAM_W1, 0, 0) == 0xe220a8397b1dcdafu);
	assert_true(ilab_checksum_term(ILAB_STREAM_Y, 3, 0x3f800000) == 0x208d573f77798b76u);
	assert_true(ilab_checksum_term(ILAB_STREAM_W2, 1ull << 33, 0xffffffff) == 0x9c287384b56e5809u);
	const struct ilab_shape shape = { 2, 2, 3, 5 };
	static const struct { enum ilab_stream stream; uint64_t seed, f32, f16, bf16; } rows[] = {
		{ ILAB_STREAM_W1, 42, 0x6fc00e7d6c8b055b, 0xc90bfeb406f0dc3f, 0xbe27f3f29418da0 },
		{ ILAB_STREAM_X, UINT64_MAX, 0xb321908f48e2b488, 0xfbdcf8f2f51c3c16, 0x6a550695645c622e },
	};
	for (size_t i = 0; i < 2; i++) {
		for (int layout = 0; layout < 2; layout++) {
			struct ilab_tensor t = ilab_rule_tensor(rows[i].stream, &shape, ILAB_F32, (enum ilab_layout)layout, rows[i].seed);
			assert_true(ilab_checksum_rule(&t) == rows[i].f32);
			t.dtype = ILAB_F16;
			assert_true(ilab_checksum_rule(&t) == rows[i].f16);
			t.dtype = ILAB_BF16;
			assert_true(ilab_checksum_rule(&t) == rows[i].bf16);
		}
	}
}

/* What a checksum must notice: one changed bit, two exchanged elements, another stream. */
static void checksums_notice_changes(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 1, 40, 16, 64 };
	struct ilab_tensor t = ilab_rule_tensor(ILAB_STREAM_X, &shape, ILAB_F32, ILAB_LAYOUT_ROWS, 3);
	uint32_t data[40 * 16];
	ilab_rule_fill(&t, 0, 640, data);
	const uint64_t sum = ilab_checksum_data(&t, 0, 640, data);
	for (size_t i = 0; i < 640; i++) {
		data[i] ^= 1u << i % 32;
		assert_true(ilab_checksum_data(&t, 0, 640, data) != sum);
		data[i] ^= 1u << i % 32;
	}
	const uint32_t kept = data[3];
	data[3] = data[500], data[500] = kept;
	assert_true(ilab_checksum_data(&t, 0, 640, data) != sum);
	data[500] = data[3], data[3] = kept;
	assert_true(ilab_checksum_data(&t, 0, 640, data) == sum);
	t.stream = ILAB_STREAM_Y;
	assert_true(ilab_checksum_data(&t, 0, 640, data) != sum);
}

/* Uniform in (-bound, bound): mean 0, variance bound^2 / 3, within 5 standard errors; neighbours and streams uncorrelated. */
static void values_look_uniform(void **state)
{
	(void)state;
	enum { n = 100000 };
	static double x[n], w[n];
	struct ilab_tensor t = { .seed = 5, .stream = ILAB_STREAM_X, .dtype = ILAB_F32, .layout = ILAB_LAYOUT_ROWS, .rows = 1, .cols = n, .bound = 1 };
	ilab_rule_values(&t, 0, n, x);
	t.stream = ILAB_STREAM_W1;
	ilab_rule_values(&t, 0, n, w);
	double mean = 0, square = 0, next = 0, cross = 0;
	for (size_t i = 0; i < n; i++) {
		assert_true(x[i] >= -1 && x[i] < 1);
		mean += x[i] / n;
		square += x[i] * x[i] / n;
		next += x[i] * x[(i + 1) % n] / n;
		cross += x[i] * w[i] / n;
	}
	/* standard errors: sqrt(1/3 / n), sqrt(4/45 / n), (1/3) / sqrt(n) */
	assert_true(mean > -0.00913 && mean < 0.00913);
	assert_true(square > 1.0 / 3 - 0.00472 && square < 1.0 / 3 + 0.00472);
	assert_true(next > -0.00528 && next < 0.00528);
	assert_true(cross > -0.00528 && cross < 0.00528);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splitmix64_known_answers),
		cmocka_unit_test(values_known_answers),
		cmocka_unit_test(bounds_and_tensors),
		cmocka_unit_test(layouts_and_types_follow_the_definition),
		cmocka_unit_test(checksums_known_answers),
		cmocka_unit_test(checksums_notice_changes),
		cmocka_unit_test(values_look_uniform),
	};
	return cmocka_run_group_tests_name("model/rule", tests, NULL, NULL);
}
