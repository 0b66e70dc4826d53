#include "cli/command.h"

#include "base/numtext.h"
#include "base/outfile.h"
#include "cli/ceiling.h"
#include "cli/comparing.h"
#include "cli/deliver.h"
#include "cli/measuring.h"
#include "cli/physical.h"
#include "cli/tuning_file.h"
#include "harness/signals.h"

#include <string.h>

struct run {
	struct ilab_comparing comparing;
	struct ilab_survey survey;
	struct ilab_progress progress;
	struct ilab_selector selector;
	struct ilab_views all, chosen;
	struct ilab_ceilings ceilings;
	struct ilab_tuning_record tuning;      /* of --tuning */
	struct ilab_compare record;
};

/* "VIEW=PCT" */
static enum ilab_status parse_slow_down(const char *text, struct ilab_comparing *c, struct ilab_err *err)
{
	const char *mark = strrchr(text, '=');
	uint64_t nano_percent = 0;
	if (!mark || ilab_parse_decimal(mark + 1, 9, &nano_percent) != ILAB_PARSE_OK || nano_percent < 100
		|| nano_percent > UINT64_C(1000000000000))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "--test-slow-down takes VIEW=PCT, PCT a decimal number above 0 and up to 1000");
	c->slow_view = ilab_arena_printf(c->context->arena, "%.*s", (int)(mark - text), text);
	c->slow_down_billionths = nano_percent / 100;
	return ILAB_OK;
}

static enum ilab_status prepare(struct run *r, struct ilab_err *err)
{
	struct ilab_comparing *c = &r->comparing;
	enum ilab_status status = ilab_measuring_request(c->options, &c->request, err);
	if (status == ILAB_OK && c->options->ceilings && c->options->no_ceilings)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "--ceilings and --no-ceilings exclude each other");
	if (status == ILAB_OK)
		status = ilab_selector_parse(c->options->device, c->context->arena, &r->selector, err);
	if (status == ILAB_OK && c->options->tuning)
		status = ilab_tuning_file_read(c->options->tuning, c->context->arena, &r->tuning, err);
	if (status == ILAB_OK && c->options->test_slow_down)
		status = parse_slow_down(c->options->test_slow_down, c, err);
	return status == ILAB_OK ? ilab_check_stdout(err) : status;
}

/* The tuning is for the views of its provider, of which there must be one. */
static enum ilab_status use_tuning(struct run *r, struct ilab_err *err)
{
	struct ilab_comparing *c = &r->comparing;
	size_t uses = 0;
	if (!c->options->tuning)
		return ILAB_OK;
	c->tuning = ilab_tuning_file_use(&r->tuning, &c->request, c->options->quiet, c->context->arena);
	for (size_t i = 0; i < c->views->count; i++) {
		const struct ilab_view *view = &c->views->views[i];
		if (strcmp(ilab_gemm_name(view->gemm), r->tuning.provider) != 0)
			continue;
		enum ilab_status status = ilab_tuning_file_check(&r->tuning, c->physical->identity, view->device, err);
		if (status != ILAB_OK)
			return status;
		uses++;
	}
	return uses ? ILAB_OK : ilab_err_set(err, ILAB_REFUSED, "", 0, "the tuning is for %s, which none of the views that are compared has", r->tuning.provider);
}

static enum ilab_status choose_views(struct run *r, struct ilab_err *err)
{
	struct ilab_comparing *c = &r->comparing;
	const struct ilab_options *o = c->options;
	enum ilab_status status = ilab_physical_find(&r->survey, &r->selector, c->request.gemm, &c->physical, &r->all, err);
	if (status != ILAB_OK)
		return status;
	r->chosen = r->all;
	if (o->views)
		status = ilab_views_named(&r->all, o->views, c->context->arena, &r->chosen, err);
	if (status != ILAB_OK)
		return status;
	c->views = &r->chosen;
	c->against = ilab_views_reference(&r->chosen)->name;
	if (o->against && !ilab_views_find(&r->chosen, c->against = o->against))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "--against: \"%.150s\" is none of the views that are compared: %.600s", o->against,
			ilab_views_listed(&r->chosen, r->comparing.context->arena));
	if (c->slow_view && !ilab_views_find(&r->chosen, c->slow_view))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "--test-slow-down: \"%.150s\" is none of the views that are compared", c->slow_view);
	return ILAB_OK;
}

/* Of the views that are compared, in the type that is compared. */
static enum ilab_status find_ceilings(struct run *r, struct ilab_err *err)
{
	struct ilab_comparing *c = &r->comparing;
	const struct ilab_options *o = c->options;
	const struct ilab_ceiling_request q = { .context = c->context, .options = o, .survey = c->survey, .progress = c->progress,
		.physical = c->physical, .views = c->views, .dtypes = 1u << c->request.dtype,
		.timeout_seconds = o->timeout_ns ? c->timeout_seconds : ILAB_CEILING_TIMEOUT_SECONDS };
	if (o->no_ceilings)
		return ILAB_OK;
	c->ceilings = &r->ceilings;
	return o->ceilings ? ilab_ceiling_read(o->ceilings, c->survey, c->physical, c->context->arena, &r->ceilings, err)
		: ilab_ceiling_measure(&q, &r->ceilings, err);
}

static enum ilab_status work(struct run *r, struct ilab_err *err)
{
	struct ilab_comparing *c = &r->comparing;
	ilab_progress_start(&r->progress, c->context, c->options);
	enum ilab_status status = ilab_physical_survey(&r->survey, c->context, c->options, &r->progress, err);
	if (status == ILAB_OK)
		status = choose_views(r, err);
	if (status == ILAB_OK)
		status = use_tuning(r, err);
	if (status == ILAB_OK)
		status = find_ceilings(r, err);
	ilab_progress_clear(&r->progress);
	return status == ILAB_OK ? ilab_comparing_run(c, &r->record, err) : status;
}

enum ilab_status ilab_cmd_compare(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err)
{
	struct run r = { .comparing = { .context = context, .options = options, .rounds = options->rounds,
		.timeout_seconds = ilab_comparing_timeout(options) } };
	struct ilab_outfile *file = NULL;
	r.comparing.survey = &r.survey;
	r.comparing.progress = &r.progress;
	enum ilab_status status = prepare(&r, err);
	if (status == ILAB_OK)
		status = ilab_signals_catch(err);
	if (status == ILAB_OK)
		status = ilab_outfile_open(options->output, &file, err);
	if (status == ILAB_OK)
		status = work(&r, err);
	ilab_survey_close(&r.survey);
	if (status == ILAB_OK)
		status = ilab_deliver(ilab_compare_to_json(&r.record), ilab_text_compare(&r.record, options->verbose, context->arena), options, &file, err);
	if (status == ILAB_OK)
		status = ilab_comparing_status(&r.record, err);
	ilab_outfile_discard(file);
	return status;
}
