#include "result/document.h"

#include "result/clocks.h"
#include "result/fields.h"
#include "result/measure_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of figures whose last digits another writer may have rounded. */
#define ROUNDING 1e-9

static enum ilab_status contradiction(struct ilab_err *err, const char *path, const char *what)
{
	return ilab_err_set(err, ILAB_IO, NULL, 0, "%s: %s", path, what);
}

/* --- configuration against environment ---------------------------------------------------------------------------------- */

static enum ilab_status check_view(const struct ilab_measure *r, struct ilab_err *err)
{
	size_t backend = strlen(r->backend.name), platform = strlen(r->backend.platform);
	const char *view = r->configuration.view;

	if (strncmp(view, r->backend.name, backend) != 0 || view[backend] != '/'
		|| strncmp(view + backend + 1, r->backend.platform, platform) != 0 || view[backend + 1 + platform] != '/'
		|| strcmp(view + backend + platform + 2, r->gemm.provider) != 0)
		return contradiction(err, "configuration.view", "is not backend/platform/provider of environment");
	return ILAB_OK;
}

/* What a backend can have: its own library beside the built-in products, its own counters, tf32 in a vendor's library only. */
static enum ilab_status check_backend(const struct ilab_measure *r, struct ilab_err *err)
{
	static const struct { const char *name, *library, *counters[2]; } backends[] = {
		{ "opencl", "clblast", { "opencl_pool", "opencl_pool" } },
		{ "cuda", "cublaslt", { "cuda_mempool", "cuda_tracked" } },
		{ "hip", "rocblas", { "hip_mempool", "hip_tracked" } },
	};
	const bool builtin = strcmp(r->gemm.provider, "builtin") == 0, tf32 = strcmp(r->configuration.dtype, "tf32") == 0;

	if (tf32 && (builtin || strcmp(r->backend.name, "opencl") == 0))
		return contradiction(err, "configuration.dtype", "tf32, which only a vendor's library computes");
	if (r->configuration.graph && strcmp(r->backend.name, "opencl") == 0)
		return contradiction(err, "configuration.graph", "OpenCL has none");
	if (strcmp(r->gemm.accumulation, "float16") == 0 && strcmp(r->configuration.dtype, "float16") != 0)
		return contradiction(err, "environment.gemm.accumulation", "float16, for another type");
	if (builtin && strcmp(r->gemm.accumulation, "float32") != 0)
		return contradiction(err, "environment.gemm.accumulation", "float16, but the built-in products sum in float32");
	for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
		if (strcmp(r->backend.name, backends[i].name) != 0)
			continue;
		if (!builtin && strcmp(r->gemm.provider, backends[i].library) != 0)
			return contradiction(err, "environment.gemm.provider", "is not to be had on this backend");
		if (strcmp(r->counters.source, backends[i].counters[0]) != 0 && strcmp(r->counters.source, backends[i].counters[1]) != 0)
			return contradiction(err, "memory_counters.source", "is not one of this backend");
	}
	return ILAB_OK;
}

/* Equal where both are known, and both unknown otherwise. */
static bool same_text(const struct ilab_text *a, const struct ilab_text *b)
{
	return (a->reason == NULL) == (b->reason == NULL) && (a->reason != NULL || strcmp(a->value, b->value) == 0);
}

/* The first library with the provider in its name is the one that multiplies. */
static bool is_version_of(const struct ilab_measure *r, const char *version)
{
	for (size_t i = 0; i < r->backend.library_count; i++) {
		const struct ilab_library *l = &r->backend.libraries[i];
		if (strcasestr(l->name, r->gemm.provider) != NULL && l->version != NULL)
			return strcmp(l->version, version) == 0;
	}
	return true;
}

/* What stands in two places of environment. OpenCL is built in; the others come from a module each. */
static enum ilab_status check_twice(const struct ilab_measure *r, struct ilab_err *err)
{
	if (!same_text(&r->backend.api_version, &r->device.api_version))
		return contradiction(err, "environment.backend.api_version", "contradicts environment.device.api_version");
	if (!same_text(&r->backend.runtime_version, &r->device.runtime_version))
		return contradiction(err, "environment.backend.runtime_version", "contradicts environment.device.runtime_version");
	if (r->header.tool_module_count != (strcmp(r->backend.name, "opencl") != 0))
		return contradiction(err, "tool.modules", "contradicts environment.backend.name");
	if ((strcmp(r->configuration.gemm, "auto") == 0) != (r->gemm.reason != NULL))
		return contradiction(err, "environment.gemm.reason", "is there exactly where configuration.gemm left the choice");
	if (r->gemm.version.reason == NULL && !is_version_of(r, r->gemm.version.value))
		return contradiction(err, "environment.gemm.version", "contradicts environment.backend.libraries");
	return ILAB_OK;
}

static enum ilab_status check_configuration(const struct ilab_measure *r, struct ilab_err *err)
{
	const char *gemm = r->configuration.gemm;
	enum ilab_status status;

	if (strcmp(r->configuration.backend, r->backend.name) != 0)
		return contradiction(err, "configuration.backend", "contradicts environment.backend.name");
	if (strcmp(r->device.backend, r->backend.name) != 0)
		return contradiction(err, "environment.device.backend", "contradicts environment.backend.name");
	if (strcmp(r->device.platform, r->backend.platform) != 0)
		return contradiction(err, "environment.device.platform", "contradicts environment.backend.platform");
	if (strcmp(gemm, "auto") != 0 && strcmp(gemm, r->gemm.provider) != 0)
		return contradiction(err, "environment.gemm.provider", "is not the one that configuration.gemm asked for");
	if (r->configuration.repeats == 0)
		return contradiction(err, "configuration.repeats", "must not be 0");
	if ((status = check_view(r, err)) == ILAB_OK && (status = check_backend(r, err)) == ILAB_OK)
		status = check_twice(r, err);
	return status;
}

static bool is_selector(const struct ilab_device *d, const char *text)
{
	for (size_t i = 0; i < d->selector_count; i++)
		if (strcmp(d->selectors[i], text) == 0)
			return true;
	return false;
}

static enum ilab_status check_environment(const struct ilab_measure *r, struct ilab_err *err)
{
	const struct ilab_real *ratio = &r->timers.device_calibration_ratio;
	enum ilab_status status = ilab_device_check(&r->device, "environment.device", err);

	if (status == ILAB_OK)
		status = ilab_host_check(&r->host, "environment.host", err);
	if (status != ILAB_OK)
		return status;
	if (!is_selector(&r->device, r->configuration.device))
		return contradiction(err, "configuration.device", "is none of environment.device.selectors");
	if (!(r->backend.setup_seconds >= 0))
		return contradiction(err, "environment.backend.setup_seconds", "is negative");
	if (!(r->backend.floor_seconds >= 0))
		return contradiction(err, "environment.backend.floor_seconds", "is negative");
	if (r->backend.floor_seconds > r->backend.setup_seconds * (1 + ROUNDING))
		return contradiction(err, "environment.backend.floor_seconds", "above setup_seconds, in which it was measured");
	if (r->gemm.launches_per_pass < 2)
		return contradiction(err, "environment.gemm.launches_per_pass", "less than one for each layer");
	if (r->gemm.form_count != 2)
		return contradiction(err, "environment.gemm.forms", "not one for each layer");
	if (!(r->timers.host_resolution_seconds > 0 && r->timers.host_resolution_seconds <= 1))
		return contradiction(err, "timers.host.resolution_seconds", "must be above 0 and at most 1");
	if (ratio->reason == NULL && !(ratio->value >= ILAB_CALIBRATION_LEAST && ratio->value <= ILAB_CALIBRATION_MOST))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "timers.device.calibration_ratio: not from %g to %g, so no stamps would have been taken",
			ILAB_CALIBRATION_LEAST, ILAB_CALIBRATION_MOST);
	if (ratio->reason == NULL && r->timers.device_source.reason != NULL)
		return contradiction(err, "timers.device.source", "null, but it was calibrated");
	return ILAB_OK;
}

/* What has no source has no figures. */
static enum ilab_status check_sources(const struct ilab_measure *r, struct ilab_err *err)
{
	const struct { const char *path; const char *reason; } sampled[] = {
		{ "telemetry.interval_seconds", r->telemetry.interval_seconds.reason }, { "telemetry.clock_mhz", r->telemetry.clock_mhz.reason },
		{ "telemetry.temperature_c", r->telemetry.temperature_c.reason }, { "telemetry.power_w", r->telemetry.power_w.reason },
		{ "telemetry.energy_j_per_pass", r->telemetry.energy_j_per_pass.reason }, { "telemetry.throttled", r->telemetry.throttled.reason },
	};

	for (size_t i = 0; i < sizeof sampled / sizeof *sampled && r->telemetry.source.reason != NULL; i++)
		if (sampled[i].reason == NULL)
			return contradiction(err, sampled[i].path, "a value, but telemetry.source is null");
	if ((r->counters.driver_source.reason == NULL) != (r->counters.driver_scope.reason == NULL))
		return contradiction(err, "memory_counters.driver.scope", "is known exactly when source is");
	return ILAB_OK;
}

/* --- synthetic_model against configuration ------------------------------------------------------------------------------ */

/* "Linear(W, H)", GELU, "Linear(H, W)". */
static enum ilab_status check_layers(const struct ilab_measure *r, struct ilab_err *err)
{
	char first[64], last[64];

	snprintf(first, sizeof first, "Linear(%" PRIu64 ", %" PRIu64 ")", r->configuration.width, r->configuration.hidden);
	snprintf(last, sizeof last, "Linear(%" PRIu64 ", %" PRIu64 ")", r->configuration.hidden, r->configuration.width);
	if (r->model.layer_count != 3 || strcmp(r->model.layers[0], first) != 0 || strncmp(r->model.layers[1], "GELU", 4) != 0
		|| strcmp(r->model.layers[2], last) != 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "synthetic_model.layers: not %s, GELU, %s, as width and hidden give", first, last);
	return ILAB_OK;
}

/* What a run is refused for before it starts cannot have run. 0: the device names no limit. */
static enum ilab_status check_room(const struct ilab_measure *r, const struct ilab_sizes *z, struct ilab_err *err)
{
	const uint64_t buffers[] = { z->weight_bytes[0], z->weight_bytes[1], z->bias_bytes[0], z->bias_bytes[1], z->input_bytes, z->hidden_bytes,
		z->output_bytes, r->gemm.temporary_bytes };
	const uint64_t most = r->device.max_allocation_bytes, total = r->device.total_memory_bytes;
	ilab_u128 sum = 0;

	for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
		sum += buffers[i];
		if (most != 0 && buffers[i] > most)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "environment.device.max_allocation_bytes: %" PRIu64 ", but a buffer has %" PRIu64, most,
				buffers[i]);
	}
	if (total != 0 && sum > total)
		return contradiction(err, "environment.device.total_memory_bytes", "less than parameters, inputs, hidden units, outputs and temporary values");
	return ILAB_OK;
}

static enum ilab_status check_model(const struct ilab_measure *r, struct ilab_err *err)
{
	const struct ilab_shape shape = { r->configuration.batch, r->configuration.context, r->configuration.width, r->configuration.hidden };
	struct ilab_sizes sizes;
	struct ilab_err why = { 0 };
	enum ilab_dtype dtype;

	if (!ilab_dtype_from_name(r->configuration.dtype, &dtype))
		return contradiction(err, "configuration.dtype", "is unknown");
	if (ilab_shape_sizes(&shape, dtype, &sizes, &why) != ILAB_OK)
		return contradiction(err, "configuration", why.text);
	const struct { const char *path; uint64_t said, is; } figures[] = {
		{ "synthetic_model.parameters", r->model.parameters, sizes.parameters },
		{ "synthetic_model.parameter_bytes", r->model.parameter_bytes, sizes.parameter_bytes },
		{ "synthetic_model.input_bytes", r->model.input_bytes, sizes.input_bytes },
		{ "synthetic_model.hidden_bytes", r->model.hidden_bytes, sizes.hidden_bytes },
		{ "synthetic_model.output_bytes", r->model.output_bytes, sizes.output_bytes },
		{ "synthetic_model.flop_per_forward", r->model.flop_per_forward, sizes.flop_per_forward },
	};
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		if (figures[i].said != figures[i].is)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "%s: %" PRIu64 ", but the configuration gives %" PRIu64, figures[i].path,
				figures[i].said, figures[i].is);
	enum ilab_status status = check_layers(r, err);
	return status == ILAB_OK ? check_room(r, &sizes, err) : status;
}

/* --- summary against phases ---------------------------------------------------------------------------------------------- */

static bool same(double a, double b)
{
	return fabs(a - b) <= ROUNDING * fmax(fabs(a), fabs(b));
}

static enum ilab_status check_summary(const struct ilab_measure *r, struct ilab_err *err)
{
	struct ilab_arena arena = { 0 };
	struct ilab_measure again = *r;
	enum ilab_status status = ILAB_OK;

	ilab_measure_summarise(&again, &arena);
	const struct { const char *path; const struct ilab_real *said, *is; } figures[] = {
		{ "summary.median_seconds", &r->summary.median_seconds, &again.summary.median_seconds },
		{ "summary.min_seconds", &r->summary.min_seconds, &again.summary.min_seconds },
		{ "summary.max_seconds", &r->summary.max_seconds, &again.summary.max_seconds },
		{ "summary.mad_seconds", &r->summary.mad_seconds, &again.summary.mad_seconds },
		{ "summary.ci_low_seconds", &r->summary.ci_low_seconds, &again.summary.ci_low_seconds },
		{ "summary.ci_high_seconds", &r->summary.ci_high_seconds, &again.summary.ci_high_seconds },
		{ "summary.ci_coverage", &r->summary.ci_coverage, &again.summary.ci_coverage },
		{ "summary.drift_ratio", &r->summary.drift_ratio, &again.summary.drift_ratio },
		{ "summary.flop_per_second", &r->summary.flop_per_second, &again.summary.flop_per_second },
		{ "summary.device_median_seconds", &r->summary.device_median_seconds, &again.summary.device_median_seconds },
	};
	if (r->summary.samples != again.summary.samples)
		status = contradiction(err, "summary.samples", "is not the number of warm_forward rows");
	for (size_t i = 0; i < sizeof figures / sizeof *figures && status == ILAB_OK; i++) {
		const struct ilab_real *said = figures[i].said, *is = figures[i].is;
		if ((said->reason == NULL) != (is->reason == NULL) || (is->reason == NULL && !same(said->value, is->value)))
			status = contradiction(err, figures[i].path, "contradicts the warm_forward rows");
	}
	if (status == ILAB_OK && ((r->summary.outliers.reason == NULL) != (again.summary.outliers.reason == NULL)
		|| r->summary.outliers.value != again.summary.outliers.value))
		status = contradiction(err, "summary.outliers", "contradicts the warm_forward rows");
	ilab_arena_free(&arena);
	return status;
}

enum ilab_status ilab_measure_check(const struct ilab_measure *r, struct ilab_err *err)
{
	static enum ilab_status (*const checks[])(const struct ilab_measure *, struct ilab_err *) = {
		check_configuration, check_environment, check_sources, check_model, ilab_measure_check_rows, ilab_measure_check_verification, check_summary,
		ilab_measure_check_command,
	};
	enum ilab_status status = ilab_header_check(&r->header, err);

	for (size_t i = 0; i < sizeof checks / sizeof *checks && status == ILAB_OK; i++)
		status = checks[i](r, err);
	return status;
}
