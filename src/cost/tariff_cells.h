#ifndef ILAB_COST_TARIFF_CELLS_H
#define ILAB_COST_TARIFF_CELLS_H

#include "cost/tariff.h"

/* The columns of a tariff table, one row of data each: name, and how a cell becomes a member. */

#define ILAB_TARIFF_COLUMN_COUNT 6

/* Column names against the header's cell; ILAB_IO: unknown, missing, or out of order. `text` NULL: the header ended before it. */
enum ilab_status ilab_tariff_check_column(const char *where, size_t index, const char *text, struct ilab_err *err);

/* A cell, `bytes` long and terminated, into its member of `row`. ILAB_IO with what is wrong. `where` is "FILE, line N". */
enum ilab_status ilab_tariff_read_cell(const char *where, size_t index, const char *text, size_t bytes, struct ilab_arena *arena,
	struct ilab_tariff *row, struct ilab_err *err);

#endif
