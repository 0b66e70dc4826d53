#include "harness/workload.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

/* Strings of a session end with it; those of the record live in the arena. */

static const char *text(struct ilab_workload *w, const char *s)
{
	return ilab_arena_strdup(w->arena, s);
}

static struct ilab_text copy_text(struct ilab_workload *w, struct ilab_text t)
{
	return (struct ilab_text){ text(w, t.value), text(w, t.reason) };
}

static const char **copy_texts(struct ilab_workload *w, const char *const *texts, size_t count)
{
	const char **copy = count ? ilab_arena_alloc(w->arena, count * sizeof(*copy)) : NULL;
	for (size_t i = 0; i < count; i++)
		copy[i] = text(w, texts[i]);
	return copy;
}

static void record_device(struct ilab_workload *w, const struct ilab_device *from)
{
	struct ilab_device *d = &w->out->device;
	*d = *from;
	d->selector = text(w, from->selector);
	d->backend = text(w, from->backend);
	d->platform = text(w, from->platform);
	d->name = text(w, from->name);
	d->vendor = text(w, from->vendor);
	d->type = text(w, from->type);
	d->pci_address = copy_text(w, from->pci_address);
	d->uuid = copy_text(w, from->uuid);
	d->driver_version = copy_text(w, from->driver_version);
	d->api_version = copy_text(w, from->api_version);
	d->runtime_version = copy_text(w, from->runtime_version);
	d->selectors = copy_texts(w, from->selectors, from->selector_count);
}

static void record_backend(struct ilab_workload *w, const struct ilab_session_info *info)
{
	struct ilab_measure *out = w->out;
	struct ilab_library *libraries = NULL;
	if (info->library_count)
		libraries = ilab_arena_alloc(w->arena, info->library_count * sizeof(*libraries));
	for (size_t i = 0; i < info->library_count; i++)
		libraries[i] = (struct ilab_library){ text(w, info->libraries[i].name), text(w, info->libraries[i].version) };
	out->backend.name = text(w, w->backend->name);
	out->backend.platform = out->device.platform;
	out->backend.api_version = out->device.api_version;
	out->backend.runtime_version = out->device.runtime_version;
	out->backend.libraries = libraries;
	out->backend.library_count = info->library_count;
	out->backend.kernel_cache = text(w, info->kernel_cache);
}

static void record_gemm(struct ilab_workload *w, const struct ilab_gemm_record *from)
{
	struct ilab_gemm_record *g = &w->out->gemm;
	*g = *from;
	g->provider = text(w, from->provider);
	g->version = copy_text(w, from->version);
	g->reason = text(w, from->reason);
	g->accumulation = text(w, from->accumulation);
	g->forms = copy_texts(w, from->forms, from->form_count);
	g->parameters = from->parameter_count ? ilab_arena_alloc(w->arena, from->parameter_count * sizeof(*g->parameters)) : NULL;
	for (size_t i = 0; i < from->parameter_count; i++)
		g->parameters[i] = (struct ilab_parameter){ text(w, from->parameters[i].name), text(w, from->parameters[i].value) };
	g->temporary_bytes = w->plan.temporary_bytes;
}

static void record_configuration(struct ilab_workload *w)
{
	const struct ilab_measure_request *r = w->request;
	struct ilab_measure *out = w->out;
	out->configuration.backend = out->backend.name;
	out->configuration.gemm = ilab_gemm_name(r->gemm);
	out->configuration.dtype = ilab_dtype_name(r->dtype);
	out->configuration.batch = r->shape.batch;
	out->configuration.context = r->shape.context;
	out->configuration.width = r->shape.width;
	out->configuration.hidden = r->shape.hidden;
	out->configuration.warmup = r->warmup;
	out->configuration.repeats = r->repeats;
	out->configuration.seed = r->seed;
	out->configuration.graph = r->open.graph;
	out->configuration.slow_down_billionths = r->slow_down_billionths;
}

static void record_model(struct ilab_workload *w)
{
	const unsigned long long width = w->request->shape.width, hidden = w->request->shape.hidden;
	const char **layers = ilab_arena_alloc(w->arena, 3 * sizeof(*layers));
	layers[0] = ilab_arena_printf(w->arena, "Linear(%llu, %llu)", width, hidden);
	layers[1] = "GELU(erf)";
	layers[2] = ilab_arena_printf(w->arena, "Linear(%llu, %llu)", hidden, width);
	w->out->model.layers = layers;
	w->out->model.layer_count = 3;
	w->out->model.parameters = w->sizes.parameters;
	w->out->model.parameter_bytes = w->sizes.parameter_bytes;
	w->out->model.input_bytes = w->sizes.input_bytes;
	w->out->model.hidden_bytes = w->sizes.hidden_bytes;
	w->out->model.output_bytes = w->sizes.output_bytes;
	w->out->model.flop_per_forward = w->sizes.flop_per_forward;
}

static void record_counters(struct ilab_workload *w, const struct ilab_session_info *info)
{
	w->out->counters.source = text(w, info->counters_source);
	w->out->counters.scope = w->request->open.graph ? ilab_arena_printf(w->arena, "%s; hidden, temporary and output are allocated once, in cold_forward, and kept",
		info->counters_scope) : text(w, info->counters_scope);
	w->out->counters.reset = text(w, info->counters_reset);
	w->out->counters.driver_source = copy_text(w, info->driver_source);
	w->out->counters.driver_scope = copy_text(w, info->driver_scope);
	w->out->timers.host_clock = "CLOCK_MONOTONIC";
	w->out->timers.host_resolution_seconds = ilab_clock_resolution_seconds();
	w->out->timers.device_source = w->timer.source;
	w->out->timers.device_calibration_ratio = w->timer.calibration_ratio;
}

static void record_telemetry(struct ilab_workload *w)
{
	const char *reason = "not-run: clocks, temperature and power were not sampled";
	const struct ilab_real none = { 0, reason };
	w->out->telemetry.source = w->out->telemetry.throttled = (struct ilab_text){ NULL, reason };
	w->out->telemetry.interval_seconds = w->out->telemetry.clock_mhz = w->out->telemetry.temperature_c = none;
	w->out->telemetry.power_w = w->out->telemetry.energy_j_per_pass = none;
}

void ilab_workload_record_setup(struct ilab_workload *w)
{
	const struct ilab_session_info *info = w->backend->info(w->session);
	record_device(w, &info->device);
	record_backend(w, info);
	record_gemm(w, &w->plan.record);
	record_configuration(w);
	record_model(w);
	record_counters(w, info);
	record_telemetry(w);
}

/* "clblast 1.5.3 (KWG=32 MWG=64)": what ran, for a message about wrong results. */
static const char *describe_gemm(struct ilab_workload *w)
{
	const struct ilab_gemm_record *g = &w->out->gemm;
	const char *parameters = "";
	for (size_t i = 0; i < g->parameter_count; i++)
		parameters = ilab_arena_printf(w->arena, "%s%s%s=%s", parameters, i ? " " : "", g->parameters[i].name, g->parameters[i].value);
	return ilab_arena_printf(w->arena, "%s%s%s (%s)", g->provider, g->version.value ? " " : "", g->version.value ? g->version.value : "",
		g->parameter_count ? parameters : "default parameters");
}

static void record_sample(struct ilab_workload *w)
{
	struct ilab_sample *sample = &w->out->sample;
	const float *values;
	uint64_t rows, width;
	ilab_verifier_sample(w->verifier, &rows, &width, &values);
	if (!w->request->sample)
		return;
	sample->rows = rows < ILAB_SAMPLE_ROWS_MAX ? rows : ILAB_SAMPLE_ROWS_MAX;
	sample->width = width;
	sample->values = ilab_arena_alloc(w->arena, sample->rows * width * sizeof(*sample->values));
	memcpy(sample->values, values, sample->rows * width * sizeof(*sample->values));
}

void ilab_workload_record_verification(struct ilab_workload *w)
{
	struct ilab_verify_report r;
	ilab_verifier_report(w->verifier, &r);
	w->out->verification.status = r.failure ? "failed" : "passed";
	w->out->verification.bound = r.bound;
	w->out->verification.relative_error = r.relative_error;
	w->out->verification.max_abs_error = r.max_abs_error;
	w->out->verification.projection_error = r.projection_error;
	w->out->verification.rows_checked = r.rows_checked;
	w->out->verification.elements_checked = r.elements_checked;
	w->out->verification.outputs_checked = w->checked_count;
	w->out->verification.output_checksum = w->out->phases[w->out->phase_count - 1].output_checksum;
	w->out->verification.reference = ilab_arena_printf(w->arena,
		"float64 on the host from the stored values: %llu sampled rows, hidden units of sampled columns, and a random projection of the second layer over all rows",
		(unsigned long long)r.rows_checked);
	record_sample(w);
	w->out->verification.failure = r.failure ? ilab_arena_printf(w->arena, "%s; products by %s", r.failure, describe_gemm(w)) : NULL;
}
