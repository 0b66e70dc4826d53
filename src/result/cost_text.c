#include "result/cost.h"

#include "base/message.h"
#include "base/ratio.h"
#include "result/layout.h"

#include <inttypes.h>

/* Exact: 177600 cents are "1,776.00 USD (177,600 cents)". */
static const char *money(struct ilab_arena *arena, uint64_t cents)
{
	return ilab_arena_printf(arena, _("%s.%02u USD (%s cents)"), ilab_layout_grouped(arena, cents / 100), (unsigned)(cents % 100),
		ilab_layout_grouped(arena, cents));
}

static void add_offer(struct ilab_text_buffer *b, const struct ilab_offer *o, uint64_t lots)
{
	ilab_layout_pair(b, _("GPUs"), _("%s: lots x GPUs a lot = %s x %s"), ilab_layout_grouped(b->arena, o->gpu_count),
		ilab_layout_grouped(b->arena, lots), ilab_layout_grouped(b->arena, o->gpus_per_lot));
	ilab_layout_pair(b, _("price"), _("%s a lot; list of %s, source: %s"), money(b->arena, o->lot_price_cents), o->snapshot_date, o->source);
	ilab_layout_pair(b, _("total"), "%s", money(b->arena, o->total_cents));
}

static const char *unit_cost(struct ilab_arena *arena, const struct ilab_unit_cost *u)
{
	if (u->reason != NULL)
		return ilab_arena_printf(arena, "- (%s)", u->reason);
	return ilab_arena_printf(arena, _("%s USD, exactly %s / %s cents"), u->decimal_usd, ilab_layout_grouped(arena, u->numerator_cents),
		ilab_layout_grouped(arena, u->denominator));
}

static void add_break_even(struct ilab_text_buffer *b, const struct ilab_cost *r)
{
	const struct ilab_break_even *e = r->break_even;
	struct ilab_arena *arena = b->arena;

	ilab_text_add(b, "\n");
	ilab_layout_pair(b, _("against"), _("%s, the same days and lots"), e->other.gpu);
	add_offer(b, &e->other, r->lots);
	ilab_layout_pair(b, _("your counts"), _("%s accepted results a day with %s"), ilab_layout_grouped(arena, e->accepted_per_day), r->offer.gpu);
	ilab_layout_pair(b, _("a result"), "%s", unit_cost(arena, &e->unit_cost));
	if (e->other_accepted_per_day.reason == NULL) {
		ilab_layout_pair(b, _("your counts"), _("%s accepted results a day with %s"),
			ilab_layout_grouped(arena, e->other_accepted_per_day.value), e->other.gpu);
		ilab_layout_pair(b, _("a result"), "%s", unit_cost(arena, &e->other_unit_cost));
		ilab_layout_pair(b, _("cheaper"), "%s", e->cheaper.value);
	}
	ilab_layout_pair(b, _("break-even"), _("%s accepted results a day with %s: from there on a result costs no more than with %s"),
		ilab_layout_grouped(arena, e->break_even_per_day), e->other.gpu, r->offer.gpu);
}

static void add_measured(struct ilab_text_buffer *b, const struct ilab_cost *r)
{
	const struct ilab_measured_ratio *m = r->measured;
	struct ilab_arena *arena = b->arena;
	char ratio[ILAB_RATIO_SIZE];

	ilab_format_ratio(ratio, sizeof ratio, m->ratio_millionths, 1000000, 6);
	ilab_text_add(b, "\n");
	ilab_layout_pair(b, "A", _("%s a pass on %s, %s"), ilab_layout_seconds(arena, m->a.median_seconds), m->a.device, m->a.view);
	ilab_layout_pair(b, "B", _("%s a pass on %s, %s"), ilab_layout_seconds(arena, m->b.median_seconds), m->b.device, m->b.view);
	ilab_layout_pair(b, _("ratio"), _("%s passes of B in the time of one of A"), ratio);
	ilab_layout_pair(b, _("your count"), _("%s accepted results with A are %s whole ones with B at that ratio, rounded down"), ilab_layout_grouped(arena, m->accepted_results),
		ilab_layout_grouped(arena, m->scaled_accepted_results));
	ilab_layout_pair(b, _("break-even"), _("a rental with B costs no more a result up to %s, rounded down, for those %s"), money(arena, m->break_even_price_cents),
		ilab_layout_grouped(arena, m->scaled_accepted_results));
	ilab_layout_pair(b, _("beware"), _("arithmetic on your own count; it supposes that your work follows the ratio and that the same share is accepted. "
		"Neither was measured, and no quality was"));
}

const char *ilab_text_cost(const struct ilab_cost *r, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };

	ilab_layout_pair(&b, _("rental"), _("%s for %" PRIu64 " days"), r->offer.gpu, r->days);
	add_offer(&b, &r->offer, r->lots);
	if (r->accepted_results.reason == NULL)
		ilab_layout_pair(&b, _("your count"), _("%s accepted results"), ilab_layout_grouped(arena, r->accepted_results.value));
	ilab_layout_pair(&b, _("a result"), "%s", unit_cost(arena, &r->unit_cost));
	ilab_layout_pair(&b, _("tariffs"), _("%s, SHA-256 %s"), r->tariffs_file, r->tariffs_sha256);
	if (r->break_even != NULL)
		add_break_even(&b, r);
	if (r->measured != NULL)
		add_measured(&b, r);
	ilab_text_add(&b, "\n");
	for (size_t i = 0; i < r->note_count; i++)
		ilab_layout_wrap(&b, ilab_arena_printf(arena, "%s- ", ilab_layout_cell(arena, i == 0 ? _("notes") : "", -ILAB_LAYOUT_KEY)), _(r->notes[i]));
	return b.text;
}
