/* fill, poison, checksum, upload, download: bit for bit. */
#include "conformance.h"

#include <math.h>

static const enum ilab_dtype storage[] = { ILAB_F32, ILAB_F16, ILAB_BF16 };
#define STORAGE_COUNT 3

static void check_values(const struct ilab_tensor *t, struct ilab_buffer *b)
{
	uint64_t count = t->rows * t->cols, bytes = tensor_bytes(t), sum = 0;
	unsigned char *want = malloc(bytes), *got = fetch(b, bytes);
	assert_non_null(want);
	ilab_rule_fill(t, 0, count, want);
	if (memcmp(want, got, bytes)) {
		size_t at = 0;
		while (want[at] == got[at])
			at++;
		fail_msg("%s stream %d %llu x %llu layout %d: byte %zu differs", ilab_dtype_name(t->dtype), (int)t->stream,
			(unsigned long long)t->rows, (unsigned long long)t->cols, (int)t->layout, at);
	}
	MUST(suite.api->checksum(suite.session, b, t, &sum, &err));
	assert_int_equal(sum, ilab_checksum_rule(t));
	assert_int_equal(sum, ilab_checksum_data(t, 0, count, want));
	free(want);
	free(got);
}

/* Shapes with and without a whole number of 16-byte chunks; 100,003 is prime. */
static const struct { uint64_t rows, cols; bool large; } shapes[] = {
	{ 1, 1, false }, { 1, 3, false }, { 2, 4, false }, { 7, 13, false }, { 64, 32, false }, { 1, 4099, false },
	{ 331, 302, true }, { 1, 100003, true },
};

#define SHAPE_COUNT (sizeof(shapes) / sizeof(shapes[0]))

/* An interpreter takes the large ones in `fill` only. */
static size_t shape_count(void)
{
	return suite.small ? SHAPE_COUNT - 2 : SHAPE_COUNT;
}

static struct ilab_tensor tensor(size_t shape, int stream, enum ilab_dtype dtype, enum ilab_layout layout, uint64_t seed)
{
	return (struct ilab_tensor){ seed, (enum ilab_stream)stream, dtype, layout, shapes[shape].rows, shapes[shape].cols, 0.7071f };
}

static void fill_is_bit_identical(void **state)
{
	(void)state;
	for (size_t i = 0; i < SHAPE_COUNT; i++) {
		for (size_t d = 0; d < STORAGE_COUNT; d++) {
			for (int stream = ILAB_STREAM_W1; stream <= ILAB_STREAM_X; stream++) {
				if (suite.small && shapes[i].large && stream != (int)d)
					continue;
				struct ilab_tensor t = tensor(i, stream, storage[d], stream % 2 ? ILAB_LAYOUT_COLS : ILAB_LAYOUT_ROWS, 42);
				struct ilab_buffer *b = filled(&t, 0);
				check_values(&t, b);
				give(b);
			}
		}
	}
}

static void seeds_reach_every_bit(void **state)
{
	(void)state;
	uint64_t sums[3];
	const uint64_t seeds[3] = { 0, UINT64_MAX, 1 };
	for (int i = 0; i < 3; i++) {
		struct ilab_tensor t = tensor(3, ILAB_STREAM_W1, ILAB_F32, ILAB_LAYOUT_ROWS, seeds[i]);
		struct ilab_buffer *b = filled(&t, 0);
		check_values(&t, b);
		MUST(suite.api->checksum(suite.session, b, &t, &sums[i], &err));
		give(b);
	}
	assert_int_not_equal(sums[0], sums[1]);
	assert_int_not_equal(sums[0], sums[2]);
}

static void layouts_hold_the_same_tensor(void **state)
{
	(void)state;
	for (size_t d = 0; d < STORAGE_COUNT; d++) {
		struct ilab_tensor rows = tensor(3, ILAB_STREAM_W1, storage[d], ILAB_LAYOUT_ROWS, 5), cols = rows;
		cols.layout = ILAB_LAYOUT_COLS;
		struct ilab_buffer *a = filled(&rows, 0), *b = filled(&cols, 0);
		uint64_t sum_a, sum_b, wrong;
		MUST(suite.api->checksum(suite.session, a, &rows, &sum_a, &err));
		MUST(suite.api->checksum(suite.session, b, &cols, &sum_b, &err));
		MUST(suite.api->checksum(suite.session, b, &rows, &wrong, &err));
		assert_int_equal(sum_a, sum_b);
		assert_int_not_equal(sum_a, wrong);    /* elements in other places are other elements */
		give(a);
		give(b);
	}
}

static void upload_is_bit_identical(void **state)
{
	(void)state;
	for (size_t i = 0; i < shape_count(); i++) {
		for (size_t d = 0; d < STORAGE_COUNT; d++) {
			struct ilab_tensor t = tensor(i, ILAB_STREAM_W2, storage[d], d % 2 ? ILAB_LAYOUT_COLS : ILAB_LAYOUT_ROWS, 7);
			struct ilab_buffer *b = take(tensor_bytes(&t));
			MUST(suite.api->upload(suite.session, b, &t, &err));
			check_values(&t, b);
			give(b);
		}
	}
}

/* Several staging areas' worth: they are used again while earlier transfers may still run. */
static void large_upload_keeps_its_order(void **state)
{
	(void)state;
	if (suite.small) {
		printf("#   skipped: 100 MB are too much for an interpreter\n");
		skip();
	}
	struct ilab_tensor t = { 3, ILAB_STREAM_W1, ILAB_F32, ILAB_LAYOUT_ROWS, 25, 1000003, 1.0f };
	struct ilab_buffer *b = take(tensor_bytes(&t));
	uint64_t sum = 0;
	MUST(suite.api->upload(suite.session, b, &t, &err));
	MUST(suite.api->checksum(suite.session, b, &t, &sum, &err));
	assert_int_equal(sum, ilab_checksum_rule(&t));
	give(b);
	MUST(suite.api->trim(suite.session, &err));
}

static void poison_is_nan_everywhere_and_nowhere_else(void **state)
{
	(void)state;
	for (size_t i = 0; i < shape_count(); i++) {
		for (size_t d = 0; d < STORAGE_COUNT; d++) {
			struct ilab_tensor t = tensor(i, ILAB_STREAM_X, storage[d], ILAB_LAYOUT_ROWS, 1), longer = t;
			uint64_t count = t.rows * t.cols, spare = 24 / ilab_dtype_bytes(t.dtype);
			longer.rows = 1;
			longer.cols = count + spare;
			struct ilab_buffer *b = filled(&longer, 0);
			MUST(suite.api->fill(suite.session, b, ILAB_FILL_POISON, &t, &err));
			unsigned char *got = fetch(b, tensor_bytes(&longer)), tail[24];
			for (uint64_t e = 0; e < count; e++)
				if (!isnan(ilab_dtype_load(t.dtype, got, e)))
					fail_msg("%s: element %llu of %llu is no NaN", ilab_dtype_name(t.dtype), (unsigned long long)e, (unsigned long long)count);
			ilab_rule_fill(&longer, count, spare, tail);
			assert_memory_equal(got + tensor_bytes(&t), tail, sizeof(tail));
			free(got);
			give(b);
		}
	}
}

static void download_takes_offsets(void **state)
{
	(void)state;
	struct ilab_tensor t = { 9, ILAB_STREAM_B1, ILAB_F16, ILAB_LAYOUT_ROWS, 1, 1009, 1.0f };
	struct ilab_buffer *b = filled(&t, 0);
	unsigned char whole[2018], part[2018];
	ilab_rule_fill(&t, 0, 1009, whole);
	static const struct { uint64_t offset, bytes; } parts[] = { { 0, 1 }, { 1, 3 }, { 1000, 1018 }, { 2017, 1 }, { 2018, 0 }, { 0, 2018 } };
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		memset(part, 0xa5, sizeof(part));
		MUST(suite.api->download(suite.session, b, parts[i].offset, parts[i].bytes, part, &err));
		assert_memory_equal(part, whole + parts[i].offset, parts[i].bytes);
		if (parts[i].bytes < sizeof(part))
			assert_int_equal(part[parts[i].bytes], 0xa5);
	}
	struct ilab_err why = {0};
	assert_int_not_equal(suite.api->download(suite.session, b, 2018, 1, part, &why), ILAB_OK);
	give(b);
	MUST(suite.api->sync(suite.session, &err));
}

int run_data(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fill_is_bit_identical),
		cmocka_unit_test(seeds_reach_every_bit),
		cmocka_unit_test(layouts_hold_the_same_tensor),
		cmocka_unit_test(upload_is_bit_identical),
		cmocka_unit_test(large_upload_keeps_its_order),
		cmocka_unit_test(poison_is_nan_everywhere_and_nowhere_else),
		cmocka_unit_test(download_takes_offsets),
	};
	return cmocka_run_group_tests_name("data", tests, NULL, NULL);
}
