#ifndef HOST_MEASURE_H
#define HOST_MEASURE_H

#include "harness/measure.h"

/* One measurement on the test double of host_backend.h, which the caller has reset and given its faults. */

struct run {
	enum ilab_status status;
	struct ilab_err err;
	struct ilab_measure m;
	struct ilab_arena arena;
};

/* 2 x 12 rows of width 64, hidden 256, one warm-up pass and three repetitions, three sampled rows (0, 11, 23). */
struct ilab_measure_request a_request(enum ilab_dtype dtype);
/* 1 x 5 rows of width 8, hidden 12. */
struct ilab_measure_request a_small_request(enum ilab_dtype dtype);

/* Asserts besides that the session was closed with nothing alive in it. Free with end_run. */
struct run run_request(const struct ilab_measure_request *request, const struct ilab_observer *observer);
void end_run(struct run *r);

/* Verified, status 0, rates there. */
void assert_passed(const struct run *r);
/* Status 4, a complete record without rates, and a failure that begins with `part` and names the provider. */
void assert_unverified(const struct run *r, const char *part);

#endif
