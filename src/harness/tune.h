#ifndef ILAB_HARNESS_TUNE_H
#define ILAB_HARNESS_TUNE_H

#include "harness/measure.h"
#include "result/tuning.h"

/* Search for parameters of one run's two products. Runs in the worker.
 *
 * Every candidate of the backend is run once and its result compared with that of the provider's own choice; those that agree are
 * timed in rounds, one sample each in turn and the provider's own choice among them, and the slower ones dropped after each round. A sample is
 * a pass as a measurement takes it, poison and checksum around it, with one layer inside the clock. A layer's best goes on when it is faster
 * than the provider's choice by more than noise: the 95 % interval of the median of the paired ratios lies above 1. Then whole passes with the
 * entries and without, rows of warm_forward, decide by the same rule which entries stay: both, one, or none. In the end a whole
 * measurement with them must pass its verification. */

/* Fills in everything of `out` but header and device. ILAB_REFUSED, before any work, when the backend or the provider has nothing to tune, or as
 * ilab_measure_run does (a shape that does not fit); ILAB_UNVERIFIED when the entries found compute something else: none is handed out.
 * Strings go into `arena`. Of `request`, tuning, warmup and repeats are not used. */
enum ilab_status ilab_tune_run(const struct ilab_backend *backend, const struct ilab_measure_request *request,
	const struct ilab_observer *observer, struct ilab_arena *arena, struct ilab_tuning_record *out, struct ilab_err *err);

#endif
