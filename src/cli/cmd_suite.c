#include "cli/command.h"

#include "base/message.h"
#include "base/outfile.h"
#include "cli/ceiling.h"
#include "cli/comparing.h"
#include "cli/deliver.h"
#include "cli/physical.h"
#include "cli/together.h"
#include "harness/signals.h"
#include "result/suite_cases.h"

#include <stdio.h>
#include <string.h>

/* One suite over one device, or over all GPUs. */
struct run {
	const struct ilab_context *context;
	const struct ilab_options *options;
	struct ilab_survey survey;
	struct ilab_progress progress;
	struct ilab_suite record;
	size_t room;                   /* of record.cases */
	enum ilab_status lost; struct ilab_err lost_err;   /* a device that left nothing when all ran at once; what there is goes out all the same */
};

/* A device as the suite uses it. */
struct target { const struct ilab_physical *physical; struct ilab_views views; bool cpu; };

static void keep(struct run *r, const struct ilab_compare *c)
{
	if (r->record.case_count == r->room) {
		struct ilab_compare *grown = ilab_arena_alloc(r->context->arena, (2 * r->room + 16) * sizeof(*grown));
		if (r->room)
			memcpy(grown, r->record.cases, r->room * sizeof(*grown));
		r->record.cases = grown;
		r->room = 2 * r->room + 16;
	}
	r->record.cases[r->record.case_count++] = *c;
}

/* Is the case among those that were asked for? `list`: names separated by commas, each a whole name or its first word; NULL: all. */
static bool chosen(const char *list, const char *name)
{
	const size_t first = strcspn(name, " ");
	for (const char *start = list; start; start = strchr(start, ',') ? strchr(start, ',') + 1 : NULL) {
		const size_t length = strcspn(start, ",");
		if ((length == strlen(name) || length == first) && !strncmp(start, name, length))
			return true;
	}
	return !list;
}

static enum ilab_status run_case(struct run *r, const struct target *t, const struct ilab_suite_case *one, struct ilab_ceilings *ceilings,
	struct ilab_err *err)
{
	const struct ilab_options *o = r->options;
	struct ilab_comparing c = {
		.context = r->context, .options = o, .survey = &r->survey, .progress = &r->progress, .physical = t->physical, .views = &t->views,
		.against = o->against ? o->against : ilab_views_reference(&t->views)->name, .rounds = ILAB_SUITE_ROUNDS,
		.timeout_seconds = ilab_comparing_timeout(o), .ceilings = ceilings,
		.request = { .shape = one->shape, .dtype = one->dtype, .warmup = one->warmup, .repeats = one->repeats, .verify_rows = 8 },
	};
	struct ilab_compare result;
	enum ilab_status status = ilab_comparing_run(&c, &result, err);
	result.case_name = one->name;
	if (status == ILAB_OK)
		keep(r, &result);
	return status;
}

static unsigned dtypes_of(const char *list, const struct ilab_suite_case *cases, size_t count)
{
	unsigned dtypes = 0;
	for (size_t i = 0; i < count; i++)
		dtypes |= chosen(list, cases[i].name) ? 1u << cases[i].dtype : 0;
	return dtypes;
}

static enum ilab_status run_device(struct run *r, const struct target *t, const char *list, struct ilab_err *err)
{
	const struct ilab_options *o = r->options;
	size_t count;
	const struct ilab_suite_case *cases = ilab_suite_cases(t->cpu, &count);
	const struct ilab_ceiling_request q = { .context = r->context, .options = o, .survey = &r->survey, .progress = &r->progress,
		.physical = t->physical, .views = &t->views, .dtypes = dtypes_of(list, cases, count),
		.timeout_seconds = o->timeout_ns ? (double)o->timeout_ns * 1e-9 : ILAB_CEILING_TIMEOUT_SECONDS };
	struct ilab_ceilings *ceilings = o->no_ceilings ? NULL : ilab_arena_alloc(r->context->arena, sizeof(*ceilings));
	enum ilab_status status = ILAB_OK;
	if (!q.dtypes)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "--cases: \"%.100s\" names no case; they are small, medium and large, alone or with a type: \"large float16\"",
			list);
	if (ceilings && o->ceilings)
		status = ilab_ceiling_read(o->ceilings, &r->survey, t->physical, r->context->arena, ceilings, err);
	else if (ceilings)
		status = ilab_ceiling_measure(&q, ceilings, err);
	for (size_t i = 0; i < count && status == ILAB_OK; i++)
		if (chosen(list, cases[i].name))
			status = run_case(r, t, &cases[i], ceilings, err);
	return status;
}

static enum ilab_status name_views(struct run *r, struct target *t, struct ilab_err *err)
{
	const struct ilab_options *o = r->options;
	struct ilab_views all = t->views;
	enum ilab_status status = o->views ? ilab_views_named(&all, o->views, r->context->arena, &t->views, err) : ILAB_OK;
	if (status == ILAB_OK && o->against && !ilab_views_find(&t->views, o->against))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "--against: \"%.150s\" is none of the views that are compared: %.600s", o->against,
			ilab_views_listed(&t->views, r->context->arena));
	t->cpu = !strcmp(t->views.views[0].told.type, "cpu");
	return status;
}

static enum ilab_status run_one(struct run *r, struct ilab_err *err)
{
	struct ilab_selector selector;
	struct target t;
	enum ilab_status status = ilab_selector_parse(r->options->device, r->context->arena, &selector, err);
	if (status == ILAB_OK)
		status = ilab_physical_find(&r->survey, &selector, ILAB_GEMM_AUTO, &t.physical, &t.views, err);
	if (status == ILAB_OK)
		status = name_views(r, &t, err);
	return status == ILAB_OK ? run_device(r, &t, r->options->cases, err) : status;
}

/* The GPUs of the host; `selectors` as each may be named to a program of its own. */
static size_t find_gpus(struct run *r, struct target *targets, const char **selectors)
{
	size_t n = 0;
	for (size_t p = 0; p < r->survey.physical_count; p++) {
		size_t count;
		const struct ilab_device **devices = ilab_survey_devices(&r->survey, (int64_t)p, &count);
		if (!count || strcmp(devices[0]->type, "gpu") != 0)
			continue;
		targets[n] = (struct target){ .physical = &r->survey.physical[p], .views = ilab_views_of(devices, count, ILAB_GEMM_AUTO, r->context->arena) };
		selectors[n++] = ilab_arena_strdup(r->context->arena, devices[0]->selector);
	}
	if (r->options->no_uuid)
		ilab_device_hide_uuids(r->context->arena, r->survey.listings, r->survey.count, r->survey.physical, r->survey.physical_count);
	return n;
}

static enum ilab_status run_together(struct run *r, const char **selectors, size_t count, const char *list, struct ilab_err *err)
{
	const struct ilab_together t = { r->context, r->options, selectors, count, list };
	struct ilab_compare *cases;
	size_t case_count;
	snprintf(r->progress.what, sizeof(r->progress.what), _("%zu devices at once"), count);
	enum ilab_status status = ilab_together_run(&t, &cases, &case_count, &r->lost_err);
	if (status != ILAB_OK && status != ILAB_FAILED)
		return ilab_err_pass(err, status, &r->lost_err);
	r->lost = status;
	for (size_t i = 0; i < case_count; i++)
		keep(r, &cases[i]);
	return ILAB_OK;
}

static enum ilab_status run_all(struct run *r, struct ilab_err *err)
{
	struct target *targets = ilab_arena_alloc(r->context->arena, (r->survey.physical_count + 1) * sizeof(*targets));
	const char **selectors = ilab_arena_alloc(r->context->arena, (r->survey.physical_count + 1) * sizeof(*selectors));
	const size_t count = find_gpus(r, targets, selectors);
	const char *list = r->options->cases ? r->options->cases : "large";
	enum ilab_status status = ILAB_OK;
	if (!count)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "--device all: this machine has no GPU that a backend reaches; see `iteragpu-lab environment`");
	for (size_t i = 0; i < count && status == ILAB_OK; i++) {
		status = name_views(r, &targets[i], err);
		if (status == ILAB_OK)
			status = run_device(r, &targets[i], list, err);
	}
	return status == ILAB_OK && count > 1 ? run_together(r, selectors, count, list, err) : status;
}

static enum ilab_status work(struct run *r, struct ilab_err *err)
{
	ilab_progress_start(&r->progress, r->context, r->options);
	enum ilab_status status = ilab_physical_survey(&r->survey, r->context, r->options, &r->progress, err);
	if (status == ILAB_OK)
		status = strcmp(r->options->device, "all") ? run_one(r, err) : run_all(r, err);
	ilab_progress_clear(&r->progress);
	if (status != ILAB_OK)
		return status;
	r->record.suite_version = ILAB_SUITE_VERSION;
	ilab_suite_find_odd(&r->record, r->context->arena);
	ilab_header_fill(r->context, r->options, "iteragpu-lab/suite/1", r->record.cases[0].header.tool_modules,
		r->record.cases[0].header.tool_module_count, &r->record.header);
	return ILAB_OK;
}

/* The worst of the cases; ILAB_FAILED before ILAB_UNVERIFIED. */
static enum ilab_status worst(const struct ilab_suite *s, struct ilab_err *err)
{
	enum ilab_status worst = ILAB_OK;
	for (size_t i = 0; i < s->case_count; i++) {
		struct ilab_err why = { 0 };
		enum ilab_status status = ilab_comparing_status(&s->cases[i], &why);
		if (status == ILAB_OK || worst == ILAB_FAILED || (worst != ILAB_OK && status != ILAB_FAILED))
			continue;
		ilab_err_clear(err);
		worst = ilab_err_set(err, status, "", 0, "%.60s: %.400s", s->cases[i].case_name, why.text);
	}
	return worst;
}

enum ilab_status ilab_cmd_suite(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err)
{
	struct run r = { .context = context, .options = options };
	struct ilab_selector selector;
	struct ilab_outfile *file = NULL;
	enum ilab_status status = strcmp(options->device, "all") ? ilab_selector_parse(options->device, context->arena, &selector, err) : ILAB_OK;
	if (status == ILAB_OK)
		status = ilab_check_stdout(err);
	if (status == ILAB_OK)
		status = ilab_signals_catch(err);
	if (status == ILAB_OK)
		status = ilab_outfile_open(options->output, &file, err);
	if (status == ILAB_OK)
		status = work(&r, err);
	ilab_survey_close(&r.survey);
	if (status == ILAB_OK)
		status = ilab_deliver(ilab_suite_to_json(&r.record), ilab_text_suite(&r.record, context->arena), options, &file, err);
	if (status == ILAB_OK)
		status = r.lost == ILAB_OK ? worst(&r.record, err) : ilab_err_pass(err, r.lost, &r.lost_err);
	ilab_outfile_discard(file);
	return status;
}
