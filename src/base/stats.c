#include "base/stats.h"

#include "base/arena.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double *sorted_copy(struct ilab_arena *arena, const double *x, size_t n)
{
	assert(n >= 1);
	double *copy = ilab_arena_alloc(arena, n * sizeof(*copy));
	memcpy(copy, x, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), compare);
	return copy;
}

static double middle(const double *sorted, size_t n)
{
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double ilab_stats_median(const double *x, size_t n)
{
	struct ilab_arena arena = {0};
	double median = middle(sorted_copy(&arena, x, n), n);
	ilab_arena_free(&arena);
	return median;
}

double ilab_stats_mad(const double *x, size_t n)
{
	struct ilab_arena arena = {0};
	double *work = sorted_copy(&arena, x, n);
	double median = middle(work, n);
	for (size_t i = 0; i < n; i++)
		work[i] = fabs(work[i] - median);
	qsort(work, n, sizeof(*work), compare);
	double mad = middle(work, n);
	ilab_arena_free(&arena);
	return mad;
}

/* C(n, n/2), exact in 64 bits of mantissa up to n = 60. For larger n only ratios count, and 1 does as well. */
static long double central_weight(size_t n)
{
	long double weight = 1;
	for (size_t k = 1; n <= 60 && k <= n / 2; k++)
		weight = weight * (long double)(n - k + 1) / (long double)k;
	return weight;
}

/* C(n, k-1) from C(n, k), from the centre outwards: nothing overflows, and far tails may fall to zero without harm. */
static long double weight_below(long double weight, size_t n, size_t k)
{
	return weight * (long double)k / (long double)(n - k + 1);
}

/* Largest r whose interval covers at least `confidence`; 0 when there is none. Coverage is the sum of the binomial
 * probabilities of r .. n-r, added from the centre outwards, so it only ever sums positive terms. */
static size_t order_rank(size_t n, double confidence, double *coverage)
{
	const long double centre = central_weight(n);
	const long double first = n % 2 ? 2 * centre : centre;    /* an odd n has two central terms */
	long double total = first, weight = centre;
	for (size_t k = n / 2; k > 0; k--)
		total += 2 * (weight = weight_below(weight, n, k));

	long double sum = first;
	weight = centre;
	for (size_t r = n / 2; r > 0; r--) {
		*coverage = (double)(sum / total);
		if (*coverage >= confidence)
			return r;
		sum += 2 * (weight = weight_below(weight, n, r));
	}
	return 0;
}

bool ilab_stats_median_interval(const double *x, size_t n, double confidence, struct ilab_interval *out)
{
	double coverage;
	size_t r = order_rank(n, confidence, &coverage);
	if (r == 0)
		return false;
	struct ilab_arena arena = {0};
	const double *sorted = sorted_copy(&arena, x, n);
	*out = (struct ilab_interval){ .low = sorted[r - 1], .high = sorted[n - r], .coverage = coverage };
	ilab_arena_free(&arena);
	return true;
}

bool ilab_stats_drift(const double *x, size_t n, double *ratio)
{
	if (n < 6)
		return false;
	size_t third = n / 3;
	double first = ilab_stats_median(x, third), last = ilab_stats_median(x + n - third, third);
	if (!(first > 0) || !isfinite(last / first))
		return false;
	*ratio = last / first;
	return true;
}

size_t ilab_stats_outliers(const double *x, size_t n)
{
	if (n < 6)
		return 0;
	const double median = ilab_stats_median(x, n), limit = 5 * 1.4826 * ilab_stats_mad(x, n);
	size_t count = 0;
	for (size_t i = 0; limit > 0 && i < n; i++)
		count += fabs(x[i] - median) > limit;
	return count;
}
