#include "result/cost.h"

#include "base/checked.h"
#include "base/date.h"
#include "base/ratio.h"
#include "result/command_check.h"
#include "result/fields.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MAX_COUNT ((uint64_t)INT64_MAX)

static enum ilab_status contradiction(const char *part, const char *what, struct ilab_err *err)
{
	return ilab_err_set(err, ILAB_IO, NULL, 0, "%s%s", part, what);
}

static bool counts(uint64_t n) { return n >= 1 && n <= MAX_COUNT; }

static bool is_product(uint64_t product, uint64_t a, uint64_t b)
{
	uint64_t exact;

	return ilab_checked_mul(a, b, &exact) && exact == product && product <= MAX_COUNT;
}

static enum ilab_status check_offer(const struct ilab_offer *o, uint64_t lots, const char *part, struct ilab_err *err)
{
	if (!ilab_date_valid(o->snapshot_date))
		return contradiction(part, "snapshot_date: is not a date of the calendar, written YYYY-MM-DD", err);
	if (!counts(o->gpus_per_lot) || !counts(o->lot_price_cents))
		return contradiction(part, "gpus_per_lot, lot_price_cents: not from 1 to 2^63-1", err);
	if (!is_product(o->gpu_count, lots, o->gpus_per_lot))
		return contradiction(part, "gpu_count: is not lots x gpus_per_lot", err);
	if (!is_product(o->total_cents, lots, o->lot_price_cents))
		return contradiction(part, "total_cents: is not lots x lot_price_cents", err);
	return ILAB_OK;
}

static enum ilab_status check_unit_cost(const struct ilab_unit_cost *u, uint64_t total_cents, const struct ilab_count *accepted,
	uint64_t days, const char *part, struct ilab_err *err)
{
	char decimal[ILAB_RATIO_SIZE];

	if ((u->reason == NULL) != (accepted->reason == NULL))
		return contradiction(part, "unit_cost: is null exactly when there is no count of accepted results", err);
	if (u->reason != NULL)
		return ILAB_OK;
	if (!counts(accepted->value) || !is_product(u->denominator, accepted->value, days))
		return contradiction(part, "unit_cost.denominator: contradicts the accepted results", err);
	if (u->numerator_cents != total_cents)
		return contradiction(part, "unit_cost.numerator_cents: is not total_cents", err);
	ilab_format_ratio(decimal, sizeof decimal, u->numerator_cents, (ilab_u128)u->denominator * 100, 6);
	if (strcmp(decimal, u->decimal_usd) != 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%sunit_cost.decimal_usd: is not the ratio, %s", part, decimal);
	return ILAB_OK;
}

/* Which model costs less a result, by cross multiplication. */
static bool cheaper_agrees(const struct ilab_cost *r)
{
	const struct ilab_break_even *b = r->break_even;
	ilab_u128 base, other;

	if (b->other_accepted_per_day.reason != NULL || b->cheaper.reason != NULL)
		return b->other_accepted_per_day.reason != NULL && b->cheaper.reason != NULL;
	base = (ilab_u128)r->offer.total_cents * b->other_accepted_per_day.value;
	other = (ilab_u128)b->other.total_cents * b->accepted_per_day;
	return strcmp(b->cheaper.value, base < other ? r->offer.gpu : base > other ? b->other.gpu : "equal") == 0;
}

static enum ilab_status check_break_even(const struct ilab_cost *r, struct ilab_err *err)
{
	static const char part[] = "break_even.";
	const struct ilab_break_even *b = r->break_even;
	const struct ilab_count base = { .value = b->accepted_per_day };
	ilab_u128 least = (ilab_u128)b->other.total_cents * b->accepted_per_day, total = r->offer.total_cents;
	enum ilab_status status = check_offer(&b->other, r->lots, part, err);

	if (status == ILAB_OK)
		status = check_unit_cost(&b->unit_cost, r->offer.total_cents, &base, r->days, "break_even.base_", err);
	if (status == ILAB_OK)
		status = check_unit_cost(&b->other_unit_cost, b->other.total_cents, &b->other_accepted_per_day, r->days, part, err);
	if (status != ILAB_OK)
		return status;
	/* the smallest whole rate with total x rate >= least */
	if (!counts(b->break_even_per_day) || total * b->break_even_per_day < least || total * (b->break_even_per_day - 1) >= least)
		return contradiction(part, "break_even_per_day: is not the smallest rate that costs no more a result", err);
	if (!cheaper_agrees(r))
		return contradiction(part, "cheaper: contradicts prices and rates", err);
	return ILAB_OK;
}

static enum ilab_status check_measured(const struct ilab_cost *r, struct ilab_err *err)
{
	const struct ilab_measured_ratio *m = r->measured;

	if (!(m->a.median_seconds > 0) || !(m->b.median_seconds > 0) ||
		nearbyint(m->a.median_seconds / m->b.median_seconds * 1e6) != (double)m->ratio_millionths)
		return contradiction("measured.", "ratio_millionths: is not a.median_seconds / b.median_seconds to six places", err);
	if (r->accepted_results.reason != NULL || m->accepted_results != r->accepted_results.value)
		return contradiction("measured.", "accepted_results: is not that of the document", err);
	if (!counts(m->accepted_results))
		return contradiction("measured.", "accepted_results: not from 1 to 2^63-1", err);
	if (m->scaled_accepted_results != (ilab_u128)m->accepted_results * m->ratio_millionths / 1000000)
		return contradiction("measured.", "scaled_accepted_results: is not accepted_results x ratio", err);
	if (m->break_even_price_cents != (ilab_u128)r->offer.total_cents * m->scaled_accepted_results / m->accepted_results)
		return contradiction("measured.", "break_even_price_cents: is not total_cents x scaled_accepted_results / accepted_results", err);
	return ILAB_OK;
}

/* Parts that are there only when asked for are there exactly then. */
static enum ilab_status check_command(const struct ilab_cost *r, struct ilab_err *err)
{
	const struct ilab_break_even *b = r->break_even;
	const uint64_t *accepted = r->accepted_results.reason == NULL ? &r->accepted_results.value : NULL;
	const uint64_t *other = b != NULL && b->other_accepted_per_day.reason == NULL ? &b->other_accepted_per_day.value : NULL;
	const struct ilab_stated options[] = {
		{ "--gpu", "gpu", .word = r->offer.gpu, .needed = true },
		{ "--days", "days", .number = &r->days, .needed = true },
		{ "--lots", "lots", .number = &r->lots, .needed = true },
		{ "--accepted-results", "accepted_results", .number = accepted, .needed = accepted != NULL },
		{ "--tariffs", "tariffs.file", .word = r->tariffs_file },
		{ "--break-even", "break_even.gpu", .word = b != NULL ? b->other.gpu : NULL, .needed = b != NULL },
		{ "--accepted-per-day", "break_even.base_accepted_per_day", .number = b != NULL ? &b->accepted_per_day : NULL, .needed = b != NULL },
		{ "--other-accepted-per-day", "break_even.accepted_per_day", .number = other, .needed = other != NULL },
		{ "--measure", "measured", .any = r->measured != NULL, .needed = r->measured != NULL },
	};

	return ilab_command_check(&r->header, options, sizeof options / sizeof *options, err);
}

enum ilab_status ilab_cost_check(const struct ilab_cost *r, struct ilab_err *err)
{
	enum ilab_status status = ilab_header_check(&r->header, err);

	if (status != ILAB_OK)
		return status;
	if (r->days != 3 && r->days != 7 && r->days != 30)
		return contradiction("days: ", "is not 3, 7 or 30", err);
	if (!counts(r->lots))
		return contradiction("lots: ", "not from 1 to 2^63-1", err);
	if (strchr(r->tariffs_file, '/') != NULL)
		return contradiction("tariffs.file: ", "is a path, not the name of a file", err);
	status = check_offer(&r->offer, r->lots, "", err);
	if (status == ILAB_OK)
		status = check_unit_cost(&r->unit_cost, r->offer.total_cents, &r->accepted_results, 1, "", err);
	if (status == ILAB_OK && r->note_count == 0)
		status = contradiction("notes: ", "empty", err);
	if (status == ILAB_OK && r->break_even != NULL)
		status = check_break_even(r, err);
	if (status == ILAB_OK && r->measured != NULL)
		status = check_measured(r, err);
	return status == ILAB_OK ? check_command(r, err) : status;
}
