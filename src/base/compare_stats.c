#include "base/compare_stats.h"

#include "base/arena.h"
#include "base/stats.h"
#include "base/student.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RESAMPLES 200
#define FEWEST_SAMPLES 6       /* for an interval of order statistics at 95 % */

/* --- what is known of one run -------------------------------------------------------------------------------------------- */

/* splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

static size_t random_below(uint64_t *state, size_t n)
{
	return (size_t)(((unsigned __int128)next_random(state) * n) >> 64);
}

static double variance(const double *x, size_t n)
{
	double mean = 0, sum = 0;
	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sum / (double)(n - 1);
}

static double log_median(const struct ilab_run *run)
{
	return log(ilab_stats_median(run->seconds, run->count));
}

/* The value at `rank` (from 0) of a sample that holds sorted[i] drawn[i] times. */
static double ranked(const double *sorted, const unsigned *drawn, size_t rank)
{
	size_t i = 0;
	for (size_t seen = drawn[0]; seen <= rank; seen += drawn[i])
		i++;
	return sorted[i];
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Variance of the logarithm of the run's median, as its passes alone give it: bootstrap (Efron, Annals of Statistics 7, 1979). */
static double median_variance(const struct ilab_run *run, uint64_t *random)
{
	if (run->count < 2)
		return 0;
	struct ilab_arena arena = {0};
	const size_t n = run->count;
	double *sorted = ilab_arena_alloc(&arena, n * sizeof(*sorted)), medians[RESAMPLES];
	unsigned *drawn = ilab_arena_alloc(&arena, n * sizeof(*drawn));
	memcpy(sorted, run->seconds, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	for (size_t b = 0; b < RESAMPLES; b++) {
		memset(drawn, 0, n * sizeof(*drawn));
		for (size_t i = 0; i < n; i++)
			drawn[random_below(random, n)]++;
		medians[b] = log((ranked(sorted, drawn, (n - 1) / 2) + ranked(sorted, drawn, n / 2)) / 2);
	}
	ilab_arena_free(&arena);
	return variance(medians, RESAMPLES);
}

static double mean_variance(const struct ilab_run *runs, size_t count, uint64_t *random)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += median_variance(&runs[i], random);
	return sum / (double)count;
}

static size_t fewest_samples(const struct ilab_run *runs, size_t count)
{
	size_t fewest = runs[0].count;
	for (size_t i = 1; i < count; i++)
		fewest = runs[i].count < fewest ? runs[i].count : fewest;
	return fewest;
}

/* Are there enough runs, `rounds` a side, of `fewest` samples or more? */
static bool enough(size_t rounds, size_t fewest)
{
	if (fewest < 2)
		return rounds >= ILAB_COMPARE_ROUNDS_SINGLE_SAMPLE;
	return rounds >= 2 || fewest >= FEWEST_SAMPLES;
}

/* --- intervals ----------------------------------------------------------------------------------------------------------- */

/* Mean logarithm and its variance into a ratio with a Student interval. */
static void set_student(double mean, double mean_variance_of, size_t df, struct ilab_ratio *out)
{
	const double error = sqrt(mean_variance_of), half = ilab_student_quantile(ILAB_COMPARE_CONFIDENCE, df) * error;
	const double sure = ilab_student_quantile(ILAB_COMPARE_SURE, df) * error;
	*out = (struct ilab_ratio){ .value = exp(mean), .low = exp(mean - half), .high = exp(mean + half), .runs_free = df,
		.sure_low = exp(mean - sure), .sure_high = exp(mean + sure) };
}

/* One run a side: from far end to far end of the medians' own intervals. */
static void set_single(const struct ilab_run *base, const struct ilab_run *other, struct ilab_ratio *out)
{
	struct ilab_interval b, o;
	bool known = ilab_stats_median_interval(base->seconds, base->count, ILAB_COMPARE_CONFIDENCE, &b)
		&& ilab_stats_median_interval(other->seconds, other->count, ILAB_COMPARE_CONFIDENCE, &o);
	assert(known);
	(void)known;
	out->low = out->sure_low = o.low / b.high;
	out->high = out->sure_high = o.high / b.low;
	out->runs_free = 0;
}

bool ilab_ratio_paired(const struct ilab_run *base, const struct ilab_run *other, size_t rounds, uint64_t seed, struct ilab_ratio *out)
{
	assert(rounds >= 1);
	struct ilab_arena arena = {0};
	double *logs = ilab_arena_alloc(&arena, rounds * sizeof(*logs)), mean = 0;
	for (size_t i = 0; i < rounds; i++) {
		logs[i] = log_median(&other[i]) - log_median(&base[i]);
		mean += logs[i] / (double)rounds;
	}
	*out = (struct ilab_ratio){ .value = exp(mean) };
	const size_t b = fewest_samples(base, rounds), o = fewest_samples(other, rounds);
	const bool known = enough(rounds, b < o ? b : o);
	if (known && rounds == 1) {
		set_single(base, other, out);
	} else if (known) {
		const double inside = mean_variance(base, rounds, &seed) + mean_variance(other, rounds, &seed);
		set_student(mean, fmax(variance(logs, rounds), inside) / (double)rounds, rounds - 1, out);
	}
	ilab_arena_free(&arena);
	return known;
}

/* Log medians of runs: their mean, and the sum of squares around it. */
struct spread { double mean, squares; };

static struct spread spread_of(const struct ilab_run *runs, size_t count)
{
	struct spread s = {0};
	for (size_t i = 0; i < count; i++)
		s.mean += log_median(&runs[i]) / (double)count;
	for (size_t i = 0; i < count; i++)
		s.squares += (log_median(&runs[i]) - s.mean) * (log_median(&runs[i]) - s.mean);
	return s;
}

bool ilab_ratio_unpaired(const struct ilab_run *base, size_t base_count, const struct ilab_run *other, size_t other_count,
	uint64_t seed, struct ilab_ratio *out)
{
	assert(base_count >= 1 && other_count >= 1);
	const struct spread b = spread_of(base, base_count), o = spread_of(other, other_count);
	const size_t df = base_count + other_count - 2, rounds = base_count < other_count ? base_count : other_count;
	const size_t bs = fewest_samples(base, base_count), os = fewest_samples(other, other_count);
	*out = (struct ilab_ratio){ .value = exp(o.mean - b.mean) };
	if (!enough(rounds, bs < os ? bs : os))
		return false;
	if (df == 0) {
		set_single(base, other, out);
		return true;
	}
	const double inside = fmax(mean_variance(base, base_count, &seed), mean_variance(other, other_count, &seed));
	const double pooled = fmax((b.squares + o.squares) / (double)df, inside);
	set_student(o.mean - b.mean, pooled * (1 / (double)base_count + 1 / (double)other_count), df, out);
	return true;
}

static double median_of_all(const struct ilab_run *runs, size_t count)
{
	struct ilab_arena arena = {0};
	size_t total = 0, n = 0;
	for (size_t i = 0; i < count; i++)
		total += runs[i].count;
	double *all = ilab_arena_alloc(&arena, total * sizeof(*all));
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < runs[i].count; k++)
			all[n++] = runs[i].seconds[k];
	const double median = ilab_stats_median(all, total);
	ilab_arena_free(&arena);
	return median;
}

bool ilab_runs_median(const struct ilab_run *runs, size_t count, uint64_t seed, struct ilab_ratio *out)
{
	assert(count >= 1);
	const double median = median_of_all(runs, count);
	const bool known = enough(count, fewest_samples(runs, count));
	if (known && count == 1) {
		struct ilab_interval i = {0};
		ilab_stats_median_interval(runs[0].seconds, runs[0].count, ILAB_COMPARE_CONFIDENCE, &i);
		*out = (struct ilab_ratio){ .low = i.low, .high = i.high };
	} else if (known) {
		const struct spread s = spread_of(runs, count);
		const double spread = fmax(s.squares / (double)(count - 1), mean_variance(runs, count, &seed));
		set_student(s.mean, spread / (double)count, count - 1, out);
		out->low = fmin(out->low, median);
		out->high = fmax(out->high, median);
	} else {
		*out = (struct ilab_ratio){0};
	}
	out->value = median;
	return known;
}

/* --- verdicts ------------------------------------------------------------------------------------------------------------ */

enum ilab_verdict ilab_ratio_verdict(const struct ilab_ratio *ratio)
{
	const double limit = 1 + (ratio->runs_free ? ILAB_COMPARE_MARGIN : ILAB_COMPARE_MARGIN_SINGLE);
	if (ratio->low > limit && ratio->sure_low > 1)
		return ILAB_SLOWER;
	if (ratio->high < 1 / limit && ratio->sure_high < 1)
		return ILAB_FASTER;
	return ratio->low >= 1 / limit && ratio->high <= limit ? ILAB_SAME : ILAB_AMBIGUOUS;
}

const char *ilab_verdict_name(enum ilab_verdict verdict)
{
	static const char *const names[] = { "faster", "slower", "same", "ambiguous" };
	return names[verdict];
}
