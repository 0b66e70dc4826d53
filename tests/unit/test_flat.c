/* Flat-rate arithmetic against cases worked out by hand. */
#include "base/ratio.h"
#include "cost/flat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TAIL ",2026-09-24,fictional\n"
static const char table[] = "model,gpus_per_lot,days,price_cents_usd,snapshot_date,source\n"
	"b200,2,3,44400" TAIL "b200,2,7,88800,2026-09-25,fictional\n" "b200,2,30,266400" TAIL
	"one,1,3,1" TAIL "one,1,7,2" TAIL "one,1,30,3" TAIL
	"odd,1,3,1000" TAIL "odd,1,7,2000" TAIL "odd,1,30,1000000000000" TAIL;

static struct ilab_arena arena;
static struct ilab_tariffs tariffs;
static struct ilab_err err;

static int setup(void **state)
{
	(void)state;
	return ilab_tariffs_parse("t.csv", table, sizeof(table) - 1, &arena, &tariffs, &err);
}

static int teardown(void **state)
{
	(void)state;
	ilab_arena_free(&arena);
	return 0;
}

static enum ilab_status compute(const char *model, uint64_t days, uint64_t lots, uint64_t accepted, struct ilab_cost *out)
{
	struct ilab_count count = { .value = accepted };
	err = (struct ilab_err){0};
	return ilab_cost_compute(&tariffs, model, days, lots, count, &arena, out, &err);
}

/* Worked by hand: total = lots x price; unit = total / (100 x accepted) dollars to six places, half to even. */
static const struct {
	const char *model;
	uint64_t days, lots, accepted, gpus, total;
	const char *unit;
} cases[] = {
	/* two lots of a two-GPU model: four GPUs, twice the lot price; 1776 USD / 1000 */
	{ "b200", 7, 2, 1000, 4, 177600, "1.776000" },
	{ "b200", 3, 1, 1, 2, 44400, "444.000000" },
	/* 266400 / 7 = 38057.142857142... cents */
	{ "b200", 30, 1, 7, 2, 266400, "380.571429" },
	/* 1 cent / 3 = 0.00333333... USD; 2 cents / 3 = 0.00666666... */
	{ "one", 3, 1, 3, 1, 1, "0.003333" },
	{ "one", 7, 1, 3, 1, 2, "0.006667" },
	/* ties: 1 / 800000 cents = 0.0000000125 USD is below the half; 0.01 / 20000 = 0.0000005 ties down to even 0 */
	{ "one", 3, 1, 800000, 1, 1, "0.000000" },
	{ "one", 3, 1, 20000, 1, 1, "0.000000" },
	/* 0.03 / 20000 = 0.0000015 ties up to even 2; 0.05 / 20000 = 0.0000025 ties down to even 2; 0.07 / 20000 = 0.0000035 up to 4 */
	{ "one", 30, 1, 20000, 1, 3, "0.000002" },
	{ "one", 3, 5, 20000, 5, 5, "0.000002" },
	{ "one", 3, 7, 20000, 7, 7, "0.000004" },
	/* just beside the tie: 0.03 / 20001 = 0.00000149992 and 0.05 / 19999 = 0.00000250012 */
	{ "one", 30, 1, 20001, 1, 3, "0.000001" },
	{ "one", 3, 5, 19999, 5, 5, "0.000003" },
	/* a carry through every place: 199.99999 cents = 1.9999999 USD: 19999999 / 100000 cents */
	{ "one", 3, 19999999, 100000, 19999999, 19999999, "2.000000" },
	/* the largest: 2^63-1 cents; / (2^63-1) = 1 cent; by one accepted result, 92233720368547758.07 USD, exact beyond a double */
	{ "one", 3, UINT64_C(9223372036854775807), 1, UINT64_C(9223372036854775807), UINT64_C(9223372036854775807), "92233720368547758.070000" },
	{ "one", 3, UINT64_C(9223372036854775807), UINT64_C(9223372036854775807), UINT64_C(9223372036854775807),
		UINT64_C(9223372036854775807), "0.010000" },
	{ "odd", 30, 9223372, 1, 9223372, UINT64_C(9223372000000000000), "92233720000000000.000000" },
};

static void hand_computed_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ilab_cost cost;
		assert_int_equal(compute(cases[i].model, cases[i].days, cases[i].lots, cases[i].accepted, &cost), ILAB_OK);
		assert_int_equal(cost.offer.gpu_count, cases[i].gpus);
		assert_int_equal(cost.offer.total_cents, cases[i].total);
		assert_int_equal(cost.unit_cost.numerator_cents, cases[i].total);
		assert_int_equal(cost.unit_cost.denominator, cases[i].accepted);
		assert_string_equal(cost.unit_cost.decimal_usd, cases[i].unit);
	}
}

static void the_row_used_gives_the_date(void **state)
{
	(void)state;
	struct ilab_cost cost;
	assert_int_equal(compute("b200", 7, 1, 1, &cost), ILAB_OK);
	assert_string_equal(cost.offer.snapshot_date, "2026-09-25");
	assert_int_equal(compute("b200", 30, 1, 1, &cost), ILAB_OK);
	assert_string_equal(cost.offer.snapshot_date, "2026-09-24");
}

static void no_count_no_unit_cost(void **state)
{
	(void)state;
	struct ilab_cost cost;
	struct ilab_count none = { .reason = "not-run: nobody counted" };
	assert_int_equal(ilab_cost_compute(&tariffs, "one", 3, 1, none, &arena, &cost, &err), ILAB_OK);
	assert_string_equal(cost.unit_cost.reason, none.reason);
	assert_null(cost.unit_cost.decimal_usd);
	assert_int_equal(cost.offer.total_cents, 1);
}

static const struct { const char *model; uint64_t days, lots, accepted; const char *says; } refused[] = {
	{ "one", 3, 0, 1, "number of lots" },
	{ "one", 3, 1, 0, "accepted results" },
	{ "one", 3, 1, UINT64_C(1) << 63, "accepted results" },
	{ "one", 3, UINT64_C(1) << 63, 1, "number of lots" },
	{ "one", 7, UINT64_C(9223372036854775807), 1, "total in cents" },
	{ "b200", 3, UINT64_C(9223372036854775807), 1, "number of GPUs" },
	{ "odd", 30, 9223373, 1, "total in cents" },
	{ "one", 4, 1, 1, "3, 7 and 30" },
	{ "two", 3, 1, 1, "'two' is not in t.csv" },
};

static void refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct ilab_cost cost;
		assert_int_equal(compute(refused[i].model, refused[i].days, refused[i].lots, refused[i].accepted, &cost), ILAB_REFUSED);
		if (!strstr(err.text, refused[i].says))
			fail_msg("refusal %zu: \"%s\"", i, err.text);
	}
}

/* --- break-even ------------------------------------------------------------------------------------------------------ */

static enum ilab_status break_even(const char *model, const char *other, uint64_t rate, uint64_t other_rate, struct ilab_cost *cost)
{
	struct ilab_count count = { .value = other_rate, .reason = other_rate == UINT64_MAX ? "not-run: not given" : NULL };
	assert_int_equal(compute(model, 7, 2, 1, cost), ILAB_OK);
	return ilab_cost_break_even(&tariffs, other, rate, count, &arena, cost, &err);
}

static void break_even_by_hand(void **state)
{
	(void)state;
	struct ilab_cost cost;
	/* odd: 2 x 2000 = 4000 cents for 7 days; b200: 177600, 44.4 times as much. At 100 a day odd needs 4440 of b200. */
	assert_int_equal(break_even("odd", "b200", 100, 4440, &cost), ILAB_OK);
	assert_int_equal(cost.break_even->break_even_per_day, 4440);
	assert_string_equal(cost.break_even->cheaper.value, "equal");
	assert_string_equal(cost.break_even->unit_cost.decimal_usd, "0.057143");    /* 4000 / 700 cents */
	assert_string_equal(cost.break_even->other_unit_cost.decimal_usd, "0.057143");   /* 177600 / 31080 cents */
	assert_int_equal(break_even("odd", "b200", 100, 4439, &cost), ILAB_OK);
	assert_string_equal(cost.break_even->cheaper.value, "odd");
	assert_int_equal(break_even("odd", "b200", 100, 4441, &cost), ILAB_OK);
	assert_string_equal(cost.break_even->cheaper.value, "b200");
	/* not whole: 44.4 x 7 = 310.8, so 311 are the fewest */
	assert_int_equal(break_even("odd", "b200", 7, UINT64_MAX, &cost), ILAB_OK);
	assert_int_equal(cost.break_even->break_even_per_day, 311);
	assert_null(cost.break_even->cheaper.value);
	/* the other way round: 100 / 44.4 = 2.25..., so 3 */
	assert_int_equal(break_even("b200", "odd", 100, 3, &cost), ILAB_OK);
	assert_int_equal(cost.break_even->break_even_per_day, 3);
	assert_string_equal(cost.break_even->cheaper.value, "odd");
	/* a model against itself */
	assert_int_equal(break_even("one", "one", 5, 5, &cost), ILAB_OK);
	assert_int_equal(cost.break_even->break_even_per_day, 5);

	assert_int_equal(break_even("one", "odd", 0, 5, &cost), ILAB_REFUSED);
	err = (struct ilab_err){0};
	assert_int_equal(break_even("one", "odd", 5, 0, &cost), ILAB_REFUSED);
	err = (struct ilab_err){0};
	assert_int_equal(break_even("one", "odd", UINT64_C(9223372036854775807), 5, &cost), ILAB_REFUSED);
	err = (struct ilab_err){0};
	assert_int_equal(break_even("one", "none", 5, 5, &cost), ILAB_REFUSED);
}

/* --- two measurements ------------------------------------------------------------------------------------------------ */

static struct ilab_measure run_of(const char *id, double seconds)
{
	struct ilab_measure m = { .header.run_id = id, .device.name = "a device", .configuration = { .dtype = "float32", .view = "v",
		.batch = 1, .context = 16, .width = 64, .hidden = 256 }, .verification.status = "passed", .summary.median_seconds.value = seconds };
	return m;
}

static void measured_ratio_by_hand(void **state)
{
	(void)state;
	struct ilab_cost cost;
	struct ilab_measure a = run_of("a", 0.003), b = run_of("b", 0.002);
	assert_int_equal(compute("b200", 7, 2, 1001, &cost), ILAB_OK);
	assert_int_equal(ilab_cost_measured(&a, "ha", &b, "hb", &arena, &cost, &err), ILAB_OK);
	assert_int_equal(cost.measured->ratio_millionths, 1500000);
	assert_int_equal(cost.measured->scaled_accepted_results, 1501);         /* 1501.5, down */
	assert_int_equal(cost.measured->break_even_price_cents, 266311);        /* 177600 x 1501 / 1001 = 266311.2... */
	/* 2/3 to six places: 0.666667; 1001 x 0.666667 = 667.333667; 177600 x 667 / 1001 = 118340.8... */
	assert_int_equal(ilab_cost_measured(&b, "hb", &a, "ha", &arena, &cost, &err), ILAB_OK);
	assert_int_equal(cost.measured->ratio_millionths, 666667);
	assert_int_equal(cost.measured->scaled_accepted_results, 667);
	assert_int_equal(cost.measured->break_even_price_cents, 118340);
	/* Few results: both figures speak of the same 30, not of 30.2. 7 x 4.314531 = 30.201717; 177600 x 30 / 7 = 761142.8... */
	a = run_of("a", 4.314531);
	b = run_of("b", 1);
	assert_int_equal(compute("b200", 7, 2, 7, &cost), ILAB_OK);
	assert_int_equal(ilab_cost_measured(&a, "ha", &b, "hb", &arena, &cost, &err), ILAB_OK);
	assert_int_equal(cost.measured->scaled_accepted_results, 30);
	assert_int_equal(cost.measured->break_even_price_cents, 761142);
}

static void measured_refusals(void **state)
{
	(void)state;
	struct ilab_cost cost;
	struct ilab_measure a = run_of("a", 0.003), b = run_of("b", 0.002), failed = b, other = b, far = run_of("f", 1e-12);
	failed.verification.status = "failed";
	other.configuration.hidden = 128;
	assert_int_equal(compute("b200", 7, 2, 1001, &cost), ILAB_OK);
	assert_int_equal(ilab_cost_measured(&a, "a", &failed, "b", &arena, &cost, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "measurement B did not pass"));
	err = (struct ilab_err){0};
	assert_int_equal(ilab_cost_measured(&a, "a", &other, "b", &arena, &cost, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "hidden differs"));
	err = (struct ilab_err){0};
	assert_int_equal(ilab_cost_measured(&far, "a", &b, "b", &arena, &cost, &err), ILAB_REFUSED);
	err = (struct ilab_err){0};
	cost.accepted_results.reason = "not-run: nobody counted";
	assert_int_equal(ilab_cost_measured(&a, "a", &b, "b", &arena, &cost, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "--accepted-results"));
	assert_null(cost.measured);
}

static void ratios_as_text(void **state)
{
	(void)state;
	static const struct { ilab_u128 n, d; unsigned places; const char *text; } ratios[] = {
		{ 0, 1, 6, "0.000000" }, { 1, 2, 0, "0" }, { 3, 2, 0, "2" }, { 5, 2, 0, "2" }, { 7, 4, 1, "1.8" }, { 1, 8, 2, "0.12" },
		{ 3, 8, 2, "0.38" }, { 999, 1000, 2, "1.00" }, { 1, 3, 18, "0.333333333333333333" },
		{ (ilab_u128)1 << 127, 1, 2, "170141183460469231731687303715884105728.00" },
		/* bytes as GiB: the largest estimate is 2^66 - 8 */
		{ 14000000000, 1 << 30, 4, "13.0385" }, { ((ilab_u128)1 << 66) - 8, 1 << 30, 4, "68719476736.0000" },
		{ ((ilab_u128)1 << 66) - 8, 1 << 30, 9, "68719476735.999999993" }, { 1073741823, 1 << 30, 4, "1.0000" }, { 1, 1 << 30, 9, "0.000000001" },
		{ 77, 1, 0, "77" }, { ~(ilab_u128)0, (ilab_u128)1 << 120, 18, "256.000000000000000000" },
		{ ~(ilab_u128)0, 1, 18, "340282366920938463463374607431768211455.000000000000000000" },
	};
	char text[ILAB_RATIO_SIZE];
	for (size_t i = 0; i < sizeof(ratios) / sizeof(*ratios); i++) {
		ilab_format_ratio(text, sizeof(text), ratios[i].n, ratios[i].d, ratios[i].places);
		assert_string_equal(text, ratios[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hand_computed_cases),
		cmocka_unit_test(the_row_used_gives_the_date),
		cmocka_unit_test(no_count_no_unit_cost),
		cmocka_unit_test(refusals),
		cmocka_unit_test(break_even_by_hand),
		cmocka_unit_test(measured_ratio_by_hand),
		cmocka_unit_test(measured_refusals),
		cmocka_unit_test(ratios_as_text),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
