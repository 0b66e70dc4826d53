#ifndef ILAB_RESULT_DIFF_ENVIRONMENT_H
#define ILAB_RESULT_DIFF_ENVIRONMENT_H

#include "result/diff.h"

/* Adds what differs between two measurements in tool, environment, configuration and counters to out->differences, each once; figures that
 * differ from run to run are left out. */
void ilab_diff_environment(const struct ilab_measure *base, const struct ilab_measure *other, struct ilab_arena *arena, struct ilab_diff *out);

#endif
