#include "result/suite.h"

#include "base/message.h"
#include "result/layout.h"

#include <string.h>

static const char *name_of(const struct ilab_suite *r, size_t i)
{
	return r->cases[i].case_name != NULL ? r->cases[i].case_name : "?";
}

static bool has_several_devices(const struct ilab_suite *r)
{
	for (size_t i = 1; i < r->case_count; i++)
		if (strcmp(r->cases[i].identity, r->cases[0].identity) != 0)
			return true;
	return false;
}

/* A column of views is the same in all cases of one device: their names stand once, above. */
static bool same_views(const struct ilab_compare *a, const struct ilab_compare *b)
{
	if (a->view_count != b->view_count || strcmp(a->identity, b->identity) != 0)
		return false;
	for (size_t i = 0; i < a->view_count; i++)
		if (strcmp(a->views[i].view, b->views[i].view) != 0)
			return false;
	return true;
}

static void add_views(struct ilab_text_buffer *b, const struct ilab_compare *c)
{
	ilab_layout_pair(b, _("device"), "%s (%s, %s)", c->device_name, c->identity, c->device_type);
	for (size_t i = 0; i < c->view_count; i++)
		ilab_layout_pair(b, i == 0 ? _("views") : "", "%c  %s%s", (char)('A' + i % 26), c->views[i].view,
			strcmp(c->views[i].view, c->against) == 0 ? _("  (reference)") : "");
	ilab_text_add(b, "\n%-24s %4s %12s %15s %8s  %-10s%s\n", "warm_forward",
		ilab_layout_cell(b->arena, _("view"), 4), ilab_layout_cell(b->arena, _("median"), 12), ilab_layout_cell(b->arena, _("rate"), 15),
		ilab_layout_cell(b->arena, _("time/"), 8), ilab_layout_cell(b->arena, _("verdict"), -10), _("ceiling"));
}

static void add_row(struct ilab_text_buffer *b, const struct ilab_compare *c, const char *name, size_t view)
{
	const struct ilab_compare_view *v = &c->views[view];
	const struct ilab_compare_row *row = NULL;
	struct ilab_arena *arena = b->arena;

	for (size_t i = 0; i < c->row_count && row == NULL; i++)
		if (strcmp(c->rows[i].phase, "warm_forward") == 0 && strcmp(c->rows[i].view, v->view) == 0)
			row = &c->rows[i];
	if (row == NULL || row->median_seconds.reason != NULL) {
		ilab_text_add(b, "%-24s    %c %12s  %s\n", view == 0 ? name : "", (char)('A' + view % 26), "-", v->status);
		return;
	}
	ilab_text_add(b, "%-24s    %c %12s %15s %8s  %-10s%s%s\n", view == 0 ? name : "", (char)('A' + view % 26),
		ilab_layout_seconds(arena, row->median_seconds.value),
		ilab_layout_flops(arena, (double)v->runs[0].document.model.flop_per_forward / row->median_seconds.value),
		row->ratio.reason != NULL ? "" : ilab_layout_fixed(arena, row->ratio.value, 3),
		row->verdict.value != NULL ? row->verdict.value : strcmp(v->view, c->against) == 0 ? ilab_layout_cell(arena, _("reference"), -10) : "-",
		row->share_of_ceiling.reason != NULL ? "" : ilab_arena_printf(arena, "%s %%", ilab_layout_fixed(arena, 100 * row->share_of_ceiling.value, 1)),
		row->suspect.reason == NULL && row->suspect.value ? " !" : "");
}

const char *ilab_text_suite(const struct ilab_suite *r, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };

	for (size_t i = 0; i < r->case_count; i++) {
		const struct ilab_compare *c = &r->cases[i];
		if (i == 0 || !same_views(c, c - 1)) {
			ilab_text_add(&b, i == 0 ? "" : "\n");
			add_views(&b, c);
		}
		for (size_t v = 0; v < c->view_count; v++)
			add_row(&b, c, name_of(r, i), v);
	}
	ilab_text_add(&b, "\n");
	for (size_t i = 0; i < r->odd_count; i++)
		ilab_layout_pair(&b, i == 0 ? _("odd one out") : "", _("%s: %s, %s: %s times the time of the others"), r->odd[i].identity, r->odd[i].name, r->odd[i].view,
			ilab_layout_fixed(arena, r->odd[i].ratio, 3));
	if (has_several_devices(r) && r->odd_count == 0)
		ilab_layout_pair(&b, _("odd one out"), _("none: all devices within 5 %% of the others, or fewer than three of them"));
	return b.text;
}
