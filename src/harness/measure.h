#ifndef ILAB_HARNESS_MEASURE_H
#define ILAB_HARNESS_MEASURE_H

#include "backend/backend.h"
#include "result/record.h"

/* One bounded measurement on one device: the phases as rows, the counters, the verification. Runs in the worker. */

struct ilab_measure_request {
	struct ilab_open_options open;
	struct ilab_shape shape;
	enum ilab_dtype dtype;
	enum ilab_gemm gemm;
	uint64_t warmup, repeats, seed, verify_rows;
	const struct ilab_tuning *tuning;
	const char *clblast_options;       /* NULL, or compiler options that CLBlast needs on this device; it reads them from its environment
	                                    * only, so the worker puts them there */
	bool sample;                       /* hand over the sampled rows of the last checked output too */
	uint64_t slow_down_billionths;     /* test hook, recorded: hold every phase up by this share of its own time */
};

/* What the harness tells while it works. Any member may be NULL. */
struct ilab_observer {
	void *context;
	void (*phase_started)(void *context, const char *phase, uint64_t repetition);   /* "setup" and "verify" too */
	void (*phase_finished)(void *context, const struct ilab_phase *row);
	void (*progress)(void *context, const char *what, uint64_t done, uint64_t total);
};

/* Fills in everything of `out` but header, host, ignored_variables and configuration.{device,view}. ILAB_UNVERIFIED comes with a complete
 * record. On ILAB_FAILED err->text names the phase. Strings go into `arena`; nothing of the session survives. */
enum ilab_status ilab_measure_run(const struct ilab_backend *backend, const struct ilab_measure_request *request,
	const struct ilab_observer *observer, struct ilab_arena *arena, struct ilab_measure *out, struct ilab_err *err);

#endif
