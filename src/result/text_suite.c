#include "result/suite.h"

#include "base/compare_stats.h"
#include "base/message.h"
#include "result/layout.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- which cases belong together ------------------------------------------------------------------------------------------------ */

static const char *name_of(const struct ilab_compare *c)
{
	return c->case_name != NULL ? c->case_name : "?";
}

/* Length of the name without its ending; `together`: run on all devices at the same time. */
static size_t name_length(const struct ilab_compare *c, bool *together)
{
	const size_t length = strlen(name_of(c)), ending = strlen(ILAB_SUITE_TOGETHER);

	*together = length > ending && strcmp(name_of(c) + length - ending, ILAB_SUITE_TOGETHER) == 0;
	return *together ? length - ending : length;
}

static bool is_together(const struct ilab_compare *c)
{
	bool together;

	(void)name_length(c, &together);
	return together;
}

static const char *short_name(struct ilab_arena *arena, const struct ilab_compare *c)
{
	bool together;
	const size_t length = name_length(c, &together);

	return ilab_arena_printf(arena, "%.*s", (int)length, name_of(c));
}

static size_t count_devices(const struct ilab_suite *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->case_count; i++) {
		size_t k = 0;
		while (k < i && strcmp(r->cases[k].identity, r->cases[i].identity) != 0)
			k++;
		count += k == i;
	}
	return count;
}

/* Cases of one device, of the same views and reference, stand under one heading. */
static bool same_views(const struct ilab_compare *a, const struct ilab_compare *b)
{
	if (a->view_count != b->view_count || strcmp(a->identity, b->identity) != 0 || strcmp(a->against, b->against) != 0 || is_together(a) != is_together(b))
		return false;
	for (size_t i = 0; i < a->view_count; i++)
		if (strcmp(a->views[i].view, b->views[i].view) != 0)
			return false;
	return true;
}

static char letter(size_t view)
{
	return (char)('A' + view % 26);
}

static char letter_of(const struct ilab_compare *c, const char *view)
{
	size_t i = 0;

	while (i + 1 < c->view_count && strcmp(c->views[i].view, view) != 0)
		i++;
	return letter(i);
}

static const struct ilab_compare_row *warm_row(const struct ilab_compare *c, const char *view)
{
	for (size_t i = 0; i < c->row_count; i++)
		if (strcmp(c->rows[i].phase, "warm_forward") == 0 && strcmp(c->rows[i].view, view) == 0)
			return &c->rows[i];
	return NULL;
}

/* --- the table ------------------------------------------------------------------------------------------------------------------- */

/* The shape of each size on this device, once: a CPU's are smaller than a GPU's. */
static void add_sizes(struct ilab_text_buffer *b, const struct ilab_suite *r, const struct ilab_compare *first)
{
	struct ilab_text_buffer text = { .arena = b->arena };

	for (const struct ilab_compare *c = first; c < r->cases + r->case_count && same_views(first, c); c++) {
		const size_t size = strcspn(name_of(c), " ,");
		const struct ilab_compare *seen = first;
		while (seen < c && (strcspn(name_of(seen), " ,") != size || strncmp(name_of(seen), name_of(c), size) != 0))
			seen++;
		if (seen == c)
			ilab_text_add(&text, "%s%.*s %" PRIu64 "x%" PRIu64 "x%" PRIu64 ", hidden %" PRIu64, c == first ? "" : "; ", (int)size, name_of(c),
				c->configuration.batch, c->configuration.context, c->configuration.width, c->configuration.hidden);
	}
	ilab_layout_pair(b, _("sizes"), "%s", text.text);
	ilab_layout_pair(b, _("runs"), _("%" PRIu64 " of each view, each of %" PRIu64 " passes; suite version %" PRIu64 "%s"), first->configuration.rounds,
		first->configuration.repeats, r->suite_version, strcmp(first->device_type, "cpu") == 0 ? _("; sizes for a CPU, smaller than those for a GPU") : "");
}

static void add_views(struct ilab_text_buffer *b, const struct ilab_suite *r, const struct ilab_compare *c)
{
	ilab_layout_pair(b, _("device"), "%s (%s, %s)%s", c->device_name, c->identity, c->device_type,
		is_together(c) ? _(", while the other devices ran the same") : "");
	for (size_t i = 0; i < c->view_count; i++)
		ilab_layout_pair(b, i == 0 ? _("views") : "", "%c  %s%s", letter(i), c->views[i].view,
			strcmp(c->views[i].view, c->against) == 0 ? _("  (reference)") : "");
	add_sizes(b, r, c);
	ilab_text_add(b, "\n%-16s %4s %12s %15s %7s  ", "warm_forward", ilab_layout_cell(b->arena, _("view"), 4),
		ilab_layout_cell(b->arena, _("median"), 12), ilab_layout_cell(b->arena, _("rate"), 15),
		ilab_layout_cell(b->arena, ilab_arena_printf(b->arena, _("time/%s"), ilab_arena_printf(b->arena, "%c", letter_of(c, c->against))), 7));
	if (c->ceilings != NULL)
		ilab_text_add(b, "%s %s\n", ilab_layout_cell(b->arena, _("verdict"), -9), _("ceiling"));
	else
		ilab_text_add(b, "%s\n", _("verdict"));
}

static void add_row(struct ilab_text_buffer *b, const struct ilab_compare *c, size_t view)
{
	const struct ilab_compare_view *v = &c->views[view];
	const struct ilab_compare_row *row = warm_row(c, v->view);
	const char *name = view == 0 ? short_name(b->arena, c) : "";

	if (row == NULL || row->median_seconds.reason != NULL) {
		ilab_text_add(b, "%-16s    %c %12s  %s\n", name, letter(view), "-", v->status);
		return;
	}
	const char *verdict = row->verdict.value != NULL ? row->verdict.value : strcmp(v->view, c->against) == 0 ? _("reference") : "-";
	ilab_text_add(b, "%-16s    %c %12s %15s %7s  ", name, letter(view), ilab_layout_seconds(b->arena, row->median_seconds.value),
		ilab_layout_flops(b->arena, (double)v->runs[0].document.model.flop_per_forward / row->median_seconds.value),
		row->ratio.reason != NULL ? "" : ilab_layout_fixed(b->arena, row->ratio.value, 3));
	if (row->share_of_ceiling.reason != NULL)
		ilab_text_add(b, "%s\n", verdict);
	else
		ilab_text_add(b, "%s %5s %%%s\n", ilab_layout_cell(b->arena, verdict, -9), ilab_layout_fixed(b->arena, 100 * row->share_of_ceiling.value, 1),
			row->suspect.reason == NULL && row->suspect.value ? " !" : "");
}

static bool any_row(const struct ilab_suite *r, bool (*is)(const struct ilab_compare_row *row))
{
	for (size_t i = 0; i < r->case_count; i++)
		for (size_t k = 0; k < r->cases[i].row_count; k++)
			if (is(&r->cases[i].rows[k]))
				return true;
	return false;
}

static bool has_ratio(const struct ilab_compare_row *row)
{
	return row->ratio.reason == NULL;
}

static bool has_share(const struct ilab_compare_row *row)
{
	return row->share_of_ceiling.reason == NULL;
}

static bool is_suspect(const struct ilab_compare_row *row)
{
	return row->suspect.reason == NULL && row->suspect.value;
}

static void add_legend(struct ilab_text_buffer *b, const struct ilab_suite *r)
{
	if (any_row(r, has_ratio)) {
		ilab_layout_pair(b, _("time"), "%s", _("over that of the reference: geometric mean of the rounds' ratios, so not the quotient of the medians"));
		ilab_layout_pair(b, _("verdict"), _("slower, faster: by more than %d %%, beyond noise; same: within %d %%; ambiguous: %d rounds are not sure enough, `compare` takes more"),
			(int)(100 * ILAB_COMPARE_MARGIN + 0.5), (int)(100 * ILAB_COMPARE_MARGIN + 0.5), (int)r->cases[0].configuration.rounds);
	}
	if (any_row(r, has_share))
		ilab_layout_pair(b, _("ceiling"), "%s", _("share of the best verified rate of any view for this type"));
	if (any_row(r, is_suspect))
		ilab_layout_pair(b, "!", _("above the ceiling by more than %d %%: it was measured too low, on a busy device perhaps, or the rate is wrong; do not use the share"), 5);
}

static void add_verification(struct ilab_text_buffer *b, const struct ilab_suite *r)
{
	size_t runs = 0, passed = 0;

	for (size_t i = 0; i < r->case_count; i++)
		for (size_t v = 0; v < r->cases[i].view_count; v++)
			for (size_t k = 0; k < r->cases[i].views[v].run_count; k++) {
				runs++;
				passed += strcmp(r->cases[i].views[v].runs[k].document.verification.status, "passed") == 0;
			}
	ilab_layout_pair(b, _("verification"), _("%zu of %zu runs compute what the float64 reference does"), passed, runs);
}

/* --- several devices ------------------------------------------------------------------------------------------------------------ */

/* The case of the same name, by itself or together as asked, on this device; NULL: none. */
static const struct ilab_compare *find_case(const struct ilab_suite *r, const char *identity, const char *name, bool together)
{
	for (size_t i = 0; i < r->case_count; i++) {
		bool ending;
		const size_t length = name_length(&r->cases[i], &ending);
		if (ending == together && strcmp(r->cases[i].identity, identity) == 0 && strlen(name) == length && strncmp(name_of(&r->cases[i]), name, length) == 0)
			return &r->cases[i];
	}
	return NULL;
}

static bool is_odd(double ratio)
{
	return ratio > ILAB_SUITE_ODD || (ratio > 0 && ratio < 1 / ILAB_SUITE_ODD);
}

static void add_odd(struct ilab_text_buffer *b, const struct ilab_suite *r)
{
	for (size_t i = 0; i < r->odd_count; i++)
		ilab_layout_pair(b, i == 0 ? _("odd one out") : "", _("%s: %s, %s: %s times the median of all devices"), r->odd[i].identity, r->odd[i].name,
			r->odd[i].view, ilab_layout_fixed(b->arena, r->odd[i].ratio, 3));
	if (r->odd_count == 0)
		ilab_layout_pair(b, _("odd one out"), _("none: no device is more than %d %% off the median of all"), 5);
}

/* Of two nobody can say which is the odd one. */
static void add_two(struct ilab_text_buffer *b, const struct ilab_suite *r)
{
	size_t shown = 0;

	for (size_t i = 0; i < r->case_count; i++)
		for (size_t v = 0; v < r->cases[i].view_count; v++)
			for (size_t k = i + 1; k < r->case_count; k++) {
				const struct ilab_compare *c = &r->cases[i], *d = &r->cases[k];
				const double mine = ilab_suite_seconds(c, c->views[v].view), other = ilab_suite_seconds(d, c->views[v].view);
				if (strcmp(name_of(c), name_of(d)) != 0 || mine <= 0 || !is_odd(other / mine))
					continue;
				ilab_layout_pair(b, shown++ == 0 ? _("two devices") : "", _("%s: %s, %s: %s times the time of %s"), d->identity, name_of(c), c->views[v].view,
					ilab_layout_fixed(b->arena, other / mine, 3), c->identity);
			}
	if (shown == 0)
		ilab_layout_pair(b, _("two devices"), _("no more than %d %% apart"), 5);
}

struct range { double low, high; const char *worst; };

/* How many times as long a case takes when all run it at once, over all devices. */
static struct range slowed(const struct ilab_suite *r, const char *name, const char *view)
{
	struct range x = { INFINITY, 0, NULL };

	for (size_t i = 0; i < r->case_count; i++) {
		const struct ilab_compare *alone = &r->cases[i];
		const struct ilab_compare *together = is_together(alone) || strcmp(name_of(alone), name) != 0 ? NULL : find_case(r, alone->identity, name, true);
		const double before = ilab_suite_seconds(alone, view), after = together != NULL ? ilab_suite_seconds(together, view) : 0;
		if (before <= 0 || after <= 0)
			continue;
		x.low = fmin(x.low, after / before);
		if (after / before > x.high) {
			x.high = after / before;
			x.worst = alone->identity;
		}
	}
	return x;
}

static void add_together(struct ilab_text_buffer *b, const struct ilab_suite *r)
{
	size_t shown = 0;

	for (size_t i = 0; i < r->case_count && strcmp(r->cases[i].identity, r->cases[0].identity) == 0; i++)
		for (size_t v = 0; v < r->cases[i].view_count && !is_together(&r->cases[i]); v++) {
			const char *name = name_of(&r->cases[i]), *view = r->cases[i].views[v].view;
			const struct range x = slowed(r, name, view);
			if (x.worst != NULL)
				ilab_layout_pair(b, shown++ == 0 ? _("all at once") : "", _("%s, %s: %s to %s times the time alone, most on %s"), name, view,
					ilab_layout_fixed(b->arena, x.low, 3), ilab_layout_fixed(b->arena, x.high, 3), x.worst);
		}
}

const char *ilab_text_suite(const struct ilab_suite *r, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };
	const size_t devices = count_devices(r);

	for (size_t i = 0; i < r->case_count; i++) {
		const struct ilab_compare *c = &r->cases[i];
		if (i == 0 || !same_views(c, c - 1)) {
			ilab_text_add(&b, i == 0 ? "" : "\n");
			add_views(&b, r, c);
		}
		for (size_t v = 0; v < c->view_count; v++)
			add_row(&b, c, v);
	}
	ilab_text_add(&b, "\n");
	add_verification(&b, r);
	add_legend(&b, r);
	if (devices > 1)
		add_together(&b, r);
	if (devices == 2)
		add_two(&b, r);
	if (devices > 2)
		add_odd(&b, r);
	return b.text;
}
