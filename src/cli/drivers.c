#include "cli/drivers.h"

#include "backend/backend.h"
#include "base/message.h"
#include "base/path.h"
#include "base/scratch.h"
#include "harness/worker_env.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALONE_SECONDS 10.0             /* for one driver; all of them wait at the same time */
#define AT_A_TIME 8
#define LOOK_MS 20

/* One driver file, and how it did alone. */
struct trial { const char *name, *folder; struct ilab_worker *worker; bool good; struct ilab_err why; };
struct trials { const char *vendors; struct trial *items; size_t count, good_count; };

static void add_advice(const struct ilab_survey *s, struct ilab_listing *l, const char *sentence)
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

static void find_files(const struct ilab_survey *s, struct trials *t)
{
	struct ilab_arena *arena = s->context->arena;
	const char *place = ilab_environment_get(s->context->environment, "OCL_ICD_VENDORS");
	struct dirent **entries = NULL;
	char *real = realpath(place && *place ? place : ILAB_OPENCL_VENDORS, NULL);
	t->vendors = ilab_arena_strdup(arena, real ? real : place);
	int count = real ? scandir(real, &entries, is_icd, alphasort) : 0;
	t->items = ilab_arena_alloc(arena, ((size_t)(count > 0 ? count : 0) + 1) * sizeof(*t->items));
	for (int i = 0; i < count; i++) {
		t->items[t->count++] = (struct trial){ .name = ilab_arena_strdup(arena, entries[i]->d_name) };
		free(entries[i]);
	}
	free(entries);
	free(real);
}

static enum ilab_status link_driver(const struct ilab_survey *s, const struct trials *t, const char *folder, const char *name, struct ilab_err *err)
{
	struct ilab_arena *arena = s->context->arena;
	if (symlink(ilab_arena_printf(arena, "%s/%s", t->vendors, name), ilab_arena_printf(arena, "%s/%s", folder, name)) == 0)
		return ILAB_OK;
	return ilab_err_set(err, ILAB_IO, "symlink", errno, "cannot fill a temporary folder: %s", ilab_err_errno(errno));
}

/* The scratch folder of the survey, in /tmp where TMPDIR is of no use. Neither path goes into the listing. */
static enum ilab_status find_room(struct ilab_survey *s, struct ilab_listing *out, struct ilab_err *err)
{
	struct ilab_arena *arena = s->context->arena;
	struct ilab_err why = { 0 }, ignored = { 0 };
	if (s->scratch)
		return ILAB_OK;
	const char *parent = ilab_environment_get(s->context->environment, "TMPDIR");
	if (ilab_scratch_make(arena, parent && *parent ? parent : "/tmp", &s->scratch, &why) == ILAB_OK)
		return ILAB_OK;
	const char *reason = ilab_err_errno((int)why.code);
	if (ilab_scratch_make(arena, "/tmp", &s->scratch, &ignored) != ILAB_OK)
		return ilab_err_set(err, ILAB_IO, "mkdtemp", why.code, "no temporary folder can be made (%s)", reason);
	add_advice(s, out, ilab_arena_printf(arena, "The folder for temporary files that TMPDIR names cannot be used (%s); /tmp was taken.", reason));
	return ILAB_OK;
}

/* A folder for each driver that holds nothing but a link to its file, and one for the good ones. */
static enum ilab_status make_folders(struct ilab_survey *s, struct trials *t, const char **together, struct ilab_err *err)
{
	enum ilab_status status = ilab_survey_folder(s, "drivers", together, err);
	for (size_t i = 0; i < t->count && status == ILAB_OK; i++) {
		status = ilab_survey_folder(s, ilab_arena_printf(s->context->arena, "driver-%zu", i), &t->items[i].folder, err);
		if (status == ILAB_OK)
			status = link_driver(s, t, t->items[i].folder, t->items[i].name, err);
	}
	return status;
}

/* Has this one answered, or failed? Then its worker is stopped. Other than ILAB_OK when the search has to end. */
static enum ilab_status look_at(const struct ilab_survey *s, struct trial *t, struct ilab_err *err)
{
	struct ilab_listing ignored = { 0 };
	bool done = false;
	enum ilab_status status = ilab_worker_look_for_listing(t->worker, s->context->arena, &done, &ignored, &t->why);
	if (!done)
		return ILAB_OK;
	t->good = status == ILAB_OK;
	if (status == ILAB_FAILED && !s->options->quiet && !s->options->verbose)
		ilab_survey_show_output(t->worker);
	ilab_worker_stop(t->worker);
	t->worker = NULL;
	return status == ILAB_OK || status == ILAB_FAILED ? ILAB_OK : ilab_err_pass(err, status, &t->why);
}

static enum ilab_status try_some(struct ilab_survey *s, struct trial *items, size_t count, struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;
	size_t waiting = 1;
	for (size_t i = 0; i < count && status == ILAB_OK; i++) {
		status = ilab_survey_start(s, "opencl", items[i].folder, ALONE_SECONDS, &items[i].worker, err);
		if (status == ILAB_OK)
			status = ilab_worker_ask_listing(items[i].worker, err);
	}
	while (waiting && status == ILAB_OK) {
		waiting = 0;
		for (size_t i = 0; i < count && status == ILAB_OK; i++)
			if (items[i].worker) {
				status = look_at(s, &items[i], err);
				waiting += items[i].worker != NULL;
			}
		ilab_progress_idle(s->progress);
		if (waiting)
			poll(NULL, 0, LOOK_MS);
	}
	for (size_t i = 0; i < count; i++) {
		ilab_worker_stop(items[i].worker);
		items[i].worker = NULL;
	}
	return status;
}

static enum ilab_status try_all(struct ilab_survey *s, struct trials *t, struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;
	for (size_t i = 0; i < t->count && status == ILAB_OK; i += AT_A_TIME) {
		snprintf(s->progress->what, sizeof(s->progress->what), "%s", _("asking each OpenCL driver alone"));
		status = try_some(s, t->items + i, t->count - i < AT_A_TIME ? t->count - i : AT_A_TIME, err);
		if (status == ILAB_OK && ilab_survey_is_late(s, err))
			status = ILAB_FAILED;
	}
	for (size_t i = 0; i < t->count; i++)
		t->good_count += t->items[i].good;
	return status;
}

static enum ilab_status ask_together(struct ilab_survey *s, const struct trials *t, const char *folder, struct ilab_worker **worker,
	struct ilab_listing *out, struct ilab_err *err)
{
	struct ilab_err why = { 0 };
	enum ilab_status status = ILAB_OK;
	snprintf(s->progress->what, sizeof(s->progress->what), "%s", _("asking the good OpenCL drivers"));
	for (size_t i = 0; i < t->count && status == ILAB_OK; i++)
		if (t->items[i].good)
			status = link_driver(s, t, folder, t->items[i].name, err);
	if (status == ILAB_OK)
		status = ilab_survey_start(s, "opencl", folder, ILAB_SURVEY_LISTING_SECONDS, worker, err);
	if (status != ILAB_OK)
		return status;
	s->vendors_dir = folder;
	status = ilab_worker_enumerate(*worker, s->context->arena, out, &why);
	if (status == ILAB_OK)
		return ILAB_OK;
	ilab_worker_stop(*worker);
	*worker = NULL;
	if (status != ILAB_FAILED)
		return ilab_err_pass(err, status, &why);
	if (ilab_survey_is_late(s, err))
		return ILAB_FAILED;
	*out = ilab_survey_no_listing(s, "opencl", why.text);
	add_advice(s, out, N_("Each of the other OpenCL drivers answers alone, but not together with the rest: remove files from the drivers' folder one by one."));
	return ILAB_OK;
}

enum ilab_status ilab_drivers_isolate(struct ilab_survey *s, bool hangs, struct ilab_worker **worker, struct ilab_listing *out, struct ilab_err *err)
{
	struct ilab_arena *arena = s->context->arena;
	struct ilab_err trouble = { 0 };
	struct trials t = { 0 };
	struct ilab_listing failed = *out;
	const char *folder;
	find_files(s, &t);
	if (!t.count) {
		add_advice(s, out, ilab_arena_printf(arena, "The OpenCL driver that fails is the one that OCL_ICD_VENDORS names, %s; reinstall it or name another.",
			ilab_path_base(t.vendors)));
		return ILAB_OK;
	}
	if (hangs && !s->options->quiet)
		ilab_note("the OpenCL drivers did not answer within %g s; each is asked alone, for at most %g s", ILAB_SURVEY_LISTING_SECONDS, ALONE_SECONDS);
	if (find_room(s, &failed, &trouble) != ILAB_OK || make_folders(s, &t, &folder, &trouble) != ILAB_OK) {
		add_advice(s, out, ilab_arena_printf(arena, "Which OpenCL driver fails cannot be found out: %s; set TMPDIR to a folder that can be written to.",
			trouble.text));
		return ILAB_OK;
	}
	enum ilab_status status = try_all(s, &t, err);
	if (status == ILAB_OK && t.good_count)
		status = ask_together(s, &t, folder, worker, out, err);
	for (size_t i = 0; i < failed.advice_count && status == ILAB_OK; i++)
		add_advice(s, out, failed.advice[i]);
	for (size_t i = 0; i < t.count && status == ILAB_OK; i++)
		if (!t.items[i].good)
			add_advice(s, out, ilab_arena_printf(arena, "The OpenCL driver file %s is left out: %s; reinstall its driver or remove the file.",
				t.items[i].name, t.items[i].why.text));
	return status;
}
