#include "cli/command.h"

#include "base/outfile.h"
#include "cli/deliver.h"
#include "cli/measuring.h"
#include "cli/survey.h"
#include "device/device.h"
#include "harness/signals.h"
#include "result/document.h"
#include "result/text.h"

#include <string.h>

/* The work of a measurement, from the arguments to a record; the caller owns what has to be given back. */
struct run {
	const struct ilab_context *context;
	const struct ilab_options *options;
	struct ilab_measure_request request;
	struct ilab_selector selector;
	struct ilab_survey survey;
	struct ilab_progress progress;
	const struct ilab_device *device;
	struct ilab_worker *worker;
	struct ilab_measure record;
};

/* Everything that can be refused without any driver. */
static enum ilab_status prepare(struct run *r, struct ilab_err *err)
{
	enum ilab_status status = ilab_measuring_request(r->options, &r->request, err);
	if (status == ILAB_OK)
		status = ilab_selector_parse(r->options->device, r->context->arena, &r->selector, err);
	return status == ILAB_OK ? ilab_check_stdout(err) : status;
}

static enum ilab_status find_device(struct run *r, struct ilab_err *err)
{
	const struct ilab_options *o = r->options;
	const char *only = o->backend ? o->backend : r->selector.kind == ILAB_SELECT_BACKEND ? r->selector.backend : NULL;
	if (o->backend && r->selector.kind == ILAB_SELECT_BACKEND && strcmp(o->backend, r->selector.backend) != 0)
		only = NULL;           /* resolving says what is wrong */
	enum ilab_status status = ilab_survey_open(&r->survey, r->context, o, &r->progress, only, (double)o->timeout_ns * 1e-9, err);
	if (status == ILAB_OK)
		status = ilab_device_resolve(&r->selector, o->backend, r->survey.listings, r->survey.count, &r->device, err);
	if (status != ILAB_OK)
		return status;
	ilab_measuring_aim(&r->request, r->device);
	r->worker = ilab_survey_keep(&r->survey, r->device->backend);
	for (size_t l = 0; l < r->survey.count && !o->quiet; l++)
		for (size_t i = 0; i < r->survey.listings[l].advice_count && o->verbose; i++)
			ilab_note("%s", r->survey.listings[l].advice[i]);
	return ILAB_OK;
}

static enum ilab_status work(struct run *r, struct ilab_err *err)
{
	struct ilab_observer observer = ilab_progress_observer(&r->progress);
	ilab_progress_start(&r->progress, r->context, r->options);
	enum ilab_status status = find_device(r, err);
	if (status == ILAB_OK)
		status = ilab_worker_measure(r->worker, &r->request, &observer, r->context->arena, &r->record, err);
	ilab_progress_clear(&r->progress);
	if (status == ILAB_FAILED && r->worker && !r->options->quiet && !r->options->verbose)
		ilab_survey_show_output(r->worker);
	if (status != ILAB_OK && status != ILAB_UNVERIFIED)
		return status;
	enum ilab_status good = ilab_measuring_check_device(r->device, &r->record.device, err);
	if (good != ILAB_OK)
		return good;
	if (r->options->no_uuid)
		ilab_device_hide_uuids(r->context->arena, r->survey.listings, r->survey.count, r->survey.physical, r->survey.physical_count);
	good = ilab_measuring_complete(r->context, r->options, &r->survey, r->device, &r->record, err);
	return good == ILAB_OK ? status : good;
}

enum ilab_status ilab_cmd_measure(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err)
{
	struct run r = { .context = context, .options = options };
	struct ilab_outfile *file = NULL;
	struct ilab_err trouble = { 0 };
	enum ilab_status status = prepare(&r, err);
	if (status == ILAB_OK)
		status = ilab_signals_catch(err);
	if (status == ILAB_OK)
		status = ilab_outfile_open(options->output, &file, err);
	if (status == ILAB_OK)
		status = work(&r, err);
	ilab_survey_close(&r.survey);
	if (status == ILAB_OK || status == ILAB_UNVERIFIED) {
		enum ilab_status delivered = ilab_deliver(ilab_measure_to_json(&r.record), ilab_text_measure(&r.record, options->verbose, context->arena),
			options, &file, &trouble);
		if (delivered != ILAB_OK) {
			*err = trouble;        /* a file that is not there matters more than what it would have said */
			status = delivered;
		}
	}
	ilab_outfile_discard(file);
	return status;
}
