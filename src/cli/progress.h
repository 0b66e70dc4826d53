#ifndef ILAB_CLI_PROGRESS_H
#define ILAB_CLI_PROGRESS_H

#include "cli/command.h"
#include "harness/measure.h"

/* One line on a terminal's stderr, rewritten while work goes on and gone at the end; nothing for work under a second, in a pipe, on
 * a terminal that cannot rewrite, or with --quiet. */
struct ilab_progress {
	bool shown, enabled, verbose;
	uint64_t started_ns, drawn_ns;
	uint64_t repeats;              /* warm passes to come, 0: unknown */
	char part[40];                 /* of several runs: which one; "" when there is one */
	char what[80];
};

void ilab_progress_start(struct ilab_progress *p, const struct ilab_context *context, const struct ilab_options *options);
void ilab_progress_clear(struct ilab_progress *p);
/* Callbacks whose context is the struct. */
struct ilab_observer ilab_progress_observer(struct ilab_progress *p);
void ilab_progress_idle(void *progress);
/* What the worker prints: passed on to stderr with --verbose. */
void ilab_progress_output(void *progress, const char *bytes, size_t count);

#endif
