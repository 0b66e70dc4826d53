/* sync, spans, probes. */
#include "conformance.h"

#include "base/clock.h"

#include <math.h>

static void spans_lie_inside_the_host_clock(void **state)
{
	(void)state;
	struct ilab_tensor t = { 1, ILAB_STREAM_X, ILAB_F32, ILAB_LAYOUT_ROWS, suite.small ? 64 : 1024, 1024, 1 };
	struct ilab_buffer *b = filled(&t, 0);
	MUST(suite.api->sync(suite.session, &err));
	uint64_t start = ilab_clock_ns(), begin = 0, end = 0;
	MUST(suite.api->span_begin(suite.session, &err));
	for (int i = 0; i < 4; i++)
		MUST(suite.api->fill(suite.session, b, ILAB_FILL_RULE, &t, &err));
	MUST(suite.api->span_end(suite.session, &err));
	MUST(suite.api->sync(suite.session, &err));
	double host_ns = (double)(ilab_clock_ns() - start);
	bool known = suite.api->span_read(suite.session, &begin, &end);
	const struct ilab_session_info *info = suite.api->info(suite.session);
	give(b);
	if (info->timer_source.reason) {
		assert_false(known);
		printf("#   skipped: %s\n", info->timer_source.reason);
		skip();
	}
	if (!known || info->timer_resolution_seconds == 0) {
		printf("#   skipped: the driver's stamps are not to be used (%llu to %llu ns, resolution 0)\n",
			(unsigned long long)begin, (unsigned long long)end);
		skip();
	}
	assert_true(end >= begin);
	assert_true((double)(end - begin) <= host_ns * 1.1 + 1e6 + info->timer_resolution_seconds * 1e9);
	printf("#   span %.3f ms, host %.3f ms\n", (double)(end - begin) * 1e-6, host_ns * 1e-6);
}

static void span_without_a_begin_is_unknown(void **state)
{
	(void)state;
	uint64_t begin, end;
	MUST(suite.api->sync(suite.session, &err));
	MUST(suite.api->span_begin(suite.session, &err));
	MUST(suite.api->span_end(suite.session, &err));
	MUST(suite.api->sync(suite.session, &err));
	suite.api->span_read(suite.session, &begin, &end);
	MUST(suite.api->span_begin(suite.session, &err));
	MUST(suite.api->sync(suite.session, &err));
	assert_false(suite.api->span_read(suite.session, &begin, &end));
}

static void copy_probe_copies(void **state)
{
	(void)state;
	struct ilab_tensor half = { 6, ILAB_STREAM_W1, ILAB_F32, ILAB_LAYOUT_ROWS, 1, suite.small ? 1024 : 262144, 1 };
	uint64_t bytes = tensor_bytes(&half), done = 0;
	struct ilab_buffer *b = take(2 * bytes);
	MUST(suite.api->fill(suite.session, b, ILAB_FILL_RULE, &half, &err));
	MUST(suite.api->probe(suite.session, ILAB_PROBE_COPY, ILAB_F32, b, 3 * bytes, &done, &err));
	assert_int_equal(done, 6 * bytes);
	unsigned char *got = fetch(b, 2 * bytes);
	assert_memory_equal(got, got + bytes, bytes);
	free(got);
	give(b);
}

static void fma_probe_does_its_work(void **state)
{
	(void)state;
	const uint64_t amount = suite.small ? 1000000 : 1000000000, floats = suite.small ? 256 : 8192;
	struct ilab_tensor t = { 6, ILAB_STREAM_W1, ILAB_F32, ILAB_LAYOUT_ROWS, 1, floats, 1 };
	struct ilab_buffer *b = take(floats * 4);
	uint64_t done = 0;
	MUST(suite.api->fill(suite.session, b, ILAB_FILL_POISON, &t, &err));
	MUST(suite.api->probe(suite.session, ILAB_PROBE_FMA, ILAB_F32, b, amount, &done, &err));
	assert_true(done >= amount);
	float *got = fetch(b, floats * 4);
	uint64_t written = 0;
	for (uint64_t i = 0; i < floats; i++) {
		if (isnan(got[i]))
			continue;
		/* 16 chains that end at 0.75 / (1 - 0.5): cl/probe.cl. */
		assert_true(fabs(got[i] - 24.0) < 1e-4);
		written++;
	}
	assert_true(written > 0 && written % 256 == 0);
	free(got);
	give(b);
}

static void matrix_probe_is_had_or_refused(void **state)
{
	(void)state;
	struct ilab_buffer *b = take(1 << 20);
	uint64_t done = 0;
	struct ilab_err why = {0};
	enum ilab_status status = suite.api->probe(suite.session, ILAB_PROBE_MATRIX, ILAB_F16, b, 1000000, &done, &why);
	give(b);
	if (status == ILAB_REFUSED) {
		assert_true(strlen(why.text) > 10);
		printf("#   skipped: %s\n", why.text);
		skip();
	}
	assert_int_equal(status, ILAB_OK);
	assert_true(done >= 1000000);
	MUST(suite.api->sync(suite.session, &err));
}

int run_work(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_lie_inside_the_host_clock),
		cmocka_unit_test(span_without_a_begin_is_unknown),
		cmocka_unit_test(copy_probe_copies),
		cmocka_unit_test(fma_probe_does_its_work),
		cmocka_unit_test(matrix_probe_is_had_or_refused),
	};
	return cmocka_run_group_tests_name("work", tests, NULL, NULL);
}
