/* Every part of the verification finds the fault it is there for, and lets correct devices pass. */
#include "host_backend.h"
#include "host_measure.h"

#include "harness/verify.h"
#include "model/bound.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static int reset(void **state)
{
	(void)state;
	host_reset();
	host.stamps = HOST_STAMPS_REFUSED;     /* no calibration: faster */
	return 0;
}

/* Passes of a_request: 1 cold, 2 warm-up, 3 to 5 warm, 6 the one whose hidden units are kept. */
enum { COLD = 1, WARM_1 = 3, WARM_2 = 4, WARM_3 = 5, KEPT = 6 };

static void expect(enum ilab_dtype dtype, const char *part)
{
	struct ilab_measure_request request = a_request(dtype);
	struct run r = run_request(&request, NULL);
	assert_unverified(&r, part);
	end_run(&r);
	reset(NULL);
}

static void expect_pass(enum ilab_dtype dtype)
{
	struct ilab_measure_request request = a_request(dtype);
	struct run r = run_request(&request, NULL);
	assert_passed(&r);
	end_run(&r);
	reset(NULL);
}

static void bounds_are_those_of_the_documentation(void **state)
{
	(void)state;
	const struct ilab_shape small = { 1, 1, 64, 256 }, large = { 1, 1, 10000, 40000 };
	assert_float_equal(ilab_bound_norm(ILAB_F32, &small, false), 5e-6, 0);
	assert_float_equal(ilab_bound_norm(ILAB_F32, &large, false), 1e-5, 1e-20);   /* 5e-8 x 200 */
	assert_float_equal(ilab_bound_norm(ILAB_TF32, &large, false), 2.5e-3, 0);
	assert_float_equal(ilab_bound_norm(ILAB_F16, &large, false), 8e-4, 0);
	assert_float_equal(ilab_bound_norm(ILAB_BF16, &large, false), 5e-3, 0);
	assert_float_equal(ilab_bound_norm(ILAB_F16, &large, true), 3e-2, 0);
	assert_float_equal(ilab_bound_few(256), 1, 0);
	assert_float_equal(ilab_bound_few(1 << 20), 1, 0);
	assert_float_equal(ilab_bound_few(64), 2, 0);
	assert_float_equal(ilab_bound_few(1), 16, 0);
}

static void half_of_k_is_found(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++)
		for (int layer = 0; layer < 2; layer++) {
			host.half_k_layer = layer;
			expect((enum ilab_dtype)dtype, "sampled rows: cold_forward: ");
		}
}

static void a_missing_bias_is_found(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++)
		for (int layer = 0; layer < 2; layer++) {
			host.no_bias_layer = layer;
			expect((enum ilab_dtype)dtype, "sampled rows: cold_forward: ");
		}
}

static void tanh_for_erf_is_found_in_float32(void **state)
{
	(void)state;
	host.tanh_gelu = true;
	expect(ILAB_F32, "sampled rows: cold_forward: ");
}

static void weights_that_did_not_arrive_are_found(void **state)
{
	(void)state;
	const struct { enum ilab_stream stream; const char *part; } cases[] = {
		{ ILAB_STREAM_W1, "weights of layer 1: " }, { ILAB_STREAM_B1, "biases of layer 1: " },
		{ ILAB_STREAM_W2, "weights of layer 2: " }, { ILAB_STREAM_B2, "biases of layer 2: " },
	};
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++)
		for (size_t i = 0; i < LENGTH(cases); i++) {
			host.short_upload = cases[i].stream;
			expect((enum ilab_dtype)dtype, cases[i].part);
		}
}

static void other_inputs_are_found(void **state)
{
	(void)state;
	host.wrong_inputs = true;
	expect(ILAB_F32, "inputs: ");
}

static void a_dropped_kernel_in_one_warm_pass_is_found(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++)
		for (int layer = 0; layer < 2; layer++) {
			host.drop = (struct host_place){ WARM_2, layer, 0, 0 };
			expect((enum ilab_dtype)dtype, "finite elements: warm_forward 2: 1536 of 1536 elements");
		}
}

/* Fresh memory holds zeros, not NaN: found by its values. */
static void a_dropped_kernel_in_the_cold_pass_is_found(void **state)
{
	(void)state;
	for (int layer = 0; layer < 2; layer++) {
		host.drop = (struct host_place){ COLD, layer, 0, 0 };
		expect(ILAB_BF16, "sampled rows: cold_forward: ");
	}
}

static void a_nan_anywhere_is_found(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_request(ILAB_F16);
	host.nan = (struct host_place){ HOST_ALWAYS, 1, 17, 40 };
	struct run r = run_request(&request, NULL);
	assert_unverified(&r, "finite elements: cold_forward: 1 of 1536 elements of the output are not finite, the first in row 17, column 40");
	assert_null(r.m.verification.relative_error.reason);           /* row 17 is not sampled */
	assert_non_null(r.m.verification.projection_error.reason);
	end_run(&r);

	host.nan = (struct host_place){ HOST_ALWAYS, 1, 11, 40 };      /* row 11 is */
	r = run_request(&request, NULL);
	assert_unverified(&r, "finite elements: ");
	assert_int_equal(strncmp(r.m.verification.relative_error.reason, "invalid: ", 9), 0);
	assert_int_equal(strncmp(r.m.verification.max_abs_error.reason, "invalid: ", 9), 0);
	end_run(&r);

	reset(NULL);
	host.nan = (struct host_place){ KEPT, 0, 5, 200 };
	expect(ILAB_F32, "finite elements: projection pass: 64 of 1536");
}

/* An element that moves by the root mean square of its row, in a row that is not sampled. */
static void one_wrong_element_is_found_in_every_type(void **state)
{
	(void)state;
	const uint64_t places[][2] = { { 1, 0 }, { 5, 63 }, { 12, 31 }, { 22, 62 } };
	const int passes[] = { HOST_ALWAYS, WARM_1, WARM_2, KEPT };
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++)
		for (size_t i = 0; i < LENGTH(places) * LENGTH(passes); i++) {
			host.corrupt = (struct host_place){ passes[i % LENGTH(passes)], 1, places[i / LENGTH(passes)][0], places[i / LENGTH(passes)][1] };
			host.corrupt_rms = i % 2 ? 1 : -1;
			expect((enum ilab_dtype)dtype, "projection: ");
		}
}

/* First, middle and last row are sampled, so the element is met there first. */
static void one_wrong_element_of_a_sampled_row_is_found(void **state)
{
	(void)state;
	const uint64_t places[][2] = { { 0, 0 }, { 11, 32 }, { 23, 63 } };
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++)
		for (size_t i = 0; i < LENGTH(places); i++) {
			host.corrupt = (struct host_place){ HOST_ALWAYS, 1, places[i][0], places[i][1] };
			host.corrupt_rms = 1;
			expect((enum ilab_dtype)dtype, "sampled rows: ");
		}
}

/* What the derivation at ilab_verify_projection_bound says, for width 64: the factor for few elements is 2, the norm 8 times the root
 * mean square, so faults beyond 3 x 2 x 8 = 48 bounds are seen; noise takes a part of it. */
static void small_changes_are_found_as_derived(void **state)
{
	(void)state;
	const struct { enum ilab_dtype dtype; double bound; } cases[] = {
		{ ILAB_F32, 5e-6 }, { ILAB_TF32, 2.5e-3 }, { ILAB_F16, 8e-4 }, { ILAB_BF16, 5e-3 },
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		host.corrupt = (struct host_place){ HOST_ALWAYS, 1, 5, 33 };
		host.corrupt_rms = 1.5 * 48 * cases[i].bound;          /* float32: 3.6e-4 of the root mean square */
		expect(cases[i].dtype, "projection: ");
	}
}

static void exchanged_rows_are_found(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++) {
		host.swap = (struct host_place){ HOST_ALWAYS, 1, 3, 4 };
		expect((enum ilab_dtype)dtype, "projection: ");
		host.swap = (struct host_place){ HOST_ALWAYS, 0, 3, 4 };
		expect((enum ilab_dtype)dtype, "hidden units: ");
		host.swap = (struct host_place){ WARM_1, 1, 3, 4 };
		expect((enum ilab_dtype)dtype, "projection: ");
		host.swap = (struct host_place){ WARM_1, 0, 3, 4 };    /* consistent in itself, but not with the kept hidden units */
		expect((enum ilab_dtype)dtype, "projection: ");
	}
}

/* Only one row is sampled, row 0, so the wrong rows of the first layer are found by the columns of hidden units. */
static void wrong_rows_of_the_first_layer_are_found(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++) {
		struct ilab_measure_request request = a_request((enum ilab_dtype)dtype);
		request.verify_rows = 1;
		host.tile_rows = 16;
		struct run r = run_request(&request, NULL);
		assert_unverified(&r, "hidden units: ");
		end_run(&r);
		reset(NULL);
	}
}

/* One row of 24 sampled ones is wrong by 3.1 bounds: 16 is the norm of a row of 256, in root mean squares. Over all rows that is 0.6
 * bounds only. */
static void one_bad_row_cannot_hide_among_many(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_request(ILAB_F32);
	request.shape = (struct ilab_shape){ 2, 12, 256, 8 };
	request.verify_rows = 24;
	host.corrupt = (struct host_place){ HOST_ALWAYS, 1, 6, 10 };
	host.corrupt_rms = 3.1 * 5e-6 * 16;
	struct run r = run_request(&request, NULL);
	assert_unverified(&r, "sampled rows: cold_forward: row 6 ");
	assert_true(r.m.verification.relative_error.value < r.m.verification.bound);
	end_run(&r);
}

/* Enough rows for all cores, and faults in the last ones. */
static void many_rows_on_all_cores(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_request(ILAB_F16);
	request.shape = (struct ilab_shape){ 4, 256, 64, 64 };
	request.repeats = 1;
	struct run r = run_request(&request, NULL);
	assert_passed(&r);
	end_run(&r);
	host.corrupt = (struct host_place){ HOST_ALWAYS, 1, 1022, 63 };
	host.corrupt_rms = 1;
	r = run_request(&request, NULL);
	assert_unverified(&r, "projection: the output of row 1022, ");
	end_run(&r);
	reset(NULL);
	host.nan = (struct host_place){ HOST_ALWAYS, 1, 1021, 62 };
	r = run_request(&request, NULL);
	assert_unverified(&r, "finite elements: cold_forward: 1 of 65536 elements of the output are not finite, the first in row 1021, column 62");
	end_run(&r);
}

/* 68 MB of hidden units do not fit into one piece of 64 MiB; the fault is in the second. */
static void rows_are_read_back_in_pieces(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_request(ILAB_F32);
	request.shape = (struct ilab_shape){ 1, 4200, 1, 4096 };
	request.warmup = 0;
	request.repeats = 1;
	host.swap = (struct host_place){ KEPT - 3, 0, 4190, 4191 };    /* without the warm-up and two repetitions */
	struct run r = run_request(&request, NULL);
	assert_unverified(&r, "hidden units: unit ");
	assert_non_null(strstr(r.m.verification.failure, "of row 419"));
	assert_true(host.calls[HOST_DOWNLOAD] == 3 + 2);
	end_run(&r);
}

/* 2500 columns make three blocks, each with a projection of its own; width does not blunt it. */
static void wide_rows_are_projected_in_blocks(void **state)
{
	(void)state;
	const uint64_t columns[] = { 0, 832, 833, 1666, 2499 };
	struct ilab_measure_request request = a_request(ILAB_BF16);
	request.shape = (struct ilab_shape){ 1, 5, 2500, 16 };
	request.verify_rows = 1;
	struct run r = run_request(&request, NULL);
	assert_passed(&r);
	end_run(&r);
	for (size_t i = 0; i < LENGTH(columns); i++) {
		host.corrupt = (struct host_place){ HOST_ALWAYS, 1, 3, columns[i] };
		host.corrupt_rms = 1;
		r = run_request(&request, NULL);
		assert_unverified(&r, "projection: the output of row 3, ");
		end_run(&r);
		reset(NULL);
	}
}

static void a_device_that_is_not_repeatable_but_right_passes(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++) {
		struct ilab_measure_request request = a_request((enum ilab_dtype)dtype);
		host.jitter = true;
		struct run r = run_request(&request, NULL);
		assert_passed(&r);
		assert_string_not_equal(r.m.phases[2].output_checksum, r.m.phases[3].output_checksum);
		end_run(&r);
		reset(NULL);
	}
}

static void correct_passes_are_well_inside_the_bounds(void **state)
{
	(void)state;
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++)
		for (int unfused = 0; unfused < 2; unfused++) {
			struct ilab_measure_request request = a_request((enum ilab_dtype)dtype);
			host.unfused = unfused;
			struct run r = run_request(&request, NULL);
			assert_passed(&r);
			assert_true(r.m.verification.relative_error.value < r.m.verification.bound * 0.85);
			assert_true(r.m.verification.projection_error.value < 3 * 2 * ilab_bound_norm(request.dtype, &request.shape, false) / 2);
			end_run(&r);
			reset(NULL);
		}
	expect_pass(ILAB_F32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(bounds_are_those_of_the_documentation, reset),
		cmocka_unit_test_setup(half_of_k_is_found, reset),
		cmocka_unit_test_setup(a_missing_bias_is_found, reset),
		cmocka_unit_test_setup(tanh_for_erf_is_found_in_float32, reset),
		cmocka_unit_test_setup(weights_that_did_not_arrive_are_found, reset),
		cmocka_unit_test_setup(other_inputs_are_found, reset),
		cmocka_unit_test_setup(a_dropped_kernel_in_one_warm_pass_is_found, reset),
		cmocka_unit_test_setup(a_dropped_kernel_in_the_cold_pass_is_found, reset),
		cmocka_unit_test_setup(a_nan_anywhere_is_found, reset),
		cmocka_unit_test_setup(one_wrong_element_is_found_in_every_type, reset),
		cmocka_unit_test_setup(one_wrong_element_of_a_sampled_row_is_found, reset),
		cmocka_unit_test_setup(small_changes_are_found_as_derived, reset),
		cmocka_unit_test_setup(exchanged_rows_are_found, reset),
		cmocka_unit_test_setup(wrong_rows_of_the_first_layer_are_found, reset),
		cmocka_unit_test_setup(one_bad_row_cannot_hide_among_many, reset),
		cmocka_unit_test_setup(many_rows_on_all_cores, reset),
		cmocka_unit_test_setup(rows_are_read_back_in_pieces, reset),
		cmocka_unit_test_setup(wide_rows_are_projected_in_blocks, reset),
		cmocka_unit_test_setup(a_device_that_is_not_repeatable_but_right_passes, reset),
		cmocka_unit_test_setup(correct_passes_are_well_inside_the_bounds, reset),
	};
	return cmocka_run_group_tests_name("harness/verify", tests, NULL, NULL);
}
