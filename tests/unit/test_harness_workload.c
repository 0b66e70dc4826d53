/* Phases, counters, records: the harness over a device that the test controls. */
#include "host_backend.h"
#include "host_measure.h"

#include "model/rule.h"
#include "result/document.h"

#include <math.h>
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

/* --- rows ------------------------------------------------------------------------------------------------------------- */

static void assert_rows(const struct ilab_measure *m, const char *const *names, size_t count)
{
	assert_int_equal(m->phase_count, count);
	for (size_t i = 0, repetition = 0; i < count; i++) {
		const bool warm = strcmp(names[i], "warm_forward") == 0;
		assert_string_equal(m->phases[i].phase, names[i]);
		assert_int_equal(m->phases[i].repetition, warm ? ++repetition : 0);
		assert_int_equal(m->phases[i].output_checksum != NULL, i >= 2);
		assert_true(m->phases[i].seconds > 0);
	}
}

static void rows_come_in_order(void **state)
{
	(void)state;
	const char *const with_warmup[] = { "model_load", "inputs", "cold_forward", "warmup", "warm_forward", "warm_forward" };
	const char *const without[] = { "model_load", "inputs", "cold_forward", "warm_forward" };
	struct ilab_measure_request request = a_small_request(ILAB_F32);
	struct run r = run_request(&request, NULL);
	assert_passed(&r);
	assert_rows(&r.m, with_warmup, LENGTH(with_warmup));
	end_run(&r);

	request.warmup = 0;
	request.repeats = 1;
	r = run_request(&request, NULL);
	assert_passed(&r);
	assert_rows(&r.m, without, LENGTH(without));
	end_run(&r);
}

static void every_warmup_pass_runs(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_small_request(ILAB_F32);
	request.warmup = 5;
	struct run r = run_request(&request, NULL);
	assert_int_equal(r.status, ILAB_OK);
	assert_int_equal(host.pass, 1 + 5 + 2 + 1);    /* cold, warm-up, warm, and the one that keeps its hidden units */
	end_run(&r);
}

static void every_type_and_shape_passes(void **state)
{
	(void)state;
	const struct ilab_shape shapes[] = { { 1, 1, 1, 1 }, { 1, 1, 1, 4 }, { 1, 3, 2, 3 }, { 3, 1, 5, 1 }, { 2, 7, 17, 33 }, { 1, 16, 64, 256 }, { 1, 2, 1030, 3 } };
	const uint64_t seeds[] = { 0, 1, UINT64_MAX };
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++)
		for (size_t i = 0; i < LENGTH(shapes) * LENGTH(seeds); i++) {
			struct ilab_measure_request request = a_small_request((enum ilab_dtype)dtype);
			request.shape = shapes[i / LENGTH(seeds)];
			request.seed = seeds[i % LENGTH(seeds)];
			host_reset();
			host.unfused = i % 2;
			host.weight_layout[0] = i % 2 ? ILAB_LAYOUT_COLS : ILAB_LAYOUT_ROWS;
			host.weight_layout[1] = i % 3 ? ILAB_LAYOUT_COLS : ILAB_LAYOUT_ROWS;
			struct run r = run_request(&request, NULL);
			if (r.status)
				fail_msg("%s %llux%llux%llux%llu seed %llu: %s", ilab_dtype_name(request.dtype), (unsigned long long)request.shape.batch,
					(unsigned long long)request.shape.context, (unsigned long long)request.shape.width,
					(unsigned long long)request.shape.hidden, (unsigned long long)request.seed, r.err.text);
			assert_passed(&r);
			end_run(&r);
		}
}

/* One unit of each kind: no averages at all. Correct devices must pass whatever the seed. */
static void a_single_unit_passes_with_many_seeds(void **state)
{
	(void)state;
	host_reset();
	host.stamps = HOST_STAMPS_REFUSED;
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++)
		for (uint64_t seed = 0; seed < 400; seed++) {
			struct ilab_measure_request request = a_small_request((enum ilab_dtype)dtype);
			request.shape = (struct ilab_shape){ 1, 1, 1 + seed % 2, 1 + seed / 2 % 3 };
			request.seed = seed * 0x9E3779B97F4A7C15u;
			request.repeats = 1;
			host.unfused = seed / 6 % 2;
			struct run r = run_request(&request, NULL);
			if (r.status)
				fail_msg("%s seed number %llu: %s", ilab_dtype_name(request.dtype), (unsigned long long)seed, r.err.text);
			end_run(&r);
		}
}

static void half_accumulation_has_its_own_bound(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_request(ILAB_F16);
	host.half_accumulation = true;
	struct run r = run_request(&request, NULL);
	assert_passed(&r);
	assert_true(r.m.verification.bound == 3e-2 * sqrt(256.0 / 192) || r.m.verification.bound == 3e-2);
	assert_string_equal(r.m.gemm.accumulation, "float16");
	end_run(&r);
}

/* --- counters --------------------------------------------------------------------------------------------------------- */

static void assert_counters(const struct ilab_phase *p, uint64_t baseline, uint64_t end, uint64_t peak)
{
	assert_int_equal(p->baseline_allocated_bytes, baseline);
	assert_int_equal(p->end_allocated_bytes, end);
	assert_int_equal(p->peak_allocated_bytes, peak);
	assert_true(p->end_reserved_bytes >= p->end_allocated_bytes);
	assert_true(p->peak_reserved_bytes >= p->end_reserved_bytes);
}

static void counters_are_right_to_the_byte(void **state)
{
	(void)state;
	const uint64_t temporary_bytes = 12345;
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++) {
		struct ilab_measure_request request = a_request((enum ilab_dtype)dtype);
		const uint64_t size = dtype == ILAB_F16 || dtype == ILAB_BF16 ? 2 : 4;
		const uint64_t parameters = (2 * 64 * 256 + 256 + 64) * size, inputs = 24 * 64 * size, hidden = 24 * 256 * size, output = 24 * 64 * size;
		const uint64_t all = parameters + inputs + hidden + output + temporary_bytes;
		host_reset();
		host.temporary_bytes = temporary_bytes;
		struct run r = run_request(&request, NULL);
		assert_passed(&r);
		assert_int_equal(r.m.phase_count, 7);
		assert_counters(&r.m.phases[0], 0, parameters, parameters);
		assert_int_equal(r.m.phases[0].baseline_reserved_bytes, 0);     /* trimmed */
		assert_counters(&r.m.phases[1], parameters, parameters + inputs, parameters + inputs);
		for (size_t i = 2; i < r.m.phase_count; i++) {
			assert_counters(&r.m.phases[i], parameters + inputs, parameters + inputs + output, all);
			assert_int_equal(r.m.phases[i].end_reserved_bytes, all);    /* the cache keeps what a pass used, and no more */
		}
		assert_int_equal(r.m.gemm.temporary_bytes, temporary_bytes);
		end_run(&r);
	}
}

/* --- checksums -------------------------------------------------------------------------------------------------------- */

static void two_runs_agree_and_seeds_differ(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_request(ILAB_BF16);
	struct run a = run_request(&request, NULL), b = run_request(&request, NULL);
	request.seed++;
	struct run c = run_request(&request, NULL);
	assert_string_equal(a.m.verification.output_checksum, b.m.verification.output_checksum);
	assert_string_equal(a.m.verification.weights_checksum, b.m.verification.weights_checksum);
	assert_string_equal(a.m.verification.inputs_checksum, b.m.verification.inputs_checksum);
	assert_string_not_equal(a.m.verification.output_checksum, c.m.verification.output_checksum);
	assert_string_not_equal(a.m.verification.weights_checksum, c.m.verification.weights_checksum);
	for (size_t i = 2; i < a.m.phase_count; i++)
		assert_string_equal(a.m.phases[i].output_checksum, a.m.verification.output_checksum);
	end_run(&a);
	end_run(&b);
	end_run(&c);
}

static void checksums_are_those_of_the_rule(void **state)
{
	(void)state;
	char expected[17];
	struct ilab_measure_request request = a_request(ILAB_F16);
	uint64_t sum = 0;
	host.weight_layout[0] = ILAB_LAYOUT_COLS;
	struct run r = run_request(&request, NULL);
	for (int stream = ILAB_STREAM_W1; stream <= ILAB_STREAM_B2; stream++) {
		struct ilab_tensor t = ilab_rule_tensor((enum ilab_stream)stream, &request.shape, request.dtype, ILAB_LAYOUT_ROWS, request.seed);
		sum += ilab_checksum_rule(&t);
	}
	snprintf(expected, sizeof(expected), "%016llx", (unsigned long long)sum);
	assert_string_equal(r.m.verification.weights_checksum, expected);
	end_run(&r);
}

/* --- record ----------------------------------------------------------------------------------------------------------- */

static void the_record_outlives_the_session(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_request(ILAB_F32);
	struct run r = run_request(&request, NULL);
	assert_passed(&r);
	assert_string_equal(r.m.backend.name, "host");
	assert_string_equal(r.m.backend.platform, "Host");
	assert_string_equal(r.m.backend.libraries[0].name, "hostlib");
	assert_string_equal(r.m.device.name, "host memory");
	assert_string_equal(r.m.configuration.dtype, "float32");
	assert_string_equal(r.m.configuration.gemm, "auto");
	assert_int_equal(r.m.configuration.seed, 7);
	assert_string_equal(r.m.gemm.provider, "builtin");
	assert_string_equal(r.m.gemm.parameters[1].name, "UNROLL");
	assert_string_equal(r.m.model.layers[0], "Linear(64, 256)");
	assert_int_equal(r.m.model.flop_per_forward, 4 * 24 * 64 * 256);
	assert_string_equal(r.m.counters.source, "host_pool");
	assert_string_equal(r.m.timers.host_clock, "CLOCK_MONOTONIC");
	assert_null(r.m.timers.device_calibration_ratio.reason);
	assert_non_null(r.m.telemetry.power_w.reason);
	assert_int_equal(r.m.verification.rows_checked, 3);
	assert_int_equal(r.m.verification.elements_checked, 24 * 64);
	assert_true(r.m.backend.setup_seconds > 0 && r.m.backend.floor_seconds > 0);
	assert_int_equal(r.m.summary.samples, 3);
	end_run(&r);
}

/* With what others fill in, the record is a valid document; the double takes the name of a backend that documents know. */
static void the_record_makes_a_valid_document(void **state)
{
	(void)state;
	static const char *selectors[] = { "opencl:0:0", "cpu" }, *command[] = { "measure", "--device", "opencl:0:0", "--batch", "2", "--context", "12", "--width", "64" };
	for (int failing = 0; failing < 2; failing++) {
		struct ilab_measure_request request = a_request(ILAB_F32);
		struct ilab_err err = { 0 };
		host.temporary_bytes = 4096;
		host.half_k_layer = failing ? 1 : HOST_OFF;
		struct run r = run_request(&request, NULL);
		assert_int_equal(r.status, failing ? ILAB_UNVERIFIED : ILAB_OK);
		r.m.header = (struct ilab_header){ .schema = "iteragpu-lab/measure/1", .command = command, .command_count = 9, .tool_name = "iteragpu-lab", .started_utc = "2026-12-01T06:29:46Z", .total_seconds = 1000 };
		r.m.backend.name = r.m.configuration.backend = r.m.device.backend = "opencl";
		r.m.device.selector = r.m.configuration.device = selectors[0];
		r.m.device.selectors = selectors;
		r.m.device.selector_count = 2;
		r.m.host.logical_cores = 1;
		r.m.counters.source = "opencl_pool";
		r.m.configuration.view = "opencl/Host/builtin";
		r.m.gemm.reason = "the only one";
		if (ilab_measure_check(&r.m, &err))
			fail_msg("%s", err.text);
		end_run(&r);
	}
}

static void more_rows_than_there_are_means_all(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_small_request(ILAB_F32);
	request.verify_rows = 1000;
	struct run r = run_request(&request, NULL);
	assert_passed(&r);
	assert_int_equal(r.m.verification.rows_checked, 5);
	end_run(&r);
}

/* Rows whose device time is known, of all; the reason of the first that is not. */
static size_t known_device_seconds(const struct ilab_measure *m, const char **reason)
{
	size_t known = 0;
	*reason = NULL;
	for (size_t i = 0; i < m->phase_count; i++) {
		known += m->phases[i].device_seconds.reason == NULL;
		if (m->phases[i].device_seconds.reason && !*reason)
			*reason = m->phases[i].device_seconds.reason;
	}
	return known;
}

static void device_seconds_need_credible_stamps(void **state)
{
	(void)state;
	const struct { enum host_stamps stamps; const char *code; } cases[] = {
		{ HOST_STAMPS_TRUE, NULL }, { HOST_STAMPS_REFUSED, "unsupported: " }, { HOST_STAMPS_NONE, "unavailable: " },
		{ HOST_STAMPS_TWO_THREE, "invalid: " }, { HOST_STAMPS_ZERO, "invalid: " }, { HOST_STAMPS_REVERSED, "invalid: " },
		{ HOST_STAMPS_SHORT, "invalid: " }, { HOST_STAMPS_FAST, "invalid: " }, { HOST_STAMPS_STALE, "invalid: " },
	};
	struct ilab_measure_request request = a_request(ILAB_F32);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		const char *reason;
		host_reset();
		host.stamps = cases[i].stamps;
		struct run r = run_request(&request, NULL);
		assert_passed(&r);
		size_t known = known_device_seconds(&r.m, &reason);
		if (!cases[i].code)
			assert_int_equal(known, r.m.phase_count);
		else if (!reason || strncmp(reason, cases[i].code, strlen(cases[i].code)) != 0)
			fail_msg("stamps of kind %d: reason '%s'", cases[i].stamps, reason ? reason : "none");
		if (cases[i].code)
			assert_true(known <= 2);               /* stale ones begin with the first pass */
		end_run(&r);
	}
}

/* --- observer --------------------------------------------------------------------------------------------------------- */

struct diary { char started[256], finished[256]; unsigned progress; };

static void on_started(void *context, const char *phase, uint64_t repetition)
{
	struct diary *d = context;
	snprintf(d->started + strlen(d->started), sizeof(d->started) - strlen(d->started), "%s/%llu ", phase, (unsigned long long)repetition);
}

static void on_finished(void *context, const struct ilab_phase *row)
{
	struct diary *d = context;
	snprintf(d->finished + strlen(d->finished), sizeof(d->finished) - strlen(d->finished), "%s/%llu ", row->phase,
		(unsigned long long)row->repetition);
}

static void on_progress(void *context, const char *what, uint64_t done, uint64_t total)
{
	struct diary *d = context;
	assert_non_null(what);
	assert_true(done <= total);
	d->progress++;
}

static void the_observer_hears_everything(void **state)
{
	(void)state;
	struct diary d = { .progress = 0 };
	const struct ilab_observer observer = { &d, on_started, on_finished, on_progress };
	struct ilab_measure_request request = a_small_request(ILAB_F32);
	struct run r = run_request(&request, &observer);
	assert_string_equal(d.started,
		"setup/0 verify/0 model_load/0 inputs/0 cold_forward/0 warmup/0 warm_forward/1 warm_forward/2 verify/0 ");
	assert_string_equal(d.finished, "model_load/0 inputs/0 cold_forward/0 warmup/0 warm_forward/1 warm_forward/2 ");
	assert_true(d.progress > 0);
	end_run(&r);
}

static void an_empty_observer_is_allowed(void **state)
{
	(void)state;
	const struct ilab_observer observer = { 0 };
	struct ilab_measure_request request = a_small_request(ILAB_F32);
	struct run r = run_request(&request, &observer);
	assert_passed(&r);
	end_run(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(rows_come_in_order, reset),
		cmocka_unit_test_setup(every_warmup_pass_runs, reset),
		cmocka_unit_test_setup(every_type_and_shape_passes, reset),
		cmocka_unit_test_setup(a_single_unit_passes_with_many_seeds, reset),
		cmocka_unit_test_setup(half_accumulation_has_its_own_bound, reset),
		cmocka_unit_test_setup(counters_are_right_to_the_byte, reset),
		cmocka_unit_test_setup(two_runs_agree_and_seeds_differ, reset),
		cmocka_unit_test_setup(checksums_are_those_of_the_rule, reset),
		cmocka_unit_test_setup(the_record_outlives_the_session, reset),
		cmocka_unit_test_setup(the_record_makes_a_valid_document, reset),
		cmocka_unit_test_setup(more_rows_than_there_are_means_all, reset),
		cmocka_unit_test_setup(device_seconds_need_credible_stamps, reset),
		cmocka_unit_test_setup(the_observer_hears_everything, reset),
		cmocka_unit_test_setup(an_empty_observer_is_allowed, reset),
	};
	return cmocka_run_group_tests_name("harness/workload", tests, NULL, NULL);
}
