#include "cli/comparing.h"

#include "base/message.h"
#include "base/clock.h"
#include "cli/measuring.h"
#include "harness/order.h"
#include "result/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

double ilab_comparing_timeout(const struct ilab_options *options)
{
	return options->timeout_ns ? (double)options->timeout_ns * 1e-9 : ILAB_COMPARING_TIMEOUT_SECONDS;
}

/* --- one run --------------------------------------------------------------------------------------------------------------- */

static uint64_t option_bit(const char *name)
{
	for (size_t i = 0; i < ilab_option_count; i++)
		if (!strcmp(ilab_option_table[i].name, name))
			return UINT64_C(1) << i;
	return 0;
}

static bool is_tuned(const struct ilab_comparing *c, const struct ilab_view *view)
{
	return c->tuning && !strcmp(c->tuning->provider, ilab_gemm_name(view->gemm));
}

/* The options of the `measure` that this run is. */
static struct ilab_options measure_options(const struct ilab_comparing *c, const struct ilab_view *view)
{
	static const char *const always[] = { "device", "batch", "context", "width", "hidden", "dtype", "warmup", "repeats", "seed", "gemm" };
	static const char *const never[] = { "backend", "output", "timeout" };
	const struct ilab_measure_request *q = &c->request;
	struct ilab_options o = *c->options;
	o.command = ILAB_COMMAND_MEASURE;
	o.device = view->device->selector;
	o.gemm = ilab_gemm_name(view->gemm);
	o.dtype = ilab_dtype_name(q->dtype);
	o.batch = q->shape.batch;
	o.context = q->shape.context;
	o.width = q->shape.width;
	o.hidden = q->shape.hidden;
	o.warmup = q->warmup;
	o.repeats = q->repeats;
	o.seed = q->seed;
	o.file_count = 0;
	for (size_t i = 0; i < ilab_option_count; i++)
		if (!(ilab_option_table[i].commands & 1u << ILAB_COMMAND_MEASURE))
			o.given &= ~(UINT64_C(1) << i);
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		o.given |= option_bit(always[i]);
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		o.given &= ~option_bit(never[i]);
	if (!is_tuned(c, view))
		o.given &= ~option_bit("tuning");
	return o;
}

static const char *status_word(enum ilab_status status, enum ilab_worker_end end)
{
	if (end == ILAB_WORKER_CRASHED)
		return "crashed";
	if (end == ILAB_WORKER_TIMED_OUT)
		return "timeout";
	return status == ILAB_REFUSED ? "unsupported" : status == ILAB_UNVERIFIED ? "unverified" : "failed";
}

static enum ilab_status measure(const struct ilab_comparing *c, const struct ilab_view *view, bool sample, struct ilab_measure *out,
	enum ilab_worker_end *end, struct ilab_err *err)
{
	struct ilab_observer observer = ilab_progress_observer(c->progress);
	struct ilab_measure_request request = c->request;
	struct ilab_worker *worker = NULL;
	request.open.platform_index = view->told.platform_index;
	request.open.device_index = view->told.device_index;
	request.gemm = view->gemm;
	request.sample = sample;
	request.tuning = is_tuned(c, view) ? c->tuning : NULL;
	request.slow_down_billionths = c->slow_view && !strcmp(c->slow_view, view->name) ? c->slow_down_billionths : 0;
	enum ilab_status status = ilab_survey_fresh(c->survey, view->told.backend, c->timeout_seconds, &worker, err);
	if (status == ILAB_OK)
		status = ilab_worker_measure(worker, &request, &observer, c->context->arena, out, err);
	if (worker)
		*end = ilab_worker_ended(worker);
	ilab_progress_clear(c->progress);
	if (status == ILAB_FAILED && worker && !c->options->quiet && !c->options->verbose)
		ilab_survey_show_output(worker);
	ilab_worker_stop(worker);
	return status;
}

/* What makes the answer a document, in place behind the view's other runs. */
static enum ilab_status record_run(const struct ilab_comparing *c, const struct ilab_context *context, const struct ilab_view *view,
	struct ilab_measure *m, struct ilab_compare_view *out, struct ilab_err *err)
{
	const struct ilab_options options = measure_options(c, view);
	enum ilab_status status = ilab_measuring_check_device(&view->told, &m->device, err);
	if (status == ILAB_OK)
		status = ilab_measuring_complete(context, &options, c->survey, view->device, m, err);
	if (status != ILAB_OK)
		return status;
	cJSON *json = ilab_measure_to_json(m);
	const char *sha256 = ilab_document_sha256(json, context->arena);
	cJSON_Delete(json);
	if (!sha256)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "out of host memory while writing the document");
	out->runs[out->run_count++] = (struct ilab_compare_run){ sha256, *m };
	return ILAB_OK;
}

static enum ilab_status run_once(const struct ilab_comparing *c, const struct ilab_view *view, struct ilab_compare_view *out, struct ilab_err *err)
{
	struct ilab_context context = *c->context;
	struct ilab_measure m = { 0 };
	struct ilab_err why = { 0 }, trouble = { 0 };
	enum ilab_worker_end end = ILAB_WORKER_ALIVE;
	char utc[ILAB_UTC_SIZE];
	context.started_ns = ilab_clock_ns();
	ilab_clock_utc(utc, sizeof(utc));
	context.started_utc = ilab_arena_strdup(context.arena, utc);
	enum ilab_status status = measure(c, view, out->run_count == 0, &m, &end, &why), recorded = ILAB_OK;
	if (status == ILAB_INTERRUPTED || status == ILAB_TERMINATED)
		return ilab_err_pass(err, status, &why);
	if (status == ILAB_OK || status == ILAB_UNVERIFIED)
		recorded = record_run(c, &context, view, &m, out, &trouble);
	if (status == ILAB_OK && recorded == ILAB_OK)
		return ILAB_OK;
	out->status = status_word(recorded == ILAB_OK ? status : recorded, end);
	out->reason = ilab_arena_strdup(context.arena, recorded == ILAB_OK ? why.text : trouble.text);
	if (!c->options->quiet)
		ilab_note("%s: %s: %s", view->name, out->status, out->reason);
	return ILAB_OK;
}

/* --- all of them ------------------------------------------------------------------------------------------------------------- */

static enum ilab_status run_round(const struct ilab_comparing *c, size_t round, struct ilab_compare *out, struct ilab_err *err)
{
	const size_t n = c->views->count;
	size_t *order = ilab_arena_alloc(c->context->arena, n * sizeof(*order));
	ilab_order_round(n, round, order);
	for (size_t i = 0; i < n; i++) {
		struct ilab_compare_view *view = &out->views[order[i]];
		if (strcmp(view->status, "passed") != 0)
			continue;
		snprintf(c->progress->part, sizeof(c->progress->part), _("run %zu of %zu, "), round * n + i + 1, (size_t)c->rounds * n);
		out->order[out->order_count++] = view->view;
		enum ilab_status status = run_once(c, &c->views->views[order[i]], view, err);
		if (status != ILAB_OK)
			return status;
	}
	return ILAB_OK;
}

static void prepare(const struct ilab_comparing *c, struct ilab_compare *out)
{
	struct ilab_arena *arena = c->context->arena;
	const struct ilab_measure_request *q = &c->request;
	const struct ilab_device *device = c->views->views[0].device;
	*out = (struct ilab_compare){
		.identity = c->physical->identity, .device_name = device->name, .device_type = device->type,
		.configuration = { q->shape.batch, q->shape.context, q->shape.width, q->shape.hidden, q->warmup, q->repeats, q->seed, c->rounds,
			ilab_dtype_name(q->dtype) },
		.against = c->against, .ceilings = c->ceilings,
		.order = ilab_arena_alloc(arena, (size_t)c->rounds * c->views->count * sizeof(*out->order)),
		.views = ilab_arena_alloc(arena, c->views->count * sizeof(*out->views)), .view_count = c->views->count,
	};
	for (size_t i = 0; i < c->views->count; i++)
		out->views[i] = (struct ilab_compare_view){ c->views->views[i].name, "passed", NULL,
			ilab_arena_alloc(arena, (size_t)c->rounds * sizeof(struct ilab_compare_run)), 0 };
}

/* Base names of the modules that the runs loaded, each once. */
static const char **modules_of(const struct ilab_compare *r, struct ilab_arena *arena, size_t *count)
{
	const char **modules = ilab_arena_alloc(arena, (r->view_count + 1) * sizeof(*modules));
	*count = 0;
	for (size_t i = 0; i < r->view_count; i++) {
		const struct ilab_header *h = r->views[i].run_count ? &r->views[i].runs[0].document.header : NULL;
		bool known = !h || !h->tool_module_count;
		for (size_t k = 0; k < *count && !known; k++)
			known = !strcmp(modules[k], h->tool_modules[0]);
		if (!known)
			modules[(*count)++] = h->tool_modules[0];
	}
	return modules;
}

/* A reference that nobody asked for must have run, or nothing is compared: the next one that did. */
static void settle_reference(const struct ilab_comparing *c, struct ilab_compare *out)
{
	size_t k = 0;
	for (size_t i = 0; i < out->view_count; i++)
		if (!strcmp(out->views[i].view, out->against) && !strcmp(out->views[i].status, "passed"))
			return;
	while (k < out->view_count && strcmp(out->views[k].status, "passed") != 0)
		k++;
	if (!c->options->against && k < out->view_count)
		out->against = out->views[k].view;
}

enum ilab_status ilab_comparing_run(const struct ilab_comparing *c, struct ilab_compare *out, struct ilab_err *err)
{
	struct ilab_arena *arena = c->context->arena;
	struct ilab_err why = { 0 };
	size_t module_count;
	prepare(c, out);
	for (size_t round = 0; round < c->rounds; round++) {
		enum ilab_status status = run_round(c, round, out, err);
		if (status != ILAB_OK)
			return status;
	}
	c->progress->part[0] = '\0';
	settle_reference(c, out);
	const char **modules = modules_of(out, arena, &module_count);
	ilab_header_fill(c->context, c->options, "iteragpu-lab/compare/1", modules, module_count, &out->header);
	ilab_compare_tabulate(out, arena);
	ilab_compare_agree(out, arena);
	if (ilab_compare_check(out, &why) != ILAB_OK)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "the comparison contradicts itself, nothing is written: %s", why.text);
	return ILAB_OK;
}

enum ilab_status ilab_comparing_status(const struct ilab_compare *r, struct ilab_err *err)
{
	const struct ilab_compare_view *failed = NULL, *unverified = NULL;
	for (size_t i = 0; i < r->view_count; i++) {
		const char *status = r->views[i].status;
		if (!unverified && !strcmp(status, "unverified"))
			unverified = &r->views[i];
		else if (!failed && strcmp(status, "passed") != 0 && strcmp(status, "unsupported") != 0)
			failed = &r->views[i];
	}
	if (failed)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "%.150s: %s: %.300s", failed->view, failed->status, failed->reason);
	if (unverified)
		return ilab_err_set(err, ILAB_UNVERIFIED, "", 0, "%.150s: %.300s", unverified->view, unverified->reason);
	return ILAB_OK;
}
