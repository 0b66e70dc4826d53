#include "cli/survey.h"

#include "base/scratch.h"
#include "device/device.h"
#include "harness/worker_env.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_VENDORS "/etc/OpenCL/vendors"
#define SHOWN_LINES 5

static enum ilab_status make_folder(struct ilab_survey *s, const char *name, const char **out, struct ilab_err *err)
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
		return ilab_err_set(err, ILAB_IO, "mkdir", errno, "cannot make a temporary folder: %s", strerror(errno));
	return ILAB_OK;
}

/* Start a worker and ask it to list. On failure no worker is left; the status is ILAB_FAILED for a driver's fault. */
static enum ilab_status ask(struct ilab_survey *s, const char *backend, const char *vendors_dir, struct ilab_worker **worker,
	struct ilab_listing *out, struct ilab_err *err)
{
	struct ilab_worker_options options = {
		.backend = backend, .module_dir = s->options->module_dir, .environment = s->context->environment,
		.cache_dir = s->cache_dir, .vendors_dir = vendors_dir, .timeout_seconds = s->timeout_seconds,
		.context = s->progress, .output = ilab_progress_output, .idle = ilab_progress_idle,
	};
	*worker = NULL;
	enum ilab_status status = ilab_worker_start(&options, worker, err);
	if (status == ILAB_OK)
		status = ilab_worker_enumerate(*worker, s->context->arena, out, err);
	if (status != ILAB_OK) {
		ilab_worker_stop(*worker);
		*worker = NULL;
	}
	return status;
}

static struct ilab_listing failed_listing(struct ilab_survey *s, const char *backend, const char *why)
{
	const char *reason = ilab_arena_printf(s->context->arena, "unavailable: %s", why);
	return (struct ilab_listing){ .backend = backend, .state = "unavailable", .reason = reason,
		.loader_name = { NULL, reason }, .loader_version = { NULL, reason } };
}

static void add_advice(struct ilab_survey *s, struct ilab_listing *l, const char *sentence)
{
	const char **grown = ilab_arena_alloc(s->context->arena, (l->advice_count + 1) * sizeof(*grown));
	if (l->advice_count)
		memcpy(grown, l->advice, l->advice_count * sizeof(*grown));
	grown[l->advice_count] = sentence;
	l->advice = grown;
	l->advice_count++;
}

static int is_icd(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);
	return length > 4 && !strcmp(entry->d_name + length - 4, ".icd");
}

/* A folder that holds nothing but a link to one driver file. */
static enum ilab_status link_driver(const char *folder, const char *vendors, const char *name, struct ilab_arena *arena, struct ilab_err *err)
{
	char *target = realpath(ilab_arena_printf(arena, "%s/%s", vendors, name), NULL);
	int result = target ? symlink(target, ilab_arena_printf(arena, "%s/%s", folder, name)) : 0;   /* a dangling one drives nothing */
	free(target);
	return result == 0 ? ILAB_OK : ilab_err_set(err, ILAB_IO, "symlink", errno, "cannot fill a temporary folder: %s", strerror(errno));
}

/* One driver alone: does it list? The sentence about a bad one goes into `advice`. */
static enum ilab_status try_driver(struct ilab_survey *s, const char *vendors, const char *name, size_t number, bool *good,
	const char **advice, struct ilab_err *err)
{
	struct ilab_arena *arena = s->context->arena;
	struct ilab_listing ignored = { 0 };
	struct ilab_worker *worker = NULL;
	struct ilab_err why = { 0 };
	const char *folder;
	enum ilab_status status = make_folder(s, ilab_arena_printf(arena, "driver-%zu", number), &folder, err);
	if (status == ILAB_OK)
		status = link_driver(folder, vendors, name, arena, err);
	if (status != ILAB_OK)
		return status;
	status = ask(s, "opencl", folder, &worker, &ignored, &why);
	ilab_worker_stop(worker);
	*good = status == ILAB_OK;
	if (status != ILAB_OK && status != ILAB_FAILED)
		return ilab_err_set(err, status, why.call, why.code, "%s", why.text);
	if (!*good)
		*advice = ilab_arena_printf(arena, "The OpenCL driver file %s is left out: %s; reinstall its driver or remove the file.", name, why.text);
	return ILAB_OK;
}

/* The listing failed as a whole: ask each driver alone, then all good ones together, so that indices are those of one loader. */
static enum ilab_status ask_without_bad_drivers(struct ilab_survey *s, struct ilab_worker **worker, struct ilab_listing *out,
	struct ilab_err *err)
{
	struct ilab_arena *arena = s->context->arena;
	const char *vendors = ilab_environment_get(s->context->environment, "OCL_ICD_VENDORS"), *folder, *advice[64];
	struct dirent **entries = NULL;
	size_t bad = 0;
	if (!vendors || !*vendors)
		vendors = DEFAULT_VENDORS;
	int count = scandir(vendors, &entries, is_icd, alphasort);
	enum ilab_status status = count > 0 ? make_folder(s, "drivers", &folder, err) : ILAB_FAILED;
	for (int i = 0; i < count; i++) {
		bool good = false;
		if (status == ILAB_OK && bad < 64)
			status = try_driver(s, vendors, entries[i]->d_name, (size_t)i, &good, &advice[bad], err);
		if (status == ILAB_OK && good)
			status = link_driver(folder, vendors, entries[i]->d_name, arena, err);
		else if (status == ILAB_OK && bad < 64)
			bad++;
		free(entries[i]);
	}
	free(entries);
	if (status == ILAB_OK)
		status = ask(s, "opencl", s->vendors_dir = folder, worker, out, err);
	for (size_t i = 0; status == ILAB_OK && i < bad; i++)
		add_advice(s, out, advice[i]);
	return status;
}

static enum ilab_status survey_backend(struct ilab_survey *s, const char *backend, struct ilab_err *err)
{
	struct ilab_listing *out = &s->listings[s->count];
	struct ilab_worker **worker = &s->workers[s->count];
	struct ilab_err why = { 0 }, again = { 0 };
	enum ilab_status status = ask(s, backend, NULL, worker, out, &why);
	if (status == ILAB_FAILED && !strcmp(backend, "opencl"))
		status = ask_without_bad_drivers(s, worker, out, &again);
	s->count++;
	if (status == ILAB_OK)
		return ILAB_OK;
	if (status != ILAB_FAILED) {
		const struct ilab_err *first = again.status == status ? &again : &why;
		return ilab_err_set(err, status, first->call, first->code, "%s", first->text);
	}
	*out = failed_listing(s, backend, why.text);
	return ILAB_OK;
}

enum ilab_status ilab_survey_open(struct ilab_survey *s, const struct ilab_context *context, const struct ilab_options *options,
	struct ilab_progress *progress, const char *only, double timeout_seconds, struct ilab_err *err)
{
	*s = (struct ilab_survey){ .context = context, .options = options, .progress = progress, .timeout_seconds = timeout_seconds };
	enum ilab_status status = options->cold_cache ? make_folder(s, "cache", &s->cache_dir, err) : ILAB_OK;
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
		enum ilab_status status = make_folder(s, ilab_arena_printf(s->context->arena, "cache-%zu", s->fresh_count), &cache, err);
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
