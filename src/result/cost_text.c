#include "result/cost.h"

#include "base/ratio.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Dollars, exact: "1234.50". */
static void put_cents(FILE *out, const char *label, uint64_t cents)
{
	char usd[ILAB_RATIO_SIZE];

	ilab_format_ratio(usd, sizeof usd, cents, 100, 2);
	fprintf(out, "  %-24s %16s USD   %" PRIu64 " cents\n", label, usd, cents);
}

static void put_count(FILE *out, const char *label, uint64_t count)
{
	fprintf(out, "  %-24s %16" PRIu64 "\n", label, count);
}

static void put_unit_cost(FILE *out, const char *label, const struct ilab_unit_cost *u)
{
	if (u->reason != NULL)
		fprintf(out, "  %-24s %16s       %s\n", label, "-", u->reason);
	else
		fprintf(out, "  %-24s %16s USD   %" PRIu64 " / %" PRIu64 " cents\n", label, u->decimal_usd, u->numerator_cents, u->denominator);
}

static void put_offer(FILE *out, const struct ilab_offer *o, uint64_t lots)
{
	fprintf(out, "  %-24s %16" PRIu64 "       lots x GPUs a lot: %" PRIu64 " x %" PRIu64 "\n", "GPUs", o->gpu_count, lots, o->gpus_per_lot);
	put_cents(out, "price of a lot", o->lot_price_cents);
	put_cents(out, "total", o->total_cents);
	fprintf(out, "  %-24s %16s       source: %s\n", "price list of", o->snapshot_date, o->source);
}

static void put_break_even(FILE *out, const struct ilab_cost *r)
{
	const struct ilab_break_even *b = r->break_even;

	fprintf(out, "\nagainst %s, the same days and lots\n", b->other.gpu);
	put_offer(out, &b->other, r->lots);
	fprintf(out, "accepted results a day, your own counts\n");
	put_count(out, r->offer.gpu, b->accepted_per_day);
	put_unit_cost(out, "cost of a result", &b->unit_cost);
	if (b->other_accepted_per_day.reason == NULL) {
		put_count(out, b->other.gpu, b->other_accepted_per_day.value);
		put_unit_cost(out, "cost of a result", &b->other_unit_cost);
		fprintf(out, "  %-24s %16s\n", "cheaper a result", b->cheaper.value);
	}
	fprintf(out, "  %-24s %16" PRIu64 "       %s costs no more a result from here on\n", "break-even a day", b->break_even_per_day,
		b->other.gpu);
}

static void put_measured(FILE *out, const struct ilab_cost *r)
{
	const struct ilab_measured_ratio *m = r->measured;
	char ratio[ILAB_RATIO_SIZE];

	ilab_format_ratio(ratio, sizeof ratio, m->ratio_millionths, 1000000, 6);
	fprintf(out, "\nmeasured, the same work on two devices\n");
	fprintf(out, "  A %s, %s\n  B %s, %s\n", m->a.device, m->a.view, m->b.device, m->b.view);
	fprintf(out, "  %-24s %16s       passes of B in the time of one of A\n", "ratio", ratio);
	put_count(out, "accepted with A", m->accepted_results);
	put_count(out, "at that ratio with B", m->scaled_accepted_results);
	put_cents(out, "B breaks even below", m->break_even_price_cents);
	fprintf(out, "  Arithmetic on your own count: it supposes that your work follows the ratio and that the same share is accepted.\n"
		"  Neither was measured; no quality was.\n");
}

const char *ilab_text_cost(const struct ilab_cost *r, struct ilab_arena *arena)
{
	char *text = NULL;
	const char *copy = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (out == NULL)
		return "";
	fprintf(out, "%s for %" PRIu64 " days\n", r->offer.gpu, r->days);
	put_offer(out, &r->offer, r->lots);
	if (r->accepted_results.reason == NULL)
		put_count(out, "accepted results", r->accepted_results.value);
	put_unit_cost(out, "cost of a result", &r->unit_cost);
	fprintf(out, "  tariffs %s, SHA-256 %s\n", r->tariffs_file, r->tariffs_sha256);
	if (r->break_even != NULL)
		put_break_even(out, r);
	if (r->measured != NULL)
		put_measured(out, r);
	fprintf(out, "\n");
	for (size_t i = 0; i < r->note_count; i++)
		fprintf(out, "%s\n", r->notes[i]);
	if (fclose(out) == 0)
		copy = ilab_arena_strdup(arena, text);
	free(text);
	return copy != NULL ? copy : "";
}
