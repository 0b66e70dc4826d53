#include "result/measure_parts.h"

#include "result/clocks.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of sums of rounded seconds. */
#define SUM_SECONDS 1e-6
/* Of figures whose last digits another writer may have rounded. */
#define ROUNDING 1e-9
/* The host's clock counts nanoseconds, and nothing measured lasts for 31 years: within these, ratios and rates are numbers. */
#define LEAST_SECONDS 1e-9
#define MOST_SECONDS 1e9

struct row { const struct ilab_measure *r; size_t index; const struct ilab_phase *p; struct ilab_err *err; };

static enum ilab_status fault(const struct row *row, const char *member, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static enum ilab_status fault(const struct row *row, const char *member, const char *format, ...)
{
	char what[200];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	return ilab_err_set(row->err, ILAB_IO, NULL, 0, "phases[%zu].%s: %s", row->index, member, what);
}

#define FIRST_FORWARD 2                /* index of cold_forward */

/* The phase and repetition that must stand at `index`. */
static const char *expected_phase(const struct ilab_measure *r, size_t index, uint64_t *repetition)
{
	static const char *const first[] = { "model_load", "inputs", "cold_forward" };
	size_t before = 3 + (r->configuration.warmup > 0);

	*repetition = 0;
	if (index < 3)
		return first[index];
	if (index < before)
		return "warmup";
	*repetition = index - before + 1;
	return "warm_forward";
}

static bool is_forward(const struct ilab_phase *p)
{
	return strcmp(p->phase, "model_load") != 0 && strcmp(p->phase, "inputs") != 0;
}

static enum ilab_status check_order(const struct row *row)
{
	uint64_t repetition;
	const char *phase = expected_phase(row->r, row->index, &repetition);

	if (strcmp(row->p->phase, phase) != 0)
		return fault(row, "phase", "%s, expected %s", row->p->phase, phase);
	if (row->p->repetition != repetition)
		return fault(row, "repetition", "%" PRIu64 ", expected %" PRIu64, row->p->repetition, repetition);
	return ILAB_OK;
}

static enum ilab_status check_clocks(const struct row *row)
{
	const struct ilab_phase *p = row->p;

	if (!(p->seconds >= 0))
		return fault(row, "seconds", "negative");
	if (p->seconds > 0 && (p->seconds < LEAST_SECONDS || p->seconds > MOST_SECONDS))
		return fault(row, "seconds", "above 0, but not from a nanosecond to 10^9 seconds");
	if (p->device_seconds.reason != NULL)
		return ILAB_OK;
	if (row->r->timers.device_calibration_ratio.reason != NULL)
		return fault(row, "device_seconds", "a value, but the device's clock did not pass calibration");
	if (!(p->device_seconds.value > 0))
		return fault(row, "device_seconds", "not above 0");
	if (p->device_seconds.value > (p->seconds * ILAB_SPAN_EXCESS + ILAB_SPAN_SLACK_SECONDS) * (1 + ROUNDING))
		return fault(row, "device_seconds", "does not fit into seconds");
	return ILAB_OK;
}

static enum ilab_status check_counters(const struct row *row)
{
	const struct ilab_phase *p = row->p;

	if (p->driver_used_bytes.reason == NULL && row->r->counters.driver_source.reason != NULL)
		return fault(row, "driver_used_bytes", "a value, but memory_counters.driver.source is null");
	if (p->baseline_allocated_bytes > p->baseline_reserved_bytes)
		return fault(row, "baseline_allocated_bytes", "above baseline_reserved_bytes");
	if (p->end_allocated_bytes > p->end_reserved_bytes)
		return fault(row, "end_allocated_bytes", "above end_reserved_bytes");
	if (p->peak_allocated_bytes > p->peak_reserved_bytes)
		return fault(row, "peak_allocated_bytes", "above peak_reserved_bytes");
	if (p->baseline_allocated_bytes > p->peak_allocated_bytes)
		return fault(row, "peak_allocated_bytes", "below baseline_allocated_bytes");
	if (p->baseline_reserved_bytes > p->peak_reserved_bytes)
		return fault(row, "peak_reserved_bytes", "below baseline_reserved_bytes");
	if (p->end_allocated_bytes > p->peak_allocated_bytes)
		return fault(row, "peak_allocated_bytes", "below end_allocated_bytes");
	if (p->end_reserved_bytes > p->peak_reserved_bytes)
		return fault(row, "peak_reserved_bytes", "below end_reserved_bytes");
	return ILAB_OK;
}

static enum ilab_status expect(const struct row *row, const char *member, uint64_t said, uint64_t is, const char *what)
{
	if (said == is)
		return ILAB_OK;
	return fault(row, member, "%" PRIu64 ", but %s %" PRIu64, said, what, is);
}

/* Allocated bytes follow from the model, to the byte: parameters, then inputs, then in each pass hidden units, temporary values and
 * output, all alive at once, of which only the output is left when the pass ends and none when the next begins. With a graph the first pass
 * allocates them and all stay. */
static enum ilab_status check_bytes(const struct row *row)
{
	const struct ilab_measure *r = row->r;
	const struct ilab_phase *p = row->p;
	const uint64_t parameters = r->model.parameter_bytes, held = parameters + r->model.input_bytes;
	uint64_t baseline = row->index == 0 ? 0 : row->index == 1 ? parameters : held;
	uint64_t end = row->index == 0 ? parameters : held, peak = end;
	const char *what = row->index == 0 ? "parameters are" : "parameters and inputs are";

	if (is_forward(p)) {
		end = held + r->model.output_bytes;
		peak = end + r->model.hidden_bytes + r->gemm.temporary_bytes;
		if (r->configuration.graph)
			end = peak;
		if (r->configuration.graph && row->index > FIRST_FORWARD)
			baseline = peak;
	}
	enum ilab_status status = expect(row, "baseline_allocated_bytes", p->baseline_allocated_bytes, baseline, "what was there before makes");
	if (status == ILAB_OK)
		status = expect(row, "end_allocated_bytes", p->end_allocated_bytes, end, is_forward(p) ? "parameters, inputs and output are" : what);
	if (status == ILAB_OK)
		status = expect(row, "peak_allocated_bytes", p->peak_allocated_bytes, peak,
			is_forward(p) ? "parameters, inputs, hidden, output and temporary are" : what);
	return status;
}

static enum ilab_status check_checksum(const struct row *row)
{
	if (!is_forward(row->p) && row->p->output_checksum != NULL)
		return fault(row, "output_checksum", "this phase has no output");
	if (is_forward(row->p) && row->p->output_checksum == NULL)
		return fault(row, "output_checksum", "null");
	return ILAB_OK;
}

static enum ilab_status check_row(const struct row *row)
{
	static enum ilab_status (*const checks[])(const struct row *) = { check_order, check_clocks, check_counters, check_bytes, check_checksum };
	enum ilab_status status = ILAB_OK;

	for (size_t i = 0; i < sizeof checks / sizeof *checks && status == ILAB_OK; i++)
		status = checks[i](row);
	return status;
}

enum ilab_status ilab_measure_check_rows(const struct ilab_measure *r, struct ilab_err *err)
{
	size_t before = 3 + (r->configuration.warmup > 0);
	double sum = r->backend.setup_seconds;

	if (r->phase_count < before || r->phase_count - before != r->configuration.repeats)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "phases: %zu rows, but warmup and repeats give %zu + %" PRIu64, r->phase_count, before,
			r->configuration.repeats);
	for (size_t i = 0; i < r->phase_count; i++) {
		const struct row row = { r, i, &r->phases[i], err };
		enum ilab_status status = check_row(&row);
		if (status != ILAB_OK)
			return status;
		sum += r->phases[i].seconds;
	}
	if (sum > r->header.total_seconds + SUM_SECONDS)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "total_seconds: less than setup and phases together");
	return ILAB_OK;
}
