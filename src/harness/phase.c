#include "harness/phase.h"

#include "base/clock.h"
#include "base/stats.h"

#include <math.h>

/* --- judging stamps --------------------------------------------------------------------------------------------------- */

static struct ilab_real unknown(const char *reason)
{
	return (struct ilab_real){ 0, reason };
}

static double seconds_between(uint64_t begin_ns, uint64_t end_ns)
{
	return (double)(end_ns - begin_ns) * 1e-9;
}

/* What is wrong with stamps taken by themselves and after the span before; NULL when nothing is. */
static const char *stamps_fault(const struct ilab_span *now, const struct ilab_span *before)
{
	if (!now->known)
		return "unavailable: the device gave no time stamps for this span";
	if (now->end_ns == now->begin_ns)
		return "invalid: the device's time stamps do not advance";
	if (now->end_ns < now->begin_ns)
		return "invalid: the device's time stamps are reversed";
	if (before->known && now->begin_ns < before->end_ns)
		return "invalid: the device's time stamps are stale, they begin before the span before them ended";
	return NULL;
}

static bool too_long(double device_seconds, double host_seconds, double resolution_seconds)
{
	return device_seconds > host_seconds * ILAB_SPAN_EXCESS + fmin(resolution_seconds, ILAB_SPAN_SLACK_SECONDS);
}

struct ilab_real ilab_span_judge(const struct ilab_span *now, const struct ilab_timer *timer, double host_seconds)
{
	if (timer->source.reason)
		return unknown(timer->source.reason);
	if (timer->calibration_ratio.reason)
		return unknown(timer->calibration_ratio.reason);
	const char *fault = stamps_fault(now, &timer->before);
	if (fault)
		return unknown(fault);
	double seconds = seconds_between(now->begin_ns, now->end_ns);
	if (too_long(seconds, host_seconds, timer->resolution_seconds))
		return unknown("invalid: the device's time stamps span more than the host clock");
	return (struct ilab_real){ seconds, NULL };
}

static const char too_little[] = "invalid: the device's time stamps cover too little of a known span in the calibration";

struct ilab_real ilab_calibration_judge(const struct ilab_timing *attempts, size_t n, double resolution_seconds)
{
	struct ilab_real best = unknown(NULL);
	const char *fault = NULL;
	struct ilab_span before = { 0 };
	for (size_t i = 0; i < n; i++) {
		const struct ilab_timing *a = &attempts[i];
		const char *f = stamps_fault(&a->span, &before);
		double seconds = f ? 0 : seconds_between(a->span.begin_ns, a->span.end_ns);
		before = a->span;
		if (!f && (too_long(seconds, a->host_seconds, resolution_seconds) || seconds > a->host_seconds * ILAB_CALIBRATION_MOST))
			f = "invalid: the device clock runs faster than the host clock in the calibration";
		if (f)
			fault = fault ? fault : f;
		else if (seconds / a->host_seconds > best.value)
			best.value = seconds / a->host_seconds;
	}
	if (best.value >= ILAB_CALIBRATION_LEAST)
		return best;
	return unknown(fault ? fault : too_little);
}

/* --- measuring -------------------------------------------------------------------------------------------------------- */

#define CALIBRATION_ELEMENTS 16384
#define CALIBRATION_SECONDS 4e-3
#define CALIBRATION_FILLS_MAX 4096
#define CALIBRATION_ATTEMPTS 5
#define CALIBRATION_GOOD 0.9       /* no further attempt is needed */
#define FLOOR_SAMPLES 9

/* Seconds of `fills` fills of `scratch` (none: an empty pass) between two markers, host clock around both. */
static enum ilab_status time_fills(const struct ilab_backend *b, struct ilab_session *s, struct ilab_buffer *scratch,
	const struct ilab_tensor *t, unsigned fills, struct ilab_timing *out, struct ilab_err *err)
{
	enum ilab_status status = b->sync(s, err);
	uint64_t start_ns = ilab_clock_ns();
	if (!status)
		status = b->span_begin(s, err);
	for (unsigned i = 0; !status && i < fills; i++)
		status = b->fill(s, scratch, ILAB_FILL_RULE, t, err);
	if (!status)
		status = b->span_end(s, err);
	if (!status)
		status = b->sync(s, err);
	out->host_seconds = seconds_between(start_ns, ilab_clock_ns());
	out->span.known = !status && b->span_read(s, &out->span.begin_ns, &out->span.end_ns);
	return status;
}

/* Spans of twice as many fills each, from one that takes CALIBRATION_SECONDS on. A busy host can make a short one look long, and delays of
 * its own weigh less in a longer one. Ends early on a good ratio, and on stamps that are wrong in themselves. */
static enum ilab_status calibrate_with(const struct ilab_backend *b, struct ilab_session *s, struct ilab_buffer *scratch,
	const struct ilab_tensor *t, struct ilab_timer *timer, struct ilab_err *err)
{
	struct ilab_timing attempts[CALIBRATION_ATTEMPTS], timing;
	struct ilab_real *ratio = &timer->calibration_ratio;
	size_t n = 0;
	enum ilab_status status = time_fills(b, s, scratch, t, 1, &timing, err);   /* first use */
	for (unsigned fills = 1; !status && n < CALIBRATION_ATTEMPTS; fills *= 2) {
		status = time_fills(b, s, scratch, t, fills, &timing, err);
		timer->before = timing.span;
		if (timing.host_seconds < CALIBRATION_SECONDS && fills < CALIBRATION_FILLS_MAX)
			continue;
		attempts[n++] = timing;
		*ratio = ilab_calibration_judge(attempts, n, timer->resolution_seconds);
		if (ratio->reason ? ratio->reason != too_little : ratio->value >= CALIBRATION_GOOD)
			break;
	}
	return status;
}

enum ilab_status ilab_timer_calibrate(const struct ilab_backend *b, struct ilab_session *s, struct ilab_timer *timer,
	struct ilab_err *err)
{
	if (timer->source.reason) {
		timer->calibration_ratio = unknown(timer->source.reason);
		return ILAB_OK;
	}
	const struct ilab_tensor t = { .stream = ILAB_STREAM_X, .dtype = ILAB_F32, .layout = ILAB_LAYOUT_ROWS, .rows = 1,
		.cols = CALIBRATION_ELEMENTS, .bound = 1 };
	struct ilab_buffer *scratch = NULL;
	enum ilab_status status = b->alloc(s, CALIBRATION_ELEMENTS * sizeof(float), &scratch, err);
	if (!status)
		status = calibrate_with(b, s, scratch, &t, timer, err);
	b->free(s, scratch);
	return status;
}

enum ilab_status ilab_timer_floor(const struct ilab_backend *b, struct ilab_session *s, struct ilab_timer *timer,
	double *seconds, struct ilab_err *err)
{
	double samples[FLOOR_SAMPLES];
	struct ilab_timing timing = { 0 };
	for (size_t i = 0; i < FLOOR_SAMPLES; i++) {
		enum ilab_status status = time_fills(b, s, NULL, NULL, 0, &timing, err);
		if (status)
			return status;
		samples[i] = timing.host_seconds;
	}
	timer->before = timing.span;
	*seconds = ilab_stats_median(samples, FLOOR_SAMPLES);
	return ILAB_OK;
}

/* The test hook: a loss of a known size, inside the clock. */
static void hold_up(uint64_t start_ns, double share)
{
	const uint64_t now_ns = ilab_clock_ns(), until_ns = now_ns + (uint64_t)((double)(now_ns - start_ns) * share);
	while (share > 0 && ilab_clock_ns() < until_ns)
		;
}

enum ilab_status ilab_phase_run(const struct ilab_backend *b, struct ilab_session *s, struct ilab_timer *timer,
	const struct ilab_step *step, void *context, struct ilab_phase *row, struct ilab_err *err)
{
	struct ilab_memory baseline, end;
	struct ilab_span span = { 0 };
	enum ilab_status status = b->sync(s, err);
	if (status)
		return status;
	b->memory(s, &baseline);
	b->reset_peaks(s);

	uint64_t start_ns = ilab_clock_ns();
	status = b->span_begin(s, err);
	if (!status)
		status = step->work(context, err);
	if (!status)
		status = b->span_end(s, err);
	if (!status)
		status = b->sync(s, err);
	hold_up(start_ns, timer->slow_down);
	uint64_t stop_ns = ilab_clock_ns();
	if (status)
		return status;

	b->memory(s, &end);
	span.known = b->span_read(s, &span.begin_ns, &span.end_ns);
	double seconds = seconds_between(start_ns, stop_ns);
	*row = (struct ilab_phase){
		.phase = step->name,
		.seconds = seconds,
		.device_seconds = ilab_span_judge(&span, timer, seconds),
		.baseline_allocated_bytes = baseline.allocated_bytes, .baseline_reserved_bytes = baseline.reserved_bytes,
		.end_allocated_bytes = end.allocated_bytes, .end_reserved_bytes = end.reserved_bytes,
		.peak_allocated_bytes = end.peak_allocated_bytes, .peak_reserved_bytes = end.peak_reserved_bytes,
		.driver_used_bytes = end.driver_used_bytes,
	};
	timer->before = span;
	return ILAB_OK;
}
