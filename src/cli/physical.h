#ifndef ILAB_CLI_PHYSICAL_H
#define ILAB_CLI_PHYSICAL_H

#include "cli/survey.h"
#include "cli/views.h"

/* A whole physical device, for commands that use all ways to it. */

/* Ask all backends (--backend: one), then let their workers go: every run gets one of its own. */
enum ilab_status ilab_physical_survey(struct ilab_survey *s, const struct ilab_context *context, const struct ilab_options *options,
	struct ilab_progress *progress, struct ilab_err *err);
/* The physical device that a selector means, also where it names one backend's device, and its views. UUIDs are hidden after that where
 * the options say so. ILAB_REFUSED as ilab_device_match, and when no view is left. */
enum ilab_status ilab_physical_find(struct ilab_survey *s, const struct ilab_selector *selector, enum ilab_gemm gemm,
	const struct ilab_physical **physical, struct ilab_views *views, struct ilab_err *err);

#endif
