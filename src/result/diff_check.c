#include "result/diff.h"

#include "base/compare_stats.h"
#include "result/fields.h"

#include <math.h>
#include <string.h>

/* Of figures whose last digits another writer may have rounded. */
#define ROUNDING 1e-9

static bool known(const struct ilab_real *r)
{
	return r->reason == NULL;
}

static bool is_within(const struct ilab_real *value, const struct ilab_real *low, const struct ilab_real *high)
{
	return low->value <= value->value * (1 + ROUNDING) && value->value <= high->value * (1 + ROUNDING);
}

/* --- a row: its faulty member and what is wrong with it, NULL when nothing is -------------------------------------------------- */

static const char *verdict_fault(const struct ilab_diff_row *d)
{
	static const char *const verdicts[] = { "faster", "slower", "same", "ambiguous", "not-comparable" };
	const char *verdict = d->row.verdict.value;
	bool is_one = verdict == NULL;

	for (size_t k = 0; k < sizeof verdicts / sizeof *verdicts && !is_one; k++)
		is_one = strcmp(verdict, verdicts[k]) == 0;
	if (!is_one)
		return "verdict: is none";
	if ((verdict != NULL && strcmp(verdict, "not-comparable") == 0) != (d->not_comparable != NULL))
		return "not_comparable: contradicts verdict";
	return NULL;
}

/* Medians and ratio are known together, where both sides took time; so are interval and verdict, where there was enough of both. */
static const char *known_fault(const struct ilab_diff_row *d)
{
	const struct ilab_compare_row *row = &d->row;
	const bool judged = row->verdict.value != NULL && d->not_comparable == NULL;

	if (d->not_comparable != NULL && known(&row->ratio))
		return "ratio: of what is not comparable";
	if (known(&row->median_seconds) != known(&row->ratio))
		return "median_seconds: is known exactly when ratio is";
	if (known(&d->base_median_seconds) != known(&row->ratio))
		return "base_median_seconds: is known exactly when ratio is";
	if (known(&row->ci_low_seconds) != known(&row->ci_high_seconds) || (known(&row->ci_low_seconds) && !known(&row->median_seconds)))
		return "ci_low_seconds: is known with ci_high_seconds and median_seconds only";
	if (known(&row->ratio_low) != known(&row->ratio_high) || (known(&row->ratio_low) && !known(&row->ratio)))
		return "ratio_low: is known with ratio_high and ratio only";
	if ((row->peak_allocated_bytes.reason == NULL) != (d->not_comparable == NULL))
		return "peak_allocated_bytes: is known exactly of what is comparable";
	return judged == known(&row->ratio_low) ? NULL : "verdict: is known exactly when the interval of ratio is";
}

/* What a verdict needs at least: the margin may have been the wider one, and a second interval, which is not here, may have forbidden it. */
static bool fits_interval(const char *verdict, double low, double high)
{
	const double limit = 1 + ILAB_COMPARE_MARGIN, wide = 1 + ILAB_COMPARE_MARGIN_SINGLE;

	if (strcmp(verdict, "slower") == 0)
		return low > limit * (1 - ROUNDING);
	if (strcmp(verdict, "faster") == 0)
		return high * limit < 1 + ROUNDING;
	if (strcmp(verdict, "same") == 0)
		return low * wide >= 1 - ROUNDING && high <= wide * (1 + ROUNDING);
	return low * limit < 1 + ROUNDING || high > limit * (1 - ROUNDING);
}

/* Is each side one run, so that the ratio is that of the medians? */
static bool of_single_runs(const struct ilab_diff *r, const struct ilab_diff_row *d)
{
	return strcmp(r->base.kind, "measure") == 0 && strcmp(r->others[d->document].kind, "measure") == 0;
}

static const char *figure_fault(const struct ilab_diff *r, const struct ilab_diff_row *d)
{
	const struct ilab_compare_row *row = &d->row;
	const double ratio = row->ratio.value;

	if (known(&row->ci_low_seconds) && !is_within(&row->median_seconds, &row->ci_low_seconds, &row->ci_high_seconds))
		return "median_seconds: is outside its interval";
	if (known(&row->ratio_low) && !is_within(&row->ratio, &row->ratio_low, &row->ratio_high))
		return "ratio: is outside its interval";
	if (known(&row->ratio) && of_single_runs(r, d)
		&& !(fabs(ratio * d->base_median_seconds.value - row->median_seconds.value) <= ROUNDING * row->median_seconds.value))
		return "ratio: is not median_seconds / base_median_seconds";
	if (known(&row->ratio_low) && !fits_interval(row->verdict.value, row->ratio_low.value, row->ratio_high.value))
		return "verdict: contradicts the interval of ratio";
	if (known(&row->share_of_ceiling) != (row->suspect.reason == NULL))
		return "suspect: is known exactly when share_of_ceiling is";
	return NULL;
}

/* --- rows together -------------------------------------------------------------------------------------------------------------- */

/* The order in which a pair's phases stand; those of every measurement first. */
static const char *const phases[] = { "warm_forward", "cold_forward", "model_load", "inputs", "warmup" };
#define PHASE_COUNT (sizeof phases / sizeof *phases)
#define ALWAYS 4

static size_t place_of(const char *phase)
{
	size_t i = 0;

	while (i < PHASE_COUNT && strcmp(phases[i], phase) != 0)
		i++;
	return i;
}

static bool same_pair(const struct ilab_diff_row *a, const struct ilab_diff_row *b)
{
	return a->document == b->document && strcmp(a->what, b->what) == 0 && strcmp(a->base_view, b->base_view) == 0 && strcmp(a->row.view, b->row.view) == 0
		&& strcmp(a->base_device, b->base_device) == 0 && strcmp(a->device, b->device) == 0;
}

/* Rows come pair by pair, one a phase; what is not comparable has one row. Documents follow each other. */
static enum ilab_status check_pairs(const struct ilab_diff *r, struct ilab_err *err)
{
	for (size_t i = 0; i < r->row_count; i++) {
		const struct ilab_diff_row *d = &r->rows[i], *before = i > 0 ? d - 1 : NULL, *after = i + 1 < r->row_count ? d + 1 : NULL;
		const size_t place = place_of(d->row.phase);
		if (place > 0 && (before == NULL || place_of(before->row.phase) + 1 != place || !same_pair(before, d)))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "table[%zu]: %s does not follow %s of the same views", i, d->row.phase, phases[place - 1]);
		if (place + 1 < ALWAYS && d->not_comparable == NULL && (after == NULL || place_of(after->row.phase) != place + 1))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "table[%zu]: is not followed by %s of the same views", i, phases[place + 1]);
		if (before != NULL && d->document < before->document)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "table[%zu].document: is below that of the row before", i);
	}
	return ILAB_OK;
}

static enum ilab_status check_rows(const struct ilab_diff *r, struct ilab_err *err)
{
	for (size_t i = 0; i < r->row_count; i++) {
		const struct ilab_diff_row *d = &r->rows[i];
		const char *fault = d->document >= r->other_count ? "document: is no index into new" : verdict_fault(d);
		if (fault == NULL && (fault = known_fault(d)) == NULL)
			fault = figure_fault(r, d);
		if (fault != NULL)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "table[%zu].%s", i, fault);
	}
	return check_pairs(r, err);
}

/* --- the whole ------------------------------------------------------------------------------------------------------------------ */

/* Is the word at `i` an option, or the value of one? */
static bool belongs_to_options(const struct ilab_header *h, size_t i)
{
	return strncmp(h->command[i], "--", 2) == 0 || (i > 1 && strncmp(h->command[i - 1], "--", 2) == 0);
}

/* The command ends with the files, each by its last part. */
static enum ilab_status check_documents(const struct ilab_diff *r, struct ilab_err *err)
{
	const size_t count = 1 + r->other_count, first = r->header.command_count - count;

	if (r->other_count == 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "new: there must be one at least");
	if (r->header.command_count < 1 + count)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "command: has fewer files than base and new");
	if (first > 1 && !belongs_to_options(&r->header, first - 1))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "command: has more files than base and new");
	for (size_t i = 0; i < count; i++) {
		const struct ilab_diff_document *d = i == 0 ? &r->base : &r->others[i - 1];
		if (!ilab_utc_valid(d->started_utc))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.started_utc: no time in UTC, of document %zu", i == 0 ? "base" : "new", i);
		if (strcmp(r->header.command[first + i], d->file) != 0)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "command: %.100s contradicts the files of base and new, %.100s",
				r->header.command[first + i], d->file);
	}
	return ILAB_OK;
}

static enum ilab_status check_differences(const struct ilab_diff *r, struct ilab_err *err)
{
	for (size_t i = 0; i < r->difference_count; i++) {
		const char *base = r->differences[i].base, *other = r->differences[i].other;
		if (base == NULL || other == NULL ? base == other : strcmp(base, other) == 0)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "differences[%zu]: base and new are the same", i);
	}
	return ILAB_OK;
}

static enum ilab_status check_worst(const struct ilab_diff *r, struct ilab_err *err)
{
	const struct ilab_real worst = ilab_diff_worst(r), *said = &r->worst_loss_percent;

	if (known(&worst) == known(said) && (!known(said) || fabs(worst.value - said->value) <= ROUNDING * fmax(1, worst.value)))
		return ILAB_OK;
	return ilab_err_set(err, ILAB_IO, NULL, 0, "worst_loss_percent: contradicts table");
}

enum ilab_status ilab_diff_check(const struct ilab_diff *r, struct ilab_err *err)
{
	static enum ilab_status (*const checks[])(const struct ilab_diff *, struct ilab_err *) = {
		check_documents, check_differences, check_rows, check_worst,
	};
	enum ilab_status status = ilab_header_check(&r->header, err);

	for (size_t i = 0; i < sizeof checks / sizeof *checks && status == ILAB_OK; i++)
		status = checks[i](r, err);
	return status;
}
