#include "harness/worker.h"

#include "base/clock.h"
#include "base/outfile.h"
#include "harness/process.h"
#include "harness/protocol.h"
#include "harness/signals.h"
#include "harness/worker_env.h"
#include "result/document.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT_OUTPUT_BYTES (64u << 10)
#define LONGEST_RECORD_BYTES (64u << 20)
#define IDLE_MS 200
#define FAREWELL_MS 2000       /* for a worker to end by itself: drivers write their kernel caches then */

struct ilab_worker {
	struct ilab_worker_options options;
	struct ilab_arena arena;               /* copies of the options' texts */
	struct ilab_process process;
	struct ilab_surroundings surroundings;
	uint64_t deadline_ns, listing_deadline_ns;      /* 0: none */
	bool listing;                          /* what it is doing */
	char *line;                            /* records received; the first `scanned` bytes hold no newline */
	size_t line_bytes, line_size, scanned;
	char kept[KEPT_OUTPUT_BYTES + 1];
	size_t kept_bytes;
	char phase[64];                        /* what it is doing, for messages */
	enum ilab_worker_end end;
};

static uint64_t deadline_after(double seconds)
{
	return seconds > 0 ? ilab_clock_ns() + (uint64_t)(seconds * 1e9) : 0;
}

enum ilab_status ilab_worker_start(const struct ilab_worker_options *options, struct ilab_worker **out, struct ilab_err *err)
{
	enum ilab_status status = ilab_signals_catch(err);
	if (status == ILAB_OK)
		status = ilab_signals_check(err);
	if (status != ILAB_OK)
		return status;
	struct ilab_worker *w = calloc(1, sizeof(*w));
	if (!w)
		return ilab_err_set(err, ILAB_FAILED, "calloc", 0, "out of host memory");
	w->options = *options;
	w->options.backend = ilab_arena_strdup(&w->arena, options->backend);
	w->options.module_dir = ilab_arena_strdup(&w->arena, options->module_dir);
	w->process = (struct ilab_process){ .requests = -1, .records = -1, .output = -1 };
	w->deadline_ns = deadline_after(options->timeout_seconds);
	w->listing_deadline_ns = deadline_after(options->listing_seconds);
	char **environment;
	status = ilab_worker_environment(&w->arena, options, &environment, err);
	if (status == ILAB_OK) {
		ilab_worker_surroundings(&w->arena, environment, options->vendors_dir != NULL, &w->surroundings);
		status = ilab_process_start(&w->process, environment, err);
	}
	if (status != ILAB_OK) {
		ilab_worker_stop(w);
		return status;
	}
	snprintf(w->phase, sizeof(w->phase), "starting");
	*out = w;
	return ILAB_OK;
}

/* Keep the last bytes of what the worker prints, and pass them on. */
static void keep_output(struct ilab_worker *w, const char *bytes, size_t count)
{
	if (w->options.output)
		w->options.output(w->options.context, bytes, count);
	if (count > KEPT_OUTPUT_BYTES) {
		bytes += count - KEPT_OUTPUT_BYTES;
		count = KEPT_OUTPUT_BYTES;
	}
	size_t excess = w->kept_bytes + count > KEPT_OUTPUT_BYTES ? w->kept_bytes + count - KEPT_OUTPUT_BYTES : 0;
	memmove(w->kept, w->kept + excess, w->kept_bytes - excess);
	w->kept_bytes -= excess;
	memcpy(w->kept + w->kept_bytes, bytes, count);
	w->kept_bytes += count;
	w->kept[w->kept_bytes] = '\0';
}

/* Read what is there; at end of file, or on an error, the descriptor is closed and becomes -1. */
static ssize_t read_some(int *fd, char *into, size_t size)
{
	ssize_t n = read(*fd, into, size);
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return n;
	close(*fd);
	*fd = -1;
	return 0;
}

static void read_output(struct ilab_worker *w)
{
	char bytes[4096];
	ssize_t n;
	while (w->process.output >= 0 && (n = read_some(&w->process.output, bytes, sizeof(bytes))) > 0)
		keep_output(w, bytes, (size_t)n);
}

static enum ilab_status read_records(struct ilab_worker *w, struct ilab_err *err)
{
	for (;;) {
		if (w->line_size - w->line_bytes < 4096) {
			char *grown = w->line_size < LONGEST_RECORD_BYTES ? realloc(w->line, 2 * w->line_size + 8192) : NULL;
			if (!grown)
				return ilab_err_set(err, ILAB_FAILED, "", 0, "the worker's answer is too long to keep");
			w->line = grown;
			w->line_size = 2 * w->line_size + 8192;
		}
		ssize_t n = w->process.records < 0 ? 0
			: read_some(&w->process.records, w->line + w->line_bytes, w->line_size - w->line_bytes);
		if (n <= 0)
			return ILAB_OK;
		w->line_bytes += (size_t)n;
	}
}

/* A complete line, without its newline, as a JSON tree; NULL with ILAB_OK when none is there yet. */
static enum ilab_status take_record(struct ilab_worker *w, cJSON **out, struct ilab_err *err)
{
	*out = NULL;
	char *end = w->line_bytes > w->scanned ? memchr(w->line + w->scanned, '\n', w->line_bytes - w->scanned) : NULL;
	if (!end) {
		w->scanned = w->line_bytes;
		return ILAB_OK;
	}
	struct ilab_err why = { 0 };
	size_t length = (size_t)(end - w->line);
	enum ilab_status status = ilab_json_read(w->line, length, out, &why);
	w->line_bytes -= length + 1;
	memmove(w->line, end + 1, w->line_bytes);
	w->scanned = 0;
	if (status != ILAB_OK)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "the worker's answer cannot be read: %s", why.text);
	return ILAB_OK;
}

/* Why there will be no answer: the process has ended. */
static enum ilab_status report_end(struct ilab_worker *w, struct ilab_err *err)
{
	int how = w->process.wait_status;
	if (WIFSIGNALED(how)) {
		w->end = ILAB_WORKER_CRASHED;
		int number = WTERMSIG(how);
		const char *name = sigabbrev_np(number);
		return ilab_err_set(err, ILAB_FAILED, "", number, "the %s driver crashed with SIG%s%s while %s", w->options.backend, name ? name : "?",
			number == SIGKILL ? " (killed, perhaps because the machine ran out of memory)" : "", w->phase);
	}
	return ilab_err_set(err, ILAB_FAILED, "", WEXITSTATUS(how), "the worker for %s ended with status %d while %s", w->options.backend,
		WEXITSTATUS(how), w->phase);
}

/* Wait until something happens, at most a moment. */
static void wait_for_news(struct ilab_worker *w)
{
	struct pollfd fds[] = {
		{ .fd = w->process.records, .events = POLLIN },
		{ .fd = w->process.output, .events = POLLIN },
		{ .fd = ilab_signals_fd(), .events = POLLIN },
	};
	if (poll(fds, 3, IDLE_MS) == 0 && w->options.idle)
		w->options.idle(w->options.context);
	ilab_signals_empty();
	read_output(w);
}

/* Has the time of what it is doing run out? `limit_seconds` says which limit that was. */
static bool is_late(const struct ilab_worker *w, double *limit_seconds)
{
	const uint64_t now = ilab_clock_ns();
	if (w->deadline_ns && now >= w->deadline_ns) {
		*limit_seconds = w->options.timeout_seconds;
		return true;
	}
	*limit_seconds = w->options.listing_seconds;
	return w->listing && w->listing_deadline_ns && now >= w->listing_deadline_ns;
}

/* A record that has come; NULL with ILAB_OK when none is there yet. Whatever ends the conversation ends the worker. */
static enum ilab_status try_record(struct ilab_worker *w, cJSON **out, struct ilab_err *err)
{
	double limit_seconds;
	enum ilab_status status = ilab_signals_check(err);
	bool ended = status == ILAB_OK && ilab_process_collect(&w->process);   /* before reading: nothing comes after it */
	*out = NULL;
	if (status == ILAB_OK)
		status = read_records(w, err);
	if (status == ILAB_OK)
		status = take_record(w, out, err);
	if (status == ILAB_OK && *out)
		return ILAB_OK;
	if (status == ILAB_OK && ended) {
		read_output(w);
		return report_end(w, err);
	}
	if (status == ILAB_OK && is_late(w, &limit_seconds)) {
		w->end = ILAB_WORKER_TIMED_OUT;
		status = ilab_err_set(err, ILAB_FAILED, "", 0, "time-out while %s: stopped after %.3g s", w->phase, limit_seconds);
	}
	if (status != ILAB_OK) {
		ilab_process_kill(&w->process);
		read_output(w);
	}
	return status;
}

static enum ilab_status next_record(struct ilab_worker *w, cJSON **out, struct ilab_err *err)
{
	for (;;) {
		enum ilab_status status = try_record(w, out, err);
		if (status != ILAB_OK || *out)
			return status;
		wait_for_news(w);
	}
}

static enum ilab_status send_request(struct ilab_worker *w, struct ilab_request *request, struct ilab_err *err)
{
	struct ilab_err ignored = { 0 };
	request->backend = w->options.backend;
	request->module_dir = w->options.module_dir;
	request->surroundings = w->surroundings;
	cJSON *json = ilab_request_to_json(request);
	char *line = json ? ilab_json_line(json) : NULL;
	cJSON_Delete(json);
	if (!line)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "out of host memory");
	/* A worker that is gone cannot take it; next_record says why it went. */
	if (ilab_write_all(w->process.requests, "the worker", line, strlen(line), &ignored) == ILAB_OK)
		ilab_write_all(w->process.requests, "the worker", "\n", 1, &ignored);
	free(line);
	return ILAB_OK;
}

static const char *kind_of(const cJSON *record)
{
	const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "record"));
	return kind ? kind : "";
}

/* A record that the program's own worker should not have sent. */
static enum ilab_status unexpected(const struct ilab_err *why, struct ilab_err *err)
{
	return ilab_err_set(err, ILAB_FAILED, "", 0, "the worker's answer is not understood: %s", why->text[0] ? why->text : "unknown record");
}

enum ilab_status ilab_worker_ask_listing(struct ilab_worker *w, struct ilab_err *err)
{
	struct ilab_request request = { .measure = false };
	snprintf(w->phase, sizeof(w->phase), "listing its devices");
	w->listing = true;
	return send_request(w, &request, err);
}

static enum ilab_status take_listing(struct ilab_worker *w, cJSON *record, struct ilab_arena *arena, struct ilab_listing *out, struct ilab_err *err)
{
	struct ilab_err why = { 0 };
	enum ilab_status status = ILAB_OK;
	w->listing = false;
	if (!strcmp(kind_of(record), "error"))
		status = ilab_error_from_json(record, err);
	else if (ilab_listing_from_json(cJSON_GetObjectItemCaseSensitive(record, "listing"), arena, out, &why) != ILAB_OK)
		status = unexpected(&why, err);
	cJSON_Delete(record);
	return status;
}

enum ilab_status ilab_worker_look_for_listing(struct ilab_worker *w, struct ilab_arena *arena, bool *done, struct ilab_listing *out, struct ilab_err *err)
{
	cJSON *record = NULL;
	read_output(w);                /* a worker whose output is not read stops */
	enum ilab_status status = try_record(w, &record, err);
	*done = status != ILAB_OK || record;
	return record ? take_listing(w, record, arena, out, err) : status;
}

enum ilab_status ilab_worker_enumerate(struct ilab_worker *w, struct ilab_arena *arena, struct ilab_listing *out, struct ilab_err *err)
{
	cJSON *record = NULL;
	enum ilab_status status = ilab_worker_ask_listing(w, err);
	if (status == ILAB_OK)
		status = next_record(w, &record, err);
	return status == ILAB_OK ? take_listing(w, record, arena, out, err) : status;
}

static void set_phase(struct ilab_worker *w, const char *phase, uint64_t repetition)
{
	if (repetition)
		snprintf(w->phase, sizeof(w->phase), "in %s %llu", phase, (unsigned long long)repetition);
	else
		snprintf(w->phase, sizeof(w->phase), "in %s", phase);
}

/* Records on the way to the answer. False: this is none of them. */
static bool observe(struct ilab_worker *w, const cJSON *record, const struct ilab_observer *o)
{
	static const struct ilab_observer nobody;
	const char *kind = kind_of(record), *text;
	uint64_t a = 0, b = 0;
	if (!o)
		o = &nobody;
	if (!strcmp(kind, "started")) {
		text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "phase"));
		ilab_json_get_u64(cJSON_GetObjectItemCaseSensitive(record, "repetition"), &a);
		set_phase(w, text ? text : "?", a);
		if (o->phase_started)
			o->phase_started(o->context, text ? text : "?", a);
		return true;
	}
	if (!strcmp(kind, "finished")) {
		struct ilab_arena arena = { 0 };
		struct ilab_phase row = { 0 };
		if (o->phase_finished && ilab_phase_from_json(cJSON_GetObjectItemCaseSensitive(record, "row"), &arena, &row, NULL) == ILAB_OK)
			o->phase_finished(o->context, &row);
		ilab_arena_free(&arena);
		return true;
	}
	if (strcmp(kind, "progress") != 0)
		return false;
	text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, "what"));
	ilab_json_get_u64(cJSON_GetObjectItemCaseSensitive(record, "done"), &a);
	ilab_json_get_u64(cJSON_GetObjectItemCaseSensitive(record, "total"), &b);
	if (o->progress)
		o->progress(o->context, text ? text : "", a, b);
	return true;
}

/* Send a request and wait for its answer, past the records on the way. An answer that is an error is this call's own. *answer is for cJSON_Delete. */
static enum ilab_status ask(struct ilab_worker *w, struct ilab_request *request, const char *phase, const struct ilab_observer *observer, cJSON **answer,
	struct ilab_err *err)
{
	*answer = NULL;
	set_phase(w, phase, 0);
	enum ilab_status status = send_request(w, request, err);
	while (status == ILAB_OK && (status = next_record(w, answer, err)) == ILAB_OK && observe(w, *answer, observer))
		cJSON_Delete(*answer);
	return status == ILAB_OK && !strcmp(kind_of(*answer), "error") ? ilab_error_from_json(*answer, err) : status;
}

static enum ilab_status take_result(const cJSON *record, struct ilab_arena *arena, struct ilab_measure *out, struct ilab_err *err)
{
	struct ilab_err why = { 0 };
	uint64_t status = ILAB_FAILED;
	ilab_json_get_u64(cJSON_GetObjectItemCaseSensitive(record, "status"), &status);
	if (ilab_measure_part_from_json(cJSON_GetObjectItemCaseSensitive(record, "measure"), arena, out, &why) != ILAB_OK)
		return unexpected(&why, err);
	ilab_sample_from_json(cJSON_GetObjectItemCaseSensitive(record, "sample"), arena, &out->sample);
	if (status != ILAB_UNVERIFIED)
		return ILAB_OK;
	return ilab_err_set(err, ILAB_UNVERIFIED, "", 0, "verification failed: %s",
		out->verification.failure ? out->verification.failure : "no reason is recorded");
}

enum ilab_status ilab_worker_measure(struct ilab_worker *w, const struct ilab_measure_request *request, const struct ilab_observer *observer,
	struct ilab_arena *arena, struct ilab_measure *out, struct ilab_err *err)
{
	struct ilab_request full = { .measure = true, .run = *request };
	cJSON *answer;
	enum ilab_status status = ask(w, &full, "setup", observer, &answer, err);
	if (status == ILAB_OK)
		status = take_result(answer, arena, out, err);
	cJSON_Delete(answer);
	return status;
}

enum ilab_status ilab_worker_tune(struct ilab_worker *w, const struct ilab_measure_request *request, const struct ilab_observer *observer,
	struct ilab_arena *arena, struct ilab_tuning_record *out, struct ilab_err *err)
{
	struct ilab_request full = { .tune = true, .run = *request };
	struct ilab_err why = { 0 };
	cJSON *answer;
	enum ilab_status status = ask(w, &full, "setup", observer, &answer, err);
	if (status == ILAB_OK && ilab_tuning_part_from_json(cJSON_GetObjectItemCaseSensitive(answer, "tuning"), arena, out, &why) != ILAB_OK)
		status = unexpected(&why, err);
	cJSON_Delete(answer);
	return status;
}

enum ilab_status ilab_worker_probe(struct ilab_worker *w, const struct ilab_open_options *device, struct ilab_arena *arena, struct ilab_probes *out,
	struct ilab_err *err)
{
	struct ilab_request request = { .probe = true, .run = { .open = *device } };
	struct ilab_err why = { 0 };
	cJSON *answer;
	enum ilab_status status = ask(w, &request, "probing", NULL, &answer, err);
	if (status == ILAB_OK && ilab_probes_from_json(cJSON_GetObjectItemCaseSensitive(answer, "probes"), arena, out, &why) != ILAB_OK)
		status = unexpected(&why, err);
	cJSON_Delete(answer);
	return status;
}

enum ilab_worker_end ilab_worker_ended(const struct ilab_worker *w)
{
	return w->end;
}

const char *ilab_worker_output(struct ilab_worker *w)
{
	return w->kept;
}

void ilab_worker_stop(struct ilab_worker *w)
{
	if (!w)
		return;
	if (w->process.requests >= 0)
		close(w->process.requests);    /* end of file: it ends by itself */
	w->process.requests = -1;
	uint64_t until = ilab_clock_ns() + FAREWELL_MS * UINT64_C(1000000);
	while (w->process.pid && !ilab_process_collect(&w->process) && ilab_clock_ns() < until && ilab_signals_check(NULL) == ILAB_OK)
		wait_for_news(w);
	ilab_process_kill(&w->process);
	read_output(w);
	ilab_process_close(&w->process);
	ilab_arena_free(&w->arena);
	free(w->line);
	free(w);
}
