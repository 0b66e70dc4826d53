/* base/stats, against values worked out in exact integers and in published tables. */
#include "base/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void median_and_mad(void **state)
{
	(void)state;
	const double odd[] = { 5, 1, 4 }, even[] = { 9, 1, 3, 2 }, one[] = { -7 };
	assert_true(ilab_stats_median(odd, 3) == 4);
	assert_true(ilab_stats_median(even, 4) == 2.5);
	assert_true(ilab_stats_median(one, 1) == -7);
	assert_true(ilab_stats_mad(one, 1) == 0);
	/* The usual textbook example: median 2, deviations 1 1 0 0 2 4 7. */
	const double textbook[] = { 1, 1, 2, 2, 4, 6, 9 };
	assert_true(ilab_stats_median(textbook, 7) == 2);
	assert_true(ilab_stats_mad(textbook, 7) == 1);
	const double copy[] = { 5, 1, 4 };
	assert_memory_equal(odd, copy, sizeof(odd));
}

/* For confidence 0.95: the rank r, and coverage x 2^n, in exact integers. */
static const struct { unsigned n, r; uint64_t covered; } exact[] = {
		{ 6, 1, 62u }, { 7, 1, 126u }, { 8, 1, 254u }, { 9, 2, 492u }, { 10, 2, 1002u },
		{ 11, 2, 2024u }, { 12, 3, 3938u }, { 13, 3, 8008u }, { 14, 3, 16172u }, { 15, 4, 31616u },
		{ 16, 4, 64142u }, { 17, 5, 124644u }, { 18, 5, 254048u }, { 19, 5, 514216u }, { 20, 6, 1005176u },
		{ 21, 6, 2041360u }, { 22, 6, 4123418u }, { 23, 7, 8097610u }, { 24, 7, 16397114u }, { 25, 8, 32102020u },
		{ 26, 8, 65165440u }, { 27, 8, 131646480u }, { 28, 9, 258852810u }, { 29, 9, 523921830u }, { 30, 10, 1027813650u },
		{ 31, 10, 2084241600u }, { 32, 10, 4208803350u }, { 33, 11, 8288582220u }, { 34, 11, 16762286520u }, { 35, 12, 32952377520u },
		{ 36, 12, 66739206840u }, { 37, 13, 130975058280u }, { 38, 13, 265655082552u }, { 39, 13, 536725115400u }, { 40, 14, 1057205379912u },
		{ 41, 14, 2138477205584u }, { 42, 15, 4206474105728u }, { 43, 15, 8518668669616u }, { 44, 16, 16734272025840u }, { 45, 16, 33928367285792u },
		{ 46, 16, 68546469422752u }, { 47, 17, 135109951148396u }, { 48, 17, 273226367514988u }, { 49, 18, 537963892060952u }, { 50, 18, 1088926324918222u },
		{ 51, 19, 2141745592068894u }, { 52, 19, 4339293000687638u }, { 53, 19, 8763929956098576u }, { 54, 20, 17289795196390052u }, { 55, 20, 34946890240025344u },
		{ 56, 21, 68883705900126278u }, { 57, 21, 139338638924579416u }, { 58, 22, 274412518511700212u }, { 59, 22, 555510335444281504u }, { 60, 22, 1121400476331509948u },
};

static void interval_has_exact_rank_and_coverage(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
		const size_t n = exact[i].n;
		double x[60];
		for (size_t k = 0; k < n; k++)
			x[k] = (double)((k * 7919) % n + 1);    /* 1 .. n in some order: 7919 is prime and larger than n */
		struct ilab_interval interval;
		assert_true(ilab_stats_median_interval(x, n, 0.95, &interval));
		assert_true(interval.low == exact[i].r);
		assert_true(interval.high == (double)(n + 1 - exact[i].r));
		/* equal where long double has 64 bits of mantissa; valgrind and some processors have 53 */
		assert_true(fabs(interval.coverage - ldexp((double)exact[i].covered, -(int)n)) < 1e-15);
	}
}

static void interval_agrees_with_published_coverages(void **state)
{
	(void)state;
	const struct { size_t n; double percent; } published[] = {
		{ 6, 96.9 }, { 7, 98.4 }, { 8, 99.2 }, { 10, 97.9 }, { 12, 96.1 }, { 20, 95.9 }, { 30, 95.7 },
	};
	double x[30];
	for (size_t i = 0; i < 30; i++)
		x[i] = (double)i;
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		struct ilab_interval interval;
		assert_true(ilab_stats_median_interval(x, published[i].n, 0.95, &interval));
		assert_true(fabs(interval.coverage * 100 - published[i].percent) <= 0.05);
	}
	struct ilab_interval interval = { -1, -1, -1 };
	for (size_t n = 1; n < 6; n++)
		assert_false(ilab_stats_median_interval(x, n, 0.95, &interval));
	assert_true(interval.low == -1 && interval.high == -1 && interval.coverage == -1);
	assert_true(ilab_stats_median_interval(x, 5, 0.9, &interval));
	assert_true(interval.coverage == 0.9375);
	assert_true(ilab_stats_median_interval(x, 7, 0.87, &interval));
	assert_true(interval.low == 1 && interval.high == 5 && fabs(interval.coverage - 0.875) < 1e-15);
	assert_true(ilab_stats_median_interval(x, 2, 0.5, &interval));
	assert_true(interval.coverage == 0.5);
}

/* Many samples: no overflow, and the rank of the normal approximation, n/2 - 0.98 sqrt(n). */
static void interval_of_many_samples(void **state)
{
	(void)state;
	const size_t n = 100000;
	double *x = malloc(n * sizeof(*x));
	assert_non_null(x);
	for (size_t i = 0; i < n; i++)
		x[i] = (double)(i + 1);
	struct ilab_interval interval;
	assert_true(ilab_stats_median_interval(x, n, 0.95, &interval));
	assert_true(fabs(interval.low - (50000 - 0.98 * sqrt(100000))) <= 1.5);
	assert_true(interval.low + interval.high == (double)(n + 1));
	assert_true(interval.coverage >= 0.95 && interval.coverage < 0.9505);
	free(x);
}

static void drift_compares_last_third_with_first(void **state)
{
	(void)state;
	double ratio = -1;
	const double rising[] = { 1, 1, 5, 5, 2, 4 }, eight[] = { 2, 2, 9, 9, 9, 9, 1, 1 };
	assert_true(ilab_stats_drift(rising, 6, &ratio));
	assert_true(ratio == 3);
	assert_true(ilab_stats_drift(eight, 8, &ratio));
	assert_true(ratio == 0.5);
	ratio = -1;
	assert_false(ilab_stats_drift(rising, 5, &ratio));
	const double zero[] = { 0, 0, 1, 1, 1, 1 };
	assert_false(ilab_stats_drift(zero, 6, &ratio));
	assert_true(ratio == -1);
}

static void outliers_are_counted(void **state)
{
	(void)state;
	/* median 10, MAD 1: the limit is 7.413 away */
	const double x[] = { 9, 10, 11, 9, 11, 10, 12, 8, 17.4, 17.5, 2.5 };
	assert_true(ilab_stats_median(x, 11) == 10 && ilab_stats_mad(x, 11) == 1);
	assert_int_equal(ilab_stats_outliers(x, 11), 2);
	const double same[] = { 3, 3, 3, 3, 3, 3, 3, 900 };
	assert_int_equal(ilab_stats_outliers(same, 8), 0);
	const double few[] = { 1, 2, 3, 2, 900 };
	assert_int_equal(ilab_stats_outliers(few, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_and_mad),
		cmocka_unit_test(interval_has_exact_rank_and_coverage),
		cmocka_unit_test(interval_agrees_with_published_coverages),
		cmocka_unit_test(interval_of_many_samples),
		cmocka_unit_test(drift_compares_last_third_with_first),
		cmocka_unit_test(outliers_are_counted),
	};
	return cmocka_run_group_tests_name("base/stats", tests, NULL, NULL);
}
