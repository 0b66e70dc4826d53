#ifndef ILAB_HARNESS_PHASE_H
#define ILAB_HARNESS_PHASE_H

#include "backend/backend.h"
#include "result/clocks.h"
#include "result/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Time and count around one step, and the judgement of what device clocks say. The host clock (base/clock.h) is the measure of
 * every row; device stamps stand beside it, and only when they are credible. */

/* Raw stamps of one span as the device gave them; known = false: it gave none. */
struct ilab_span { bool known; uint64_t begin_ns, end_ns; };

/* One span and the host seconds that enclosed it. */
struct ilab_timing { struct ilab_span span; double host_seconds; };

struct ilab_timer {
	struct ilab_text source;               /* what makes the stamps, or the reason why there are none */
	double resolution_seconds;             /* of the stamps */
	struct ilab_real calibration_ratio;    /* device seconds over host seconds of a known span */
	struct ilab_span before;               /* the span read last */
	double slow_down;                      /* test hook: hold every row up by this share of its own time; 0: none */
};

/* Pure. Seconds of a row from its stamps, or null: no stamps, calibration failed, no advance, reversed, begins before the span
 * `before` ended (stale stamps do), longer than the host clock allows. Reasons are static strings. */
struct ilab_real ilab_span_judge(const struct ilab_span *now, const struct ilab_timer *timer, double host_seconds);

/* Pure. The ratio that attempts at one known span give: the largest credible one, since whatever disturbs an attempt lengthens the
 * host's time only. Null when no attempt has credible stamps or none covers enough of its span. n >= 1. */
struct ilab_real ilab_calibration_judge(const struct ilab_timing *attempts, size_t n, double resolution_seconds);

/* Measure the calibration ratio with queued fills on a scratch buffer; sets timer->calibration_ratio and timer->before. Runs no
 * product. Leaves the scratch buffer in the allocator's cache. */
enum ilab_status ilab_timer_calibrate(const struct ilab_backend *backend, struct ilab_session *s, struct ilab_timer *timer,
	struct ilab_err *err);

/* Host seconds of an empty pass (sync, markers, no work): the median of several. */
enum ilab_status ilab_timer_floor(const struct ilab_backend *backend, struct ilab_session *s, struct ilab_timer *timer,
	double *seconds, struct ilab_err *err);

/* What a row measures. */
struct ilab_step {
	const char *name;
	enum ilab_status (*work)(void *context, struct ilab_err *err);
};

/* sync, baselines, reset of the peaks, clock, marker, work, marker, sync, clock, end readings: in this order. Fills in everything of
 * `row` but repetition and output_checksum. On an error `row` is undefined. */
enum ilab_status ilab_phase_run(const struct ilab_backend *backend, struct ilab_session *s, struct ilab_timer *timer,
	const struct ilab_step *step, void *context, struct ilab_phase *row, struct ilab_err *err);

#endif
