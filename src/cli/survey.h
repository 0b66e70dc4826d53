#ifndef ILAB_CLI_SURVEY_H
#define ILAB_CLI_SURVEY_H

#include "cli/command.h"
#include "cli/progress.h"
#include "harness/worker.h"

/* What all backends, or one, can reach: a worker for each backend, asked to list, its devices paired. A driver that crashes while
 * listing is found out and left out. */
#define ILAB_SURVEY_MAX 8              /* backends */
#define ILAB_SURVEY_LISTING_SECONDS 20.0       /* a backend that takes longer to list its devices hangs */

struct ilab_survey {
	const struct ilab_context *context;
	const struct ilab_options *options;
	struct ilab_progress *progress;
	double timeout_seconds;            /* of the survey and what its workers do after it; 0: none */
	uint64_t deadline_ns;              /* the same as a time; 0: none */
	const char *scratch;               /* temporary folder, made when first needed */
	const char *cache_dir;             /* --cold-cache: below the scratch folder */
	struct ilab_listing listings[ILAB_SURVEY_MAX];
	struct ilab_worker *workers[ILAB_SURVEY_MAX];   /* of the listing of the same index; NULL: it is gone */
	size_t count;
	const char *vendors_dir;           /* OpenCL driver files without the bad ones; NULL: the system's */
	size_t fresh_count;                /* workers started by ilab_survey_fresh */
	struct ilab_physical *physical; size_t physical_count;
};

/* `only` (may be NULL): the one backend to ask. Whatever the outcome, the caller closes `s`. A backend that fails is a listing with a
 * reason; ILAB_FAILED when no worker can be started, or when the time is over. */
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


/* --- for the search for bad drivers ---------------------------------------------------------------------------------------- */

/* A new folder in the survey's temporary folder. ILAB_IO. */
enum ilab_status ilab_survey_folder(struct ilab_survey *s, const char *name, const char **out, struct ilab_err *err);
/* Start a worker with the time that is left, and `listing_seconds` for its listing. */
enum ilab_status ilab_survey_start(struct ilab_survey *s, const char *backend, const char *vendors_dir, double listing_seconds,
	struct ilab_worker **worker, struct ilab_err *err);
/* Is the time of the whole survey over? Then `err` says so. */
bool ilab_survey_is_late(const struct ilab_survey *s, struct ilab_err *err);
/* The listing of a backend that gave none. */
struct ilab_listing ilab_survey_no_listing(const struct ilab_survey *s, const char *backend, const char *why);

#endif
