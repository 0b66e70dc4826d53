#ifndef ILAB_CLI_SURVEY_H
#define ILAB_CLI_SURVEY_H

#include "cli/command.h"
#include "cli/progress.h"
#include "harness/worker.h"

/* What all backends, or one, can reach: a worker for each backend, asked to list, its devices paired. A driver that crashes while
 * listing is found out and left out. */
#define ILAB_SURVEY_MAX 8              /* backends */

struct ilab_survey {
	const struct ilab_context *context;
	const struct ilab_options *options;
	struct ilab_progress *progress;
	double timeout_seconds;            /* of each worker; 0: none */
	const char *scratch;               /* temporary folder, made when first needed */
	const char *cache_dir;             /* --cold-cache: below the scratch folder */
	struct ilab_listing listings[ILAB_SURVEY_MAX];
	struct ilab_worker *workers[ILAB_SURVEY_MAX];   /* of the listing of the same index; NULL: it is gone */
	size_t count;
	const char *vendors_dir;           /* OpenCL driver files without the bad ones; NULL: the system's */
	size_t fresh_count;                /* workers started by ilab_survey_fresh */
	struct ilab_physical *physical; size_t physical_count;
};

/* `only` (may be NULL): the one backend to ask. Whatever the outcome, the caller closes `s`. ILAB_FAILED when one backend was asked for
 * and its worker failed; with all backends that is a listing with a reason. */
enum ilab_status ilab_survey_open(struct ilab_survey *s, const struct ilab_context *context, const struct ilab_options *options,
	struct ilab_progress *progress, const char *only, double timeout_seconds, struct ilab_err *err);
/* The worker of a device's backend; all others are stopped. Owned by the survey. */
struct ilab_worker *ilab_survey_keep(struct ilab_survey *s, const char *backend);
/* A new worker for a backend, with the drivers that the survey found good; with --cold-cache, an empty cache of its own. The caller
 * stops it. */
enum ilab_status ilab_survey_fresh(struct ilab_survey *s, const char *backend, double timeout_seconds, struct ilab_worker **out,
	struct ilab_err *err);
/* Devices of the survey that are one physical device, in listing order. */
const struct ilab_device **ilab_survey_devices(const struct ilab_survey *s, int64_t physical, size_t *count);
/* Stop all workers and remove temporary folders. */
void ilab_survey_close(struct ilab_survey *s);
/* Notes on stderr with the last lines that a failed worker printed. */
void ilab_survey_show_output(struct ilab_worker *w);

#endif
