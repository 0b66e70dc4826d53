#include "cli/command.h"

#include "base/outfile.h"
#include "cli/deliver.h"
#include "cli/measuring.h"
#include "harness/signals.h"
#include "result/tuning.h"

static enum ilab_status complete(struct ilab_measuring *on, struct ilab_tuning_record *record, struct ilab_err *err)
{
	struct ilab_err why = { 0 };
	size_t module_count;
	const char **modules = ilab_measuring_modules(&on->survey, on->device->backend, on->context->arena, &module_count);
	if (on->options->no_uuid)
		ilab_device_hide_uuids(on->context->arena, on->survey.listings, on->survey.count, on->survey.physical, on->survey.physical_count);
	record->device_identity = on->survey.physical[on->device->physical].identity;
	record->device_name = on->device->name;
	record->driver_version = on->device->driver_version;
	ilab_header_fill(on->context, on->options, "iteragpu-lab/tuning/1", modules, module_count, &record->header);
	if (ilab_tuning_check(record, &why) != ILAB_OK)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "the tuning contradicts itself, nothing is written: %s", why.text);
	return ILAB_OK;
}

static enum ilab_status work(struct ilab_measuring *on, struct ilab_tuning_record *record, struct ilab_err *err)
{
	struct ilab_observer observer = ilab_progress_observer(&on->progress);
	ilab_progress_start(&on->progress, on->context, on->options);
	enum ilab_status status = ilab_measuring_find(on, err);
	if (status == ILAB_OK)
		status = ilab_worker_tune(on->worker, &on->request, &observer, on->context->arena, record, err);
	ilab_progress_clear(&on->progress);
	ilab_measuring_explain(on, status);
	return status == ILAB_OK ? complete(on, record, err) : status;
}

enum ilab_status ilab_cmd_tune(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err)
{
	struct ilab_measuring on = { .context = context, .options = options };
	struct ilab_tuning_record record = { 0 };
	struct ilab_outfile *file = NULL;
	enum ilab_status status = ilab_measuring_prepare(&on, err);
	if (status == ILAB_OK)
		status = ilab_signals_catch(err);
	if (status == ILAB_OK)
		status = ilab_outfile_open(options->output, &file, err);
	if (status == ILAB_OK)
		status = work(&on, &record, err);
	ilab_survey_close(&on.survey);
	if (status == ILAB_OK)
		status = ilab_deliver(ilab_tuning_to_json(&record), ilab_text_tuning(&record, context->arena), options, &file, err);
	ilab_outfile_discard(file);
	return status;
}
