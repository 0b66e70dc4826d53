#ifndef ILAB_HARNESS_WORKER_H
#define ILAB_HARNESS_WORKER_H

#include "harness/measure.h"

/* The parent's side of the worker process. The program runs itself again (/proc/self/exe --worker) in its own process group, for one
 * backend; the parent never loads a driver. Requests and records are JSON lines on descriptors of their own; the
 * worker's stdout and stderr are captured. */

struct ilab_worker;

struct ilab_worker_options {
	const char *backend;               /* "opencl" "cuda" "hip" */
	const char *module_dir;            /* NULL: the default places */
	const char *cache_dir;             /* NULL, or an empty folder that drivers are told to keep compiled kernels in (--cold-cache) */
	double timeout_seconds;            /* 0: none; counts from start, all requests together */
	bool verbose;                      /* pass the worker's stdout and stderr on to stderr as it comes */
};

/* Names (never values) of variables that were taken out of the worker's environment because they change arithmetic or the
 * device behind our back and were set. */
struct ilab_names { const char **names; size_t count; };

enum ilab_status ilab_worker_start(const struct ilab_worker_options *options, struct ilab_worker **out, struct ilab_err *err);
struct ilab_names ilab_worker_ignored_variables(struct ilab_arena *arena);

/* The answers. A worker that dies, hangs past the time-out or is interrupted (SIGINT, SIGTERM to the parent) is killed with its group and the
 * status says which: ILAB_FAILED naming signal or time-out and phase, ILAB_INTERRUPTED, ILAB_TERMINATED. `observer` runs in the parent. */
enum ilab_status ilab_worker_enumerate(struct ilab_worker *w, struct ilab_arena *arena, struct ilab_listing *out, struct ilab_err *err);
enum ilab_status ilab_worker_measure(struct ilab_worker *w, const struct ilab_measure_request *request, const struct ilab_observer *observer,
	struct ilab_arena *arena, struct ilab_measure *out, struct ilab_err *err);

/* What the worker and its drivers printed so far (last 64 KiB); owned by the worker. */
const char *ilab_worker_output(struct ilab_worker *w);
/* Ends the worker and its group; no orphan stays. NULL is allowed. */
void ilab_worker_stop(struct ilab_worker *w);

/* The child's side: serves requests until end of file. Returns the exit status. */
int ilab_worker_main(void);

#endif
