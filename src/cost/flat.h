#ifndef ILAB_COST_FLAT_H
#define ILAB_COST_FLAT_H

#include "cost/tariff.h"
#include "result/cost.h"

/* Flat-rate arithmetic: integers only, no pro-rata, no hourly price, no other currency. A rental is a whole number of lots for 3, 7
 * or 30 days; a lot's price covers all its GPUs: two lots of a two-GPU model are four GPUs and twice the lot price.
 * Totals and counts go to 2^63-1; what passes it is refused (ILAB_REFUSED), never wrapped. */

/* total / accepted, with its decimal form in `arena`; 1 <= accepted <= 2^63-1. */
enum ilab_status ilab_unit_cost(uint64_t total_cents, uint64_t accepted, struct ilab_arena *arena, struct ilab_unit_cost *out,
	struct ilab_err *err);

/* The document's part but header, break_even and measured. `accepted` is known (>= 1) or carries its reason; unit_cost takes the same
 * reason. */
enum ilab_status ilab_cost_compute(const struct ilab_tariffs *tariffs, const char *model, uint64_t days, uint64_t lots,
	struct ilab_count accepted, struct ilab_arena *arena, struct ilab_cost *out, struct ilab_err *err);

/* `cost` (computed) against `other_model`, for the same days and lots, with the user's own accepted results a day of each. That of the
 * other may carry a reason instead; then only the break-even rate is known. Sets cost->break_even. */
enum ilab_status ilab_cost_break_even(const struct ilab_tariffs *tariffs, const char *other_model, uint64_t accepted_per_day,
	struct ilab_count other_accepted_per_day, struct ilab_arena *arena, struct ilab_cost *cost, struct ilab_err *err);

/* Two saved measurements of the same work (shape, type and seed; both passed) and cost->accepted_results, which must be known.
 * Sets cost->measured. `sha256` are those of the files. */
enum ilab_status ilab_cost_measured(const struct ilab_measure *a, const char *sha256_a, const struct ilab_measure *b,
	const char *sha256_b, struct ilab_arena *arena, struct ilab_cost *cost, struct ilab_err *err);

#endif
