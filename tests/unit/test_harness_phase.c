/* Device stamps against the host clock: lists of stamps as sound and lying devices give them. */
#include "harness/phase.h"

#include "host_backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static struct ilab_timer sound_timer(void)
{
	return (struct ilab_timer){ .source = { "events", NULL }, .resolution_seconds = 1e-6, .calibration_ratio = { 0.99, NULL },
		.before = { true, 1000, 2000 } };
}

static void assert_unknown(struct ilab_real r, const char *code, const char *word)
{
	assert_non_null(r.reason);
	if (strncmp(r.reason, code, strlen(code)) != 0 || !strstr(r.reason, word))
		fail_msg("reason is '%s', expected '%s...%s'", r.reason, code, word);
}

static void assert_known(struct ilab_real r)
{
	if (r.reason)
		fail_msg("null: %s", r.reason);
}

static void a_sound_span_is_its_length(void **state)
{
	(void)state;
	struct ilab_timer t = sound_timer();
	struct ilab_real r = ilab_span_judge(&(struct ilab_span){ true, 5000000, 8000000 }, &t, 3.1e-3);
	assert_known(r);
	assert_float_equal(r.value, 3e-3, 1e-15);
}

static void a_span_may_pass_the_host_clock_by_the_drift_only(void **state)
{
	(void)state;
	struct ilab_timer t = sound_timer();
	/* 10 ms on the device: limit 1.02 x host + 1 us */
	assert_unknown(ilab_span_judge(&(struct ilab_span){ true, 10000, 10010000 }, &t, 9.80e-3), "invalid: ", "more than the host");
	assert_known(ilab_span_judge(&(struct ilab_span){ true, 10000, 10010000 }, &t, 9.81e-3));
}

static void lying_stamps_are_null_with_a_reason(void **state)
{
	(void)state;
	struct ilab_timer t = sound_timer();
	assert_unknown(ilab_span_judge(&(struct ilab_span){ false, 0, 0 }, &t, 1), "unavailable: ", "no time stamps");
	assert_unknown(ilab_span_judge(&(struct ilab_span){ true, 0, 0 }, &t, 1), "invalid: ", "do not advance");
	assert_unknown(ilab_span_judge(&(struct ilab_span){ true, 7000, 7000 }, &t, 1), "invalid: ", "do not advance");
	assert_unknown(ilab_span_judge(&(struct ilab_span){ true, 9000, 7000 }, &t, 1), "invalid: ", "reversed");
	assert_unknown(ilab_span_judge(&(struct ilab_span){ true, 1000, 2000 }, &t, 1), "invalid: ", "stale");
	assert_unknown(ilab_span_judge(&(struct ilab_span){ true, 1500, 9000 }, &t, 1), "invalid: ", "stale");
	t.before = (struct ilab_span){ true, 2, 3 };
	assert_unknown(ilab_span_judge(&(struct ilab_span){ true, 2, 3 }, &t, 300e-6), "invalid: ", "stale");
}

static void without_markers_or_calibration_no_span_counts(void **state)
{
	(void)state;
	const struct ilab_span good = { true, 5000000, 8000000 };
	struct ilab_timer t = sound_timer();
	t.calibration_ratio = (struct ilab_real){ 0, "invalid: calibration" };
	assert_unknown(ilab_span_judge(&good, &t, 3.1e-3), "invalid: calibration", "");
	t.source = (struct ilab_text){ NULL, "unsupported: no profiling" };
	assert_unknown(ilab_span_judge(&good, &t, 3.1e-3), "unsupported: no profiling", "");
}

static void calibration_takes_the_least_disturbed_attempt(void **state)
{
	(void)state;
	const struct ilab_timing attempts[] = {
		{ { true, 1000000, 3000000 }, 5e-3 },       /* 0.4: somebody else had the processor */
		{ { true, 9000000, 12900000 }, 4e-3 },      /* 0.975 */
		{ { true, 20000000, 23600000 }, 4e-3 },     /* 0.9 */
	};
	struct ilab_real r = ilab_calibration_judge(attempts, LENGTH(attempts), 1e-9);
	assert_known(r);
	assert_float_equal(r.value, 0.975, 1e-12);
	assert_unknown(ilab_calibration_judge(attempts, 1, 1e-9), "invalid: ", "too little");
}

static void calibration_refuses_each_kind_of_lie(void **state)
{
	(void)state;
	const struct ilab_timing two_three[] = { { { true, 2, 3 }, 4e-3 }, { { true, 2, 3 }, 4e-3 } };
	const struct ilab_timing zero[] = { { { true, 0, 0 }, 4e-3 }, { { true, 0, 0 }, 4e-3 } };
	const struct ilab_timing swapped[] = { { { true, 9000000, 5000000 }, 4e-3 } };
	const struct ilab_timing short_116[] = { { { true, 1000000, 1034482 }, 4e-3 }, { { true, 9000000, 9034482 }, 4e-3 } };
	const struct ilab_timing fast[] = { { { true, 1000000, 7000000 }, 4e-3 }, { { true, 9000000, 15000000 }, 4e-3 } };
	const struct ilab_timing none[] = { { { false, 0, 0 }, 4e-3 } };
	assert_unknown(ilab_calibration_judge(two_three, 1, 0), "invalid: ", "too little");
	assert_unknown(ilab_calibration_judge(two_three, 2, 0), "invalid: ", "stale");
	assert_unknown(ilab_calibration_judge(zero, 2, 0), "invalid: ", "do not advance");
	assert_unknown(ilab_calibration_judge(swapped, 1, 0), "invalid: ", "reversed");
	assert_unknown(ilab_calibration_judge(short_116, 2, 1e-6), "invalid: ", "too little");
	assert_unknown(ilab_calibration_judge(fast, 2, 1e-6), "invalid: ", "faster");
	assert_unknown(ilab_calibration_judge(none, 1, 1e-6), "unavailable: ", "no time stamps");
}

/* --- against the test double ------------------------------------------------------------------------------------------ */

static struct ilab_timer calibrated(enum host_stamps stamps, double *floor_seconds)
{
	struct ilab_session *s = NULL;
	struct ilab_err err = { 0 };
	host_reset();
	host.stamps = stamps;
	assert_int_equal(host_backend.open(&(struct ilab_open_options){ 0 }, &s, &err), ILAB_OK);
	struct ilab_timer t = { .source = host_backend.info(s)->timer_source, .resolution_seconds = 1e-9 };
	assert_int_equal(ilab_timer_calibrate(&host_backend, s, &t, &err), ILAB_OK);
	assert_int_equal(ilab_timer_floor(&host_backend, s, &t, floor_seconds, &err), ILAB_OK);
	host_backend.close(s);
	assert_int_equal(host.buffers_left, 0);
	assert_int_equal(host.calls[HOST_LINEAR], 0);
	return t;
}

static void true_stamps_calibrate_near_one(void **state)
{
	(void)state;
	double floor_seconds = -1;
	struct ilab_timer t = calibrated(HOST_STAMPS_TRUE, &floor_seconds);
	assert_known(t.calibration_ratio);
	assert_true(t.calibration_ratio.value > 0.9 && t.calibration_ratio.value <= 1);
	assert_true(floor_seconds >= 0 && floor_seconds < 0.01);
}

static void lying_devices_do_not_calibrate(void **state)
{
	(void)state;
	const struct { enum host_stamps stamps; const char *code, *word; } cases[] = {
		{ HOST_STAMPS_REFUSED, "unsupported: ", "profiling" }, { HOST_STAMPS_NONE, "unavailable: ", "no time stamps" },
		{ HOST_STAMPS_TWO_THREE, "invalid: ", "stale" }, { HOST_STAMPS_ZERO, "invalid: ", "do not advance" },
		{ HOST_STAMPS_REVERSED, "invalid: ", "reversed" }, { HOST_STAMPS_SHORT, "invalid: ", "too little" },
		{ HOST_STAMPS_FAST, "invalid: ", "faster" },
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		double unused;
		assert_unknown(calibrated(cases[i].stamps, &unused).calibration_ratio, cases[i].code, cases[i].word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_span_is_its_length),
		cmocka_unit_test(a_span_may_pass_the_host_clock_by_the_drift_only),
		cmocka_unit_test(lying_stamps_are_null_with_a_reason),
		cmocka_unit_test(without_markers_or_calibration_no_span_counts),
		cmocka_unit_test(calibration_takes_the_least_disturbed_attempt),
		cmocka_unit_test(calibration_refuses_each_kind_of_lie),
		cmocka_unit_test(true_stamps_calibrate_near_one),
		cmocka_unit_test(lying_devices_do_not_calibrate),
	};
	return cmocka_run_group_tests_name("harness/phase", tests, NULL, NULL);
}
