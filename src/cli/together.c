#include "cli/together.h"

#include "base/scratch.h"
#include "harness/signals.h"
#include "harness/worker_env.h"
#include "result/document.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_US 50000

struct child { pid_t pid; const char *path; int status; };

#define ARGUMENTS 32           /* the last stays NULL */

static size_t add_flag(const char **arguments, size_t n, const char *name, bool given)
{
	if (given)
		arguments[n++] = name;
	return n;
}

static size_t add_option(const char **arguments, size_t n, const char *name, const char *value)
{
	n = add_flag(arguments, n, name, value != NULL);
	return add_flag(arguments, n, value, value != NULL);
}

static const char *seconds_text(uint64_t ns, struct ilab_arena *arena)
{
	return ilab_arena_printf(arena, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

static enum ilab_status start(const struct ilab_together *t, const char *selector, struct child *child, struct ilab_err *err)
{
	const struct ilab_options *o = t->options;
	const char *arguments[ARGUMENTS] = { "iteragpu-lab", "suite", "--device", selector, "--output", child->path, "--cases", t->cases, "--no-ceilings", "--quiet" };
	size_t n = 10;
	posix_spawn_file_actions_t actions;
	n = add_option(arguments, n, "--backend", o->backend);
	n = add_option(arguments, n, "--views", o->views);
	n = add_option(arguments, n, "--against", o->against);
	n = add_option(arguments, n, "--module-dir", o->module_dir);
	if (o->timeout_ns)
		n = add_option(arguments, n, "--timeout", seconds_text(o->timeout_ns, t->context->arena));
	n = add_flag(arguments, n, "--no-uuid", o->no_uuid);
	n = add_flag(arguments, n, "--cold-cache", o->cold_cache);
	n = add_flag(arguments, n, "--verbose", o->verbose);
	assert(n < ARGUMENTS);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	/* argv is not changed by the new program: the cast takes const away for the interface only. */
	int code = posix_spawn(&child->pid, "/proc/self/exe", &actions, NULL, (char *const *)arguments, t->context->environment);
	posix_spawn_file_actions_destroy(&actions);
	if (code == 0)
		return ILAB_OK;
	child->pid = 0;
	return ilab_err_set(err, ILAB_FAILED, "posix_spawn", code, "cannot start the program again: %s", strerror(code));
}

static size_t count_running(struct child *children, size_t count)
{
	size_t running = 0;
	for (size_t i = 0; i < count; i++) {
		if (children[i].pid && waitpid(children[i].pid, &children[i].status, WNOHANG) == children[i].pid)
			children[i].pid = 0;
		running += children[i].pid != 0;
	}
	return running;
}

/* Until all have ended; a signal to this process ends them. */
static enum ilab_status wait_for_all(struct child *children, size_t count, struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;
	while (count_running(children, count) > 0) {
		const enum ilab_status now = status == ILAB_OK ? ilab_signals_check(err) : ILAB_OK;
		for (size_t i = 0; now != ILAB_OK && i < count; i++)
			if (children[i].pid)
				kill(children[i].pid, SIGTERM);
		if (now != ILAB_OK)
			status = now;
		usleep(TICK_US);
	}
	return status;
}

static enum ilab_status read_suite(const struct ilab_together *t, const char *selector, const struct child *child, struct ilab_suite *out,
	struct ilab_err *err)
{
	struct ilab_err why = { 0 };
	cJSON *json;
	enum ilab_status status = ilab_document_load(child->path, t->context->arena, &json, NULL, &why, &why);
	if (status == ILAB_OK)
		status = ilab_suite_from_json(json, t->context->arena, out, &why);
	cJSON_Delete(json);
	return status == ILAB_OK ? ILAB_OK : ilab_err_set(err, ILAB_FAILED, "", child->status, "%s, beside the others, left no result", selector);
}

static void take_cases(const struct ilab_suite *suite, struct ilab_arena *arena, struct ilab_compare *out, size_t *out_count)
{
	for (size_t k = 0; k < suite->case_count; k++) {
		out[*out_count] = suite->cases[k];
		out[*out_count].case_name = ilab_arena_printf(arena, "%s" ILAB_SUITE_TOGETHER, suite->cases[k].case_name);
		++*out_count;
	}
}

/* The cases of those that left a document; the first that did not is the status. */
static enum ilab_status collect(const struct ilab_together *t, const struct child *children, struct ilab_compare **out, size_t *out_count,
	struct ilab_err *err)
{
	struct ilab_suite *suites = ilab_arena_alloc(t->context->arena, t->count * sizeof(*suites));
	enum ilab_status worst = ILAB_OK;
	size_t total = 0;
	for (size_t i = 0; i < t->count; i++) {
		const enum ilab_status status = read_suite(t, t->selectors[i], &children[i], &suites[i], worst == ILAB_OK ? err : &(struct ilab_err){ 0 });
		if (status != ILAB_OK)
			suites[i] = (struct ilab_suite){ 0 };
		worst = worst == ILAB_OK ? status : worst;
		total += suites[i].case_count;
	}
	*out = ilab_arena_alloc(t->context->arena, (total + 1) * sizeof(**out));
	for (size_t i = 0; i < t->count; i++)
		take_cases(&suites[i], t->context->arena, *out, out_count);
	return worst;
}

enum ilab_status ilab_together_run(const struct ilab_together *t, struct ilab_compare **out, size_t *out_count, struct ilab_err *err)
{
	struct ilab_arena *arena = t->context->arena;
	struct child *children = ilab_arena_alloc(arena, t->count * sizeof(*children));
	const char *parent = ilab_environment_get(t->context->environment, "TMPDIR"), *folder = NULL;
	*out = NULL;
	*out_count = 0;
	enum ilab_status status = ilab_scratch_make(arena, parent && *parent ? parent : "/tmp", &folder, err);
	if (status != ILAB_OK)
		return status;
	for (size_t i = 0; i < t->count && status == ILAB_OK; i++) {
		children[i].path = ilab_arena_printf(arena, "%s/%zu.json", folder, i);
		status = start(t, t->selectors[i], &children[i], err);
	}
	const enum ilab_status waited = wait_for_all(children, t->count, err);
	if (status == ILAB_OK)
		status = waited;
	if (status == ILAB_OK)
		status = collect(t, children, out, out_count, err);
	ilab_scratch_remove(folder);
	return status;
}
