#ifndef ILAB_RESULT_TEXT_H
#define ILAB_RESULT_TEXT_H

#include "result/record.h"

/* Records as text tables for people, with a final newline; owned by `arena`. */
const char *ilab_text_estimate(const struct ilab_estimate *r, struct ilab_arena *arena);
const char *ilab_text_environment(const struct ilab_environment *r, struct ilab_arena *arena);
const char *ilab_text_measure(const struct ilab_measure *r, struct ilab_arena *arena);

#endif
