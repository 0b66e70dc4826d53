#include "result/compare.h"

#include "base/compare_stats.h"

#include <math.h>
#include <string.h>

/* From runs to rows: pure, and done again by whoever checks a document. */

#define SEED 1                 /* of the bootstrap; any will do, but always the same */

static const char *const phases[] = { "model_load", "inputs", "cold_forward", "warmup", "warm_forward" };
#define PHASE_COUNT (sizeof phases / sizeof *phases)

/* What a row is made of. */
struct place {
	const struct ilab_compare *r;
	const struct ilab_compare_view *view, *against;
	const char *phase;
	struct ilab_arena *arena;
};

static struct ilab_real known(double value)
{
	return (struct ilab_real){ .value = value };
}

static struct ilab_real unknown(const char *reason)
{
	return (struct ilab_real){ .reason = reason };
}

static bool passed(const struct ilab_compare_view *v)
{
	return strcmp(v->status, "passed") == 0;
}

static bool is_warm(const char *phase)
{
	return strcmp(phase, "warm_forward") == 0;
}

struct ilab_run *ilab_compare_samples(const struct ilab_compare_view *view, const char *phase, struct ilab_arena *arena)
{
	struct ilab_run *runs = ilab_arena_alloc(arena, (view->run_count + 1) * sizeof *runs);

	for (size_t i = 0; i < view->run_count; i++) {
		const struct ilab_measure *m = &view->runs[i].document;
		double *seconds = ilab_arena_alloc(arena, (m->phase_count + 1) * sizeof *seconds);
		runs[i].seconds = seconds;
		for (size_t k = 0; k < m->phase_count; k++)
			if (strcmp(m->phases[k].phase, phase) == 0)
				seconds[runs[i].count++] = m->phases[k].seconds;
	}
	return runs;
}

/* A time of zero has no logarithm; a clock that is too coarse gives it. */
static bool all_above_zero(const struct ilab_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < runs[i].count; k++)
			if (!(runs[i].seconds[k] > 0))
				return false;
	return true;
}

static const char *few(const struct place *p)
{
	if (!is_warm(p->phase))
		return ilab_arena_printf(p->arena, "too-few-samples: %zu rounds of one sample, at least %d are needed", p->view->run_count,
			ILAB_COMPARE_ROUNDS_SINGLE_SAMPLE);
	return "too-few-samples: two rounds of two passes, or one of six, are needed";
}

static void set_median(const struct place *p, const struct ilab_run *runs, struct ilab_compare_row *row)
{
	struct ilab_ratio median;
	const bool known_interval = ilab_runs_median(runs, p->view->run_count, SEED, &median);

	row->median_seconds = known(median.value);
	row->ci_low_seconds = known_interval ? known(median.low) : unknown(few(p));
	row->ci_high_seconds = known_interval ? known(median.high) : unknown(few(p));
}

static void set_no_ratio(struct ilab_compare_row *row, const char *reason)
{
	row->ratio = row->ratio_low = row->ratio_high = unknown(reason);
	row->verdict = (struct ilab_text){ .reason = reason };
}

static void set_ratio(const struct place *p, const struct ilab_run *runs, struct ilab_compare_row *row)
{
	struct ilab_ratio ratio;

	if (p->view == p->against) {
		set_no_ratio(row, "not-run: the other views are compared with this one");
		return;
	}
	if (!passed(p->against)) {
		set_no_ratio(row, ilab_arena_printf(p->arena, "invalid: %s did not pass (%s)", p->against->view, p->against->status));
		return;
	}
	const struct ilab_run *base = ilab_compare_samples(p->against, p->phase, p->arena);
	if (!all_above_zero(base, p->against->run_count)) {
		set_no_ratio(row, "invalid: a time is zero");
		return;
	}
	const bool interval = ilab_ratio_paired(base, runs, p->view->run_count, SEED, &ratio);
	row->ratio = known(ratio.value);
	row->ratio_low = interval ? known(ratio.low) : unknown(few(p));
	row->ratio_high = interval ? known(ratio.high) : unknown(few(p));
	row->verdict = interval ? (struct ilab_text){ .value = ilab_verdict_name(ilab_ratio_verdict(&ratio)) } : (struct ilab_text){ .reason = few(p) };
}

static void set_share(const struct place *p, struct ilab_compare_row *row)
{
	const struct ilab_ceiling *best = p->r->ceilings != NULL ? ilab_ceilings_best(p->r->ceilings, p->r->configuration.dtype) : NULL;
	const char *reason = !is_warm(p->phase) ? "unsupported: for warm_forward only"
		: p->r->ceilings == NULL ? "not-run: the ceilings were not measured"
		: best == NULL ? "unavailable: no ceiling of this type was measured" : NULL;

	if (reason != NULL) {
		row->share_of_ceiling = unknown(reason);
		row->suspect = (struct ilab_count){ .reason = reason };
		return;
	}
	const double rate = (double)p->view->runs[0].document.model.flop_per_forward / row->median_seconds.value;
	row->share_of_ceiling = known(rate / best->flop_per_second);
	row->suspect = (struct ilab_count){ .value = rate > ILAB_CEILING_EXCESS * best->flop_per_second };
}

static void set_peak(const struct place *p, struct ilab_compare_row *row)
{
	for (size_t i = 0; i < p->view->run_count; i++) {
		const struct ilab_measure *m = &p->view->runs[i].document;
		for (size_t k = 0; k < m->phase_count; k++)
			if (strcmp(m->phases[k].phase, p->phase) == 0 && m->phases[k].peak_allocated_bytes > row->peak_allocated_bytes.value)
				row->peak_allocated_bytes.value = m->phases[k].peak_allocated_bytes;
	}
}

static void set_nothing(struct ilab_compare_row *row, const char *reason)
{
	row->median_seconds = row->ci_low_seconds = row->ci_high_seconds = row->share_of_ceiling = unknown(reason);
	set_no_ratio(row, reason);
	row->suspect = row->peak_allocated_bytes = (struct ilab_count){ .reason = reason };
}

static const char *status_reason(const struct place *p)
{
	if (strcmp(p->view->status, "unverified") == 0)
		return "invalid: the output was not verified";
	if (strcmp(p->view->status, "unsupported") == 0)
		return "unsupported: this view cannot run it";
	return ilab_arena_printf(p->arena, "not-run: %s", p->view->status);
}

static void fill_row(const struct place *p, struct ilab_compare_row *row)
{
	row->phase = p->phase;
	row->view = p->view->view;
	if (!passed(p->view)) {
		set_nothing(row, status_reason(p));
		return;
	}
	const struct ilab_run *runs = ilab_compare_samples(p->view, p->phase, p->arena);
	if (!all_above_zero(runs, p->view->run_count)) {
		set_nothing(row, "invalid: a time is zero");
		return;
	}
	set_median(p, runs, row);
	set_ratio(p, runs, row);
	set_share(p, row);
	set_peak(p, row);
}

void ilab_compare_tabulate(struct ilab_compare *r, struct ilab_arena *arena)
{
	struct place p = { .r = r, .arena = arena };

	r->rows = ilab_arena_alloc(arena, (PHASE_COUNT * r->view_count + 1) * sizeof *r->rows);
	r->row_count = 0;
	for (size_t i = 0; i < r->view_count; i++)
		if (strcmp(r->views[i].view, r->against) == 0)
			p.against = &r->views[i];
	for (size_t f = 0; f < PHASE_COUNT && p.against != NULL; f++) {
		p.phase = phases[f];
		if (strcmp(p.phase, "warmup") == 0 && r->configuration.warmup == 0)
			continue;
		for (size_t i = 0; i < r->view_count; i++) {
			p.view = &r->views[i];
			fill_row(&p, &r->rows[r->row_count++]);
		}
	}
}

/* --- agreement of outputs -------------------------------------------------------------------------------------------------- */

static struct ilab_real relative_error(const struct ilab_sample *a, const struct ilab_sample *b)
{
	double difference = 0, norm = 0;

	if (a->rows != b->rows || a->width != b->width)
		return unknown("invalid: the sampled rows are not the same");
	for (uint64_t i = 0; i < a->rows * a->width; i++) {
		const double d = (double)a->values[i] - (double)b->values[i];
		difference += d * d;
		norm += (double)b->values[i] * (double)b->values[i];
	}
	const double error = sqrt(difference / norm);
	return isfinite(error) ? known(error) : unknown("invalid: an output is not finite, or all zero");
}

static const struct ilab_sample *sample_of(const struct ilab_compare_view *v)
{
	return v->run_count > 0 && v->runs[0].document.sample.values != NULL ? &v->runs[0].document.sample : NULL;
}

void ilab_compare_agree(struct ilab_compare *r, struct ilab_arena *arena)
{
	r->agreements = ilab_arena_alloc(arena, (r->view_count * r->view_count + 1) * sizeof *r->agreements);
	r->agreement_count = 0;
	for (size_t b = 0; b < r->view_count; b++)
		for (size_t a = b + 1; a < r->view_count; a++) {
			const struct ilab_sample *sa = sample_of(&r->views[a]), *sb = sample_of(&r->views[b]);
			if (sa != NULL && sb != NULL)
				r->agreements[r->agreement_count++] = (struct ilab_agreement){ r->views[a].view, r->views[b].view, relative_error(sa, sb) };
		}
}
