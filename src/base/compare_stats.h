#ifndef ILAB_BASE_COMPARE_STATS_H
#define ILAB_BASE_COMPARE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How much slower is one thing than another, and is the answer more than noise? Pure functions; docs/methodology.md explains them.
 *
 * The unit is the run: a fresh process with its own memory layout, clock state and neighbours. The passes inside a run share all
 * that, so they say how well the run's own median is known and nothing about other runs. Everything is done on logarithms, where a
 * ratio and its inverse are treated alike. */

/* Samples of one run in seconds, all above 0. count >= 1. */
struct ilab_run { const double *seconds; size_t count; };

/* An estimate with its intervals: low to high at ILAB_COMPARE_CONFIDENCE, sure_low to sure_high at ILAB_COMPARE_SURE. `runs_free`: degrees of
 * freedom; 0: one run a side, so that differences between runs are not in it, and both intervals are the same. */
struct ilab_ratio { double value, low, high; size_t runs_free; double sure_low, sure_high; };

#define ILAB_COMPARE_CONFIDENCE 0.95
#define ILAB_COMPARE_SURE 0.99
/* Differences up to this size are of no account, whether real or not: 2 %. Between single runs, whose interval knows nothing of
 * what changes from run to run, 5 %. */
#define ILAB_COMPARE_MARGIN 0.02
#define ILAB_COMPARE_MARGIN_SINGLE 0.05
/* Phases with one sample a run get an interval and a verdict from this many rounds on. */
#define ILAB_COMPARE_ROUNDS_SINGLE_SAMPLE 6

/* other[i] over base[i], where i counts rounds: both ran next to each other in time. The estimate is the geometric mean of the
 * rounds' ratios of medians; its interval is Student's over rounds, with a spread never taken below what the passes inside the
 * runs leave open (a seeded bootstrap of each run's median): few rounds may agree by chance.
 * False, with only `value` set, when there are too few: rounds < 6 with one sample a run somewhere, or one round with fewer than 6
 * samples a side. With one round the interval is that of the two medians' order statistics. */
bool ilab_ratio_paired(const struct ilab_run *base, const struct ilab_run *other, size_t rounds, uint64_t seed, struct ilab_ratio *out);

/* The same for runs that are not paired, of two documents for example: pooled spread, base_count + other_count - 2 degrees of
 * freedom; "rounds" above is then the smaller count. */
bool ilab_ratio_unpaired(const struct ilab_run *base, size_t base_count, const struct ilab_run *other, size_t other_count,
	uint64_t seed, struct ilab_ratio *out);

/* The median of one thing's runs: `value` is the median of all samples, the interval is Student's over the runs' medians, widened
 * where need be to hold `value`. False as above. */
bool ilab_runs_median(const struct ilab_run *runs, size_t count, uint64_t seed, struct ilab_ratio *out);

enum ilab_verdict { ILAB_FASTER, ILAB_SLOWER, ILAB_SAME, ILAB_AMBIGUOUS };
/* Of times: slower when the whole interval lies above 1 + margin and the sure one above 1, faster when they lie below 1 / (1 + margin) and
 * 1, same when the interval lies between the two margins, else ambiguous. The margin is that of the ratio's kind. The margin keeps small
 * noise from being called a difference; where noise is larger than the margin, the sure interval does. */
enum ilab_verdict ilab_ratio_verdict(const struct ilab_ratio *ratio);
const char *ilab_verdict_name(enum ilab_verdict verdict);

#endif
