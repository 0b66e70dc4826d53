#ifndef ILAB_TESTS_RESULT_FIXTURE_H
#define ILAB_TESTS_RESULT_FIXTURE_H

#include "result/record.h"

#define FIXTURE_WARM 7
#define FIXTURE_ROWS (4 + FIXTURE_WARM)

/* Complete, consistent records. Every call gives a fresh copy of everything that a test may change; the strings are constants. */
void fixture_estimate(struct ilab_estimate *out);
void fixture_environment(struct ilab_arena *arena, struct ilab_environment *out);
/* batch 1, context 16, width 64, hidden 256, float32, warmup 2, repeats 7. */
void fixture_measure(struct ilab_arena *arena, struct ilab_measure *out);

#endif
