#include "result/diff.h"

#include "base/compare_stats.h"
#include "base/message.h"
#include "result/layout.h"

#include <string.h>

#define SHOWN_LINES 12

static const char *value_text(const char *value)
{
	return value != NULL ? value : "-";
}

static void add_differences(struct ilab_text_buffer *b, const struct ilab_diff *r, bool verbose)
{
	for (size_t i = 0; i < r->difference_count && (verbose || i < SHOWN_LINES); i++) {
		const struct ilab_difference *d = &r->differences[i];
		ilab_layout_wrap(b, ilab_layout_cell(b->arena, i == 0 ? _("differs") : "", -ILAB_LAYOUT_KEY),
			ilab_arena_printf(b->arena, "%s: %s -> %s", d->path, value_text(d->base), value_text(d->other)));
	}
	if (!verbose && r->difference_count > SHOWN_LINES)
		ilab_layout_pair(b, "", _("and %zu more: --verbose shows them all"), r->difference_count - SHOWN_LINES);
}

static void add_unmatched(struct ilab_text_buffer *b, const struct ilab_diff *r, bool verbose)
{
	for (size_t i = 0; i < r->unmatched_count && (verbose || i < SHOWN_LINES); i++)
		ilab_layout_pair(b, i == 0 ? _("unmatched") : "", "%s: %s", r->unmatched[i].what, r->unmatched[i].reason);
	if (!verbose && r->unmatched_count > SHOWN_LINES)
		ilab_layout_pair(b, "", _("and %zu more: --verbose shows them all"), r->unmatched_count - SHOWN_LINES);
}

static bool same_group(const struct ilab_diff_row *a, const struct ilab_diff_row *b)
{
	return a->document == b->document && strcmp(a->what, b->what) == 0 && strcmp(a->base_view, b->base_view) == 0 && strcmp(a->row.view, b->row.view) == 0
		&& strcmp(a->device, b->device) == 0;
}

static const char *change(struct ilab_arena *arena, const struct ilab_real *ratio)
{
	if (ratio->reason != NULL)
		return "-";
	if (ratio->value >= 10)
		return ilab_arena_printf(arena, "x %s", ilab_layout_fixed(arena, ratio->value, 1));
	return ilab_arena_printf(arena, "%s%s %%", ratio->value >= 1 ? "+" : "", ilab_layout_fixed(arena, 100 * (ratio->value - 1), 1));
}

static void add_row(struct ilab_text_buffer *b, const struct ilab_diff_row *d)
{
	struct ilab_arena *arena = b->arena;
	const char *interval = d->row.ratio_low.reason != NULL ? "-"
		: ilab_arena_printf(arena, _("%s to %s"), change(arena, &d->row.ratio_low), change(arena, &d->row.ratio_high));

	if (d->not_comparable != NULL) {   /* warm_forward stands for all phases then */
		ilab_text_add(b, "  %s", strcmp(d->row.phase, "warm_forward") == 0 ? "" : ilab_layout_cell(arena, d->row.phase, -14));
		ilab_text_add(b, _("not-comparable: %s\n"), d->not_comparable);
		return;
	}
	ilab_text_add(b, "  %-13s %11s %11s %9s  %-19s %s\n", d->row.phase,
		d->base_median_seconds.reason != NULL ? "-" : ilab_layout_seconds(arena, d->base_median_seconds.value),
		d->row.median_seconds.reason != NULL ? "-" : ilab_layout_seconds(arena, d->row.median_seconds.value), change(arena, &d->row.ratio), interval,
		d->row.verdict.value != NULL ? d->row.verdict.value : "-");
}

static void add_rows(struct ilab_text_buffer *b, const struct ilab_diff *r)
{
	if (r->row_count > 0)
		ilab_text_add(b, "\n  %-13s %11s %11s %9s  %-19s %s\n", ilab_layout_cell(b->arena, _("phase"), -13),
			ilab_layout_cell(b->arena, _("base"), 11), ilab_layout_cell(b->arena, _("new"), 11),
			ilab_layout_cell(b->arena, _("time"), 9), ilab_layout_cell(b->arena, /* xgettext:no-c-format */ _("time 95 %"), -19), _("verdict"));
	for (size_t i = 0; i < r->row_count; i++) {
		const struct ilab_diff_row *d = &r->rows[i];
		if (i == 0 || !same_group(d, d - 1)) {
			const bool same_view = strcmp(d->base_view, d->row.view) == 0, same_device = strcmp(d->base_device, d->device) == 0;
			ilab_layout_wrap(b, "", ilab_arena_printf(b->arena, "%s%s%s: %s%s%s%s%s%s%s", r->other_count > 1 ? r->others[d->document].file : "",
				r->other_count > 1 ? ": " : "", d->what, d->base_view, same_view ? "" : " -> ", same_view ? "" : d->row.view,
				same_device ? "" : "; ", same_device ? "" : d->base_device, same_device ? "" : " -> ", same_device ? "" : d->device));
		}
		add_row(b, d);
	}
}

static size_t count_verdict(const struct ilab_diff *r, const char *verdict)
{
	size_t count = 0;

	for (size_t i = 0; i < r->row_count; i++)
		count += r->rows[i].row.verdict.value != NULL && strcmp(r->rows[i].row.verdict.value, verdict) == 0;
	return count;
}

static size_t count_not_compared(const struct ilab_diff *r)
{
	size_t count = r->unmatched_count;

	for (size_t i = 0; i < r->row_count; i++)
		count += r->rows[i].row.ratio.reason != NULL;
	return count;
}

static size_t count_without_verdict(const struct ilab_diff *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->row_count; i++)
		count += r->rows[i].row.ratio.reason == NULL && r->rows[i].row.verdict.value == NULL;
	return count;
}

static bool lacks_verdict(const struct ilab_diff *r)
{
	for (size_t i = 0; i < r->row_count; i++)
		if (r->rows[i].row.verdict.value == NULL)
			return true;
	return false;
}

static void add_legend(struct ilab_text_buffer *b, const struct ilab_diff *r)
{
	if (r->row_count == count_verdict(r, "not-comparable"))
		return;
	ilab_layout_pair(b, _("time"), "%s", _("new over base, the geometric mean of the runs' ratios, so not the quotient of the medians; of single runs it is that"));
	ilab_layout_pair(b, _("verdict"), _("slower: takes more time than base by more than %d %% (of single runs %d %%), beyond noise (the whole 95 %% interval does, and the 99 %% interval excludes 1); faster: the reverse; same: within that; ambiguous: not sure enough, the 95 %% interval reaches the margin or the 99 %% interval (not shown) reaches 1"),
		(int)(100 * ILAB_COMPARE_MARGIN + 0.5), (int)(100 * ILAB_COMPARE_MARGIN_SINGLE + 0.5));
	ilab_layout_pair(b, _("noise"), "%s", _("what differs between the runs inside each document; what changed between the documents, load and clocks too, counts as a difference: repeat both to be sure"));
	if (lacks_verdict(r))
		ilab_layout_pair(b, _("- in verdict"), _("phases that run once a run have none below %d runs a side"), ILAB_COMPARE_ROUNDS_SINGLE_SAMPLE);
}

static const char *loss(const struct ilab_diff *r, struct ilab_arena *arena)
{
	if (r->worst_loss_percent.reason != NULL)
		return _("nothing could be compared");
	if (r->worst_loss_percent.value == 0)
		return ilab_arena_printf(arena, _("no proven loss; %zu ambiguous, %zu without a verdict, %zu not compared"), count_verdict(r, "ambiguous"),
			count_without_verdict(r), count_not_compared(r));
	const struct ilab_diff_row *d = r->rows;
	while (d->row.verdict.value == NULL || strcmp(d->row.verdict.value, "slower") != 0 || 100 * (d->row.ratio.value - 1) < r->worst_loss_percent.value)
		d++;
	return ilab_arena_printf(arena, _("%s %% more time, beyond noise: %s of %s, %s, in %s"), ilab_layout_fixed(arena, r->worst_loss_percent.value, 1), d->row.phase, d->what,
		d->row.view, r->others[d->document].file);
}

const char *ilab_text_diff(const struct ilab_diff *r, bool verbose, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };

	ilab_layout_pair(&b, _("base"), "%s (%s, %s)", r->base.file, r->base.kind, r->base.started_utc);
	for (size_t i = 0; i < r->other_count; i++)
		ilab_layout_pair(&b, i == 0 ? _("new") : "", "%s (%s, %s%s)", r->others[i].file, r->others[i].kind, r->others[i].started_utc,
			strcmp(r->others[i].run_id, r->base.run_id) == 0 ? _("; the same run as the base, which tells nothing") : "");
	add_differences(&b, r, verbose);
	add_rows(&b, r);
	if (r->row_count > 0 || r->unmatched_count > 0)
		ilab_text_add(&b, "\n");
	add_unmatched(&b, r, verbose);
	add_legend(&b, r);
	ilab_layout_pair(&b, _("worst loss"), "%s", loss(r, arena));
	return b.text;
}
