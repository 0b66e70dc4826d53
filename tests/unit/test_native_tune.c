/* The search for better parameters, over the native backend and the tests' own vendor (tests/native), whose products take as long and
 * go as wrong as a test says, by a clock that only its readers move: a busy machine changes nothing. */
#include "../native/host_vendor.h"
#include "host_backend.h"

#include "harness/protocol.h"
#include "harness/tune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define DELAY_US 100000

/* Every reading is 5 ms later than the one before, as long as a calibration needs. Stands for ilab_clock_ns in the whole program (Makefile). */
uint64_t __wrap_ilab_clock_ns(void);
uint64_t __wrap_ilab_clock_ns(void)
{
	static uint64_t now_ns;
	return now_ns += 5000000;
}

static struct ilab_arena arena;
static struct ilab_measure_request request;

static int set_up(void **state)
{
	(void)state;
	host_vendor_reset();
	request = (struct ilab_measure_request){ .shape = { 2, 32, 8, 24 }, .dtype = ILAB_F32, .repeats = 1, .verify_rows = 8 };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ilab_arena_free(&arena);
	return vendor.live || vendor.used_bytes;
}

static enum ilab_status tune(struct ilab_tuning_record *out, struct ilab_err *err)
{
	return ilab_tune_run(&native_backend, &request, NULL, &arena, out, err);
}

static void assert_tuned(struct ilab_tuning_record *r)
{
	struct ilab_err err = {0};
	if (tune(r, &err))
		fail_msg("%s", err.text);
	assert_string_equal(r->provider, "cublaslt");
	assert_string_equal(r->provider_version.value, "9.9");
	assert_int_equal(r->search_candidates, 4);
}

static void what_is_faster_gets_an_entry(void **state)
{
	(void)state;
	static const uint64_t shapes[2][3] = { { 64, 24, 8 }, { 64, 8, 24 } };
	struct ilab_tuning_record r;
	vendor.own_delay_us = DELAY_US;
	assert_tuned(&r);
	assert_int_equal(r.search_rejected, 0);
	assert_int_equal(r.entry_count, 2);
	assert_string_equal(r.fastest, "tuned");
	assert_true(r.passes.pairs >= 11 && r.passes.ratio_low.value > 1 && !r.passes.median_seconds.reason);
	assert_true(r.passes.default_median_seconds.value > 2 * DELAY_US * 1e-6);
	assert_true(r.passes.median_seconds.value < r.passes.default_median_seconds.value);
	for (int i = 0; i < 2; i++) {
		const struct ilab_tuned *e = &r.entries[i];
		assert_string_equal(e->dtype, "float32");
		assert_true(e->m == shapes[i][0] && e->n == shapes[i][1] && e->k == shapes[i][2]);
		assert_true(e->default_median_seconds > DELAY_US * 1e-6 && e->median_seconds < e->default_median_seconds);
		assert_true(e->verified);
		assert_string_equal(e->parameters[0].name, "bytes");
	}
}

static void what_is_slower_gets_none(void **state)
{
	(void)state;
	struct ilab_tuning_record r;
	vendor.candidate_delay_us = DELAY_US;
	assert_tuned(&r);
	assert_int_equal(r.entry_count, 0);
	assert_string_equal(r.fastest, "default");
	assert_int_equal(r.passes.pairs, 0);
	assert_non_null(strstr(r.passes.ratio.reason, "not-run: "));
}

/* Both candidates are faster where they are timed, and what follows them is slower by more: layer 2 within the pass, layer 1 only in the
 * pass after it. So layer 1's entry makes the pass slower, alone and with layer 2's. */
static void whole_passes_decide(void **state)
{
	(void)state;
	struct ilab_tuning_record r;
	vendor.own_delay_us = DELAY_US;
	vendor.after_candidate_delay_us = 3 * DELAY_US;
	assert_tuned(&r);
	assert_int_equal(r.entry_count, 1);
	assert_true(r.entries[0].n == 8 && r.entries[0].k == 24 && r.entries[0].verified);
	assert_string_equal(r.fastest, "tuned");
	assert_true(r.passes.ratio_low.value > 1);
}

static void what_makes_passes_slower_gets_no_entry(void **state)
{
	(void)state;
	struct ilab_tuning_record r;
	request.shape.hidden = request.shape.width;    /* one product: its entry is that of both layers */
	vendor.own_delay_us = DELAY_US;
	vendor.after_candidate_delay_us = 3 * DELAY_US;
	assert_tuned(&r);
	assert_int_equal(r.entry_count, 0);
	assert_string_equal(r.fastest, "default");
	assert_true(r.passes.pairs >= 11 && r.passes.ratio_high.value < 1);
}

static void both_layers_may_be_the_same_product(void **state)
{
	(void)state;
	struct ilab_tuning_record r;
	request.shape.hidden = request.shape.width;
	vendor.own_delay_us = DELAY_US;
	assert_tuned(&r);
	assert_int_equal(r.entry_count, 1);
}

static void what_computes_something_else_is_rejected(void **state)
{
	(void)state;
	struct ilab_tuning_record r;
	vendor.own_delay_us = DELAY_US;
	vendor.wrong_bytes = "0";      /* row 0, which is among those compared */
	assert_tuned(&r);
	assert_int_equal(r.search_rejected, 2);
	assert_int_equal(r.entry_count, 2);
	for (int i = 0; i < 2; i++)
		assert_string_equal(r.entries[i].parameters[0].value, "4096");
}

/* Wrong where candidates are not looked at: the measurement at the end sees it. */
static void the_outcome_is_verified_as_a_whole(void **state)
{
	(void)state;
	struct ilab_tuning_record r;
	struct ilab_err err = {0};
	vendor.own_delay_us = DELAY_US;
	vendor.wrong_row = 1;          /* of 64; 32 rows are compared: 0, 2, 4 ... */
	vendor.wrong_bytes = "any";
	assert_int_equal(tune(&r, &err), ILAB_UNVERIFIED);
	assert_non_null(strstr(err.text, "verification failed"));
}

static void what_cannot_be_tuned_is_refused(void **state)
{
	(void)state;
	struct ilab_tuning_record r;
	struct ilab_err err = {0};
	request.gemm = ILAB_GEMM_BUILTIN;
	assert_int_equal(tune(&r, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "nothing to tune"));
	ilab_err_clear(&err);
	host_reset();
	assert_int_equal(ilab_tune_run(&host_backend, &request, NULL, &arena, &r, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "nothing to tune"));
	ilab_err_clear(&err);
	request.gemm = ILAB_GEMM_AUTO;
	host_vendor_reset();
	vendor.room_bytes = 4096;
	assert_int_equal(tune(&r, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "choose a smaller shape"));
	assert_int_equal(vendor.launches + vendor.products, 0);
}

/* --- using it ------------------------------------------------------------------------------------------------------------------ */

static const struct ilab_parameter parameters[] = { { "bytes", "4096" }, { "word", "000f" } };
static const struct ilab_tuning_entry entry = { ILAB_F32, 64, 24, 8, "column-major, y^T = W x^T, W stored [in, out]", parameters, 2 };

static enum ilab_status measure_with(const struct ilab_tuning *tuning, struct ilab_measure *m, struct ilab_err *err)
{
	request.tuning = tuning;
	return ilab_measure_run(&native_backend, &request, NULL, &arena, m, err);
}

static void a_measurement_uses_it_and_says_so(void **state)
{
	(void)state;
	struct ilab_measure m = {0};
	struct ilab_err err = {0};
	if (measure_with(&(struct ilab_tuning){ "cublaslt", &entry, 1, "9.9" }, &m, &err))
		fail_msg("%s", err.text);
	assert_true(m.gemm.tuned);
	assert_string_equal(m.gemm.parameters[0].value, "4096");
	assert_string_equal(m.gemm.forms[0], entry.form);
	assert_string_equal(m.verification.status, "passed");
}

static void it_holds_for_its_provider_and_version(void **state)
{
	(void)state;
	struct ilab_measure m = {0};
	struct ilab_err err = {0};
	assert_int_equal(measure_with(&(struct ilab_tuning){ "cublaslt", &entry, 1, "9.8" }, &m, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "cublaslt 9.8, here is 9.9"));
	ilab_err_clear(&err);
	assert_int_equal(measure_with(&(struct ilab_tuning){ "clblast", &entry, 1, "9.9" }, &m, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "is for clblast"));
	ilab_err_clear(&err);
	request.gemm = ILAB_GEMM_BUILTIN;
	assert_int_equal(measure_with(&(struct ilab_tuning){ "cublaslt", &entry, 1, NULL }, &m, &err), ILAB_REFUSED);
}

static void it_travels_to_the_worker(void **state)
{
	(void)state;
	const struct ilab_tuning tuning = { "cublaslt", &entry, 1, "9.9" };
	const struct ilab_request sent = { .measure = true, .backend = "cuda", .run = { .shape = { 1, 2, 3, 4 }, .repeats = 1, .tuning = &tuning } };
	struct ilab_request got;
	struct ilab_err err = {0};
	cJSON *json = ilab_request_to_json(&sent), *item;
	assert_int_equal(ilab_request_from_json(json, &arena, &got, &err), ILAB_OK);
	const struct ilab_tuning *t = got.run.tuning;
	assert_string_equal(t->provider, "cublaslt");
	assert_string_equal(t->provider_version, "9.9");
	assert_int_equal(t->entry_count, 1);
	assert_string_equal(t->entries[0].form, entry.form);
	assert_int_equal(t->entries[0].n, 24);
	assert_int_equal(t->entries[0].parameter_count, 2);
	assert_string_equal(t->entries[0].parameters[0].value, "4096");
	assert_string_equal(t->entries[0].parameters[1].value, "000f");
	item = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "tuning"), "entries");
	cJSON_DeleteItemFromObject(cJSON_GetArrayItem(item, 0), "k");
	assert_int_equal(ilab_request_from_json(json, &arena, &got, &err), ILAB_IO);
	cJSON_Delete(json);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_is_faster_gets_an_entry), TEST(what_is_slower_gets_none), TEST(whole_passes_decide),
		TEST(what_makes_passes_slower_gets_no_entry), TEST(both_layers_may_be_the_same_product),
		TEST(what_computes_something_else_is_rejected), TEST(the_outcome_is_verified_as_a_whole), TEST(what_cannot_be_tuned_is_refused),
		TEST(a_measurement_uses_it_and_says_so), TEST(it_holds_for_its_provider_and_version), TEST(it_travels_to_the_worker),
	};
	return cmocka_run_group_tests_name("native_tune", tests, NULL, NULL);
}
