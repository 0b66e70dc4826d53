#ifndef ILAB_HARNESS_PROTOCOL_H
#define ILAB_HARNESS_PROTOCOL_H

#include "harness/measure.h"
#include "harness/probe.h"
#include "result/json.h"
#include "result/tuning.h"

/* What parent and worker say to each other: one JSON object a line.
 *
 *   parent  {"request":"enumerate", "backend":..., "module_dir":..., "surroundings":{...}}
 *           {"request":"measure", the same, and the members of struct ilab_measure_request}
 *                                     "tuning":{...} where there is one
 *           {"request":"tune", the same as measure}
 *           {"request":"probe", the same, and the device's indices}
 *   worker  {"record":"started", "phase":..., "repetition":n}      {"record":"finished", "row":{a phase}}
 *           {"record":"progress", "what":..., "done":n, "total":n}
 *           {"record":"listing", "listing":{...}}                  answer to enumerate
 *           {"record":"result", "status":0 or 4, "measure":{...}}  answer to measure
 *                                                                  with "sample":{"rows":n, "width":n, "values":8 hex digits
 *                                                                  for each} where it was asked for
 *           {"record":"tuned", "tuning":{...}}                     answer to tune
 *           {"record":"probes", "probes":{"items":[...]}}                answer to probe
 *           {"record":"error", "status":n, "call":..., "code":n, "text":...}   answer to either
 *
 * Numbers and doubles arrive exactly as they were sent. */

/* The worker's descriptors. stdin is /dev/null, stdout and stderr are a pipe to the parent. */
enum { ILAB_WORKER_REQUEST_FD = 3, ILAB_WORKER_RECORD_FD = 4 };

struct ilab_request {
	bool measure, tune, probe;             /* none: enumerate */
	const char *backend, *module_dir;      /* module_dir: NULL for the default places */
	struct ilab_surroundings surroundings;
	struct ilab_measure_request run;       /* of a measure or tune */
};

/* NULL when memory runs out. Freed with cJSON_Delete. */
cJSON *ilab_request_to_json(const struct ilab_request *request);
/* Strings go into `arena`; run.open.surroundings points to out->surroundings. ILAB_IO when a member is missing or odd. */
enum ilab_status ilab_request_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_request *out, struct ilab_err *err);

/* NULL when memory runs out. */
cJSON *ilab_sample_to_json(const struct ilab_sample *sample);
/* False when `json` is none, or odd; *out is empty then. */
bool ilab_sample_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_sample *out);

/* What a run shall use; NULL when memory runs out. */
cJSON *ilab_tuning_use_to_json(const struct ilab_tuning *tuning);
/* NULL when `json` is none, or odd. */
const struct ilab_tuning *ilab_tuning_use_from_json(const cJSON *json, struct ilab_arena *arena);

cJSON *ilab_probes_to_json(const struct ilab_probes *probes);
enum ilab_status ilab_probes_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_probes *out, struct ilab_err *err);

cJSON *ilab_error_to_json(enum ilab_status status, const struct ilab_err *error);
/* Records the error that travelled in `err` and returns its status. */
enum ilab_status ilab_error_from_json(const cJSON *json, struct ilab_err *err);

#endif
