#include "cli/command.h"

#include "base/message.h"
#include "cli/survey.h"
#include "device/device.h"
#include "result/document.h"
#include "result/text.h"

#include <string.h>

/* Leave only the devices that a selector means. */
static enum ilab_status keep_selected(struct ilab_survey *s, const char *selector_text, struct ilab_err *err)
{
	struct ilab_arena *arena = s->context->arena;
	struct ilab_selector selector;
	const struct ilab_device **wanted;
	size_t wanted_count;
	enum ilab_status status = ilab_selector_parse(selector_text, arena, &selector, err);
	if (status == ILAB_OK)
		status = ilab_device_match(&selector, NULL, s->listings, s->count, arena, &wanted, &wanted_count, err);
	if (status != ILAB_OK)
		return status;
	const char **names = ilab_arena_alloc(arena, wanted_count * sizeof(*names));   /* the devices move while others go */
	for (size_t w = 0; w < wanted_count; w++)
		names[w] = wanted[w]->selector;
	for (size_t l = 0; l < s->count; l++) {
		struct ilab_listing *listing = &s->listings[l];
		size_t kept = 0;
		for (size_t d = 0; d < listing->device_count; d++)
			for (size_t w = 0; w < wanted_count; w++)
				if (!strcmp(names[w], listing->devices[d].selector)) {
					listing->devices[kept++] = listing->devices[d];
					break;
				}
		listing->device_count = kept;
	}
	ilab_device_pair(arena, s->listings, s->count, &s->physical, &s->physical_count);
	return ILAB_OK;
}

static enum ilab_status print_list(const struct ilab_survey *s, const char *type, struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;
	for (size_t l = 0; l < s->count; l++)
		for (size_t d = 0; d < s->listings[l].device_count && status == ILAB_OK; d++) {
			const struct ilab_device *device = &s->listings[l].devices[d];
			if (!type || !strcmp(type, device->type))
				status = ilab_print_text(ilab_arena_printf(s->context->arena, "%s\n", device->selector), err);
		}
	return status;
}

/* Base names of the modules that were loaded. */
static const char **loaded_modules(const struct ilab_survey *s, size_t *count)
{
	const char **names = ilab_arena_alloc(s->context->arena, (s->count + 1) * sizeof(*names));
	*count = 0;
	for (size_t l = 0; l < s->count; l++)
		if (s->listings[l].modules && strcmp(s->listings[l].modules, "built-in") != 0)
			names[(*count)++] = s->listings[l].modules;
	return names;
}

static void collect_advice(const struct ilab_survey *s, struct ilab_environment *r)
{
	size_t total = 0;
	for (size_t l = 0; l < s->count; l++)
		total += s->listings[l].advice_count;
	r->advice = ilab_arena_alloc(s->context->arena, (total + 1) * sizeof(*r->advice));
	for (size_t l = 0; l < s->count; l++)
		for (size_t i = 0; i < s->listings[l].advice_count; i++)
			r->advice[r->advice_count++] = s->listings[l].advice[i];
	size_t platforms = 0;
	for (size_t l = 0; l < s->count; l++)
		platforms += s->listings[l].platform_count;
	if (!s->physical_count && !platforms)
		r->advice[r->advice_count++] = N_("No device was found: install the driver of your GPU, or pocl-opencl-icd to measure on the CPU.");
}

static enum ilab_status print_environment(struct ilab_survey *s, struct ilab_err *err)
{
	const struct ilab_options *options = s->options;
	struct ilab_environment r = { .backends = s->listings, .backend_count = s->count, .physical = s->physical,
		.physical_count = s->physical_count };
	if (options->no_uuid)
		ilab_device_hide_uuids(s->context->arena, s->listings, s->count, s->physical, s->physical_count);
	ilab_host_facts(s->context->arena, &r.host);
	for (size_t l = 0; l < s->count; l++)
		if (!strcmp(s->listings[l].backend, "opencl")) {
			r.loader_name = s->listings[l].loader_name;
			r.loader_version = s->listings[l].loader_version;
		}
	collect_advice(s, &r);
	size_t module_count;
	const char **modules = loaded_modules(s, &module_count);
	ilab_header_fill(s->context, options, "iteragpu-lab/environment/1", modules, module_count, &r.header);
	if (options->json)
		return ilab_print_json(ilab_environment_to_json(&r), err);
	return ilab_print_text(ilab_text_environment(&r, s->context->arena), err);
}

enum ilab_status ilab_cmd_environment(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err)
{
	struct ilab_survey survey;
	struct ilab_progress progress;
	if (options->type && !options->list)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "environment: --type goes with --list; see `iteragpu-lab environment --help`");
	if (options->list && options->json)
		return ilab_err_set(err, ILAB_REFUSED, "", 0,
			"environment: --list and --json exclude each other; see `iteragpu-lab environment --help`");
	ilab_progress_start(&progress, context, options);
	enum ilab_status status = ilab_survey_open(&survey, context, options, &progress, NULL, 0, err);
	if (status == ILAB_OK && options->device)
		status = keep_selected(&survey, options->device, err);
	ilab_progress_clear(&progress);
	if (status == ILAB_OK)
		status = options->list ? print_list(&survey, options->type, err) : print_environment(&survey, err);
	ilab_survey_close(&survey);
	return status;
}
