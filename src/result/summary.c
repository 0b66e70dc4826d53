#include "result/document.h"

#include "base/stats.h"

#include <math.h>
#include <string.h>

#define CONFIDENCE 0.95
#define NO_PASS "not-run: there is no warm forward pass"

/* Samples of the warm passes, in time order. */
struct samples {
	double *seconds, *device_seconds;
	size_t count;
	const char *no_device;     /* reason of the first row without device_seconds */
};

static struct samples collect(const struct ilab_measure *r, struct ilab_arena *arena)
{
	struct samples s = {
		.seconds = ilab_arena_alloc(arena, (r->phase_count + 1) * sizeof(double)),
		.device_seconds = ilab_arena_alloc(arena, (r->phase_count + 1) * sizeof(double)),
	};

	for (size_t i = 0; i < r->phase_count; i++) {
		const struct ilab_phase *p = &r->phases[i];
		if (p->phase == NULL || strcmp(p->phase, "warm_forward") != 0)
			continue;
		s.seconds[s.count] = p->seconds;
		s.device_seconds[s.count++] = p->device_seconds.value;
		if (s.no_device == NULL)
			s.no_device = p->device_seconds.reason;
	}
	return s;
}

static struct ilab_real known(double value)
{
	return (struct ilab_real){ .value = value };
}

static struct ilab_real unknown(const char *reason)
{
	return (struct ilab_real){ .reason = reason };
}

static void summarise_spread(struct ilab_measure *r, const struct samples *s, struct ilab_arena *arena)
{
	const char *few = ilab_arena_printf(arena, "too-few-samples: %zu, at least 6 are needed", s->count);
	struct ilab_interval interval;
	double drift;

	r->summary.mad_seconds = s->count >= 2 ? known(ilab_stats_mad(s->seconds, s->count))
		: unknown("too-few-samples: 1, at least 2 are needed");
	r->summary.ci_low_seconds = r->summary.ci_high_seconds = r->summary.ci_coverage = r->summary.drift_ratio = unknown(few);
	r->summary.outliers = (struct ilab_count){ .reason = few };
	if (s->count < 6)
		return;
	if (ilab_stats_median_interval(s->seconds, s->count, CONFIDENCE, &interval)) {
		r->summary.ci_low_seconds = known(interval.low);
		r->summary.ci_high_seconds = known(interval.high);
		r->summary.ci_coverage = known(interval.coverage);
	}
	r->summary.drift_ratio = ilab_stats_drift(s->seconds, s->count, &drift) ? known(drift)
		: unknown("invalid: the first samples took no time");
	r->summary.outliers = (struct ilab_count){ .value = ilab_stats_outliers(s->seconds, s->count) };
}

/* A rate needs a verified result and a clock that moved. */
static struct ilab_real rate(const struct ilab_measure *r, double median)
{
	double value = (double)r->model.flop_per_forward / median;

	if (r->verification.status == NULL || strcmp(r->verification.status, "passed") != 0)
		return unknown("invalid: the output was not verified");
	return median > 0 && isfinite(value) ? known(value) : unknown("invalid: the median is 0 s");
}

static void summarise_nothing(struct ilab_measure *r)
{
	r->summary.median_seconds = r->summary.min_seconds = r->summary.max_seconds = r->summary.mad_seconds = unknown(NO_PASS);
	r->summary.ci_low_seconds = r->summary.ci_high_seconds = r->summary.ci_coverage = r->summary.drift_ratio = unknown(NO_PASS);
	r->summary.outliers = (struct ilab_count){ .reason = NO_PASS };
	r->summary.flop_per_second = r->summary.device_median_seconds = unknown(NO_PASS);
}

void ilab_measure_summarise(struct ilab_measure *r, struct ilab_arena *arena)
{
	struct samples s = collect(r, arena);
	double low = s.seconds[0], high = s.seconds[0];

	r->summary.samples = s.count;
	if (s.count == 0) {
		summarise_nothing(r);
		return;
	}
	for (size_t i = 1; i < s.count; i++) {
		low = fmin(low, s.seconds[i]);
		high = fmax(high, s.seconds[i]);
	}
	r->summary.median_seconds = known(ilab_stats_median(s.seconds, s.count));
	r->summary.min_seconds = known(low);
	r->summary.max_seconds = known(high);
	summarise_spread(r, &s, arena);
	r->summary.flop_per_second = rate(r, r->summary.median_seconds.value);
	r->summary.device_median_seconds = s.no_device == NULL ? known(ilab_stats_median(s.device_seconds, s.count)) : unknown(s.no_device);
}
