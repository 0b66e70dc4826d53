#ifndef ILAB_COST_GRID_H
#define ILAB_COST_GRID_H

#include "result/record.h"

#include <stdio.h>

/* The results grid: CSV (RFC 4180: CRLF, quotes where needed), a line for the cold_forward and each warm_forward of a measurement.
 * The last five columns are the user's own judgement and stay empty. A value that is not known is an empty cell.
 * Integers are written in full and seconds with a '.', so nothing is lost as long as the reader takes the cells as they are.
 * A text that a spreadsheet would run as a formula (it begins with = + - @, blanks aside, or with a control character; a device may
 * be named so) gets a ' in front. */

/* Both write to `out`, a memory stream of the caller, who checks it for errors. */
void ilab_grid_header(FILE *out);
void ilab_grid_measure(FILE *out, const struct ilab_measure *m);

#endif
