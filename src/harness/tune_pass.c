#include "harness/tune_state.h"

#include "base/clock.h"
#include "base/stats.h"

/* A product that is faster may make the pass slower: it draws more power, and the device lowers its clock for whatever follows. So the
 * last word is that of whole passes, the very rows of a measurement. */

/* Slow passes: fewer pairs will do, but not fewer than these. */
#define LEAST_PAIRS 11
#define MOST_SECONDS 60.0

struct trial {
	struct ilab_plan plan;
	unsigned which;                    /* entries of the record */
	size_t pairs;
	double own[TUNE_PASS_PAIRS], tuned[TUNE_PASS_PAIRS];   /* seconds of each pair's passes */
	struct ilab_tuning_passes result;
};

static enum ilab_status time_pass(struct tuner *t, const struct ilab_plan *plan, size_t pair, double *seconds, struct ilab_err *err)
{
	struct ilab_phase row;
	enum ilab_status status = ilab_tuner_use(t, plan, err);
	if (!status)
		status = ilab_workload_warm_row(&t->work, pair, TUNE_PASS_PAIRS + 1, &row, err);     /* none is the last, which is read back */
	if (!status)
		*seconds = row.seconds;
	return status;
}

/* A B, then B A: a drift adds to neither. */
static enum ilab_status time_pair(struct tuner *t, const struct trial *trial, size_t pair, double *own, double *tuned, struct ilab_err *err)
{
	const bool swapped = pair % 2;
	enum ilab_status status = time_pass(t, swapped ? &trial->plan : &t->own, pair, swapped ? tuned : own, err);
	return status ? status : time_pass(t, swapped ? &t->own : &trial->plan, pair, swapped ? own : tuned, err);
}

static enum ilab_status time_pairs(struct tuner *t, struct trial *trial, struct ilab_err *err)
{
	const uint64_t start_ns = ilab_clock_ns();
	double unused[2];
	enum ilab_status status = ILAB_OK;
	for (size_t i = 0; i < TUNE_PASS_WARMUP && !status; i++)
		status = time_pair(t, trial, i, &unused[0], &unused[1], err);
	for (size_t i = 0; i < TUNE_PASS_PAIRS && !status; i++) {
		if (i >= LEAST_PAIRS && (double)(ilab_clock_ns() - start_ns) * 1e-9 > MOST_SECONDS)
			break;
		status = time_pair(t, trial, i, &trial->own[i], &trial->tuned[i], err);
		trial->pairs = i + 1;
	}
	return status;
}

static void judge(struct trial *trial)
{
	double ratios[TUNE_PASS_PAIRS];
	struct ilab_interval interval;
	for (size_t i = 0; i < trial->pairs; i++)
		ratios[i] = trial->own[i] / trial->tuned[i];
	ilab_stats_median_interval(ratios, trial->pairs, 0.95, &interval);     /* LEAST_PAIRS are enough for one */
	trial->result = (struct ilab_tuning_passes){ .pairs = trial->pairs,
		.median_seconds.value = ilab_stats_median(trial->tuned, trial->pairs),
		.default_median_seconds.value = ilab_stats_median(trial->own, trial->pairs),
		.ratio.value = ilab_stats_median(ratios, trial->pairs), .ratio_low.value = interval.low, .ratio_high.value = interval.high };
}

static enum ilab_status hold_trial(struct tuner *t, struct trial *trial, struct ilab_err *err)
{
	struct ilab_tuning_entry entries[2];
	const size_t count = ilab_tuner_entries(t, trial->which, entries);
	enum ilab_status status = ilab_tuner_plan(t, entries, count, &trial->plan, err);
	if (!status)
		status = time_pairs(t, trial, err);
	if (!status)
		judge(trial);
	return status;
}

static void keep_entries(struct ilab_tuning_record *r, unsigned which)
{
	size_t kept = 0;
	for (size_t i = 0; i < r->entry_count; i++)
		if (which >> i & 1)
			r->entries[kept++] = r->entries[i];
	r->entry_count = kept;
}

static bool is_faster(const struct ilab_tuning_passes *p)
{
	return p->ratio_low.value > 1;         /* of the pairs: the medians of either side alone would also hold what the order does */
}

static const char none_tried[] = "not-run: no candidate was faster than the provider's own choice by more than noise.";

/* All entries together; and, when they do not make the pass faster, each alone. */
enum ilab_status ilab_tuner_passes(struct tuner *t, struct ilab_err *err)
{
	struct ilab_tuning_record *r = t->out;
	static const unsigned subsets[TUNE_PLANS] = { 3, 1, 2 };
	const size_t plans = r->entry_count == 2 ? TUNE_PLANS : r->entry_count;
	const struct ilab_real none = { 0, none_tried };
	unsigned kept = 0;
	enum ilab_status status = ILAB_OK;
	r->passes = (struct ilab_tuning_passes){ 0, none, none, none, none, none };
	for (size_t i = 0; i < plans && !status && kept != 3; i++) {
		struct trial trial = { .which = plans == 1 ? 1 : subsets[i] };
		status = hold_trial(t, &trial, err);
		if (status || (i && trial.result.ratio_low.value <= r->passes.ratio_low.value))
			continue;
		r->passes = trial.result;
		kept = is_faster(&trial.result) ? trial.which : 0;
	}
	keep_entries(r, kept);
	r->fastest = kept ? "tuned" : "default";
	return status;
}
