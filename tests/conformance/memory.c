/* alloc, free, trim, memory, reset_peaks, limits. */
#include "conformance.h"

static bool own_pool(void)
{
	return !strcmp(suite.api->info(suite.session)->counters_source, "opencl_pool");
}

static struct ilab_memory counters(void)
{
	struct ilab_memory m;
	suite.api->memory(suite.session, &m);
	assert_true(m.allocated_bytes <= m.reserved_bytes);
	assert_true(m.allocated_bytes <= m.peak_allocated_bytes);
	assert_true(m.reserved_bytes <= m.peak_reserved_bytes);
	return m;
}

static void expect(uint64_t allocated, uint64_t peak_allocated, uint64_t reserved, uint64_t peak_reserved)
{
	struct ilab_memory m = counters();
	assert_int_equal(m.allocated_bytes, allocated);
	assert_int_equal(m.peak_allocated_bytes, peak_allocated);
	if (own_pool()) {              /* others reserve in steps of their own */
		assert_int_equal(m.reserved_bytes, reserved);
		assert_int_equal(m.peak_reserved_bytes, peak_reserved);
	}
}

static void counts_to_the_byte(void **state)
{
	(void)state;
	MUST(suite.api->trim(suite.session, &err));
	suite.api->reset_peaks(suite.session);
	expect(0, 0, 0, 0);
	struct ilab_buffer *a = take(1), *b = take(513), *c = take(3 << 20);
	const uint64_t all = 1 + 513 + (3 << 20);
	expect(all, all, all, all);
	give(b);
	expect(all - 513, all, all, all);
	suite.api->reset_peaks(suite.session);
	expect(all - 513, all - 513, all, all);
	struct ilab_buffer *again = take(513);         /* from the cache */
	expect(all, all, all, all);
	give(again);
	give(a);
	give(c);
	give(NULL);
	expect(0, all, all, all);
	MUST(suite.api->trim(suite.session, &err));
	expect(0, all, 0, all);
	suite.api->reset_peaks(suite.session);
	expect(0, 0, 0, 0);
}

static void buffers_do_not_overlap(void **state)
{
	(void)state;
	struct ilab_buffer *b[12];
	struct ilab_tensor t = { .dtype = ILAB_F32, .rows = 1, .bound = 1 };
	for (int i = 0; i < 12; i++) {
		t.cols = (uint64_t)(i * 37 + 1);
		t.seed = (uint64_t)i;
		b[i] = filled(&t, 0);
	}
	for (int i = 0; i < 12; i++) {
		uint64_t sum;
		t.cols = (uint64_t)(i * 37 + 1);
		t.seed = (uint64_t)i;
		MUST(suite.api->checksum(suite.session, b[i], &t, &sum, &err));
		assert_int_equal(sum, ilab_checksum_rule(&t));
		give(b[i]);
	}
}

/* A buffer may be given back while work on it is queued; the next owner's work comes after. */
static void freed_buffers_are_reused_in_order(void **state)
{
	(void)state;
	struct ilab_tensor first = { 1, ILAB_STREAM_X, ILAB_F32, ILAB_LAYOUT_ROWS, 1, 5003, 1 }, second = first;
	second.seed = 2;
	for (int i = 0; i < 8; i++) {
		give(filled(&first, 0));
		struct ilab_buffer *b = filled(&second, 0);
		uint64_t sum;
		MUST(suite.api->checksum(suite.session, b, &second, &sum, &err));
		assert_int_equal(sum, ilab_checksum_rule(&second));
		give(b);
	}
}

static void refuses_what_cannot_be(void **state)
{
	(void)state;
	struct ilab_limits l;
	suite.api->limits(suite.session, &l);
	assert_true(l.total_memory_bytes > 0 && l.max_allocation_bytes > 0);
	struct ilab_memory before = counters();
	struct ilab_buffer *b = NULL;
	const uint64_t sizes[] = { 0, l.max_allocation_bytes + 1, l.total_memory_bytes + 1, UINT64_MAX };
	for (size_t i = 0; i < 4; i++) {
		struct ilab_err why = {0};
		assert_int_not_equal(suite.api->alloc(suite.session, sizes[i], &b, &why), ILAB_OK);
		assert_null(b);
		assert_true(strlen(why.text) > 10);
	}
	struct ilab_memory after = counters();
	assert_int_equal(before.allocated_bytes, after.allocated_bytes);
	give(take(64));                /* the session survives a refusal */
	MUST(suite.api->sync(suite.session, &err));
}

static void gives_the_cache_back_before_it_fails(void **state)
{
	(void)state;
	struct ilab_limits l;
	suite.api->limits(suite.session, &l);
	if (l.total_memory_bytes > (uint64_t)512 << 20 || l.max_allocation_bytes < l.total_memory_bytes / 4) {
		printf("#   skipped: only a device with little memory is filled up\n");
		skip();
	}
	const uint64_t part = l.total_memory_bytes / 4;
	struct ilab_buffer *held[5] = {0};
	MUST(suite.api->trim(suite.session, &err));
	int made = 0;
	struct ilab_err why = {0};
	while (made < 5 && !suite.api->alloc(suite.session, part, &held[made], &why))
		made++;
	assert_true(made >= 2 && made <= 4);
	assert_int_equal(why.status, ILAB_FAILED);
	assert_int_equal(strncmp(why.text, "out of device memory", 20), 0);
	for (int i = 0; i < made; i++)
		give(held[i]);
	/* All of it is cached now, in blocks of another size. */
	struct ilab_buffer *b = take(part - 4);
	if (own_pool())
		assert_int_equal(counters().reserved_bytes, part - 4);
	give(b);
	MUST(suite.api->trim(suite.session, &err));
}

int run_memory(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_to_the_byte),
		cmocka_unit_test(buffers_do_not_overlap),
		cmocka_unit_test(freed_buffers_are_reused_in_order),
		cmocka_unit_test(refuses_what_cannot_be),
		cmocka_unit_test(gives_the_cache_back_before_it_fails),
	};
	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
