#include "cost/tariff.h"

#include "base/message.h"
#include "base/path.h"
#include "cost/tariff_cells.h"

#include <csv.h>
#include <sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t durations[] = { 3, 7, 30 };
enum { DURATION_COUNT = sizeof(durations) / sizeof(*durations) };

/* libcsv hands over cells and row ends; we feed it line by line, so that we know where each comes from. */
struct reader {
	const char *name;
	struct ilab_arena *arena;
	struct ilab_err *err;
	enum ilab_status status;
	struct ilab_tariff *rows; size_t row_count;
	size_t line;               /* being read */
	size_t row_line;           /* where the row at hand began, 0 between rows */
	size_t cell;               /* index in the row at hand */
	bool in_header;
};

static const char *where(const struct reader *r, size_t line)
{
	return ilab_arena_printf(r->arena, _("%s, line %zu"), r->name, line);
}

static enum ilab_status fault(struct reader *r, size_t line, const char *what)
{
	return r->status = ilab_err_set(r->err, ILAB_IO, NULL, 0, "%s, line %zu: %s", r->name, line, what);
}

/* The place is text only for messages: one small buffer a row instead of one string a cell. */
static void take_cell(void *cell, size_t bytes, void *data)
{
	struct reader *r = data;
	char place[300];
	if (r->status != ILAB_OK)
		return;
	size_t index = r->cell++;
	snprintf(place, sizeof(place), "%.250s, line %zu", r->name, r->row_line);
	if (r->in_header)
		r->status = ilab_tariff_check_column(place, index, cell, r->err);
	else if (index < ILAB_TARIFF_COLUMN_COUNT)
		r->status = ilab_tariff_read_cell(place, index, cell, bytes, r->arena, &r->rows[r->row_count], r->err);
}

static void end_row(int terminator, void *data)
{
	struct reader *r = data;
	(void)terminator;
	if (r->status != ILAB_OK)
		return;
	size_t line = r->row_line, cells = r->cell;
	if (r->in_header && cells < ILAB_TARIFF_COLUMN_COUNT) {
		r->status = ilab_tariff_check_column(where(r, line), cells, NULL, r->err);
	} else if (cells != ILAB_TARIFF_COLUMN_COUNT) {
		char what[80];
		snprintf(what, sizeof(what), "%zu cells where the header has %d columns", cells, ILAB_TARIFF_COLUMN_COUNT);
		fault(r, line, what);
	} else if (!r->in_header) {
		r->rows[r->row_count++].line = line;
	}
	r->in_header = false;
	r->row_line = r->cell = 0;
}

/* --- the text, line by line ------------------------------------------------------------------------------------------ */

/* What libcsv would take silently: an empty line (skipped), a lone CR (a row's end), NUL. */
static enum ilab_status check_line(struct reader *r, const char *line, size_t bytes)
{
	if (memchr(line, 0, bytes))
		return fault(r, r->line, _("a NUL byte; the table must be UTF-8 text"));
	if (bytes && line[bytes - 1] == '\n')
		bytes--;
	if (bytes && line[bytes - 1] == '\r')
		bytes--;
	if (memchr(line, '\r', bytes))
		return fault(r, r->line, _("a carriage return inside the line; lines end in LF or CRLF"));
	if (bytes == 0 && r->row_line == 0)
		return fault(r, r->line, _("the line is empty"));
	return ILAB_OK;
}

static int no_blank(unsigned char c) { (void)c; return 0; }

static enum ilab_status read_rows(struct reader *r, const char *text, size_t bytes)
{
	struct csv_parser parser;
	if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0)
		return fault(r, 1, _("the CSV reader cannot be set up"));
	csv_set_space_func(&parser, no_blank);     /* blanks belong to the cell */
	const char *end = text + bytes;
	while (text < end && r->status == ILAB_OK) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = newline ? (size_t)(newline - text) + 1 : (size_t)(end - text);
		r->line++;
		if (check_line(r, text, length) != ILAB_OK)
			break;
		if (r->row_line == 0)
			r->row_line = r->line;
		if (csv_parse(&parser, text, length, take_cell, end_row, r) != length && r->status == ILAB_OK)
			fault(r, r->line, _("a quote where none may be; quote the whole cell and write a quote in it twice"));
		text += length;
	}
	if (r->status == ILAB_OK && csv_fini(&parser, take_cell, end_row, r) != 0)
		fault(r, r->line, _("the file ends inside a quoted cell"));
	csv_free(&parser);
	return r->status;
}

/* --- the table as a whole -------------------------------------------------------------------------------------------- */

static int by_model_and_days(const void *a, const void *b)
{
	const struct ilab_tariff *x = a, *y = b;
	int order = strcmp(x->model, y->model);
	if (order == 0)
		order = (x->days > y->days) - (x->days < y->days);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* The durations of the model whose rows begin at `first`: all of them, none twice, one lot size. */
static enum ilab_status check_model(struct reader *r, const struct ilab_tariff *first, size_t count)
{
	const char *model = first->model;
	for (size_t i = 1; i < count; i++)
		if (first[i].days == first[i - 1].days)
			return r->status = ilab_err_set(r->err, ILAB_IO, NULL, 0, "%s: model '%.60s' has %llu days twice, first in line %zu",
				where(r, first[i].line), model, (unsigned long long)first[i].days, first[i - 1].line);
	for (size_t i = 0; i < DURATION_COUNT; i++)
		if (i >= count || first[i].days != durations[i])
			return r->status = ilab_err_set(r->err, ILAB_IO, NULL, 0, "%s: model '%.60s' has no row for %llu days",
				where(r, first->line), model, (unsigned long long)durations[i]);
	for (size_t i = 1; i < count; i++)
		if (first[i].gpus_per_lot != first->gpus_per_lot)
			return r->status = ilab_err_set(r->err, ILAB_IO, NULL, 0, "%s: model '%.60s' has %llu GPUs a lot here and %llu in line %zu",
				where(r, first[i].line), model, (unsigned long long)first[i].gpus_per_lot,
				(unsigned long long)first->gpus_per_lot, first->line);
	return ILAB_OK;
}

static enum ilab_status check_table(struct reader *r)
{
	if (r->row_count == 0)
		return fault(r, r->line ? r->line : 1, r->line ? _("there is no price after the header") : _("the file is empty"));
	qsort(r->rows, r->row_count, sizeof(*r->rows), by_model_and_days);
	for (size_t i = 0, next; i < r->row_count && r->status == ILAB_OK; i = next) {
		for (next = i + 1; next < r->row_count && !strcmp(r->rows[next].model, r->rows[i].model);)
			next++;
		check_model(r, &r->rows[i], next - i);
	}
	return r->status;
}

static size_t count_lines(const char *text, size_t bytes)
{
	size_t lines = 1;
	for (const char *p = text; (p = memchr(p, '\n', bytes - (size_t)(p - text))); p++)
		lines++;
	return lines;
}

enum ilab_status ilab_tariffs_parse(const char *name, const char *text, size_t bytes, struct ilab_arena *arena,
	struct ilab_tariffs *out, struct ilab_err *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t skip = bytes >= 3 && !memcmp(text, mark, 3) ? 3 : 0;
	struct reader r = { .name = name, .arena = arena, .err = err, .in_header = true };
	r.rows = ilab_arena_alloc(arena, count_lines(text, bytes) * sizeof(*r.rows));
	if (read_rows(&r, text + skip, bytes - skip) != ILAB_OK || check_table(&r) != ILAB_OK)
		return r.status;
	*out = (struct ilab_tariffs){ .file = ilab_arena_strdup(arena, ilab_path_base(name)), .rows = r.rows, .row_count = r.row_count };
	SHA256Data((const uint8_t *)text, bytes, out->sha256);
	return ILAB_OK;
}

/* --- looking up ------------------------------------------------------------------------------------------------------ */

/* "b200, h100, ..." as far as it fits into `size` bytes. */
static void list_models(const struct ilab_tariffs *tariffs, char *buf, size_t size)
{
	size_t used = 0;
	buf[0] = 0;
	for (size_t i = 0; i < tariffs->row_count; i++) {
		const char *model = tariffs->rows[i].model;
		if (i && !strcmp(model, tariffs->rows[i - 1].model))
			continue;
		if (used + strlen(model) + sizeof(", , ...") > size) {
			snprintf(buf + used, size - used, ", ...");
			return;
		}
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", model);
	}
}

enum ilab_status ilab_tariffs_find(const struct ilab_tariffs *tariffs, const char *model, uint64_t days,
	const struct ilab_tariff **out, struct ilab_err *err)
{
	bool known = false;
	for (size_t i = 0; i < tariffs->row_count; i++) {
		if (strcmp(tariffs->rows[i].model, model) != 0)
			continue;
		known = true;
		if (tariffs->rows[i].days == days) {
			*out = &tariffs->rows[i];
			return ILAB_OK;
		}
	}
	if (known)
		return ilab_err_set(err, ILAB_REFUSED, NULL, 0, "a flat rate of %llu days is not offered; there are 3, 7 and 30",
			(unsigned long long)days);
	char models[300];
	list_models(tariffs, models, sizeof(models));
	return ilab_err_set(err, ILAB_REFUSED, NULL, 0, "model '%.60s' is not in %s, which has: %s", model, tariffs->file, models);
}
