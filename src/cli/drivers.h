#ifndef ILAB_CLI_DRIVERS_H
#define ILAB_CLI_DRIVERS_H

#include "cli/survey.h"

/* OpenCL's loader takes all drivers into one process, where a single bad one ends them all, or never lets go. */

/* The listing of OpenCL failed as a whole (`hangs`: it took too long): ask each driver file alone, several at a time, then all good ones
 * together, so that indices are those of one loader. `out` holds the failed listing; it is replaced, with a worker, when a good
 * one can be had, and gets advice that names what is left out. Other than ILAB_OK only when interrupted, when no worker can be
 * started, or when the time of the survey is over. */
enum ilab_status ilab_drivers_isolate(struct ilab_survey *s, bool hangs, struct ilab_worker **worker, struct ilab_listing *out, struct ilab_err *err);

#endif
