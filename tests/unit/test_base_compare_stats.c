/* base/compare_stats and base/student: published quantiles, hand-computed intervals, and coverage against known truths. */
#include "base/compare_stats.h"
#include "base/stats.h"
#include "base/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DRAWS 10000
#define ROUNDS_MAX 12
#define PASSES_MAX 30

static void student_quantiles_agree_with_published_tables(void **state)
{
	(void)state;
	/* NIST/SEMATECH e-Handbook, table 1.3.6.7.2: two-sided 95 % and 99 %. */
	const struct { unsigned long df; double q95, q99; } published[] = {
		{ 1, 12.706, 63.657 }, { 2, 4.303, 9.925 }, { 3, 3.182, 5.841 }, { 4, 2.776, 4.604 }, { 5, 2.571, 4.032 },
		{ 9, 2.262, 3.250 }, { 10, 2.228, 3.169 }, { 29, 2.045, 2.756 }, { 30, 2.042, 2.750 }, { 100, 1.984, 2.626 },
	};
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		assert_true(fabs(ilab_student_quantile(0.95, published[i].df) - published[i].q95) <= 5.01e-4);
		assert_true(fabs(ilab_student_quantile(0.99, published[i].df) - published[i].q99) <= 5.01e-4);
	}
	/* One degree of freedom is Cauchy's distribution, two have a closed form. */
	assert_true(fabs(ilab_student_within(1, 1) - 0.5) < 1e-15);
	assert_true(fabs(ilab_student_within(2, 2) - 2 / sqrt(6)) < 1e-15);
	assert_true(fabs(ilab_student_quantile(0.95, 10000) - 1.96) < 1e-3);
}

/* --- a hand-computed case ------------------------------------------------------------------------------------------------ */

static void paired_interval_by_hand(void **state)
{
	(void)state;
	/* Rounds that differ by factors of ten, ratios 1.1, 1.2, 1.1 * 1.2^2; passes agree exactly, so only rounds spread. */
	const double a[3][2] = { { 1, 1 }, { 10, 10 }, { 100, 100 } };
	const double b[3][2] = { { 1.1, 1.1 }, { 12, 12 }, { 158.4, 158.4 } };
	struct ilab_run base[3], other[3];
	for (size_t i = 0; i < 3; i++) {
		base[i] = (struct ilab_run){ a[i], 2 };
		other[i] = (struct ilab_run){ b[i], 2 };
	}
	const double logs[] = { log(1.1), log(1.2), log(1.584) };
	const double mean = (logs[0] + logs[1] + logs[2]) / 3;
	double squares = 0;
	for (size_t i = 0; i < 3; i++)
		squares += (logs[i] - mean) * (logs[i] - mean);
	const double half = 4.302652729911275 * sqrt(squares / 2 / 3);
	struct ilab_ratio r, inverse;
	assert_true(ilab_ratio_paired(base, other, 3, 7, &r));
	assert_true(fabs(log(r.value) - mean) < 1e-12 && fabs(log(r.low) - (mean - half)) < 1e-10 && fabs(log(r.high) - (mean + half)) < 1e-10);
	assert_int_equal(r.runs_free, 2);
	assert_true(ilab_ratio_paired(other, base, 3, 7, &inverse));
	assert_true(fabs(inverse.value * r.value - 1) < 1e-12 && fabs(inverse.low * r.high - 1) < 1e-10);

	/* Unpaired, the factors of ten are spread: the same estimate, an interval of another order. Pooled, 4 degrees of freedom. */
	const double base_logs[] = { 0, log(10), log(100) }, other_logs[] = { log(1.1), log(12), log(158.4) };
	double pooled = 0;
	for (size_t i = 0; i < 3; i++) {
		const double mo = (other_logs[0] + other_logs[1] + other_logs[2]) / 3;
		pooled += (base_logs[i] - log(10)) * (base_logs[i] - log(10)) + (other_logs[i] - mo) * (other_logs[i] - mo);
	}
	const double wide = 2.7764451051977987 * sqrt(pooled / 4 * 2 / 3);
	assert_true(ilab_ratio_unpaired(base, 3, other, 3, 7, &r));
	assert_true(fabs(log(r.value) - mean) < 1e-12 && fabs(log(r.high) - (mean + wide)) < 1e-9);
	assert_int_equal(r.runs_free, 4);
}

static void few_samples_give_no_interval(void **state)
{
	(void)state;
	const double one[] = { 1 }, five[] = { 1, 1, 1, 1, 1 }, six[] = { 1, 2, 3, 4, 5, 6 }, twelve[] = { 2, 4, 6, 8, 10, 12 };
	struct ilab_run runs[6], many = { six, 6 }, other = { twelve, 6 }, few = { five, 5 };
	struct ilab_ratio r;
	for (size_t i = 0; i < 6; i++)
		runs[i] = (struct ilab_run){ one, 1 };
	assert_false(ilab_ratio_paired(runs, runs, 5, 0, &r));
	assert_true(fabs(r.value - 1) < 1e-15);
	assert_true(ilab_ratio_paired(runs, runs, 6, 0, &r));
	assert_false(ilab_ratio_unpaired(runs, 5, runs, 6, 0, &r));
	assert_false(ilab_runs_median(runs, 5, 0, &r));
	assert_true(fabs(r.value - 1) < 1e-15);
	assert_false(ilab_ratio_paired(&few, &few, 1, 0, &r));
	/* One round of six: x_(1) .. x_(6) on both sides. */
	assert_true(ilab_ratio_paired(&many, &other, 1, 0, &r));
	assert_true(fabs(r.value - 2) < 1e-15 && r.low == 2.0 / 6 && r.high == 12.0 && r.runs_free == 0);
	assert_true(ilab_ratio_unpaired(&many, 1, &other, 1, 0, &r));
	assert_true(r.low == 2.0 / 6 && r.high == 12.0 && r.runs_free == 0);
	assert_true(ilab_runs_median(&many, 1, 0, &r));
	assert_true(r.value == 3.5 && r.low == 1 && r.high == 6);
}

static void rounds_that_agree_by_chance_are_not_believed(void **state)
{
	(void)state;
	/* Medians equal to the last digit in all rounds, passes that spread over a factor of two: the floor keeps the interval open. */
	const double a[] = { 1, 1.2, 1.4, 1.6, 1.8, 2 };
	struct ilab_run runs[3] = { { a, 6 }, { a, 6 }, { a, 6 } };
	struct ilab_ratio r, again;
	assert_true(ilab_ratio_paired(runs, runs, 3, 0, &r));
	assert_true(r.value == 1 && r.high > 1.3 && ilab_ratio_verdict(&r) == ILAB_AMBIGUOUS);
	assert_true(ilab_ratio_paired(runs, runs, 3, 0, &again));
	assert_true(r.low == again.low && r.high == again.high);
	assert_true(ilab_runs_median(runs, 3, 0, &r));
	assert_true(r.value == 1.5 && r.low < 1.3 && r.high > 1.7);
}

static void verdicts(void **state)
{
	(void)state;
	const struct { struct ilab_ratio ratio; enum ilab_verdict verdict; } cases[] = {
		{ { 1.05, 1.021, 1.08, 2, 1.001, 1.1 }, ILAB_SLOWER }, { { 1.05, 1.019, 1.08, 2, 1.001, 1.1 }, ILAB_AMBIGUOUS },
		{ { 1.05, 1.021, 1.08, 2, 0.999, 1.1 }, ILAB_AMBIGUOUS }, { { 0.95, 0.92, 0.979, 2, 0.9, 1.001 }, ILAB_AMBIGUOUS },
		{ { 1.0, 0.99, 1.01, 2, 0.99, 1.01 }, ILAB_SAME }, { { 1.01, 1.005, 1.015, 2, 1.005, 1.015 }, ILAB_SAME },
		{ { 0.95, 0.92, 0.979, 2, 0.9, 0.999 }, ILAB_FASTER }, { { 0.97, 0.95, 0.985, 2, 0.9, 0.999 }, ILAB_AMBIGUOUS },
		{ { 1.0, 0.5, 2, 2, 0.5, 2 }, ILAB_AMBIGUOUS }, { { 1.0, 0.97, 1.03, 0, 0.97, 1.03 }, ILAB_SAME }, { { 1.06, 1.04, 1.08, 0, 1.04, 1.08 }, ILAB_AMBIGUOUS },
		{ { 1.06, 1.051, 1.08, 0, 1.051, 1.08 }, ILAB_SLOWER },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(ilab_ratio_verdict(&cases[i].ratio), cases[i].verdict);
	assert_string_equal(ilab_verdict_name(ILAB_FASTER), "faster");
	assert_string_equal(ilab_verdict_name(ILAB_AMBIGUOUS), "ambiguous");
}

/* --- coverage against known truths ---------------------------------------------------------------------------------------- */

/* Another generator than the code's own: xorshift64*. */
static uint64_t random_state;

static double uniform(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return ((double)((random_state * UINT64_C(2685821657736338717)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double exponential(void)
{
	return -log(uniform());
}

/* Is a share seen in DRAWS draws within four standard errors of p? */
static bool agrees(double seen, double p)
{
	return fabs(seen - p) <= 4 * sqrt(p * (1 - p) / DRAWS);
}

static void median_interval_covers_skewed_samples(void **state)
{
	(void)state;
	const size_t sizes[] = { 12, 20, 30 };
	for (size_t s = 0; s < 3; s++) {
		size_t covered = 0;
		double nominal = 0;
		random_state = 20240601 + s;
		for (size_t d = 0; d < DRAWS; d++) {
			double x[30];
			struct ilab_interval interval;
			for (size_t i = 0; i < sizes[s]; i++)
				x[i] = exponential() * exponential();    /* a long tail; F(t) = 1 - 2 sqrt(t) K1(2 sqrt(t)), solved for 1/2 */
			assert_true(ilab_stats_median_interval(x, sizes[s], 0.95, &interval));
			nominal = interval.coverage;
			covered += interval.low <= 0.3951074 && 0.3951074 <= interval.high;
		}
		assert_true(agrees((double)covered / DRAWS, nominal));
	}
}

/* What one pass takes, in logarithms: an effect of the run, noise of the pass; drift: shared by both sides of a round. */
struct noise { double (*run)(void), (*pass)(void); double run_size, pass_size; };

#define DRIFT 0.1

struct tally { size_t covered, called, slower, known; };

static struct tally draw_with(const struct noise *noise, double drift_size, double truth, size_t rounds, size_t passes, size_t draws, bool paired)
{
	double x[2][ROUNDS_MAX][PASSES_MAX];
	struct ilab_run runs[2][ROUNDS_MAX];
	struct tally t = {0};
	for (size_t d = 0; d < draws; d++) {
		struct ilab_ratio r;
		for (size_t i = 0; i < rounds; i++) {
			const double drift = drift_size > 0 ? drift_size * normal() : 0;
			for (size_t side = 0; side < 2; side++) {
				const double run = drift + noise->run_size * noise->run();
				for (size_t k = 0; k < passes; k++)
					x[side][i][k] = exp(run + noise->pass_size * noise->pass()) * (side ? truth : 1);
				runs[side][i] = (struct ilab_run){ x[side][i], passes };
			}
		}
		if (!(paired ? ilab_ratio_paired(runs[0], runs[1], rounds, d, &r)
			: ilab_ratio_unpaired(runs[0], rounds, runs[1], rounds, d, &r)))
			continue;
		const enum ilab_verdict verdict = ilab_ratio_verdict(&r);
		t.known++;
		t.covered += r.low <= truth && truth <= r.high;
		t.called += verdict == ILAB_FASTER || verdict == ILAB_SLOWER;
		t.slower += verdict == ILAB_SLOWER;
	}
	return t;
}

static struct tally draw(const struct noise *noise, double truth, size_t rounds, size_t passes, size_t draws, bool paired)
{
	return draw_with(noise, paired ? DRIFT : 0, truth, rounds, passes, draws, paired);
}

static void ratio_interval_has_nominal_coverage(void **state)
{
	(void)state;
	/* Runs differ, passes hardly: Student's interval is exact, paired or not, with any number of rounds. */
	const struct noise runs_differ = { normal, normal, 0.03, 1e-5 };
	const struct { size_t rounds, passes; bool paired; } cases[] = {
		{ 2, 3, true }, { 3, 3, true }, { 6, 3, true }, { 12, 3, true }, { 6, 1, true }, { 3, 3, false }, { 2, 3, false },
	};
	random_state = 5;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tally t = draw(&runs_differ, 1.07, cases[i].rounds, cases[i].passes, DRAWS, cases[i].paired);
		assert_int_equal(t.known, DRAWS);
		assert_true(agrees((double)t.covered / DRAWS, 0.95));
	}
}

static void ratio_interval_covers_skewed_noise(void **state)
{
	(void)state;
	/* Long tails in runs or in passes: never below nominal, for a difference of two alike is symmetric. */
	const struct noise cases[] = {
		{ exponential, exponential, 0.05, 0.001 }, { exponential, exponential, 0.02, 0.05 }, { normal, exponential, 0, 0.1 },
	};
	random_state = 11;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tally t = draw(&cases[i], 0.8, 3, 12, DRAWS / 4, true);
		assert_true((double)t.covered / (DRAWS / 4) >= 0.95 - 4 * sqrt(0.95 * 0.05 / (DRAWS / 4)));
	}
	/* One run a side: passes only. */
	const struct noise passes_only = { normal, exponential, 0, 0.1 };
	const struct tally t = draw(&passes_only, 1.3, 1, 20, DRAWS, false);
	assert_int_equal(t.known, DRAWS);
	assert_true((double)t.covered / DRAWS >= 0.95);
}

static void same_things_are_seldom_called_different(void **state)
{
	(void)state;
	/* Two of 40 would be 5 %. From a quiet machine to one whose runs differ by a third. */
	const struct noise cases[] = {
		{ normal, normal, 0.002, 0.01 }, { normal, normal, 0.02, 0.02 }, { normal, normal, 0.1, 0.01 }, { normal, normal, 0.3, 0.1 }, { exponential, exponential, 0.1, 0.1 },
	};
	random_state = 17;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true((double)draw(&cases[i], 1, 3, 10, 2000, true).called / 2000 < 0.015);
}

static void small_differences_are_found_on_a_quiet_machine(void **state)
{
	(void)state;
	/* 5 % with 30 passes and 3 rounds where runs differ by 0.3 % (their ratios by 0.42 %) and passes by 1 %. */
	const struct noise quiet = { normal, normal, 0.003, 0.01 };
	random_state = 23;
	assert_true((double)draw(&quiet, 1.05, 3, 30, 1000, true).slower / 1000 > 0.9);
	/* Twice as far apart, as runs of a large GPU are: three rounds are not enough, six are. */
	const struct noise gpu = { normal, normal, 0.006, 0.004 };
	const double three = (double)draw(&gpu, 1.05, 3, 30, 1000, true).slower / 1000;
	assert_true(three > 0.5 && three < 0.75);
	assert_true((double)draw(&gpu, 1.05, 6, 30, 1000, true).slower / 1000 > 0.99);
}

static void pairs_see_through_what_slows_whole_rounds_down(void **state)
{
	(void)state;
	/* Independent samples have more degrees of freedom, which helps only as long as nothing is shared. */
	const struct noise gpu = { normal, normal, 0.006, 0.004 }, busy = { normal, normal, 0.02, 0.01 };
	random_state = 29;
	assert_true((double)draw_with(&gpu, 0, 1.05, 3, 30, 1000, false).slower / 1000 > 0.97);
	assert_true((double)draw_with(&busy, DRIFT, 1.05, 6, 30, 1000, true).slower / 1000 > 0.45);
	assert_true((double)draw_with(&busy, DRIFT, 1.05, 6, 30, 1000, false).slower / 1000 < 0.02);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_quantiles_agree_with_published_tables),
		cmocka_unit_test(paired_interval_by_hand),
		cmocka_unit_test(few_samples_give_no_interval),
		cmocka_unit_test(rounds_that_agree_by_chance_are_not_believed),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(median_interval_covers_skewed_samples),
		cmocka_unit_test(ratio_interval_has_nominal_coverage),
		cmocka_unit_test(ratio_interval_covers_skewed_noise),
		cmocka_unit_test(same_things_are_seldom_called_different),
		cmocka_unit_test(small_differences_are_found_on_a_quiet_machine),
		cmocka_unit_test(pairs_see_through_what_slows_whole_rounds_down),
	};
	return cmocka_run_group_tests_name("base/compare_stats", tests, NULL, NULL);
}
