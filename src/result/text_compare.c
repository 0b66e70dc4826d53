#include "result/compare.h"

#include "base/compare_stats.h"
#include "base/message.h"
#include "result/layout.h"

#include <inttypes.h>
#include <string.h>

/* Views go by letters, A first: their names are too long for columns. */
static const char *letter(struct ilab_arena *arena, size_t index)
{
	return index < 26 ? ilab_arena_printf(arena, "%c", (char)('A' + index)) : ilab_arena_printf(arena, "V%zu", index + 1);
}

static size_t index_of(const struct ilab_compare *r, const char *view)
{
	size_t i = 0;
	while (i + 1 < r->view_count && strcmp(r->views[i].view, view) != 0)
		i++;
	return i;
}

/* --- heading ----------------------------------------------------------------------------------------------------------------- */

static void add_view(struct ilab_text_buffer *b, const struct ilab_compare *r, size_t i)
{
	const struct ilab_compare_view *v = &r->views[i];
	const struct ilab_measure *m = v->run_count > 0 ? &v->runs[0].document : NULL;
	const uint64_t slow = m != NULL ? m->configuration.slow_down_billionths : 0;

	ilab_layout_pair(b, i == 0 ? _("views") : "", "%s  %s%s%s%s%s", letter(b->arena, i), v->view, v->reason != NULL ? ": " : "",
		v->reason != NULL ? v->status : "", v->reason != NULL ? ": " : "", v->reason != NULL ? v->reason : "");
	if (slow != 0)
		ilab_layout_pair(b, "", _("   TEST: held up by %s %% of its own time"), ilab_layout_fixed(b->arena, (double)slow / 1e7, 2));
}

static void add_heading(struct ilab_text_buffer *b, const struct ilab_compare *r)
{
	ilab_layout_pair(b, _("device"), "%s (%s, %s)", r->device_name, r->identity, r->device_type);
	ilab_layout_pair(b, _("shape"), _("batch %" PRIu64 ", context %" PRIu64 ", width %" PRIu64 ", hidden %" PRIu64 ", %s"), r->configuration.batch,
		r->configuration.context, r->configuration.width, r->configuration.hidden, r->configuration.dtype);
	ilab_layout_pair(b, _("runs"), "%s; %s",
		ilab_arena_printf(b->arena, ilab_message_plural("each view %" PRIu64 " time, in a new process",
			"each view %" PRIu64 " times, in a new process each time", r->configuration.rounds), r->configuration.rounds),
		ilab_arena_printf(b->arena, ilab_message_plural("%" PRIu64 " warm pass in each", "%" PRIu64 " warm passes in each", r->configuration.repeats),
			r->configuration.repeats));
	for (size_t i = 0; i < r->view_count; i++)
		add_view(b, r, i);
}

/* --- times -------------------------------------------------------------------------------------------------------------------- */

/* Four digits or so, whatever the size. */
static const char *ratio_text(struct ilab_arena *arena, double v)
{
	if (v < 1e-4 || v >= 1e5)
		return ilab_layout_short(arena, v);
	return ilab_layout_fixed(arena, v, v < 0.01 ? 4 : v < 10 ? 3 : v < 100 ? 2 : v < 1000 ? 1 : 0);
}

/* "-1.2 +3.4 %": how far the interval reaches from the value. */
static const char *reach(struct ilab_arena *arena, const struct ilab_real *value, const struct ilab_real *low, const struct ilab_real *high)
{
	if (low->reason != NULL || high->reason != NULL)
		return "-";
	const double down = 100 * (low->value / value->value - 1), up = 100 * (high->value / value->value - 1);
	if (up >= 1000)
		return _("wide");
	return ilab_arena_printf(arena, "%s%s +%s %%", down < 0 ? "" : "-", ilab_layout_fixed(arena, down, 1), ilab_layout_fixed(arena, up, 1));
}

static const char *bounds(struct ilab_arena *arena, const struct ilab_compare_row *row)
{
	if (row->ratio_low.reason != NULL || row->ratio_high.reason != NULL)
		return "-";
	return ilab_arena_printf(arena, _("%s to %s"), ratio_text(arena, row->ratio_low.value),
		ratio_text(arena, row->ratio_high.value));
}

static void add_row(struct ilab_text_buffer *b, const struct ilab_compare *r, const struct ilab_compare_row *row)
{
	struct ilab_arena *arena = b->arena;
	const struct ilab_compare_view *v = &r->views[index_of(r, row->view)];
	const bool reference = strcmp(row->view, r->against) == 0;

	if (row->median_seconds.reason != NULL) {
		ilab_text_add(b, "  %-3s %11s  (%s)\n", letter(arena, index_of(r, row->view)), "-", v->reason != NULL ? v->status : row->median_seconds.reason);
		return;
	}
	const char *verdict = reference ? _("reference") : row->verdict.value != NULL ? row->verdict.value : "-";
	ilab_text_add(b, "  %-3s %11s %14s  %7s  %-16s ", letter(arena, index_of(r, row->view)), ilab_layout_seconds(arena, row->median_seconds.value),
		reach(arena, &row->median_seconds, &row->ci_low_seconds, &row->ci_high_seconds),
		reference ? "1" : row->ratio.reason != NULL ? "-" : ratio_text(arena, row->ratio.value), reference ? "" : bounds(arena, row));
	if (row->share_of_ceiling.reason != NULL)
		ilab_text_add(b, "%s\n", verdict);
	else
		ilab_text_add(b, "%s  %6s %%%s\n", ilab_layout_cell(arena, verdict, -9), ilab_layout_fixed(arena, 100 * row->share_of_ceiling.value, 1),
			row->suspect.reason == NULL && row->suspect.value ? " !" : "");
}

static bool has_phase(const struct ilab_compare *r, const char *phase)
{
	for (size_t i = 0; i < r->row_count; i++)
		if (strcmp(r->rows[i].phase, phase) == 0)
			return true;
	return false;
}

/* What the phase's time holds, for who does not know its name. */
static const char *meaning(const struct ilab_compare *r, const char *phase, struct ilab_arena *arena)
{
	if (strcmp(phase, "warm_forward") == 0)
		return _("one pass through the network, everything prepared");
	if (strcmp(phase, "cold_forward") == 0)
		return _("the first pass, with what libraries and drivers do at first use");
	if (strcmp(phase, "model_load") == 0)
		return _("memory for the weights, and their values");
	if (strcmp(phase, "inputs") == 0)
		return _("memory for the inputs, and their values");
	return ilab_arena_printf(arena, ilab_message_plural("%" PRIu64 " pass, after the first and before those that count",
		"%" PRIu64 " passes together, after the first and before those that count", r->configuration.warmup), r->configuration.warmup);
}

static void add_phase(struct ilab_text_buffer *b, const struct ilab_compare *r, const char *phase)
{
	if (!has_phase(r, phase))
		return;
	ilab_text_add(b, "%-13s %s\n", phase, meaning(r, phase, b->arena));
	for (size_t i = 0; i < r->row_count; i++)
		if (strcmp(r->rows[i].phase, phase) == 0)
			add_row(b, r, &r->rows[i]);
}

static void add_times(struct ilab_text_buffer *b, const struct ilab_compare *r)
{
	static const char *const order[] = { "warm_forward", "cold_forward", "model_load", "inputs", "warmup" };

	ilab_text_add(b, "\n%-5s %11s %14s  %7s  %-16s %s\n", ilab_layout_cell(b->arena, _("view"), -5), ilab_layout_cell(b->arena, _("median"), 11),
		ilab_layout_cell(b->arena, /* xgettext:no-c-format */ _("median +-95 %"), 14),
		ilab_layout_cell(b->arena, ilab_arena_printf(b->arena, _("time/%s"), letter(b->arena, index_of(r, r->against))), 7),
		ilab_layout_cell(b->arena, ilab_arena_printf(b->arena, _("time/%s 95 %%"), letter(b->arena, index_of(r, r->against))), -16),
		r->ceilings != NULL ? ilab_arena_printf(b->arena, "%s%s", ilab_layout_cell(b->arena, _("verdict"), -10), _("of ceiling")) : _("verdict"));
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		add_phase(b, r, order[i]);
}

/* --- memory and the rest ---------------------------------------------------------------------------------------------------------- */

static uint64_t largest_reserved(const struct ilab_compare_view *v)
{
	uint64_t most = 0;

	for (size_t i = 0; i < v->run_count; i++)
		for (size_t k = 0; k < v->runs[i].document.phase_count; k++)
			if (v->runs[i].document.phases[k].peak_reserved_bytes > most)
				most = v->runs[i].document.phases[k].peak_reserved_bytes;
	return most;
}

static uint64_t largest_allocated(const struct ilab_compare *r, const char *view)
{
	uint64_t most = 0;

	for (size_t i = 0; i < r->row_count; i++)
		if (strcmp(r->rows[i].view, view) == 0 && r->rows[i].peak_allocated_bytes.reason == NULL && r->rows[i].peak_allocated_bytes.value > most)
			most = r->rows[i].peak_allocated_bytes.value;
	return most;
}

/* Which runs were proven right: no figure above is from another. */
static void add_verification(struct ilab_text_buffer *b, const struct ilab_compare *r)
{
	size_t runs = 0, passed = 0;

	for (size_t i = 0; i < r->view_count; i++)
		for (size_t k = 0; k < r->views[i].run_count; k++) {
			runs++;
			passed += strcmp(r->views[i].runs[k].document.verification.status, "passed") == 0;
		}
	ilab_layout_pair(b, _("verification"), _("%zu of %zu runs compute what the float64 reference does"), passed, runs);
}

static void add_memory(struct ilab_text_buffer *b, const struct ilab_compare *r)
{
	ilab_text_add(b, "\n%-5s %15s %15s   %s\n", ilab_layout_cell(b->arena, _("view"), -5),
		ilab_layout_cell(b->arena, _("peak allocated"), 15), ilab_layout_cell(b->arena, _("peak reserved"), 15), _("MiB; counted by (see reserved)"));
	for (size_t i = 0; i < r->view_count; i++) {
		const struct ilab_compare_view *v = &r->views[i];
		if (v->reason != NULL || v->run_count == 0)
			continue;
		ilab_text_add(b, "  %-3s %15s %15s   %s\n", letter(b->arena, i), ilab_layout_mib(b->arena, largest_allocated(r, v->view)),
			ilab_layout_mib(b->arena, largest_reserved(v)), v->runs[0].document.counters.source);
	}
}

static void add_agreement(struct ilab_text_buffer *b, const struct ilab_compare *r)
{
	for (size_t i = 0; i < r->agreement_count; i++) {
		const struct ilab_agreement *a = &r->agreements[i];
		const char *figure = a->relative_error.reason != NULL ? a->relative_error.reason
			: a->relative_error.value == 0 ? _("the same bits") : ilab_arena_printf(b->arena, _("relative difference over the sampled rows %s"), ilab_layout_short(b->arena, a->relative_error.value));
		ilab_layout_pair(b, i == 0 ? _("outputs") : "", _("%s and %s: %s"), letter(b->arena, index_of(r, a->view_a)), letter(b->arena, index_of(r, a->view_b)), figure);
	}
}

static bool has_suspect(const struct ilab_compare *r)
{
	for (size_t i = 0; i < r->row_count; i++)
		if (r->rows[i].suspect.reason == NULL && r->rows[i].suspect.value)
			return true;
	return false;
}

static void add_ceiling(struct ilab_text_buffer *b, const struct ilab_compare *r)
{
	const struct ilab_ceiling *best = r->ceilings != NULL ? ilab_ceilings_best(r->ceilings, r->configuration.dtype) : NULL;

	if (best == NULL)
		return;
	ilab_layout_pair(b, _("ceiling"), "%s (%s, %s)", ilab_layout_flops(b->arena, best->flop_per_second), best->unit, best->view);
	ilab_layout_pair(b, _("of ceiling"), "%s", _("share of the best verified rate of any view for this type"));
	if (has_suspect(r))
		ilab_layout_pair(b, "!", _("above the ceiling by more than %d %%: it was measured too low, on a busy device perhaps, or the rate is wrong; do not use the share"), 5);
}

static void add_notes(struct ilab_text_buffer *b, const struct ilab_compare *r)
{
	const int margin = (int)(100 * (r->configuration.rounds > 1 ? ILAB_COMPARE_MARGIN : ILAB_COMPARE_MARGIN_SINGLE) + 0.5);
	const char *against = letter(b->arena, index_of(r, r->against));

	ilab_layout_pair(b, _("reserved"), "%s", _("in steps of the allocator's own, so not comparable between two of them"));
	add_ceiling(b, r);
	if (r->configuration.rounds > 1)
		ilab_layout_pair(b, /* xgettext:no-c-format */ _("median +-95 %"), "%s", /* xgettext:no-c-format */ _("of all passes; +-95 %: where the middle of a run lies, not the spread of its passes"));
	ilab_layout_pair(b, ilab_arena_printf(b->arena, _("time/%s"), against), "%s", r->configuration.rounds > 1
		? _("geometric mean of the rounds' ratios, so not the quotient of the medians") : _("quotient of the medians"));
	ilab_layout_pair(b, _("verdict"), _("slower: takes more time than %s by more than %d %%, beyond noise (the whole 95 %% interval does, and the 99 %% interval excludes 1); faster: the reverse; same: within %d %%; ambiguous: not sure enough, the 95 %% interval reaches the margin or the 99 %% interval (not shown) reaches 1; more --rounds narrow them"),
		against, margin, margin);
	if (r->configuration.rounds < ILAB_COMPARE_ROUNDS_SINGLE_SAMPLE)
		ilab_layout_pair(b, _("- in verdict"), _("phases that run once a run have none below %d rounds"), ILAB_COMPARE_ROUNDS_SINGLE_SAMPLE);
}

const char *ilab_text_compare(const struct ilab_compare *r, bool verbose, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };

	(void)verbose;
	add_heading(&b, r);
	add_times(&b, r);
	add_memory(&b, r);
	ilab_text_add(&b, "\n");
	add_verification(&b, r);
	add_agreement(&b, r);
	add_notes(&b, r);
	return b.text;
}
