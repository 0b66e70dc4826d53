#ifndef ILAB_CLI_COMPARING_H
#define ILAB_CLI_COMPARING_H

#include "cli/survey.h"
#include "cli/views.h"
#include "result/compare.h"

/* One comparison: the same request through several views of one physical device, each run in a new worker, in balanced order. */
struct ilab_comparing {
	const struct ilab_context *context;
	const struct ilab_options *options;
	struct ilab_survey *survey;
	struct ilab_progress *progress;
	const struct ilab_physical *physical;
	const struct ilab_views *views;
	const char *against;                   /* name of one of `views` */
	uint64_t rounds;
	double timeout_seconds;                /* of each run */
	struct ilab_measure_request request;   /* less what is a view's: session and provider */
	const struct ilab_tuning *tuning;      /* for views of its provider; NULL: none */
	const char *slow_view; uint64_t slow_down_billionths;  /* test hook; NULL: none */
	struct ilab_ceilings *ceilings;        /* NULL: not measured */
};

/* Everything of `out`, checked. A view that cannot run it, fails, crashes, hangs or computes something else is a row with status and
 * reason, and is not run again. Other than ILAB_OK only when there is no result at all: interrupted, or a mistake of ours. */
enum ilab_status ilab_comparing_run(const struct ilab_comparing *c, struct ilab_compare *out, struct ilab_err *err);

/* What the program ends with: ILAB_OK, ILAB_FAILED (a view failed, crashed, timed out), ILAB_UNVERIFIED, with a line in `err`. */
enum ilab_status ilab_comparing_status(const struct ilab_compare *r, struct ilab_err *err);

/* Time for one run where the user gave none: a view that hangs must not stop the others. */
#define ILAB_COMPARING_TIMEOUT_SECONDS 600.0
double ilab_comparing_timeout(const struct ilab_options *options);

#endif
