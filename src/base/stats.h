#ifndef ILAB_BASE_STATS_H
#define ILAB_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pure functions over samples. None of them changes or removes a sample. n >= 1 unless said otherwise. */

double ilab_stats_median(const double *x, size_t n);
/* Median absolute deviation from the median, not scaled. */
double ilab_stats_mad(const double *x, size_t n);

/* Distribution-free interval for the median from order statistics: [x_(r), x_(n+1-r)] with the largest r whose exact
 * coverage, 1 - 2 P(Bin(n, 1/2) < r), is at least `confidence`. Returns false when n is too small (n < 6 at 0.95).
 * Source: David and Nagaraja, Order Statistics, section 7.1. Rank and coverage are worked out in
 * long double: exact to the rounding of a double for n <= 60. */
struct ilab_interval { double low, high, coverage; };
bool ilab_stats_median_interval(const double *x, size_t n, double confidence, struct ilab_interval *out);

/* Median of the last third of the samples (in time order) over the median of the first third. Needs n >= 6. */
bool ilab_stats_drift(const double *x, size_t n, double *ratio);

/* Samples further than 5 scaled MADs (x 1.4826) from the median. Reported, never removed. 0 for n < 6 or a MAD of 0. */
size_t ilab_stats_outliers(const double *x, size_t n);

#endif
