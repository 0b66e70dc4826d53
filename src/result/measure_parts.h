#ifndef ILAB_RESULT_MEASURE_PARTS_H
#define ILAB_RESULT_MEASURE_PARTS_H

#include "base/err.h"
#include "result/record.h"

/* The parts of ilab_measure_check, a file each. The sizes of `model` must have been checked before all of them. ILAB_IO with the
 * first contradiction. */

/* measure_rows.c: phases[], their order and number, each row's counters and clocks, their sum. */
enum ilab_status ilab_measure_check_rows(const struct ilab_measure *r, struct ilab_err *err);

/* measure_verified.c: the bounds that type and shape give, what passed means, which outputs were checked. */
enum ilab_status ilab_measure_check_verification(const struct ilab_measure *r, struct ilab_err *err);

/* measure_command.c: options of `command` against configuration. What the array does not state is not looked at: the defaults are
 * those of the version that ran. */
enum ilab_status ilab_measure_check_command(const struct ilab_measure *r, struct ilab_err *err);

#endif
