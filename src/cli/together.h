#ifndef ILAB_CLI_TOGETHER_H
#define ILAB_CLI_TOGETHER_H

#include "cli/command.h"
#include "result/suite.h"

/* The same suite on several devices at once: the program itself, once for each device, side by side. */

struct ilab_together {
	const struct ilab_context *context;
	const struct ilab_options *options;    /* of the suite over all devices */
	const char **selectors; size_t count;
	const char *cases;                     /* --cases of each */
};

/* Their cases, in `out` in the order of the selectors. ILAB_INTERRUPTED, ILAB_TERMINATED: all are ended. ILAB_FAILED: one could not be started or
 * left no document; those of the others are in `out` in the second case. */
enum ilab_status ilab_together_run(const struct ilab_together *t, struct ilab_compare **out, size_t *out_count, struct ilab_err *err);

#endif
