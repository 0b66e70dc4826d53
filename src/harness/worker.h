#ifndef ILAB_HARNESS_WORKER_H
#define ILAB_HARNESS_WORKER_H

#include "harness/measure.h"
#include "harness/probe.h"
#include "result/tuning.h"

/* The parent's side of the worker process. The program runs itself again (/proc/self/exe --worker) in its own process group, for one
 * backend; the parent never loads a driver. Requests and records are JSON lines on descriptors of their own; the
 * worker's stdout and stderr are captured. */

struct ilab_worker;

struct ilab_worker_options {
	const char *backend;               /* "opencl" "cuda" "hip" */
	const char *module_dir;            /* NULL: the default places */
	char *const *environment;          /* of the caller, NULL-terminated; the worker gets it without the ignored variables */
	const char *cache_dir;             /* NULL, or an empty folder that drivers are told to keep compiled kernels in (--cold-cache) */
	const char *vendors_dir;           /* NULL, or the folder of OpenCL driver files to use instead of the system's */
	double timeout_seconds;            /* 0: none; counts from start, all requests together */
	double listing_seconds;            /* 0: none; counts from start too, for the listing alone */
	/* What the worker and its drivers print, as it comes, and the caller waiting (a few times a second). May be NULL. */
	void *context;
	void (*output)(void *context, const char *bytes, size_t count);
	void (*idle)(void *context);
};

/* Names (never values) of variables that are taken out of the worker's environment because they change arithmetic or the
 * device's memory behind our back, and are set in `environment`. */
struct ilab_names { const char **names; size_t count; };
struct ilab_names ilab_worker_ignored_variables(struct ilab_arena *arena, char *const *environment);

enum ilab_status ilab_worker_start(const struct ilab_worker_options *options, struct ilab_worker **out, struct ilab_err *err);

/* The answers. A worker that dies, hangs past the time-out or is interrupted (SIGINT, SIGTERM to the parent) is killed with its group and the
 * status says which: ILAB_FAILED naming signal or time-out and phase, ILAB_INTERRUPTED, ILAB_TERMINATED. `observer` runs in the parent. */
enum ilab_status ilab_worker_enumerate(struct ilab_worker *w, struct ilab_arena *arena, struct ilab_listing *out, struct ilab_err *err);
/* The same in two steps, for several workers at once: ask, then look until `done`. It does not block. */
enum ilab_status ilab_worker_ask_listing(struct ilab_worker *w, struct ilab_err *err);
enum ilab_status ilab_worker_look_for_listing(struct ilab_worker *w, struct ilab_arena *arena, bool *done, struct ilab_listing *out, struct ilab_err *err);
enum ilab_status ilab_worker_measure(struct ilab_worker *w, const struct ilab_measure_request *request, const struct ilab_observer *observer,
	struct ilab_arena *arena, struct ilab_measure *out, struct ilab_err *err);

/* As ilab_tune_run. */
enum ilab_status ilab_worker_tune(struct ilab_worker *w, const struct ilab_measure_request *request, const struct ilab_observer *observer,
	struct ilab_arena *arena, struct ilab_tuning_record *out, struct ilab_err *err);
enum ilab_status ilab_worker_probe(struct ilab_worker *w, const struct ilab_open_options *device, struct ilab_arena *arena, struct ilab_probes *out,
	struct ilab_err *err);

/* Why an answer did not come, for those who must tell a crash from an error: a signal ended the worker, or the time-out did. */
enum ilab_worker_end { ILAB_WORKER_ALIVE, ILAB_WORKER_CRASHED, ILAB_WORKER_TIMED_OUT };
enum ilab_worker_end ilab_worker_ended(const struct ilab_worker *w);

/* What the worker and its drivers printed so far (last 64 KiB); owned by the worker. */
const char *ilab_worker_output(struct ilab_worker *w);
/* Ends the worker and its group; no orphan stays. NULL is allowed. */
void ilab_worker_stop(struct ilab_worker *w);

/* The child's side: serves requests until end of file. Returns the exit status. */
int ilab_worker_main(void);

#endif
