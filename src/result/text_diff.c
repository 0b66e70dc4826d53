#include "result/diff.h"

#include "base/message.h"
#include "result/layout.h"

#include <string.h>

#define SHOWN_DIFFERENCES 12

static const char *value_text(const char *value)
{
	return value != NULL ? value : "-";
}

static void add_differences(struct ilab_text_buffer *b, const struct ilab_diff *r, bool verbose)
{
	for (size_t i = 0; i < r->difference_count && (verbose || i < SHOWN_DIFFERENCES); i++) {
		const struct ilab_difference *d = &r->differences[i];
		ilab_layout_wrap(b, ilab_layout_cell(b->arena, i == 0 ? _("differs") : "", -ILAB_LAYOUT_KEY),
			ilab_arena_printf(b->arena, "%s: %s -> %s", d->path, value_text(d->base), value_text(d->other)));
	}
	if (!verbose && r->difference_count > SHOWN_DIFFERENCES)
		ilab_layout_pair(b, "", _("and %zu more: --verbose shows them all"), r->difference_count - SHOWN_DIFFERENCES);
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

	if (d->not_comparable != NULL) {
		ilab_text_add(b, _("  not-comparable: %s\n"), d->not_comparable);
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
			ilab_layout_wrap(b, "", ilab_arena_printf(b->arena, "%s: %s%s%s%s%s%s%s", d->what, d->base_view, same_view ? "" : " -> ", same_view ? "" : d->row.view,
				same_device ? "" : "; ", same_device ? "" : d->base_device, same_device ? "" : " -> ", same_device ? "" : d->device));
		}
		add_row(b, d);
	}
}

const char *ilab_text_diff(const struct ilab_diff *r, bool verbose, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };

	ilab_layout_pair(&b, _("base"), "%s (%s, %s)", r->base.file, r->base.kind, r->base.started_utc);
	for (size_t i = 0; i < r->other_count; i++)
		ilab_layout_pair(&b, i == 0 ? _("new") : "", "%s (%s, %s)", r->others[i].file, r->others[i].kind, r->others[i].started_utc);
	add_differences(&b, r, verbose);
	add_rows(&b, r);
	if (r->row_count > 0 || r->unmatched_count > 0)
		ilab_text_add(&b, "\n");
	for (size_t i = 0; i < r->unmatched_count; i++)
		ilab_layout_pair(&b, i == 0 ? _("unmatched") : "", "%s: %s", r->unmatched[i].what, r->unmatched[i].reason);
	ilab_layout_pair(&b, _("worst loss"), "%s", r->worst_loss_percent.reason != NULL ? r->worst_loss_percent.reason
		: r->worst_loss_percent.value == 0 ? _("none outside the noise")
		: ilab_arena_printf(arena, _("%s %% more time, outside the noise"), ilab_layout_fixed(arena, r->worst_loss_percent.value, 1)));
	return b.text;
}
