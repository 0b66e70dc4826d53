#include "cli/command.h"

#include "base/outfile.h"
#include "cli/deliver.h"
#include "cli/measuring.h"
#include "cli/tuning_file.h"
#include "harness/signals.h"
#include "result/document.h"
#include "result/text.h"

struct run {
	struct ilab_measuring on;
	struct ilab_tuning_record tuning;      /* of --tuning */
	struct ilab_measure record;
};

static enum ilab_status prepare(struct run *r, struct ilab_err *err)
{
	const char *path = r->on.options->tuning;
	enum ilab_status status = ilab_measuring_prepare(&r->on, err);
	return status == ILAB_OK && path ? ilab_tuning_file_read(path, r->on.context->arena, &r->tuning, err) : status;
}

static enum ilab_status find_device(struct run *r, struct ilab_err *err)
{
	struct ilab_measuring *on = &r->on;
	enum ilab_status status = ilab_measuring_find(on, err);
	if (status != ILAB_OK || !on->options->tuning)
		return status;
	on->request.tuning = ilab_tuning_file_use(&r->tuning, &on->request, on->options->quiet, on->context->arena);
	return ilab_tuning_file_check(&r->tuning, on->survey.physical[on->device->physical].identity, on->device, err);
}

static enum ilab_status work(struct run *r, struct ilab_err *err)
{
	struct ilab_measuring *on = &r->on;
	struct ilab_observer observer = ilab_progress_observer(&on->progress);
	ilab_progress_start(&on->progress, on->context, on->options);
	enum ilab_status status = find_device(r, err);
	if (status == ILAB_OK)
		status = ilab_worker_measure(on->worker, &on->request, &observer, on->context->arena, &r->record, err);
	ilab_progress_clear(&on->progress);
	ilab_measuring_explain(on, status);
	if (status != ILAB_OK && status != ILAB_UNVERIFIED)
		return status;
	enum ilab_status good = ilab_measuring_check_device(on->device, &r->record.device, err);
	if (good != ILAB_OK)
		return good;
	if (on->options->no_uuid)
		ilab_device_hide_uuids(on->context->arena, on->survey.listings, on->survey.count, on->survey.physical, on->survey.physical_count);
	good = ilab_measuring_complete(on->context, on->options, &on->survey, on->device, &r->record, err);
	return good == ILAB_OK ? status : good;
}

enum ilab_status ilab_cmd_measure(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err)
{
	struct run r = { .on = { .context = context, .options = options } };
	struct ilab_outfile *file = NULL;
	struct ilab_err trouble = { 0 };
	enum ilab_status status = prepare(&r, err);
	if (status == ILAB_OK)
		status = ilab_signals_catch(err);
	if (status == ILAB_OK)
		status = ilab_outfile_open(options->output, &file, err);
	if (status == ILAB_OK)
		status = work(&r, err);
	ilab_survey_close(&r.on.survey);
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
