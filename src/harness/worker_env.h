#ifndef ILAB_HARNESS_WORKER_ENV_H
#define ILAB_HARNESS_WORKER_ENV_H

#include "backend/backend.h"
#include "harness/worker.h"

/* The environment that a worker gets: the caller's, without the variables of one fixed list, with a cold cache or other OpenCL drivers
 * where they are asked for. NULL-terminated, owned by `arena`. ILAB_FAILED when the cache folders cannot be made. */
enum ilab_status ilab_worker_environment(struct ilab_arena *arena, const struct ilab_worker_options *options, char ***out,
	struct ilab_err *err);

/* What a backend should know of drivers' surroundings, read from the environment of a worker. `isolated`: its OpenCL driver files are a
 * choice of ours, and it must look at no others. */
void ilab_worker_surroundings(struct ilab_arena *arena, char *const *environment, bool isolated, struct ilab_surroundings *out);

/* Value of a variable in a NULL-terminated environment, NULL when it is not set. */
const char *ilab_environment_get(char *const *environment, const char *name);

#endif
