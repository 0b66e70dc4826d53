/* The native backend over the tests' own vendor (tests/native): listing, opening, transfers, lost devices, spans, whole runs. The conformance
 * suite runs over it too; here and in test_native_*.c are the cases that it cannot provoke. */
#include "native_case.h"

#include "harness/measure.h"

#include <string.h>

/* --- listing and opening ---------------------------------------------------------------------------------------------------- */

static struct ilab_listing list(struct ilab_arena *arena)
{
	struct ilab_listing l;
	struct ilab_err err = {0};
	assert_int_equal(api->enumerate(NULL, arena, &l, &err), ILAB_OK);
	return l;
}

static void a_device_is_described(void **state)
{
	(void)state;
	struct ilab_arena arena = {0};
	vendor.device_count = 2;
	const struct ilab_listing l = list(&arena);
	assert_string_equal(l.state, "ready");
	assert_int_equal(l.device_count, 2);
	const struct ilab_device *d = &l.devices[1];
	assert_string_equal(d->selector, "cuda:1");
	assert_string_equal(d->name, "Host memory");
	assert_string_equal(d->type, "gpu");
	assert_string_equal(d->pci_address.value, "0000:ab:01.0");
	assert_string_equal(d->uuid.value, "01122334-4556-6778-899a-abbccddeef00");
	assert_string_equal(d->driver_version.value, "1.2.3");
	assert_string_equal(d->api_version.value, "CUDA 13.0");
	assert_int_equal(d->total_memory_bytes, vendor.room_bytes);
	assert_int_equal(d->compute_units, 3);
	ilab_arena_free(&arena);
}

static void assert_unavailable(const char *listing_state, const char *words)
{
	struct ilab_arena arena = {0};
	struct ilab_err err = {0};
	const struct ilab_listing l = list(&arena);
	assert_string_equal(l.state, listing_state);
	assert_non_null(strstr(l.reason, words));
	assert_int_equal(l.device_count, 0);
	assert_int_equal(api->open(&(struct ilab_open_options){0}, &session, &err), ILAB_REFUSED);
	assert_true(strlen(err.text) > 10);
	ilab_arena_free(&arena);
}

static void what_is_missing_is_said(void **state)
{
	(void)state;
	vendor.no_driver = "library libhost.so not found";
	assert_unavailable("unavailable", "libhost.so");
	vendor.no_driver = NULL;
	vendor.init_code = 700;
	assert_unavailable("unavailable", "init answers HOST_BROKEN (700)");
	vendor.init_code = 100;
	vendor.device_count = 0;
	assert_unavailable("no-device", "HOST_NO_DEVICE");
	vendor.init_code = 0;
	assert_unavailable("no-device", "no device");
}

static void a_missing_library_is_advice(void **state)
{
	(void)state;
	struct ilab_arena arena = {0};
	vendor.library = false;
	const struct ilab_listing l = list(&arena);
	assert_string_equal(l.state, "ready");
	assert_int_equal(l.library_count, 0);
	assert_int_equal(l.advice_count, 1);
	ilab_arena_free(&arena);
}

static void a_wrong_device_number_is_refused(void **state)
{
	(void)state;
	struct ilab_err err = {0};
	assert_int_equal(api->open(&(struct ilab_open_options){ .device_index = 1 }, &session, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "cuda:1"));
	assert_null(session);
}

static void opening_fails_cleanly(void **state)
{
	(void)state;
	static const char *const members[] = { "context_open", "event_record", "stream_sync" };
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		struct ilab_err err = {0};
		host_vendor_reset();
		vendor.failing = members[i];
		assert_int_equal(api->open(&(struct ilab_open_options){0}, &session, &err), ILAB_FAILED);
		assert_string_equal(err.call, members[i]);
		assert_int_equal(err.code, 700);
		assert_int_equal(vendor.live, 0);
	}
}

/* --- transfers ---------------------------------------------------------------------------------------------------------------- */

static void an_upload_of_many_chunks_is_whole(void **state)
{
	(void)state;
	static const struct { enum ilab_dtype dtype; enum ilab_layout layout; uint64_t rows, cols; } cases[] = {
		{ ILAB_F32, ILAB_LAYOUT_ROWS, 1, 1 }, { ILAB_BF16, ILAB_LAYOUT_COLS, 3, 5 }, { ILAB_F32, ILAB_LAYOUT_COLS, 4096, 4099 },
		{ ILAB_F16, ILAB_LAYOUT_ROWS, 8192, 4100 },   /* five chunks of 16 MiB: areas are used again */
	};
	open_session();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ilab_tensor t = { .seed = 7, .stream = ILAB_STREAM_W1, .dtype = cases[i].dtype, .layout = cases[i].layout,
			.rows = cases[i].rows, .cols = cases[i].cols, .bound = 0.125f };
		struct ilab_buffer *b = take(t.rows * t.cols * ilab_dtype_bytes(t.dtype));
		struct ilab_err err = {0};
		uint64_t sum = 0;
		assert_int_equal(api->upload(session, b, &t, &err), ILAB_OK);
		assert_int_equal(api->checksum(session, b, &t, &sum, &err), ILAB_OK);
		assert_int_equal(sum, ilab_checksum_rule(&t));
		api->free(session, b);
	}
}

static void a_failed_transfer_is_named(void **state)
{
	(void)state;
	open_session();
	const struct ilab_tensor t = { .dtype = ILAB_F32, .rows = 4, .cols = 4, .bound = 1 };
	struct ilab_buffer *b = take(64);
	char data[64];
	struct ilab_err err = {0};
	vendor.failing = "copy_to_device";
	assert_int_equal(api->upload(session, b, &t, &err), ILAB_FAILED);
	assert_string_equal(err.call, "copy_to_device");
	vendor.failing = "copy_to_host";
	memset(&err, 0, sizeof(err));
	assert_int_equal(api->download(session, b, 0, 64, data, &err), ILAB_FAILED);
	assert_non_null(strstr(err.text, "HOST_BROKEN"));
}

/* --- errors, spans, whole runs ---------------------------------------------------------------------------------------------------- */

static void the_first_error_of_a_lost_device_stays(void **state)
{
	(void)state;
	open_session();
	struct ilab_err err = {0};
	vendor.failing = "stream_sync";
	assert_int_equal(api->sync(session, &err), ILAB_FAILED);
	assert_string_equal(err.call, "stream_sync");
	vendor.failing = NULL;
	struct ilab_err again = {0};
	assert_int_equal(api->sync(session, &again), ILAB_FAILED);
	assert_string_equal(again.text, err.text);
}

static void spans_are_differences_on_one_axis(void **state)
{
	(void)state;
	open_session();
	uint64_t begin, end, later;
	struct ilab_err err = {0};
	assert_int_equal(api->span_begin(session, &err), ILAB_OK);
	assert_int_equal(api->span_end(session, &err), ILAB_OK);
	assert_true(api->span_read(session, &begin, &end));
	assert_int_equal(end - begin, 250000);
	assert_int_equal(api->span_begin(session, &err), ILAB_OK);
	assert_int_equal(api->span_end(session, &err), ILAB_OK);
	assert_true(api->span_read(session, &later, &end));
	assert_true(later > begin);
	vendor.failing = "event_elapsed";
	assert_false(api->span_read(session, &begin, &end));
}

static void measured(enum ilab_dtype dtype, enum ilab_gemm gemm)
{
	struct ilab_arena arena = {0};
	struct ilab_measure m = {0};
	struct ilab_err err = {0};
	const struct ilab_measure_request request = { .shape = { 1, 16, 64, 256 }, .dtype = dtype, .gemm = gemm, .warmup = 1, .repeats = 2, .verify_rows = 8 };
	if (ilab_measure_run(api, &request, NULL, &arena, &m, &err))
		fail_msg("%s", err.text);
	assert_string_equal(m.verification.status, "passed");
	assert_int_equal(m.phase_count, 6);
	const uint64_t temporary = m.gemm.temporary_bytes, end = m.model.parameter_bytes + m.model.input_bytes + m.model.output_bytes;
	for (size_t i = 2; i < m.phase_count; i++) {
		assert_int_equal(m.phases[i].end_allocated_bytes, end);
		assert_int_equal(m.phases[i].peak_allocated_bytes, end + m.model.hidden_bytes + temporary);
	}
	ilab_arena_free(&arena);
}

static void a_whole_measurement_passes(void **state)
{
	(void)state;
	for (int pools = 0; pools < 2; pools++) {
		vendor.pools = pools;
		measured(ILAB_F32, ILAB_GEMM_AUTO);
		measured(ILAB_BF16, ILAB_GEMM_BUILTIN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_device_is_described), TEST(what_is_missing_is_said), TEST(a_missing_library_is_advice),
		TEST(a_wrong_device_number_is_refused), TEST(opening_fails_cleanly), TEST(an_upload_of_many_chunks_is_whole),
		TEST(a_failed_transfer_is_named), TEST(the_first_error_of_a_lost_device_stays), TEST(spans_are_differences_on_one_axis),
		TEST(a_whole_measurement_passes),
	};
	return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}
