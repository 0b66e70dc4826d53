#include "cli/survey.h"

#include "base/clock.h"
#include "base/scratch.h"
#include "cli/drivers.h"
#include "device/device.h"
#include "harness/worker_env.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN_LINES 5

enum ilab_status ilab_survey_folder(struct ilab_survey *s, const char *name, const char **out, struct ilab_err *err)
{
	struct ilab_arena *arena = s->context->arena;
	const char *parent = ilab_environment_get(s->context->environment, "TMPDIR");
	if (!s->scratch) {
		enum ilab_status status = ilab_scratch_make(arena, parent && *parent ? parent : "/tmp", &s->scratch, err);
		if (status != ILAB_OK)
			return status;
	}
	*out = ilab_arena_printf(arena, "%s/%s", s->scratch, name);
	if (mkdir(*out, 0700) < 0)
		return ilab_err_set(err, ILAB_IO, "mkdir", errno, "cannot make a temporary folder: %s", ilab_err_errno(errno));
	return ILAB_OK;
}

/* Seconds that are left of the whole survey and what follows; 0: no limit. */
static double seconds_left(const struct ilab_survey *s)
{
	const uint64_t now = ilab_clock_ns();
	if (!s->deadline_ns)
		return 0;
	return now < s->deadline_ns ? (double)(s->deadline_ns - now) * 1e-9 : 1e-3;
}

bool ilab_survey_is_late(const struct ilab_survey *s, struct ilab_err *err)
{
	if (!s->deadline_ns || ilab_clock_ns() < s->deadline_ns)
		return false;
	ilab_err_set(err, ILAB_FAILED, "", 0, "time-out while the drivers list their devices: stopped after %g s; `iteragpu-lab environment` finds the one that hangs",
		s->timeout_seconds);
	return true;
}

enum ilab_status ilab_survey_start(struct ilab_survey *s, const char *backend, const char *vendors_dir, double listing_seconds,
	struct ilab_worker **worker, struct ilab_err *err)
{
	struct ilab_worker_options options = {
		.backend = backend, .module_dir = s->options->module_dir, .environment = s->context->environment,
		.cache_dir = s->cache_dir, .vendors_dir = vendors_dir, .timeout_seconds = seconds_left(s), .listing_seconds = listing_seconds,
		.context = s->progress, .output = ilab_progress_output, .idle = ilab_progress_idle,
	};
	*worker = NULL;
	return ilab_worker_start(&options, worker, err);
}

struct ilab_listing ilab_survey_no_listing(const struct ilab_survey *s, const char *backend, const char *why)
{
	const char *reason = ilab_arena_printf(s->context->arena, "unavailable: %s", why);
	return (struct ilab_listing){ .backend = backend, .state = "unavailable", .reason = reason,
		.loader_name = { NULL, reason }, .loader_version = { NULL, reason } };
}

/* A worker that cannot even be started is no driver's fault, and the end; one that fails is a listing with the reason. */
static enum ilab_status survey_backend(struct ilab_survey *s, const char *backend, struct ilab_err *err)
{
	struct ilab_listing *out = &s->listings[s->count];
	struct ilab_worker **worker = &s->workers[s->count++];
	struct ilab_err why = { 0 };
	*out = ilab_survey_no_listing(s, backend, "it was not asked");
	enum ilab_status status = ilab_survey_start(s, backend, NULL, ILAB_SURVEY_LISTING_SECONDS, worker, err);
	if (status != ILAB_OK)
		return status;
	status = ilab_worker_enumerate(*worker, s->context->arena, out, &why);
	if (status == ILAB_OK)
		return ILAB_OK;
	if (status != ILAB_FAILED)
		return ilab_err_pass(err, status, &why);
	if (ilab_survey_is_late(s, err))
		return ILAB_FAILED;
	const bool hangs = ilab_worker_ended(*worker) == ILAB_WORKER_TIMED_OUT;
	if (strcmp(backend, "opencl") != 0 && !s->options->quiet && !s->options->verbose)
		ilab_survey_show_output(*worker);
	ilab_worker_stop(*worker);
	*worker = NULL;
	*out = ilab_survey_no_listing(s, backend, why.text);
	return strcmp(backend, "opencl") ? ILAB_OK : ilab_drivers_isolate(s, hangs, worker, out, err);
}

enum ilab_status ilab_survey_open(struct ilab_survey *s, const struct ilab_context *context, const struct ilab_options *options,
	struct ilab_progress *progress, const char *only, double timeout_seconds, struct ilab_err *err)
{
	*s = (struct ilab_survey){ .context = context, .options = options, .progress = progress, .timeout_seconds = timeout_seconds };
	if (timeout_seconds > 0)
		s->deadline_ns = ilab_clock_ns() + (uint64_t)(timeout_seconds * 1e9);
	enum ilab_status status = options->cold_cache ? ilab_survey_folder(s, "cache", &s->cache_dir, err) : ILAB_OK;
	for (const char *const *name = ilab_backend_names; *name && status == ILAB_OK && s->count < ILAB_SURVEY_MAX; name++)
		if (!only || !strcmp(only, *name))
			status = survey_backend(s, *name, err);
	if (status == ILAB_OK)
		ilab_device_pair(context->arena, s->listings, s->count, &s->physical, &s->physical_count);
	return status;
}

struct ilab_worker *ilab_survey_keep(struct ilab_survey *s, const char *backend)
{
	struct ilab_worker *kept = NULL;
	for (size_t i = 0; i < s->count; i++) {
		if (!strcmp(s->listings[i].backend, backend)) {
			kept = s->workers[i];
			continue;
		}
		ilab_worker_stop(s->workers[i]);
		s->workers[i] = NULL;
	}
	return kept;
}

enum ilab_status ilab_survey_fresh(struct ilab_survey *s, const char *backend, double timeout_seconds, struct ilab_worker **out,
	struct ilab_err *err)
{
	const char *cache = NULL;
	*out = NULL;
	s->fresh_count++;
	if (s->options->cold_cache) {
		enum ilab_status status = ilab_survey_folder(s, ilab_arena_printf(s->context->arena, "cache-%zu", s->fresh_count), &cache, err);
		if (status != ILAB_OK)
			return status;
	}
	struct ilab_worker_options options = {
		.backend = backend, .module_dir = s->options->module_dir, .environment = s->context->environment, .cache_dir = cache,
		.vendors_dir = strcmp(backend, "opencl") ? NULL : s->vendors_dir, .timeout_seconds = timeout_seconds,
		.context = s->progress, .output = ilab_progress_output, .idle = ilab_progress_idle,
	};
	return ilab_worker_start(&options, out, err);
}

const struct ilab_device **ilab_survey_devices(const struct ilab_survey *s, int64_t physical, size_t *count)
{
	size_t most = 1;
	for (size_t l = 0; l < s->count; l++)
		most += s->listings[l].device_count;
	const struct ilab_device **devices = ilab_arena_alloc(s->context->arena, most * sizeof(*devices));
	*count = 0;
	for (size_t l = 0; l < s->count; l++)
		for (size_t d = 0; d < s->listings[l].device_count; d++)
			if (s->listings[l].devices[d].physical == physical)
				devices[(*count)++] = &s->listings[l].devices[d];
	return devices;
}

void ilab_survey_close(struct ilab_survey *s)
{
	for (size_t i = 0; i < s->count; i++)
		ilab_worker_stop(s->workers[i]);
	s->count = 0;
	ilab_scratch_remove(s->scratch);
	s->scratch = NULL;
}

void ilab_survey_show_output(struct ilab_worker *w)
{
	const char *text = ilab_worker_output(w), *start = text + strlen(text);
	int lines = 0;
	if (start > text && start[-1] == '\n')
		start--;
	const char *end = start;
	while (start > text && (start[-1] != '\n' || ++lines < SHOWN_LINES))
		start--;
	while (start < end) {
		size_t length = strcspn(start, "\n");
		ilab_note("driver: %.*s", (int)length, start);
		start += length + 1;
	}
}
