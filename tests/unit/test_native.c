/* The native backend over the tests' own vendor (tests/native): listing, memory and its counters, transfers, products, errors. The
 * conformance suite runs over it too; here are the cases that it cannot provoke. */
#include "../native/host_vendor.h"

#include "harness/measure.h"
#include "model/reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct ilab_backend *api = &native_backend;
static struct ilab_session *session;
#define MiB ((uint64_t)1 << 20)

static void open_session(void)
{
	struct ilab_err err = {0};
	if (api->open(&(struct ilab_open_options){0}, &session, &err))
		fail_msg("%s", err.text);
}

static int set_up(void **state)
{
	(void)state;
	host_vendor_reset();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	vendor.failing = NULL;
	api->close(session);
	session = NULL;
	return vendor.live || vendor.used_bytes;   /* every handle and byte went back */
}

static struct ilab_buffer *take(uint64_t bytes)
{
	struct ilab_buffer *b = NULL;
	struct ilab_err err = {0};
	if (api->alloc(session, bytes, &b, &err))
		fail_msg("%s", err.text);
	return b;
}

static struct ilab_memory counters(void)
{
	struct ilab_memory m = {0};
	api->memory(session, &m);
	return m;
}

static void assert_counters(uint64_t allocated, uint64_t reserved, uint64_t peak_allocated, uint64_t peak_reserved)
{
	const struct ilab_memory m = counters();
	assert_int_equal(m.allocated_bytes, allocated);
	assert_int_equal(m.reserved_bytes, reserved);
	assert_int_equal(m.peak_allocated_bytes, peak_allocated);
	assert_int_equal(m.peak_reserved_bytes, peak_reserved);
}

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

/* --- memory ------------------------------------------------------------------------------------------------------------------ */

static void the_pool_counts_to_the_byte(void **state)
{
	(void)state;
	open_session();
	assert_string_equal(api->info(session)->counters_source, "cuda_mempool");
	struct ilab_buffer *a = take(1), *b = take(513);
	assert_counters(514, 32 * MiB, 514, 32 * MiB);
	struct ilab_buffer *c = take(100 * MiB);
	api->free(session, c);
	assert_counters(514, 128 * MiB, 514 + 100 * MiB, 128 * MiB);
	api->reset_peaks(session);
	assert_counters(514, 128 * MiB, 514, 128 * MiB);
	struct ilab_err err = {0};
	assert_int_equal(api->trim(session, &err), ILAB_OK);
	assert_counters(514, 32 * MiB, 514, 128 * MiB);
	api->free(session, a);
	api->free(session, b);
	api->free(session, NULL);
	assert_int_equal(counters().allocated_bytes, 0);
}

/* One driver sets a high mark to 0 on reset and to a true value at the next allocation only. */
static void a_high_mark_is_never_below_the_current_value(void **state)
{
	(void)state;
	vendor.reset_to_zero = true;
	open_session();
	struct ilab_buffer *a = take(1000);
	api->reset_peaks(session);
	assert_counters(1000, 32 * MiB, 1000, 32 * MiB);
	api->free(session, a);
	assert_counters(0, 32 * MiB, 1000, 32 * MiB);          /* nor below what it was at the reset */
	a = take(10);
	assert_counters(10, 32 * MiB, 1000, 32 * MiB);
	api->free(session, a);
	api->reset_peaks(session);
	assert_counters(0, 32 * MiB, 0, 32 * MiB);
}

static void without_pools_we_count(void **state)
{
	(void)state;
	static const bool supported[] = { false, true };
	for (int i = 0; i < 2; i++) {
		vendor.pools = supported[i];
		vendor.failing = "pool_create";      /* or it says that it has pools and has none */
		open_session();
		vendor.failing = NULL;
		assert_string_equal(api->info(session)->counters_source, "cuda_tracked");
		struct ilab_buffer *a = take(1000), *b = take(24);
		assert_counters(1024, 1024, 1024, 1024);
		api->free(session, a);
		assert_counters(24, 1024, 1024, 1024);
		api->reset_peaks(session);
		assert_ptr_equal(take(1000), a);
		api->free(session, a);
		api->free(session, b);
		struct ilab_err err = {0};
		assert_int_equal(api->trim(session, &err), ILAB_OK);
		assert_counters(0, 0, 1024, 1024);
		api->close(session);
		session = NULL;
	}
}

static void out_of_memory_is_an_error_that_passes(void **state)
{
	(void)state;
	static const bool pools[] = { true, false };
	for (int i = 0; i < 2; i++) {
		vendor.pools = pools[i];
		vendor.room_bytes = 64 * MiB;
		open_session();
		struct ilab_buffer *b = NULL;
		struct ilab_err err = {0};
		assert_int_equal(api->alloc(session, 65 * MiB, &b, &err), ILAB_FAILED);
		assert_int_equal(strncmp(err.text, "out of device memory", 20), 0);
		assert_int_equal(counters().allocated_bytes, 0);
		api->free(session, take(MiB));
		memset(&err, 0, sizeof(err));
		assert_int_equal(api->alloc(session, 0, &b, &err), ILAB_REFUSED);
		api->close(session);
		session = NULL;
	}
}

static void closing_takes_back_what_was_handed_out(void **state)
{
	(void)state;
	open_session();
	take(10);
	take(20);
	vendor.pools = false;
	api->close(session);
	assert_int_equal(vendor.used_bytes, 0);
	open_session();
	take(10);                              /* tear_down looks */
}

static void the_driver_s_figure_has_its_source(void **state)
{
	(void)state;
	open_session();
	assert_string_equal(api->info(session)->driver_source.value, "nvml");
	api->free(session, take(5000));
	assert_int_equal(counters().driver_used_bytes.value, vendor.used_bytes + 1000);
	vendor.monitored = false;
	assert_non_null(counters().driver_used_bytes.reason);
	api->close(session);
	open_session();
	assert_string_equal(api->info(session)->driver_source.value, "cuMemGetInfo");
	take(5000);
	assert_int_equal(counters().driver_used_bytes.value, 5000);
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

/* --- plans and products -------------------------------------------------------------------------------------------------------- */

static const struct ilab_shape shape = { .batch = 2, .context = 3, .width = 5, .hidden = 7 };

static struct ilab_plan plan(enum ilab_dtype dtype, enum ilab_gemm gemm, const struct ilab_tuning *tuning)
{
	struct ilab_plan p;
	struct ilab_err err = {0};
	if (api->plan(session, &shape, dtype, gemm, tuning, &p, &err))
		fail_msg("%s", err.text);
	return p;
}

static void assert_refused(enum ilab_dtype dtype, enum ilab_gemm gemm, const char *words)
{
	struct ilab_plan p;
	struct ilab_err err = {0};
	assert_int_equal(api->plan(session, &shape, dtype, gemm, NULL, &p, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, words));
}

static void a_plan_says_what_will_run(void **state)
{
	(void)state;
	open_session();
	const struct ilab_plan p = plan(ILAB_F16, ILAB_GEMM_AUTO, NULL);
	assert_int_equal(p.provider, ILAB_GEMM_CUBLASLT);
	assert_int_equal(p.temporary_bytes, 64 * 7);       /* the larger of the two layers' */
	assert_int_equal(p.record.temporary_bytes, 64 * 7);
	assert_int_equal(p.record.launches_per_pass, 3);   /* product, bias and GELU, product with its bias */
	assert_non_null(p.record.reason);
	assert_string_equal(p.record.version.value, "9.9");
	assert_false(p.record.tuned);
	assert_int_equal(p.record.parameter_count, 2);
	assert_string_equal(p.record.parameters[1].name, "layer2_bytes");
	assert_string_equal(p.record.parameters[1].value, "320");
	assert_null(plan(ILAB_F16, ILAB_GEMM_CUBLASLT, NULL).record.reason);
	assert_int_equal(plan(ILAB_BF16, ILAB_GEMM_BUILTIN, NULL).record.launches_per_pass, 2);
	assert_int_equal(vendor.products, 0);
	assert_refused(ILAB_F32, ILAB_GEMM_CLBLAST, "not clblast");
	assert_refused(ILAB_TF32, ILAB_GEMM_BUILTIN, "tf32");
	vendor.biased = false;
	assert_int_equal(plan(ILAB_F32, ILAB_GEMM_CUBLASLT, NULL).record.launches_per_pass, 4);
}

static void an_explicit_provider_never_falls_back(void **state)
{
	(void)state;
	vendor.library = false;
	open_session();
	assert_refused(ILAB_F32, ILAB_GEMM_CUBLASLT, "library is not there");
	assert_refused(ILAB_TF32, ILAB_GEMM_AUTO, "library is not there");
	const struct ilab_plan p = plan(ILAB_F32, ILAB_GEMM_AUTO, NULL);
	assert_int_equal(p.provider, ILAB_GEMM_BUILTIN);
	assert_non_null(strstr(p.record.reason, "library is not there"));
}

static void what_the_library_lacks_is_ours(void **state)
{
	(void)state;
	vendor.nothing = true;
	open_session();
	const struct ilab_plan p = plan(ILAB_F16, ILAB_GEMM_AUTO, NULL);
	assert_int_equal(p.provider, ILAB_GEMM_BUILTIN);
	assert_int_equal(p.record.launches_per_pass, 2);
	assert_non_null(strstr(p.record.reason, "no algorithm"));
	assert_refused(ILAB_F16, ILAB_GEMM_CUBLASLT, "no algorithm");
	assert_refused(ILAB_TF32, ILAB_GEMM_AUTO, "no algorithm");
}

static struct ilab_buffer *tensor_of(enum ilab_stream stream, const struct ilab_plan *p, int layer)
{
	const struct ilab_tensor t = ilab_rule_tensor(stream, &shape, p->dtype, stream == ILAB_STREAM_W1 || stream == ILAB_STREAM_W2 ?
		p->weight_layout[layer] : ILAB_LAYOUT_ROWS, 3);
	struct ilab_buffer *b = take(t.rows * t.cols * ilab_dtype_bytes(t.dtype));
	struct ilab_err err = {0};
	assert_int_equal(api->fill(session, b, ILAB_FILL_RULE, &t, &err), ILAB_OK);
	return b;
}

/* The whole network in the plan's way, against the float64 reference. */
static void assert_network(const struct ilab_plan *p)
{
	enum { M = 6, WIDTH = 5, HIDDEN = 7 };
	const size_t bytes = ilab_dtype_bytes(p->dtype);
	const uint64_t rows[M] = { 0, 1, 2, 3, 4, 5 };
	double expected[M * WIDTH];
	float got[M * WIDTH];
	struct ilab_err err = {0};
	struct ilab_buffer *x = tensor_of(ILAB_STREAM_X, p, 0), *w1 = tensor_of(ILAB_STREAM_W1, p, 0), *b1 = tensor_of(ILAB_STREAM_B1, p, 0),
		*w2 = tensor_of(ILAB_STREAM_W2, p, 1), *b2 = tensor_of(ILAB_STREAM_B2, p, 1), *h = take(M * HIDDEN * bytes), *y = take(M * WIDTH * bytes),
		*temporary = p->temporary_bytes ? take(p->temporary_bytes) : NULL;
	if (api->linear(session, p, 0, x, w1, b1, h, temporary, ILAB_EPILOGUE_BIAS_GELU, &err) ||
		api->linear(session, p, 1, h, w2, b2, y, temporary, ILAB_EPILOGUE_BIAS, &err) ||
		api->download(session, y, 0, sizeof(got), got, &err) || ilab_reference_rows(&shape, p->dtype, 3, rows, M, expected, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < M * WIDTH; i++)
		assert_true(fabs((double)got[i] - expected[i]) < 1e-6);
	struct ilab_buffer *all[] = { x, w1, b1, w2, b2, h, y, temporary };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		api->free(session, all[i]);
}

static void every_provider_computes_the_network(void **state)
{
	(void)state;
	open_session();
	struct ilab_plan p = plan(ILAB_F32, ILAB_GEMM_CUBLASLT, NULL);
	assert_network(&p);
	assert_int_equal(vendor.products, 2);
	vendor.biased = false;
	p = plan(ILAB_F32, ILAB_GEMM_CUBLASLT, NULL);
	assert_network(&p);
	p = plan(ILAB_F32, ILAB_GEMM_BUILTIN, NULL);
	assert_network(&p);
	assert_int_equal(vendor.products, 4);
}

static void candidates_are_plans(void **state)
{
	(void)state;
	open_session();
	struct ilab_arena arena = {0};
	struct ilab_tuning_entry *layers[2];
	size_t count;
	struct ilab_err err = {0};
	for (int i = 0; i < 2; i++)
		assert_int_equal(api->candidates(session, &shape, ILAB_F32, ILAB_GEMM_AUTO, i, &arena, &layers[i], &count, &err), ILAB_OK);
	for (size_t i = 0; i < count; i++) {
		const struct ilab_tuning_entry entries[] = { layers[0][i], layers[1][i] };
		const struct ilab_plan p = plan(ILAB_F32, ILAB_GEMM_AUTO, &(struct ilab_tuning){ "cublaslt", entries, 2, NULL });
		assert_true(p.record.tuned);
		assert_string_equal(p.record.forms[1], native_form_name(false, i ? ILAB_LAYOUT_COLS : ILAB_LAYOUT_ROWS));
		assert_int_equal(p.temporary_bytes, i ? 4096 : 0);
		assert_network(&p);
	}
	layers[0][0].form = "sideways";
	struct ilab_plan refused;
	assert_int_equal(api->plan(session, &shape, ILAB_F32, ILAB_GEMM_AUTO, &(struct ilab_tuning){ "cublaslt", layers[0], 1, NULL }, &refused, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "sideways"));
	assert_false(plan(ILAB_F32, ILAB_GEMM_AUTO, &(struct ilab_tuning){ "clblast", layers[0], 1, NULL }).record.tuned);
	assert_false(plan(ILAB_F16, ILAB_GEMM_AUTO, &(struct ilab_tuning){ "cublaslt", layers[0], 1, NULL }).record.tuned);
	ilab_arena_free(&arena);
}

static void a_graph_is_recorded_and_replayed(void **state)
{
	(void)state;
	open_session();
	const struct ilab_plan p = plan(ILAB_F32, ILAB_GEMM_BUILTIN, NULL);
	struct ilab_buffer *x = take(1000), *y = take(1000);
	struct ilab_err err = {0};
	for (int i = 0; i < 2; i++) {          /* the second graph replaces the first */
		assert_int_equal(api->graph_begin(session, &err), ILAB_OK);
		assert_int_equal(api->linear(session, &p, 0, x, x, x, y, NULL, ILAB_EPILOGUE_BIAS_GELU, &err), ILAB_OK);
		assert_int_equal(api->graph_end(session, &err), ILAB_OK);
		assert_int_equal(api->graph_launch(session, &err), ILAB_OK);
	}
	assert_int_equal(vendor.recorded, 2);
	assert_int_equal(vendor.launches, 0);
	assert_int_equal(vendor.replays, 2);
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

static void a_launch_that_fails_is_named(void **state)
{
	(void)state;
	open_session();
	const struct ilab_plan p = plan(ILAB_F32, ILAB_GEMM_AUTO, NULL);
	struct ilab_buffer *b = take(4096);
	struct ilab_err err = {0};
	vendor.failing = "launch";
	assert_int_equal(api->linear(session, &p, 0, b, b, b, b, b, ILAB_EPILOGUE_BIAS_GELU, &err), ILAB_FAILED);
	assert_string_equal(err.call, "launch");
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
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_device_is_described), TEST(what_is_missing_is_said), TEST(a_missing_library_is_advice),
		TEST(a_wrong_device_number_is_refused), TEST(opening_fails_cleanly), TEST(the_pool_counts_to_the_byte),
		TEST(a_high_mark_is_never_below_the_current_value), TEST(without_pools_we_count), TEST(out_of_memory_is_an_error_that_passes),
		TEST(closing_takes_back_what_was_handed_out), TEST(the_driver_s_figure_has_its_source), TEST(an_upload_of_many_chunks_is_whole),
		TEST(a_failed_transfer_is_named), TEST(a_plan_says_what_will_run), TEST(an_explicit_provider_never_falls_back), TEST(what_the_library_lacks_is_ours),
		TEST(every_provider_computes_the_network), TEST(candidates_are_plans), TEST(a_graph_is_recorded_and_replayed),
		TEST(the_first_error_of_a_lost_device_stays), TEST(a_launch_that_fails_is_named), TEST(spans_are_differences_on_one_axis),
		TEST(a_whole_measurement_passes),
	};
	return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}
