#include "cli/command.h"

#include "base/outfile.h"
#include "cli/ceiling.h"
#include "cli/deliver.h"
#include "cli/physical.h"
#include "harness/signals.h"

/* `q` without its device and views, which are found here. */
static enum ilab_status work(struct ilab_ceiling_request q, const struct ilab_selector *selector, struct ilab_ceilings *out, struct ilab_err *err)
{
	struct ilab_views all = { 0 }, chosen;
	ilab_progress_start(q.progress, q.context, q.options);
	enum ilab_status status = ilab_physical_survey(q.survey, q.context, q.options, q.progress, err);
	if (status == ILAB_OK)
		status = ilab_physical_find(q.survey, selector, ILAB_GEMM_AUTO, &q.physical, &all, err);
	chosen = all;
	if (status == ILAB_OK && q.options->views)
		status = ilab_views_named(&all, q.options->views, q.context->arena, &chosen, err);
	ilab_progress_clear(q.progress);
	if (status != ILAB_OK)
		return status;
	q.views = &chosen;
	return ilab_ceiling_measure(&q, out, err);
}

/* Nothing at all is a failure, unless nothing is what the device supports. */
static enum ilab_status judge(const struct ilab_ceilings *r, struct ilab_err *err)
{
	if (r->copy_count || r->arithmetic_count || !(r->timed_out_count + r->failed_count))
		return ILAB_OK;
	return ilab_err_set(err, ILAB_FAILED, "", 0, "nothing could be measured, %zu timed out and %zu failed: %.300s", r->timed_out_count, r->failed_count,
		r->unmeasured[0]);
}

enum ilab_status ilab_cmd_ceilings(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err)
{
	struct ilab_survey survey = { 0 };
	struct ilab_progress progress = { 0 };
	const struct ilab_ceiling_request q = { .context = context, .options = options, .survey = &survey, .progress = &progress,
		.dtypes = ILAB_CEILING_ALL_DTYPES, .timeout_seconds = options->timeout_ns ? (double)options->timeout_ns * 1e-9 : ILAB_CEILING_TIMEOUT_SECONDS };
	struct ilab_selector selector;
	struct ilab_ceilings record;
	struct ilab_outfile *file = NULL;
	enum ilab_status status = ilab_selector_parse(options->device, context->arena, &selector, err);
	if (status == ILAB_OK)
		status = ilab_check_stdout(err);
	if (status == ILAB_OK)
		status = ilab_signals_catch(err);
	if (status == ILAB_OK && options->output)
		status = ilab_outfile_open(options->output, &file, err);
	if (status == ILAB_OK)
		status = work(q, &selector, &record, err);
	ilab_survey_close(&survey);
	if (status == ILAB_OK)
		status = ilab_deliver(ilab_ceilings_to_json(&record), ilab_text_ceilings(&record, options->verbose, context->arena), options, &file, err);
	if (status == ILAB_OK)
		status = judge(&record, err);
	ilab_outfile_discard(file);
	return status;
}
