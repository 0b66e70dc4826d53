#include "cost/tariff_cells.h"

#include "base/date.h"
#include "base/message.h"
#include "base/numtext.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

enum kind { TEXT, WHOLE, DAYS, DATE };

static const struct column {
	const char *name;
	enum kind kind;
	size_t offset;
	uint64_t limit;            /* WHOLE: the largest value; TEXT: bytes */
	const char *unit;
} columns[ILAB_TARIFF_COLUMN_COUNT] = {
	{ "model", TEXT, offsetof(struct ilab_tariff, model), 100, NULL },
	{ "gpus_per_lot", WHOLE, offsetof(struct ilab_tariff, gpus_per_lot), ILAB_TARIFF_MAX_GPUS, "GPUs" },
	{ "days", DAYS, offsetof(struct ilab_tariff, days), 0, NULL },
	{ "price_cents_usd", WHOLE, offsetof(struct ilab_tariff, price_cents), ILAB_TARIFF_MAX_PRICE_CENTS, N_("US cents") },
	{ "snapshot_date", DATE, offsetof(struct ilab_tariff, snapshot_date), 0, NULL },
	{ "source", TEXT, offsetof(struct ilab_tariff, source), 1000, NULL },
};

enum ilab_status ilab_tariff_check_column(const char *where, size_t index, const char *text, struct ilab_err *err)
{
	const char *header = _("the header is 'model,gpus_per_lot,days,price_cents_usd,snapshot_date,source'");
	if (!text)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s: column '%s' is missing; %s", where, columns[index].name, header);
	if (index < ILAB_TARIFF_COLUMN_COUNT && !strcmp(text, columns[index].name))
		return ILAB_OK;
	bool known = false;
	for (size_t i = 0; i < ILAB_TARIFF_COLUMN_COUNT; i++)
		known |= !strcmp(text, columns[i].name);
	if (known)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s: misplaced column '%.40s' at place %zu; %s", where, text, index + 1, header);
	return ilab_err_set(err, ILAB_IO, NULL, 0, "%s: unknown column '%.40s' at place %zu; %s", where, text, index + 1, header);
}

/* --- cells ----------------------------------------------------------------------------------------------------------- */

static enum ilab_status refuse(const char *where, const struct column *column, const char *text, const char *why, struct ilab_err *err)
{
	return ilab_err_set(err, ILAB_IO, NULL, 0, "%s: %s '%.60s' %s", where, column->name, text, why);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* NULL, or what is wrong with a text cell. */
static const char *text_fault(const char *text, size_t bytes, uint64_t limit)
{
	if (bytes > limit)
		return _("is too long");
	if (is_blank(text[0]) || is_blank(text[bytes - 1]))
		return _("has a blank at its beginning or end");
	for (size_t i = 0, step; i < bytes; i += step) {
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return _("holds a line break or another control character");
		step = ilab_utf8_sequence(text + i, bytes - i);
		if (step == 0)
			return _("is not UTF-8");
	}
	return NULL;
}

static enum ilab_status read_whole(const char *where, const struct column *column, const char *text, uint64_t *out, struct ilab_err *err)
{
	enum ilab_parse parse = ilab_parse_u64(text, out);
	if (parse == ILAB_PARSE_RANGE || (parse == ILAB_PARSE_OK && *out > column->limit))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s: %s '%.60s' is more than %llu %s", where, column->name, text,
			(unsigned long long)column->limit, _(column->unit));
	if (parse != ILAB_PARSE_OK)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s: %s '%.60s' is not a whole number of %s, written in digits only", where,
			column->name, text, _(column->unit));
	if (*out == 0)
		return refuse(where, column, text, _("must be at least 1"), err);
	return ILAB_OK;
}

static enum ilab_status read_days(const char *where, const struct column *column, const char *text, uint64_t *out, struct ilab_err *err)
{
	static const char *const durations[] = { "3", "7", "30" };
	for (size_t i = 0; i < sizeof(durations) / sizeof(*durations); i++)
		if (!strcmp(text, durations[i]))
			return ilab_parse_u64(text, out) == ILAB_PARSE_OK ? ILAB_OK : ILAB_IO;
	return refuse(where, column, text, _("is not 3, 7 or 30"), err);
}

enum ilab_status ilab_tariff_read_cell(const char *where, size_t index, const char *text, size_t bytes, struct ilab_arena *arena,
	struct ilab_tariff *row, struct ilab_err *err)
{
	const struct column *column = &columns[index];
	void *member = (char *)row + column->offset;
	if (bytes == 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s: the cell of %s is empty", where, column->name);
	const char *fault = text_fault(text, bytes, column->kind == TEXT ? column->limit : 100);
	if (fault)
		return refuse(where, column, text, fault, err);
	switch (column->kind) {
	case WHOLE:
		return read_whole(where, column, text, member, err);
	case DAYS:
		return read_days(where, column, text, member, err);
	case DATE:
		if (!ilab_date_valid(text))
			return refuse(where, column, text, _("is not a date of the calendar, written YYYY-MM-DD"), err);
		break;
	case TEXT:
		break;
	}
	*(const char **)member = ilab_arena_strdup(arena, text);
	return ILAB_OK;
}
