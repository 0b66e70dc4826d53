/* Devices that fail, and requests that a device cannot serve. */
#include "host_backend.h"
#include "host_measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static int reset(void **state)
{
	(void)state;
	host_reset();
	return 0;
}

static bool names_a_phase(const char *text)
{
	const char *const names[] = { "setup: ", "verify: ", "model_load: ", "inputs: ", "cold_forward: ", "warmup: ", "warm_forward: " };
	for (size_t i = 0; i < LENGTH(names); i++)
		if (strncmp(text, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Each operation fails at each of its calls. Without stamps there is no calibration, so the number of calls is fixed. */
static void an_error_at_any_call(bool graph)
{
	struct ilab_measure_request request = a_small_request(ILAB_F32);
	uint64_t calls[HOST_OP_COUNT];
	request.open.graph = graph;
	host_reset();
	host.stamps = HOST_STAMPS_REFUSED;
	host.temporary_bytes = 64;
	struct run clean = run_request(&request, NULL);
	assert_passed(&clean);
	end_run(&clean);
	memcpy(calls, host.calls, sizeof(calls));
	for (int op = HOST_OPEN; op < HOST_OP_COUNT; op++) {
		assert_true((calls[op] > 0) == (graph || op < HOST_GRAPH_BEGIN));
		for (uint64_t n = 1; n <= calls[op]; n++) {
			host_reset();
			host.stamps = HOST_STAMPS_REFUSED;
			host.temporary_bytes = 64;
			host.fail_op = (enum host_op)op;
			host.fail_at = n;
			struct run r = run_request(&request, NULL);
			if (r.status != ILAB_FAILED || !names_a_phase(r.err.text) || !strstr(r.err.text, "does not answer"))
				fail_msg("operation %d, call %llu: status %d, '%s'", op, (unsigned long long)n, r.status, r.err.text);
			assert_string_equal(r.err.call, "hostCall");
			assert_int_equal(r.err.code, -5);
			assert_int_equal(host.calls[op], n);
			end_run(&r);
		}
	}
}

static void an_error_at_any_call_ends_the_run_cleanly(void **state)
{
	(void)state;
	an_error_at_any_call(false);
	an_error_at_any_call(true);
}

static void late_errors_name_their_phase(void **state)
{
	(void)state;
	const struct { enum host_op op; uint64_t at; const char *phase; } cases[] = {
		{ HOST_OPEN, 1, "setup: " }, { HOST_TRIM, 1, "setup: " }, { HOST_UPLOAD, 3, "model_load: " }, { HOST_CHECKSUM, 1, "model_load: " },
		{ HOST_FILL, 1, "inputs: " }, { HOST_CHECKSUM, 5, "inputs: " }, { HOST_LINEAR, 1, "cold_forward: " }, { HOST_LINEAR, 2, "cold_forward: " },
		{ HOST_DOWNLOAD, 1, "cold_forward: " }, { HOST_LINEAR, 3, "warmup: " }, { HOST_LINEAR, 5, "warm_forward: " },
		{ HOST_LINEAR, 8, "warm_forward: " }, { HOST_LINEAR, 9, "verify: " },
	};
	struct ilab_measure_request request = a_small_request(ILAB_F32);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		host_reset();
		host.stamps = HOST_STAMPS_REFUSED;
		host.fail_op = cases[i].op;
		host.fail_at = cases[i].at;
		host.fail_text = "out of device memory";
		struct run r = run_request(&request, NULL);
		assert_int_equal(r.status, ILAB_FAILED);
		if (strncmp(r.err.text, cases[i].phase, strlen(cases[i].phase)) != 0)
			fail_msg("'%s' does not begin with '%s'", r.err.text, cases[i].phase);
		assert_non_null(strstr(r.err.text, "out of device memory"));
		end_run(&r);
	}
}

/* Work has begun: what is refused now has failed. */
static void a_late_refusal_is_a_failure(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_small_request(ILAB_F32);
	host.fail_op = HOST_LINEAR;
	host.fail_at = 1;
	host.fail_status = ILAB_REFUSED;
	host.fail_text = "unsupported: this product";
	struct run r = run_request(&request, NULL);
	assert_int_equal(r.status, ILAB_FAILED);
	assert_string_equal(r.err.text, "cold_forward: unsupported: this product");
	end_run(&r);
}

static void a_refused_plan_is_a_refusal(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_small_request(ILAB_F32);
	host.fail_op = HOST_PLAN;
	host.fail_at = 1;
	host.fail_status = ILAB_REFUSED;
	host.fail_text = "unsupported: no such product";
	struct run r = run_request(&request, NULL);
	assert_int_equal(r.status, ILAB_REFUSED);
	assert_string_equal(r.err.text, "unsupported: no such product");
	assert_int_equal(host.calls[HOST_ALLOC], 0);
	end_run(&r);
}

static void assert_refused(const struct ilab_measure_request *request, const char *limit, const char *need, const char *have)
{
	struct run r = run_request(request, NULL);
	assert_int_equal(r.status, ILAB_REFUSED);
	if (!strstr(r.err.text, limit) || !strstr(r.err.text, need) || !strstr(r.err.text, have))
		fail_msg("'%s' names not all of '%s' '%s' '%s'", r.err.text, limit, need, have);
	assert_int_equal(host.calls[HOST_ALLOC], 0);
	assert_int_equal(host.calls[HOST_UPLOAD], 0);
	end_run(&r);
}

static void sizes_beyond_the_device_are_refused_before_work(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_request(ILAB_F32);
	const uint64_t weights = 64 * 256 * 4, all = 2 * weights + 256 * 4 + 64 * 4 + 24 * (64 + 256 + 64) * 4;
	char text[32];
	host.limits.max_allocation_bytes = weights - 1;
	assert_refused(&request, "max_allocation_bytes", "65536", "65535");
	host_reset();
	host.limits.total_memory_bytes = all - 1;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)all);
	assert_refused(&request, "total_memory_bytes", text, "169215");
	host_reset();
	host.temporary_bytes = 70000;
	host.limits.max_allocation_bytes = 69999;
	assert_refused(&request, "temporary", "70000", "69999");
	host.limits.max_allocation_bytes = 70000;
	host.limits.total_memory_bytes = all + 69999;
	assert_refused(&request, "total_memory_bytes", "239216", "239215");

	host_reset();
	host.temporary_bytes = 70000;
	host.limits = (struct ilab_limits){ all + 70000, 70000 };
	struct run r = run_request(&request, NULL);      /* it fits exactly */
	assert_passed(&r);
	end_run(&r);
}

static void sizes_that_overflow_are_refused(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_request(ILAB_F32);
	request.shape = (struct ilab_shape){ UINT64_MAX / 2, 4, 64, 256 };
	struct run r = run_request(&request, NULL);
	assert_int_equal(r.status, ILAB_REFUSED);
	end_run(&r);
	request = a_request(ILAB_F32);
	request.repeats = 0;
	r = run_request(&request, NULL);
	assert_int_equal(r.status, ILAB_REFUSED);
	end_run(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_error_at_any_call_ends_the_run_cleanly, reset),
		cmocka_unit_test_setup(late_errors_name_their_phase, reset),
		cmocka_unit_test_setup(a_late_refusal_is_a_failure, reset),
		cmocka_unit_test_setup(a_refused_plan_is_a_refusal, reset),
		cmocka_unit_test_setup(sizes_beyond_the_device_are_refused_before_work, reset),
		cmocka_unit_test_setup(sizes_that_overflow_are_refused, reset),
	};
	return cmocka_run_group_tests_name("harness/errors", tests, NULL, NULL);
}
