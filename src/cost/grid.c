#include "cost/grid.h"

#include "base/numtext.h"

#include <stdbool.h>
#include <string.h>

/* --- cells ----------------------------------------------------------------------------------------------------------- */

static bool looks_like_formula(const char *text)
{
	const char *p = text + strspn(text, " ");
	return (*p && strchr("=+-@", *p)) || (text[0] && (unsigned char)text[0] < ' ');
}

static void put_text(FILE *out, const char *text)
{
	if (!text)
		return;
	const char *guard = looks_like_formula(text) ? "'" : "";
	if (!strpbrk(text, ",\"\r\n")) {
		fprintf(out, "%s%s", guard, text);
		return;
	}
	fprintf(out, "\"%s", guard);
	for (const char *c = text; *c; c++) {
		if (*c == '"')
			fputc('"', out);
		fputc(*c, out);
	}
	fputc('"', out);
}

static void put_u64(FILE *out, uint64_t v)
{
	char text[ILAB_NUMTEXT_SIZE];
	ilab_format_u64(text, sizeof(text), v);
	fputs(text, out);
}

static void put_seconds(FILE *out, double v)
{
	char text[ILAB_NUMTEXT_SIZE];
	ilab_format_double(text, sizeof(text), v);
	fputs(text, out);
}

/* --- columns --------------------------------------------------------------------------------------------------------- */

typedef void column_fn(FILE *out, const struct ilab_measure *m, const struct ilab_phase *p);

#define COLUMN(name, statement) \
	static void name(FILE *out, const struct ilab_measure *m, const struct ilab_phase *p) { (void)m; (void)p; statement; }

COLUMN(run_id, put_text(out, m->header.run_id))
COLUMN(started_utc, put_text(out, m->header.started_utc))
COLUMN(tool_version, put_text(out, m->header.tool_version))
COLUMN(device, put_text(out, m->device.name))
COLUMN(view, put_text(out, m->configuration.view))
COLUMN(driver_version, put_text(out, m->device.driver_version.value))
COLUMN(dtype, put_text(out, m->configuration.dtype))
COLUMN(batch, put_u64(out, m->configuration.batch))
COLUMN(context, put_u64(out, m->configuration.context))
COLUMN(width, put_u64(out, m->configuration.width))
COLUMN(hidden, put_u64(out, m->configuration.hidden))
COLUMN(phase, put_text(out, p->phase))
COLUMN(repetition, if (p->repetition) put_u64(out, p->repetition))
COLUMN(seconds, put_seconds(out, p->seconds))
COLUMN(device_seconds, if (!p->device_seconds.reason) put_seconds(out, p->device_seconds.value))
COLUMN(peak_allocated_bytes, put_u64(out, p->peak_allocated_bytes))
COLUMN(peak_reserved_bytes, put_u64(out, p->peak_reserved_bytes))
COLUMN(counters_source, put_text(out, m->counters.source))
COLUMN(verification, put_text(out, m->verification.status))

static const struct { const char *name; column_fn *put; } columns[] = {
	{ "run_id", run_id },
	{ "started_utc", started_utc },
	{ "tool_version", tool_version },
	{ "device", device },
	{ "view", view },
	{ "driver_version", driver_version },
	{ "dtype", dtype },
	{ "batch", batch },
	{ "context", context },
	{ "width", width },
	{ "hidden", hidden },
	{ "phase", phase },
	{ "repetition", repetition },
	{ "seconds", seconds },
	{ "device_seconds", device_seconds },
	{ "peak_allocated_bytes", peak_allocated_bytes },
	{ "peak_reserved_bytes", peak_reserved_bytes },
	{ "counters_source", counters_source },
	{ "verification", verification },
	{ "quality_unit", NULL },          /* from here on the user's */
	{ "quality_threshold", NULL },
	{ "accepted_results", NULL },
	{ "rejected_results", NULL },
	{ "notes", NULL },
};
enum { COLUMN_COUNT = sizeof(columns) / sizeof(*columns) };

static const char *separator(size_t column) { return column + 1 < COLUMN_COUNT ? "," : "\r\n"; }

void ilab_grid_header(FILE *out)
{
	for (size_t i = 0; i < COLUMN_COUNT; i++)
		fprintf(out, "%s%s", columns[i].name, separator(i));
}

void ilab_grid_measure(FILE *out, const struct ilab_measure *m)
{
	for (const struct ilab_phase *p = m->phases; p < m->phases + m->phase_count; p++) {
		if (strcmp(p->phase, "cold_forward") != 0 && strcmp(p->phase, "warm_forward") != 0)
			continue;
		for (size_t i = 0; i < COLUMN_COUNT; i++) {
			if (columns[i].put)
				columns[i].put(out, m, p);
			fputs(separator(i), out);
		}
	}
}
