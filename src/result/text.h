#ifndef ILAB_RESULT_TEXT_H
#define ILAB_RESULT_TEXT_H

#include "result/record.h"

#include <stdbool.h>

/* Records as text for people, at most 80 columns wide where words allow it, with a final newline; owned by `arena`. '.' is the
 * decimal mark in every locale. Names of devices must be free of control characters. */
const char *ilab_text_estimate(const struct ilab_estimate *r, struct ilab_arena *arena);
const char *ilab_text_environment(const struct ilab_environment *r, struct ilab_arena *arena);
/* More than 10 warm passes become one line of medians and largest figures, unless `verbose`. */
const char *ilab_text_measure(const struct ilab_measure *r, bool verbose, struct ilab_arena *arena);

#endif
