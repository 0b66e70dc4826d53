#include "cli/physical.h"

#include "cli/comparing.h"

enum ilab_status ilab_physical_survey(struct ilab_survey *s, const struct ilab_context *context, const struct ilab_options *options,
	struct ilab_progress *progress, struct ilab_err *err)
{
	enum ilab_status status = ilab_survey_open(s, context, options, progress, options->backend, ilab_comparing_timeout(options), err);
	ilab_survey_keep(s, "");
	return status;
}

enum ilab_status ilab_physical_find(struct ilab_survey *s, const struct ilab_selector *selector, enum ilab_gemm gemm,
	const struct ilab_physical **physical, struct ilab_views *views, struct ilab_err *err)
{
	struct ilab_arena *arena = s->context->arena;
	const struct ilab_device **matched, **devices;
	size_t count;
	enum ilab_status status = ilab_device_match(selector, s->options->backend, s->listings, s->count, arena, &matched, &count, err);
	if (status != ILAB_OK)
		return status;
	*physical = &s->physical[matched[0]->physical];
	devices = ilab_survey_devices(s, matched[0]->physical, &count);
	*views = ilab_views_of(devices, count, gemm, arena);
	if (s->options->no_uuid)
		ilab_device_hide_uuids(arena, s->listings, s->count, s->physical, s->physical_count);
	if (views->count == 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "no view of this device has the provider %s", ilab_gemm_name(gemm));
	return ILAB_OK;
}
