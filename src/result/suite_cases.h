#ifndef ILAB_RESULT_SUITE_CASES_H
#define ILAB_RESULT_SUITE_CASES_H

#include "model/shape.h"

#include <stdbool.h>
#include <stddef.h>

/* The set that `suite` runs, ILAB_SUITE_VERSION (suite.h). Any change of shapes, types or counts is a new version: documents of two
 * versions are not comparable case by case. Version 1: small, medium and large in each type. */
#define ILAB_SUITE_ROUNDS 3

struct ilab_suite_case {
	const char *name;              /* "medium float16" */
	struct ilab_shape shape;
	enum ilab_dtype dtype;
	unsigned warmup, repeats;
};

/* The cases of a device. On a CPU the shapes are smaller by rule: context and width an eighth, fewer passes, and no tf32, a type of matrix
 * units. Static storage. */
const struct ilab_suite_case *ilab_suite_cases(bool cpu, size_t *count);

#endif
