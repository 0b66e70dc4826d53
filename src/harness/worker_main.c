#include "harness/worker.h"

#include "base/outfile.h"
#include "harness/protocol.h"
#include "harness/tune.h"
#include "result/document.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The child's side. It speaks on its own descriptor only: stdout and stderr belong to whatever the drivers print. */

/* The parent is gone when this fails, and takes this process with it. */
static void send(cJSON *record)
{
	char *line = record ? ilab_json_line(record) : NULL;
	cJSON_Delete(record);
	struct ilab_err err = { 0 };
	if (!line || ilab_write_all(ILAB_WORKER_RECORD_FD, "the parent", line, strlen(line), &err) != ILAB_OK
		|| ilab_write_all(ILAB_WORKER_RECORD_FD, "the parent", "\n", 1, &err) != ILAB_OK)
		exit(ILAB_FAILED);
	free(line);
}

static cJSON *record_of(const char *kind)
{
	cJSON *json = cJSON_CreateObject();
	cJSON_AddItemToObject(json, "record", cJSON_CreateString(kind));
	return json;
}

static void send_started(void *context, const char *phase, uint64_t repetition)
{
	(void)context;
	cJSON *json = record_of("started");
	cJSON_AddItemToObject(json, "phase", cJSON_CreateString(phase));
	cJSON_AddItemToObject(json, "repetition", ilab_json_u64(repetition));
	send(json);
}

static void send_finished(void *context, const struct ilab_phase *row)
{
	(void)context;
	cJSON *json = record_of("finished");
	cJSON_AddItemToObject(json, "row", ilab_phase_to_json(row));
	send(json);
}

static void send_progress(void *context, const char *what, uint64_t done, uint64_t total)
{
	(void)context;
	cJSON *json = record_of("progress");
	cJSON_AddItemToObject(json, "what", cJSON_CreateString(what));
	cJSON_AddItemToObject(json, "done", ilab_json_u64(done));
	cJSON_AddItemToObject(json, "total", ilab_json_u64(total));
	send(json);
}

static const char *reason_from(struct ilab_arena *arena, const struct ilab_err *err)
{
	return ilab_arena_printf(arena, "unavailable: %s", err->text);
}

/* A backend that cannot be had is an answer: a listing with the reason. */
static void enumerate(const struct ilab_request *request, struct ilab_arena *arena)
{
	struct ilab_err err = { 0 };
	struct ilab_listing listing = { 0 };
	const char *file = NULL;
	const struct ilab_backend *backend = ilab_backend_load(request->backend, request->module_dir, &file, &err);
	enum ilab_status status = ILAB_OK;
	if (backend)
		status = backend->enumerate(&request->surroundings, arena, &listing, &err);
	if (status != ILAB_OK) {
		send(ilab_error_to_json(status, &err));
		return;
	}
	if (!backend) {
		listing.state = "unavailable";
		listing.reason = reason_from(arena, &err);
		listing.loader_name.reason = listing.loader_version.reason = "unavailable: the backend is not there";
	}
	listing.backend = request->backend;
	listing.modules = backend ? file : NULL;
	cJSON *json = record_of("listing");
	cJSON_AddItemToObject(json, "listing", ilab_listing_to_json(&listing));
	send(json);
}

static void measure(const struct ilab_request *request, struct ilab_arena *arena)
{
	static const struct ilab_observer observer = { NULL, send_started, send_finished, send_progress };
	struct ilab_err err = { 0 };
	struct ilab_measure record = { 0 };
	if (request->run.clblast_options)
		setenv("CLBLAST_BUILD_OPTIONS", request->run.clblast_options, 1);
	const struct ilab_backend *backend = ilab_backend_load(request->backend, request->module_dir, NULL, &err);
	enum ilab_status status = backend ? ilab_measure_run(backend, &request->run, &observer, arena, &record, &err) : ILAB_REFUSED;
	if (status != ILAB_OK && status != ILAB_UNVERIFIED) {
		send(ilab_error_to_json(status, &err));
		return;
	}
	cJSON *json = record_of("result");
	cJSON_AddItemToObject(json, "status", ilab_json_u64(status));
	cJSON_AddItemToObject(json, "measure", ilab_measure_part_to_json(&record));
	if (record.sample.values)
		cJSON_AddItemToObject(json, "sample", ilab_sample_to_json(&record.sample));
	send(json);
}

static void tune(const struct ilab_request *request, struct ilab_arena *arena)
{
	static const struct ilab_observer observer = { NULL, send_started, send_finished, send_progress };
	struct ilab_err err = { 0 };
	struct ilab_tuning_record record = { 0 };
	const struct ilab_backend *backend = ilab_backend_load(request->backend, request->module_dir, NULL, &err);
	enum ilab_status status = backend ? ilab_tune_run(backend, &request->run, &observer, arena, &record, &err) : ILAB_REFUSED;
	if (status != ILAB_OK) {
		send(ilab_error_to_json(status, &err));
		return;
	}
	cJSON *json = record_of("tuned");
	cJSON_AddItemToObject(json, "tuning", ilab_tuning_part_to_json(&record));
	send(json);
}

static void probe(const struct ilab_request *request, struct ilab_arena *arena)
{
	struct ilab_err err = { 0 };
	struct ilab_probes probes;
	send_started(NULL, "probing", 0);
	const struct ilab_backend *backend = ilab_backend_load(request->backend, request->module_dir, NULL, &err);
	enum ilab_status status = backend ? ilab_probe_run(backend, &request->run.open, arena, &probes, &err) : ILAB_REFUSED;
	if (status != ILAB_OK) {
		send(ilab_error_to_json(status, &err));
		return;
	}
	cJSON *json = record_of("probes");
	cJSON_AddItemToObject(json, "probes", ilab_probes_to_json(&probes));
	send(json);
}

static void serve(const char *line, size_t bytes)
{
	struct ilab_arena arena = { 0 };
	struct ilab_err err = { 0 };
	struct ilab_request request;
	cJSON *json = NULL;
	enum ilab_status status = ilab_json_read(line, bytes, &json, &err);
	if (status == ILAB_OK)
		status = ilab_request_from_json(json, &arena, &request, &err);
	cJSON_Delete(json);
	if (status != ILAB_OK)
		send(ilab_error_to_json(status, &err));
	else if (request.measure)
		measure(&request, &arena);
	else if (request.tune)
		tune(&request, &arena);
	else if (request.probe)
		probe(&request, &arena);
	else
		enumerate(&request, &arena);
	ilab_arena_free(&arena);
}

int ilab_worker_main(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	FILE *requests = fdopen(ILAB_WORKER_REQUEST_FD, "r");
	/* Compilers that a driver starts must not hold our descriptors open. */
	if (!requests || fcntl(ILAB_WORKER_REQUEST_FD, F_SETFD, FD_CLOEXEC) < 0 || fcntl(ILAB_WORKER_RECORD_FD, F_SETFD, FD_CLOEXEC) < 0)
		return ILAB_REFUSED;
	while ((length = getline(&line, &size, requests)) > 0)
		serve(line, (size_t)(line[length - 1] == '\n' ? length - 1 : length));
	free(line);
	fclose(requests);
	return ILAB_OK;
}
