#ifndef ILAB_RESULT_MEASURE_ROWS_H
#define ILAB_RESULT_MEASURE_ROWS_H

#include "base/err.h"
#include "result/record.h"

/* The part of ilab_measure_check that looks at phases[]: their order and number, each row's counters, their sum. The sizes of
 * `model` must have been checked. */
enum ilab_status ilab_measure_check_rows(const struct ilab_measure *r, struct ilab_err *err);

#endif
