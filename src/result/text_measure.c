#include "result/text.h"

#include "base/message.h"
#include "result/layout.h"

#include <inttypes.h>
#include <string.h>

#define MANY_ROWS 10

/* --- the phases ----------------------------------------------------------------------------------------------------------- */

static void add_row(struct ilab_text_buffer *b, const char *name, double seconds, const struct ilab_real *device, const struct ilab_phase *p)
{
	struct ilab_arena *arena = b->arena;

	ilab_text_add(b, "%-16s %11s %11s %9s %9s %9s %9s\n", name, ilab_layout_seconds(arena, seconds),
		device->reason != NULL ? "-" : ilab_layout_seconds(arena, device->value), ilab_layout_mib(arena, p->end_allocated_bytes),
		ilab_layout_mib(arena, p->end_reserved_bytes), ilab_layout_mib(arena, p->peak_allocated_bytes),
		ilab_layout_mib(arena, p->peak_reserved_bytes));
}

static bool is_warm(const struct ilab_phase *p)
{
	return strcmp(p->phase, "warm_forward") == 0;
}

static void larger(uint64_t *a, uint64_t b)
{
	if (b > *a)
		*a = b;
}

/* All warm passes as one line: median seconds, and the largest of each counter. */
static void add_warm_summary(struct ilab_text_buffer *b, const struct ilab_measure *r)
{
	struct ilab_phase top = { 0 };

	for (size_t i = 0; i < r->phase_count; i++) {
		const struct ilab_phase *p = &r->phases[i];
		if (!is_warm(p))
			continue;
		larger(&top.end_allocated_bytes, p->end_allocated_bytes);
		larger(&top.end_reserved_bytes, p->end_reserved_bytes);
		larger(&top.peak_allocated_bytes, p->peak_allocated_bytes);
		larger(&top.peak_reserved_bytes, p->peak_reserved_bytes);
	}
	add_row(b, ilab_arena_printf(b->arena, "%" PRIu64 " warm_forward", r->summary.samples), r->summary.median_seconds.value,
		&r->summary.device_median_seconds, &top);
}

static void add_phases(struct ilab_text_buffer *b, const struct ilab_measure *r, bool verbose)
{
	bool collapse = !verbose && r->summary.samples > MANY_ROWS;
	const char *clock = ilab_layout_cell(b->arena, _("clock"), 11);
	const char *allocated = ilab_layout_cell(b->arena, _("allocated"), 9), *reserved = ilab_layout_cell(b->arena, _("reserved"), 9);

	ilab_text_add(b, "%-16s %11s %11s %19s %19s\n", "", ilab_layout_cell(b->arena, _("host"), 11),
		ilab_layout_cell(b->arena, _("device"), 11), ilab_layout_cell(b->arena, _("end MiB"), 19), ilab_layout_cell(b->arena, _("peak MiB"), 19));
	ilab_text_add(b, "%-16s %11s %11s %9s %9s %9s %9s\n", ilab_layout_cell(b->arena, _("phase"), -16),
		clock, clock, allocated, reserved, allocated, reserved);
	for (size_t i = 0; i < r->phase_count; i++) {
		const struct ilab_phase *p = &r->phases[i];
		if (is_warm(p) && collapse)
			continue;
		add_row(b, p->repetition > 0 ? ilab_arena_printf(b->arena, "%s %" PRIu64, p->phase, p->repetition) : p->phase, p->seconds,
			&p->device_seconds, p);
	}
	if (collapse)
		add_warm_summary(b, r);
}

/* --- what follows from them ------------------------------------------------------------------------------------------------ */

static const char *seconds_or_reason(struct ilab_arena *arena, const struct ilab_real *r)
{
	return r->reason != NULL ? ilab_arena_printf(arena, "- (%s)", r->reason) : ilab_layout_seconds(arena, r->value);
}

static void add_spread(struct ilab_text_buffer *b, const struct ilab_measure *r)
{
	struct ilab_arena *arena = b->arena;

	if (r->summary.median_seconds.reason != NULL) {
		ilab_layout_pair(b, _("median"), "- (%s)", r->summary.median_seconds.reason);
		return;
	}
	ilab_layout_pair(b, _("median"), ilab_message_plural("%s over %" PRIu64 " pass, from %s to %s", "%s over %" PRIu64 " passes, from %s to %s",
		r->summary.samples), ilab_layout_seconds(arena, r->summary.median_seconds.value), r->summary.samples, seconds_or_reason(arena, &r->summary.min_seconds), seconds_or_reason(arena, &r->summary.max_seconds));
	if (r->summary.ci_low_seconds.reason != NULL)
		ilab_layout_pair(b, _("interval"), "- (%s)", r->summary.ci_low_seconds.reason);
	else
		ilab_layout_pair(b, _("interval"), _("%s to %s for the median, with %s %% coverage"), ilab_layout_seconds(arena, r->summary.ci_low_seconds.value),
			seconds_or_reason(arena, &r->summary.ci_high_seconds), ilab_layout_fixed(arena, 100 * r->summary.ci_coverage.value, 2));
	if (r->summary.drift_ratio.reason == NULL && r->summary.outliers.reason == NULL)
		ilab_layout_pair(b, _("stability"), _("last third / first third %s, %s"), ilab_layout_fixed(arena, r->summary.drift_ratio.value, 3),
			ilab_layout_count(arena, r->summary.outliers.value, "outlier", "outliers"));
}

static void add_rate(struct ilab_text_buffer *b, const struct ilab_measure *r)
{
	const struct ilab_real *rate = &r->summary.flop_per_second;

	if (rate->reason != NULL)
		ilab_layout_pair(b, _("rate"), "- (%s)", rate->reason);
	else
		ilab_layout_pair(b, _("rate"), _("%s of the median pass (%s FLOP)"), ilab_layout_flops(b->arena, rate->value),
			ilab_layout_grouped(b->arena, r->model.flop_per_forward));
}

static const char *error_text(struct ilab_arena *arena, const struct ilab_real *r)
{
	return r->reason != NULL ? r->reason : ilab_layout_short(arena, r->value);
}

static void add_verification(struct ilab_text_buffer *b, const struct ilab_measure *r)
{
	bool passed = strcmp(r->verification.status, "passed") == 0;

	ilab_layout_pair(b, _("verification"), _("%s: relative error %s, bound %s, %s checked%s%s"), passed ? _("passed") : _("FAILED"),
		error_text(b->arena, &r->verification.relative_error), ilab_layout_short(b->arena, r->verification.bound),
		ilab_layout_count(b->arena, r->verification.rows_checked, "row", "rows"),
		r->verification.failure != NULL ? "; " : "", r->verification.failure != NULL ? r->verification.failure : "");
}

static void add_heading(struct ilab_text_buffer *b, const struct ilab_measure *r)
{
	const struct ilab_gemm_record *g = &r->gemm;

	ilab_layout_pair(b, _("device"), "%s (%s, %s)", r->device.name, r->device.selector, r->device.type);
	ilab_layout_pair(b, _("view"), "%s", r->configuration.view);
	ilab_layout_pair(b, _("shape"), _("batch %" PRIu64 ", context %" PRIu64 ", width %" PRIu64 ", hidden %" PRIu64 ", %s"), r->configuration.batch,
		r->configuration.context, r->configuration.width, r->configuration.hidden, r->configuration.dtype);
	if (r->configuration.graph)
		ilab_layout_pair(b, _("passes"), _("replayed from a graph; hidden, temporary and output are kept between them"));
	ilab_layout_pair(b, _("provider"), "%s%s%s%s%s%s", g->provider, g->version.reason == NULL && g->version.value != NULL ? " " : "",
		g->version.reason == NULL && g->version.value != NULL ? g->version.value : "", g->tuned ? _(", tuned") : "", g->reason != NULL ? ": " : "",
		g->reason != NULL ? g->reason : "");
	ilab_text_add(b, "\n");
}

const char *ilab_text_measure(const struct ilab_measure *r, bool verbose, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };

	add_heading(&b, r);
	add_phases(&b, r, verbose);
	ilab_text_add(&b, "\n");
	add_spread(&b, r);
	add_rate(&b, r);
	add_verification(&b, r);
	ilab_layout_pair(&b, _("floor"), _("%s for an empty pass; set-up %s, kernel cache %s"), ilab_layout_seconds(arena, r->backend.floor_seconds),
		ilab_layout_seconds(arena, r->backend.setup_seconds), r->backend.kernel_cache);
	ilab_layout_pair(&b, _("counters"), "%s (%s)", r->counters.source, r->counters.scope);
	for (size_t i = 0; i < r->ignored_variable_count; i++)
		ilab_layout_pair(&b, i == 0 ? _("ignored") : "", "%s", r->ignored_variables[i]);
	return b.text;
}
