#ifndef ILAB_CLI_CEILING_H
#define ILAB_CLI_CEILING_H

#include "cli/survey.h"
#include "cli/views.h"
#include "result/ceilings.h"

/* Measure the ceilings of a physical device through `views`: probes of each of their devices, and a verified pass of a large network
 * through each view in the types of `dtypes` (bit 1 << enum ilab_dtype). What cannot be measured is a sentence in the record. Each is run
 * in a new worker with `timeout_seconds`. Other than ILAB_OK only when interrupted, or when the record contradicts itself. */
struct ilab_ceiling_request {
	const struct ilab_context *context;
	const struct ilab_options *options;
	struct ilab_survey *survey;
	struct ilab_progress *progress;
	const struct ilab_physical *physical;
	const struct ilab_views *views;
	unsigned dtypes;
	double timeout_seconds;
};
#define ILAB_CEILING_ALL_DTYPES ((1u << ILAB_DTYPE_COUNT) - 1)

enum ilab_status ilab_ceiling_measure(const struct ilab_ceiling_request *q, struct ilab_ceilings *out, struct ilab_err *err);

/* From a saved document, strictly; ILAB_IO names the file, ILAB_REFUSED when it is of another device than `physical`,
 * by its identity or by its name, or has no arithmetic rate. */
enum ilab_status ilab_ceiling_read(const char *path, const struct ilab_survey *survey, const struct ilab_physical *physical, struct ilab_arena *arena,
	struct ilab_ceilings *out, struct ilab_err *err);

/* Time for one part where the user gave none. */
#define ILAB_CEILING_TIMEOUT_SECONDS 180.0

#endif
