#ifndef ILAB_COST_TARIFF_H
#define ILAB_COST_TARIFF_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* A table of flat-rate prices: CSV (RFC 4180), UTF-8, header `model,gpus_per_lot,days,price_cents_usd,snapshot_date,source`, one row
 * per model and duration. The price is that of one lot for the whole duration, all GPUs of the lot included.
 *
 * The table is checked as a whole before any price is taken from it, because a table with one broken row is a table that
 * nobody looked at. Every refusal names file and line (from 1, the header).
 * - Lines end in LF or CRLF; the last one may lack its end. No comments, no empty lines, no lone CR.
 * - A UTF-8 byte order mark at the start, which spreadsheet programs write, is skipped. Any other encoding is refused.
 * - Cells may be quoted; a cell holds no line break and no blank at either end. Model names are compared byte by byte.
 * - Numbers are whole and without sign. GPUs and price are at least 1. Days are 3, 7 or 30. Dates are real days, YYYY-MM-DD.
 * - Every model has all three durations, once each, with one number of GPUs a lot. */

#define ILAB_TARIFF_MAX_PRICE_CENTS UINT64_C(1000000000000)  /* ten thousand million dollars: more is a mistake */
#define ILAB_TARIFF_MAX_GPUS UINT64_C(1000000)

struct ilab_tariff {
	const char *model;
	uint64_t gpus_per_lot, days, price_cents;
	const char *snapshot_date, *source;
	size_t line;               /* of the file, for messages */
};

struct ilab_tariffs {
	const char *file;          /* base name */
	struct ilab_tariff *rows; size_t row_count;    /* by model, then by days */
	char sha256[65];           /* of the file's bytes, lower-case hexadecimal */
};

/* ILAB_IO with file name and line. `name` is that of the file, as the user wrote it. Strings and rows go into `arena`. */
enum ilab_status ilab_tariffs_parse(const char *name, const char *text, size_t bytes, struct ilab_arena *arena,
	struct ilab_tariffs *out, struct ilab_err *err);
enum ilab_status ilab_tariffs_read(const char *path, struct ilab_arena *arena, struct ilab_tariffs *out, struct ilab_err *err);

/* The row of a model and duration. ILAB_REFUSED when there is none, naming what there is. */
enum ilab_status ilab_tariffs_find(const struct ilab_tariffs *tariffs, const char *model, uint64_t days,
	const struct ilab_tariff **out, struct ilab_err *err);

#endif
