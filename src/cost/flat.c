#include "cost/flat.h"

#include "base/checked.h"
#include "base/message.h"
#include "base/ratio.h"

#include <math.h>
#include <string.h>

#define MAX_COUNT UINT64_C(9223372036854775807)  /* 2^63-1: what every reader of the documents can hold */

static enum ilab_status multiply(uint64_t a, uint64_t b, const char *what, uint64_t *out, struct ilab_err *err)
{
	uint64_t product;
	if (!ilab_checked_mul(a, b, &product) || product > MAX_COUNT)
		return ilab_err_set(err, ILAB_REFUSED, NULL, 0, "%s: %llu x %llu is more than 2^63-1", what, (unsigned long long)a,
			(unsigned long long)b);
	*out = product;
	return ILAB_OK;
}

static enum ilab_status check_count(uint64_t n, const char *what, struct ilab_err *err)
{
	if (n == 0 || n > MAX_COUNT)
		return ilab_err_set(err, ILAB_REFUSED, NULL, 0, "%s must be a whole number from 1 to 2^63-1, not %llu", what,
			(unsigned long long)n);
	return ILAB_OK;
}

/* Price of `lots` lots. Strings are the tariff's. */
static enum ilab_status price(const struct ilab_tariff *tariff, uint64_t lots, struct ilab_offer *out, struct ilab_err *err)
{
	struct ilab_offer offer = {
		.gpu = tariff->model, .snapshot_date = tariff->snapshot_date, .source = tariff->source,
		.gpus_per_lot = tariff->gpus_per_lot, .lot_price_cents = tariff->price_cents,
	};
	enum ilab_status status = check_count(lots, "the number of lots", err);
	if (status == ILAB_OK)
		status = multiply(lots, offer.gpus_per_lot, _("the number of GPUs (lots x GPUs a lot)"), &offer.gpu_count, err);
	if (status == ILAB_OK)
		status = multiply(lots, offer.lot_price_cents, _("the total in cents (lots x price of a lot)"), &offer.total_cents, err);
	if (status == ILAB_OK)
		*out = offer;
	return status;
}

enum ilab_status ilab_unit_cost(uint64_t total_cents, uint64_t accepted, struct ilab_arena *arena, struct ilab_unit_cost *out,
	struct ilab_err *err)
{
	enum ilab_status status = check_count(accepted, _("the number of accepted results"), err);
	if (status != ILAB_OK)
		return status;
	char *decimal = ilab_arena_alloc(arena, ILAB_RATIO_SIZE);
	ilab_format_ratio(decimal, ILAB_RATIO_SIZE, total_cents, (ilab_u128)accepted * 100, 6);
	*out = (struct ilab_unit_cost){ .numerator_cents = total_cents, .denominator = accepted, .decimal_usd = decimal };
	return ILAB_OK;
}

static const char *const notes[] = {
	N_("A price list proves neither availability nor reservation: check the offer itself before buying."),
	N_("A lot's price covers all its GPUs for the whole duration; there is no pro-rata, hourly or currency conversion."),
	N_("Accepted results are the user's own count of distinct useful units; repetitions of a benchmark are not new units."),
};

enum ilab_status ilab_cost_compute(const struct ilab_tariffs *tariffs, const char *model, uint64_t days, uint64_t lots,
	struct ilab_count accepted, struct ilab_arena *arena, struct ilab_cost *out, struct ilab_err *err)
{
	const struct ilab_tariff *tariff;
	struct ilab_cost cost = {
		.tariffs_file = tariffs->file, .tariffs_sha256 = tariffs->sha256, .days = days, .lots = lots, .currency = "USD",
		.accepted_results = accepted, .unit_cost.reason = accepted.reason,
	};
	enum ilab_status status = ilab_tariffs_find(tariffs, model, days, &tariff, err);
	if (status == ILAB_OK)
		status = price(tariff, lots, &cost.offer, err);
	if (status == ILAB_OK && !accepted.reason)
		status = ilab_unit_cost(cost.offer.total_cents, accepted.value, arena, &cost.unit_cost, err);
	if (status != ILAB_OK)
		return status;
	cost.note_count = sizeof(notes) / sizeof(*notes);
	cost.notes = ilab_arena_alloc(arena, sizeof(notes));
	memcpy(cost.notes, notes, sizeof(notes));
	*out = cost;
	return ILAB_OK;
}

/* --- two models ------------------------------------------------------------------------------------------------------ */

/* Which costs less a result: total / (rate * days) of each, compared by cross multiplication; the days are the same. */
static const char *cheaper(const struct ilab_offer *one, uint64_t one_rate, const struct ilab_offer *other, uint64_t other_rate)
{
	ilab_u128 left = (ilab_u128)one->total_cents * other_rate, right = (ilab_u128)other->total_cents * one_rate;
	return left < right ? one->gpu : left > right ? other->gpu : "equal";
}

/* Unit cost at `rate` accepted results on each of `days` days. */
static enum ilab_status rate_cost(const struct ilab_offer *offer, uint64_t rate, uint64_t days, struct ilab_arena *arena,
	struct ilab_unit_cost *out, struct ilab_err *err)
{
	uint64_t accepted = 0;
	enum ilab_status status = check_count(rate, "the number of accepted results a day", err);
	if (status == ILAB_OK)
		status = multiply(rate, days, _("accepted results a day x days"), &accepted, err);
	return status == ILAB_OK ? ilab_unit_cost(offer->total_cents, accepted, arena, out, err) : status;
}

enum ilab_status ilab_cost_break_even(const struct ilab_tariffs *tariffs, const char *other_model, uint64_t accepted_per_day,
	struct ilab_count other_accepted_per_day, struct ilab_arena *arena, struct ilab_cost *cost, struct ilab_err *err)
{
	const struct ilab_tariff *tariff;
	struct ilab_break_even *b = ilab_arena_alloc(arena, sizeof(*b));
	const char *unknown = other_accepted_per_day.reason;
	b->accepted_per_day = accepted_per_day;
	b->other_accepted_per_day = other_accepted_per_day;
	b->other_unit_cost.reason = b->cheaper.reason = unknown;
	enum ilab_status status = ilab_tariffs_find(tariffs, other_model, cost->days, &tariff, err);
	if (status == ILAB_OK)
		status = price(tariff, cost->lots, &b->other, err);
	if (status == ILAB_OK)
		status = rate_cost(&cost->offer, accepted_per_day, cost->days, arena, &b->unit_cost, err);
	if (status == ILAB_OK && !unknown)
		status = rate_cost(&b->other, other_accepted_per_day.value, cost->days, arena, &b->other_unit_cost, err);
	if (status != ILAB_OK)
		return status;

	/* other_total / rate <= total / accepted_per_day, solved for the smallest whole rate */
	ilab_u128 product = (ilab_u128)b->other.total_cents * accepted_per_day;
	ilab_u128 rate = product / cost->offer.total_cents + (product % cost->offer.total_cents != 0);
	if (rate > MAX_COUNT)
		return ilab_err_set(err, ILAB_REFUSED, NULL, 0, "the break-even rate is more than 2^63-1 results a day");
	b->break_even_per_day = (uint64_t)rate;
	if (!unknown)
		b->cheaper.value = cheaper(&cost->offer, accepted_per_day, &b->other, other_accepted_per_day.value);
	cost->break_even = b;
	return ILAB_OK;
}

/* --- two measurements ------------------------------------------------------------------------------------------------ */

static enum ilab_status check_measured(const struct ilab_measure *m, const char *which, struct ilab_err *err)
{
	if (strcmp(m->verification.status, "passed") != 0)
		return ilab_err_set(err, ILAB_REFUSED, NULL, 0, "measurement %s did not pass verification: it has no rate", which);
	if (m->summary.median_seconds.reason || !(m->summary.median_seconds.value > 0))
		return ilab_err_set(err, ILAB_REFUSED, NULL, 0, "measurement %s has no median time", which);
	return ILAB_OK;
}

static enum ilab_status check_same_work(const struct ilab_measure *a, const struct ilab_measure *b, struct ilab_err *err)
{
	const char *what = strcmp(a->configuration.dtype, b->configuration.dtype) ? "dtype" :
		a->configuration.batch != b->configuration.batch ? "batch" : a->configuration.context != b->configuration.context ? "context" :
		a->configuration.width != b->configuration.width ? "width" : a->configuration.hidden != b->configuration.hidden ? "hidden" :
		a->configuration.seed != b->configuration.seed ? "seed" : NULL;
	if (what)
		return ilab_err_set(err, ILAB_REFUSED, NULL, 0, "the two measurements are not of the same work: %s differs", what);
	return ILAB_OK;
}

static struct ilab_measured measured(const struct ilab_measure *m, const char *sha256)
{
	return (struct ilab_measured){ .run_id = m->header.run_id, .sha256 = sha256, .device = m->device.name,
		.view = m->configuration.view, .median_seconds = m->summary.median_seconds.value };
}

/* n * a / b, rounded down: there are no parts of a result or of a cent. */
static enum ilab_status scale(uint64_t n, uint64_t a, uint64_t b, const char *what, uint64_t *out, struct ilab_err *err)
{
	ilab_u128 scaled = (ilab_u128)n * a / b;
	if (scaled > MAX_COUNT)
		return ilab_err_set(err, ILAB_REFUSED, NULL, 0, "%s times the measured ratio is more than 2^63-1", what);
	*out = (uint64_t)scaled;
	return ILAB_OK;
}

enum ilab_status ilab_cost_measured(const struct ilab_measure *a, const char *sha256_a, const struct ilab_measure *b,
	const char *sha256_b, struct ilab_arena *arena, struct ilab_cost *cost, struct ilab_err *err)
{
	struct ilab_measured_ratio *m = ilab_arena_alloc(arena, sizeof(*m));
	m->a = measured(a, sha256_a);
	m->b = measured(b, sha256_b);
	m->accepted_results = cost->accepted_results.value;
	if (cost->accepted_results.reason)
		return ilab_err_set(err, ILAB_REFUSED, NULL, 0,
			"two measurements say nothing about accepted results: give your own count with --accepted-results");
	enum ilab_status status = check_measured(a, "A", err);
	if (status == ILAB_OK)
		status = check_measured(b, "B", err);
	if (status == ILAB_OK)
		status = check_same_work(a, b, err);
	if (status != ILAB_OK)
		return status;

	double ratio = nearbyint(m->a.median_seconds / m->b.median_seconds * 1e6);
	if (!(ratio >= 1 && ratio < 1e15))
		return ilab_err_set(err, ILAB_REFUSED, NULL, 0, "the two median times are too far apart for a ratio of six places");
	m->ratio_millionths = (uint64_t)ratio;
	status = scale(m->accepted_results, m->ratio_millionths, 1000000, _("the number of accepted results"), &m->scaled_accepted_results, err);
	if (status == ILAB_OK)
		status = scale(cost->offer.total_cents, m->scaled_accepted_results, m->accepted_results, _("the total"), &m->break_even_price_cents, err);
	if (status == ILAB_OK)
		cost->measured = m;
	return status;
}
