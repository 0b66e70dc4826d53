#include "host_measure.h"

#include "host_backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

struct ilab_measure_request a_request(enum ilab_dtype dtype)
{
	return (struct ilab_measure_request){ .shape = { 2, 12, 64, 256 }, .dtype = dtype, .warmup = 1, .repeats = 3, .seed = 7,
		.verify_rows = 3 };
}

struct ilab_measure_request a_small_request(enum ilab_dtype dtype)
{
	return (struct ilab_measure_request){ .shape = { 1, 5, 8, 12 }, .dtype = dtype, .warmup = 1, .repeats = 2, .seed = 7,
		.verify_rows = 2 };
}

struct run run_request(const struct ilab_measure_request *request, const struct ilab_observer *observer)
{
	struct run r = { .status = ILAB_OK };
	r.status = ilab_measure_run(&host_backend, request, observer, &r.arena, &r.m, &r.err);
	assert_int_equal(host.open_sessions, 0);
	assert_int_equal(host.buffers_left, 0);
	assert_int_equal(r.err.status, r.status);
	return r;
}

void end_run(struct run *r)
{
	ilab_arena_free(&r->arena);
}

void assert_passed(const struct run *r)
{
	if (r->status)
		fail_msg("status %d: %s", r->status, r->err.text);
	assert_string_equal(r->m.verification.status, "passed");
	assert_null(r->m.verification.failure);
	assert_null(r->m.verification.relative_error.reason);
	assert_null(r->m.verification.max_abs_error.reason);
	assert_null(r->m.verification.projection_error.reason);
	assert_true(r->m.verification.relative_error.value <= r->m.verification.bound);
	assert_null(r->m.summary.flop_per_second.reason);
	assert_int_equal(host.unpoisoned_passes, 0);
}

void assert_unverified(const struct run *r, const char *part)
{
	const struct ilab_measure *m = &r->m;
	if (r->status != ILAB_UNVERIFIED)
		fail_msg("expected a failure of '%s', got status %d: %s", part, r->status, r->err.text);
	assert_string_equal(m->verification.status, "failed");
	assert_non_null(m->verification.failure);
	if (strncmp(m->verification.failure, part, strlen(part)) != 0)
		fail_msg("expected a failure of '%s', got '%s'", part, m->verification.failure);
	assert_non_null(strstr(m->verification.failure, "builtin 7 (TILE=16 UNROLL=4)"));
	assert_non_null(strstr(r->err.text, part));
	assert_non_null(m->summary.flop_per_second.reason);
	assert_non_null(m->verification.output_checksum);
	assert_non_null(m->phases[m->phase_count - 1].output_checksum);
}
