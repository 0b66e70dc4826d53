/* Memory of the native backend over the tests' own vendor (tests/native): the driver's pool and our own counting, to the byte. */
#include "native_case.h"

#include <string.h>

#define MiB ((uint64_t)1 << 20)

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
		close_session();
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
		close_session();
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_pool_counts_to_the_byte), TEST(a_high_mark_is_never_below_the_current_value), TEST(without_pools_we_count),
		TEST(out_of_memory_is_an_error_that_passes), TEST(closing_takes_back_what_was_handed_out), TEST(the_driver_s_figure_has_its_source),
	};
	return cmocka_run_group_tests_name("native memory", tests, NULL, NULL);
}
