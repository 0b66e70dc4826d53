#ifndef ILAB_RESULT_COMPARE_PARTS_H
#define ILAB_RESULT_COMPARE_PARTS_H

#include "result/compare.h"

/* A part of ilab_compare_check in a file of its own. Views and runs must have been checked before. ILAB_IO with the first contradiction. */

/* compare_agreement.c: agreement[] has each pair of views with a run, in order, and no figure that the runs' own errors rule out. */
enum ilab_status ilab_compare_check_agreement(const struct ilab_compare *r, struct ilab_err *err);

#endif
