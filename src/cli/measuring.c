#include "cli/measuring.h"

#include "harness/worker_env.h"
#include "result/document.h"

#include <string.h>

enum ilab_status ilab_measuring_request(const struct ilab_options *o, struct ilab_measure_request *out, struct ilab_err *err)
{
	struct ilab_sizes sizes;
	*out = (struct ilab_measure_request){ .warmup = o->warmup, .repeats = o->repeats, .seed = o->seed, .verify_rows = o->verify_rows };
	out->shape = (struct ilab_shape){ o->batch, o->context, o->width, o->hidden };
	out->open.graph = o->graph;
	if (!o->hidden && !ilab_checked_mul(o->width, 4, &out->shape.hidden))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "hidden, 4 * width, is too large: the largest size is 2^63 - 1");
	if (!ilab_dtype_from_name(o->dtype, &out->dtype) || !ilab_gemm_from_name(o->gemm, &out->gemm))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "a name of the option table is unknown below it");
	return ilab_shape_sizes(&out->shape, out->dtype, &sizes, err);
}

void ilab_measuring_aim(struct ilab_measure_request *request, const struct ilab_device *device)
{
	request->open.platform_index = device->platform_index;
	request->open.device_index = device->device_index;
	/* Without the option kernels on Intel's GPUs compute wrong addresses above 4 GiB. Other compilers refuse it. */
	bool intel = !strcmp(device->backend, "opencl") && strcmp(device->type, "cpu") != 0 && strstr(device->vendor, "Intel");
	request->clblast_options = intel && device->total_memory_bytes > UINT32_MAX ? "-cl-intel-greater-than-4GB-buffer-required" : NULL;
}

enum ilab_status ilab_measuring_prepare(struct ilab_measuring *m, struct ilab_err *err)
{
	enum ilab_status status = ilab_measuring_request(m->options, &m->request, err);
	if (status == ILAB_OK)
		status = ilab_selector_parse(m->options->device, m->context->arena, &m->selector, err);
	return status == ILAB_OK ? ilab_check_stdout(err) : status;
}

enum ilab_status ilab_measuring_find(struct ilab_measuring *m, struct ilab_err *err)
{
	const struct ilab_options *o = m->options;
	const char *only = o->backend ? o->backend : m->selector.kind == ILAB_SELECT_BACKEND ? m->selector.backend : NULL;
	if (o->backend && m->selector.kind == ILAB_SELECT_BACKEND && strcmp(o->backend, m->selector.backend) != 0)
		only = NULL;           /* resolving says what is wrong */
	enum ilab_status status = ilab_survey_open(&m->survey, m->context, o, &m->progress, only, (double)o->timeout_ns * 1e-9, err);
	if (status == ILAB_OK)
		status = ilab_device_resolve(&m->selector, o->backend, m->survey.listings, m->survey.count, &m->device, err);
	if (status != ILAB_OK)
		return status;
	ilab_measuring_aim(&m->request, m->device);
	m->worker = ilab_survey_keep(&m->survey, m->device->backend);
	for (size_t l = 0; l < m->survey.count && !o->quiet; l++)
		for (size_t i = 0; i < m->survey.listings[l].advice_count && o->verbose; i++)
			ilab_note("%s", m->survey.listings[l].advice[i]);
	return ILAB_OK;
}

void ilab_measuring_explain(struct ilab_measuring *m, enum ilab_status status)
{
	if (status == ILAB_FAILED && m->worker && !m->options->quiet && !m->options->verbose)
		ilab_survey_show_output(m->worker);
}

static bool differs(const char *a, const char *b)
{
	return (a || b) && (!a || !b || strcmp(a, b) != 0);
}

enum ilab_status ilab_measuring_check_device(const struct ilab_device *chosen, const struct ilab_device *opened, struct ilab_err *err)
{
	if (!differs(chosen->selector, opened->selector) && !differs(chosen->name, opened->name) && !differs(chosen->platform, opened->platform)
		&& !differs(chosen->pci_address.value, opened->pci_address.value) && !differs(chosen->uuid.value, opened->uuid.value)
		&& !differs(chosen->driver_version.value, opened->driver_version.value))
		return ILAB_OK;
	return ilab_err_set(err, ILAB_FAILED, "", 0, "the driver opened another device than the one chosen: %s \"%.100s\" instead of %s \"%.100s\"",
		opened->selector, opened->name, chosen->selector, chosen->name);
}

const char **ilab_measuring_modules(const struct ilab_survey *survey, const char *backend, struct ilab_arena *arena, size_t *count)
{
	const char **modules = NULL;
	*count = 0;
	for (size_t l = 0; l < survey->count; l++) {
		const char *file = survey->listings[l].modules;
		if (file && !strcmp(survey->listings[l].backend, backend) && strcmp(file, "built-in") != 0) {
			modules = ilab_arena_alloc(arena, sizeof(*modules));
			modules[(*count)++] = file;
		}
	}
	return modules;
}

enum ilab_status ilab_measuring_complete(const struct ilab_context *context, const struct ilab_options *options, const struct ilab_survey *survey,
	const struct ilab_device *chosen, struct ilab_measure *m, struct ilab_err *err)
{
	struct ilab_arena *arena = context->arena;
	struct ilab_names ignored = ilab_worker_ignored_variables(arena, context->environment);
	struct ilab_err why = { 0 };
	size_t module_count;
	const char **modules = ilab_measuring_modules(survey, chosen->backend, arena, &module_count);
	m->ignored_variables = ignored.names;
	m->ignored_variable_count = ignored.count;
	ilab_host_facts(arena, &m->host);
	m->device = *chosen;
	m->configuration.device = chosen->selector;
	m->configuration.view = ilab_arena_printf(arena, "%s/%s/%s", chosen->backend, chosen->platform, m->gemm.provider);
	ilab_header_fill(context, options, "iteragpu-lab/measure/1", modules, module_count, &m->header);
	for (size_t i = 0; options->no_uuid && i < m->header.command_count; i++)
		if (!strncmp(m->header.command[i], "uuid:", 5))
			m->header.command[i] = chosen->selector;
	/* A document that contradicts itself is a fault of this program, and worse than none. */
	if (ilab_measure_check(m, &why) != ILAB_OK)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "the measurement contradicts itself, nothing is written: %s", why.text);
	return ILAB_OK;
}
