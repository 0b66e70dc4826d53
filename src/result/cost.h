#ifndef ILAB_RESULT_COST_H
#define ILAB_RESULT_COST_H

#include "base/err.h"
#include "result/json.h"
#include "result/record.h"

/* cost/1: a flat-rate price and what an accepted result costs. Whole US cents and whole counts everywhere; the arithmetic is in
 * cost/flat.h. */

/* numerator_cents / denominator, not reduced: the price of the whole rental over the accepted results of the whole rental. */
struct ilab_unit_cost {
	uint64_t numerator_cents, denominator;
	const char *decimal_usd;       /* 6 places, half to even */
	const char *reason;            /* of a null; NULL when known */
};

/* Lots of one model for one duration. */
struct ilab_offer {
	const char *gpu, *snapshot_date, *source;      /* of the row used; `source` is that of the price */
	uint64_t gpus_per_lot, gpu_count, lot_price_cents, total_cents;
};

/* `other` against the offer of the document, for the same days and lots. */
struct ilab_break_even {
	struct ilab_offer other;
	uint64_t accepted_per_day;             /* of the document's model, given by the user */
	struct ilab_count other_accepted_per_day;      /* given by the user, or not-run */
	struct ilab_unit_cost unit_cost, other_unit_cost;
	uint64_t break_even_per_day;           /* fewest whole results a day at which `other` costs no more per result */
	struct ilab_text cheaper;              /* a model's name, or "equal" */
};

/* One of two saved measurements. */
struct ilab_measured { const char *run_id, *sha256, *device, *view; double median_seconds; };

/* What the measured ratio of two runs of the same work means at the user's own count of accepted results. No quality. */
struct ilab_measured_ratio {
	struct ilab_measured a, b;
	uint64_t ratio_millionths;             /* passes of B in the time of a pass of A, rounded half to even; the rest is exact */
	uint64_t accepted_results;             /* the user's, for the document's offer and A */
	uint64_t scaled_accepted_results;      /* accepted_results * ratio, rounded down */
	uint64_t break_even_price_cents;       /* highest price of a rental with B at which each of those whole results costs no more than one
	                                        * with A: total * scaled / accepted, rounded down */
};

struct ilab_cost {
	struct ilab_header header;
	const char *tariffs_file, *tariffs_sha256;
	struct ilab_offer offer;
	uint64_t days, lots;
	const char *currency;                  /* "USD" */
	struct ilab_count accepted_results;
	struct ilab_unit_cost unit_cost;
	const struct ilab_break_even *break_even;      /* NULL: not asked for */
	const struct ilab_measured_ratio *measured;    /* NULL: not asked for */
	const char **notes; size_t note_count;
};

/* As in document.h. `check`: totals against lots and prices, unit costs against totals and counts, the decimal form against the ratio,
 * the break-even rate against both offers. */
cJSON *ilab_cost_to_json(const struct ilab_cost *r);
enum ilab_status ilab_cost_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_cost *out, struct ilab_err *err);
/* For people: the whole text, owned by `arena`. */
const char *ilab_text_cost(const struct ilab_cost *r, struct ilab_arena *arena);
enum ilab_status ilab_cost_check(const struct ilab_cost *r, struct ilab_err *err);

#endif
