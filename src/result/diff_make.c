#include "result/diff.h"

#include "base/compare_stats.h"
#include "result/diff_environment.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SEED 1
#define NOT_COMPARABLE "not-comparable"

static const char *const phases[] = { "warm_forward", "cold_forward", "model_load", "inputs", "warmup" };
#define PHASE_COUNT (sizeof phases / sizeof *phases)

struct making {
	const struct ilab_saved *base, *others;
	struct ilab_arena *arena;
	struct ilab_diff *out;
};

/* --- what belongs together --------------------------------------------------------------------------------------------------- */

static const struct ilab_measure *first_run(const struct ilab_saved_entry *e)
{
	return e->runs.run_count > 0 ? &e->runs.runs[0].document : NULL;
}

static const char *describe(const struct ilab_saved_entry *e, struct ilab_arena *arena)
{
	const struct ilab_measure *m = first_run(e);

	if (m == NULL)
		return e->case_name != NULL ? e->case_name : e->runs.status;
	return ilab_arena_printf(arena, "%s %" PRIu64 "x%" PRIu64 "x%" PRIu64 ", hidden %" PRIu64, e->case_name != NULL ? e->case_name : m->configuration.dtype,
		m->configuration.batch, m->configuration.context, m->configuration.width, m->configuration.hidden);
}

/* The part a view plays on any vendor's device: "opencl/clblast", "native/vendor". */
static const char *role(const char *view, struct ilab_arena *arena)
{
	const char *base = ilab_view_base(arena, view), *provider = strrchr(base, '/');
	const bool opencl = strncmp(base, "opencl/", 7) == 0;
	const bool vendor = provider != NULL && (strcmp(provider, "/cublaslt") == 0 || strcmp(provider, "/rocblas") == 0);

	return ilab_arena_printf(arena, "%s%s", opencl ? "opencl" : "native", vendor ? "/vendor" : provider != NULL ? provider : "");
}

static bool same_shape(const struct ilab_measure *m, const struct ilab_measure *n)
{
	return m->configuration.batch == n->configuration.batch && m->configuration.context == n->configuration.context
		&& m->configuration.width == n->configuration.width && m->configuration.hidden == n->configuration.hidden;
}

static bool same_type(const struct ilab_measure *m, const struct ilab_measure *n)
{
	return strcmp(m->configuration.dtype, n->configuration.dtype) == 0;
}

/* May these be held against each other? Two suites by the names of their cases, so that a case of another shape is said to be one. A suite and
 * another document by what was run. Other documents have one case each. */
static bool same_case(const struct ilab_saved_entry *a, const struct ilab_saved_entry *b)
{
	if (a->case_name != NULL && b->case_name != NULL)
		return strcmp(a->case_name, b->case_name) == 0;
	if (a->case_name == NULL && b->case_name == NULL)
		return true;
	const struct ilab_measure *m = first_run(a), *n = first_run(b);
	return m != NULL && n != NULL && same_shape(m, n) && same_type(m, n);
}

/* A status as the end of a sentence. */
static const char *fate(const char *status)
{
	static const char *const said[][2] = {
		{ "unverified", "is unverified" }, { "unsupported", "is unsupported" }, { "timeout", "timed out" },
	};

	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		if (strcmp(status, said[i][0]) == 0)
			return said[i][1];
	return status;                         /* "failed" "crashed" */
}

/* Why two sets of runs say nothing about each other; NULL: they do. */
static const char *why_not(const struct ilab_saved_entry *a, const struct ilab_saved_entry *b, struct ilab_arena *arena)
{
	if (a->suite_version != b->suite_version && a->suite_version != 0 && b->suite_version != 0)
		return ilab_arena_printf(arena, "the suite versions differ, %" PRIu64 " and %" PRIu64, a->suite_version, b->suite_version);
	if (strcmp(a->runs.status, "passed") != 0)
		return ilab_arena_printf(arena, "the base %s", fate(a->runs.status));
	if (strcmp(b->runs.status, "passed") != 0)
		return ilab_arena_printf(arena, "the new one %s", fate(b->runs.status));
	const struct ilab_measure *m = first_run(a), *n = first_run(b);
	if (!same_shape(m, n))
		return "the shapes differ";
	if (!same_type(m, n))
		return "the types differ";
	return m->configuration.seed != n->configuration.seed ? "the seeds differ" : NULL;
}

/* Why one phase of runs that are comparable is not; NULL: it is. */
static const char *why_not_phase(const struct ilab_saved_entry *a, const struct ilab_saved_entry *b, const char *phase)
{
	return strcmp(phase, "warmup") == 0 && first_run(a)->configuration.warmup != first_run(b)->configuration.warmup
		? "the numbers of warm-up passes differ" : NULL;
}

/* Index in `s` of the entry that `e` is to be held against, none of `taken`; entry_count: none. The same view first, then the same role;
 * a document with a single entry is held against whatever the other one has alone. */
static size_t find_partner(const struct ilab_saved_entry *e, const struct ilab_saved *s, const bool *taken, bool alone, struct ilab_arena *arena)
{
	for (size_t i = 0; i < s->entry_count; i++)
		if (!taken[i] && same_case(e, &s->entries[i]) && strcmp(e->runs.view, s->entries[i].runs.view) == 0)
			return i;
	for (size_t i = 0; i < s->entry_count; i++)
		if (!taken[i] && same_case(e, &s->entries[i]) && strcmp(role(e->runs.view, arena), role(s->entries[i].runs.view, arena)) == 0)
			return i;
	return alone && s->entry_count == 1 && !taken[0] ? 0 : s->entry_count;
}

/* --- rows ----------------------------------------------------------------------------------------------------------------------- */

static struct ilab_real known(double value)
{
	return (struct ilab_real){ .value = value };
}

static struct ilab_real unknown(const char *reason)
{
	return (struct ilab_real){ .reason = reason };
}

static void set_unknown(struct ilab_compare_row *row, const char *reason)
{
	row->median_seconds = row->ci_low_seconds = row->ci_high_seconds = unknown(reason);
	row->ratio = row->ratio_low = row->ratio_high = unknown(reason);
	row->verdict = (struct ilab_text){ .reason = reason };
	row->peak_allocated_bytes = (struct ilab_count){ .reason = reason };
}

static bool usable(const struct ilab_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (runs[i].count == 0)
			return false;
		for (size_t k = 0; k < runs[i].count; k++)
			if (!(runs[i].seconds[k] > 0))
				return false;
	}
	return count > 0;
}

static void set_times(const struct making *m, const struct ilab_saved_entry *a, const struct ilab_saved_entry *b, struct ilab_diff_row *d)
{
	const char *few = strcmp(d->row.phase, "warm_forward") == 0 ? "too-few-samples: two runs a side, or one of six passes, are needed"
		: "too-few-samples: 6 runs a side of this phase are needed";
	const struct ilab_run *base = ilab_compare_samples(&a->runs, d->row.phase, m->arena), *other = ilab_compare_samples(&b->runs, d->row.phase, m->arena);
	struct ilab_ratio median, ratio;

	set_unknown(&d->row, "unavailable: one side has no time above zero");
	d->base_median_seconds = unknown("unavailable: one side has no time above zero");
	if (!usable(base, a->runs.run_count) || !usable(other, b->runs.run_count))
		return;
	ilab_runs_median(base, a->runs.run_count, SEED, &median);
	d->base_median_seconds = known(median.value);
	const bool inner = ilab_runs_median(other, b->runs.run_count, SEED, &median);
	d->row.median_seconds = known(median.value);
	d->row.ci_low_seconds = inner ? known(median.low) : unknown(few);
	d->row.ci_high_seconds = inner ? known(median.high) : unknown(few);
	const bool interval = ilab_ratio_unpaired(base, a->runs.run_count, other, b->runs.run_count, SEED, &ratio);
	d->row.ratio = known(ratio.value);
	d->row.ratio_low = interval ? known(ratio.low) : unknown(few);
	d->row.ratio_high = interval ? known(ratio.high) : unknown(few);
	d->row.verdict = interval ? (struct ilab_text){ .value = ilab_verdict_name(ilab_ratio_verdict(&ratio)) } : (struct ilab_text){ .reason = few };
}

static void set_peak(const struct ilab_saved_entry *e, struct ilab_compare_row *row)
{
	row->peak_allocated_bytes = (struct ilab_count){ 0 };
	for (size_t i = 0; i < e->runs.run_count; i++)
		for (size_t k = 0; k < e->runs.runs[i].document.phase_count; k++) {
			const struct ilab_phase *p = &e->runs.runs[i].document.phases[k];
			if (strcmp(p->phase, row->phase) == 0 && p->peak_allocated_bytes > row->peak_allocated_bytes.value)
				row->peak_allocated_bytes.value = p->peak_allocated_bytes;
		}
}

static struct ilab_diff_row *new_row(const struct making *m, size_t document, const struct ilab_saved_entry *a, const struct ilab_saved_entry *b,
	const char *phase)
{
	struct ilab_diff_row *d = &m->out->rows[m->out->row_count++];

	*d = (struct ilab_diff_row){ .document = document, .what = describe(b, m->arena), .base_view = a->runs.view, .base_device = a->device,
		.device = b->device, .row = { .phase = phase, .view = b->runs.view } };
	d->row.share_of_ceiling = unknown("not-run: ceilings are not compared");
	d->row.suspect = (struct ilab_count){ .reason = "not-run: ceilings are not compared" };
	return d;
}

static bool has_phase(const struct ilab_saved_entry *e, const char *phase)
{
	const struct ilab_measure *m = first_run(e);

	for (size_t i = 0; i < m->phase_count; i++)
		if (strcmp(m->phases[i].phase, phase) == 0)
			return true;
	return false;
}

static void add_not_comparable(const struct making *m, size_t document, const struct ilab_saved_entry *a, const struct ilab_saved_entry *b,
	const char *phase, const char *reason)
{
	struct ilab_diff_row *d = new_row(m, document, a, b, phase);

	set_unknown(&d->row, ilab_arena_printf(m->arena, "invalid: not comparable, %s", reason));
	d->base_median_seconds = unknown(d->row.ratio.reason);
	d->row.verdict = (struct ilab_text){ .value = NOT_COMPARABLE };
	d->not_comparable = reason;
}

static void add_compared(const struct making *m, size_t document, const struct ilab_saved_entry *a, const struct ilab_saved_entry *b, const char *phase)
{
	struct ilab_diff_row *d = new_row(m, document, a, b, phase);

	set_times(m, a, b, d);
	set_peak(b, &d->row);
}

static void add_pair(const struct making *m, size_t document, const struct ilab_saved_entry *a, const struct ilab_saved_entry *b)
{
	const char *reason = why_not(a, b, m->arena);

	if (first_run(a) != NULL && first_run(b) != NULL)
		ilab_diff_environment(first_run(a), first_run(b), m->arena, m->out);
	if (reason != NULL) {
		add_not_comparable(m, document, a, b, "warm_forward", reason);
		return;
	}
	for (size_t i = 0; i < PHASE_COUNT; i++) {
		if (!has_phase(a, phases[i]) || !has_phase(b, phases[i]))
			continue;
		reason = why_not_phase(a, b, phases[i]);
		if (reason != NULL)
			add_not_comparable(m, document, a, b, phases[i], reason);
		else
			add_compared(m, document, a, b, phases[i]);
	}
}

static const char *why_unmatched(const struct ilab_saved *s, const struct ilab_saved_entry *e, const struct ilab_saved *in, struct ilab_arena *arena)
{
	if (strcmp(e->runs.status, "passed") != 0)
		return ilab_arena_printf(arena, "it %s", fate(e->runs.status));
	if (strcmp(s->kind, "suite") != 0 && strcmp(in->kind, "suite") != 0)
		return ilab_arena_printf(arena, "%s has no such view", in->file);
	return ilab_arena_printf(arena, "%s has no run of this view with this shape and type", in->file);
}

static void add_unmatched(const struct making *m, const struct ilab_saved *s, const struct ilab_saved_entry *e, const struct ilab_saved *in)
{
	m->out->unmatched[m->out->unmatched_count++] = (struct ilab_unmatched){
		ilab_arena_printf(m->arena, "%s: %s, %s", s->file, e->runs.view, describe(e, m->arena)), why_unmatched(s, e, in, m->arena) };
}

static void add_document(const struct making *m, size_t document)
{
	const struct ilab_saved *base = m->base, *other = &m->others[document];
	bool *taken = ilab_arena_alloc(m->arena, other->entry_count + 1);

	for (size_t i = 0; i < base->entry_count; i++) {
		const size_t k = find_partner(&base->entries[i], other, taken, base->entry_count == 1, m->arena);
		if (k == other->entry_count) {
			add_unmatched(m, base, &base->entries[i], other);
			m->out->base_unmatched_count++;
			continue;
		}
		taken[k] = true;
		add_pair(m, document, &base->entries[i], &other->entries[k]);
	}
	for (size_t k = 0; k < other->entry_count; k++)
		if (!taken[k])
			add_unmatched(m, other, &other->entries[k], base);
}

static struct ilab_diff_document document_of(const struct ilab_saved *s)
{
	return (struct ilab_diff_document){ s->file, s->sha256, s->kind, s->header.run_id, s->header.started_utc };
}

void ilab_diff_make(const struct ilab_saved *base, const struct ilab_saved *others, size_t other_count, struct ilab_arena *arena,
	struct ilab_diff *out)
{
	const struct making m = { base, others, arena, out };
	size_t most = 0;

	for (size_t i = 0; i < other_count; i++)
		most += base->entry_count + others[i].entry_count;
	*out = (struct ilab_diff){
		.base = document_of(base), .others = ilab_arena_alloc(arena, other_count * sizeof *out->others), .other_count = other_count,
		.rows = ilab_arena_alloc(arena, (most * PHASE_COUNT + 1) * sizeof *out->rows),
		.unmatched = ilab_arena_alloc(arena, (most + 1) * sizeof *out->unmatched),
	};
	for (size_t i = 0; i < other_count; i++) {
		out->others[i] = document_of(&others[i]);
		add_document(&m, i);
	}
	out->worst_loss_percent = ilab_diff_worst(out);
}
