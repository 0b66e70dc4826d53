#include "result/document.h"

#include "result/fields.h"
#include "result/measure_rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

static enum ilab_status check_configuration(const struct ilab_measure *r, struct ilab_err *err)
{
	const char *gemm = r->configuration.gemm;

	if (strcmp(r->configuration.backend, r->backend.name) != 0)
		return contradiction(err, "configuration.backend", "contradicts environment.backend.name");
	if (strcmp(r->device.backend, r->backend.name) != 0)
		return contradiction(err, "environment.device.backend", "contradicts environment.backend.name");
	if (strcmp(r->device.platform, r->backend.platform) != 0)
		return contradiction(err, "environment.device.platform", "contradicts environment.backend.platform");
	if (strcmp(gemm, "auto") != 0 && strcmp(gemm, r->gemm.provider) != 0)
		return contradiction(err, "environment.gemm.provider", "is not the one that configuration.gemm asked for");
	if (r->configuration.device[0] == '\0')
		return contradiction(err, "configuration.device", "is empty");
	if (r->configuration.repeats == 0)
		return contradiction(err, "configuration.repeats", "must not be 0");
	return check_view(r, err);
}

static enum ilab_status check_environment(const struct ilab_measure *r, struct ilab_err *err)
{
	enum ilab_status status = ilab_device_check(&r->device, "environment.device", err);

	if (status != ILAB_OK)
		return status;
	if (!(r->backend.setup_seconds >= 0))
		return contradiction(err, "environment.backend.setup_seconds", "is negative");
	if (!(r->backend.floor_seconds >= 0))
		return contradiction(err, "environment.backend.floor_seconds", "is negative");
	if (r->gemm.launches_per_pass == 0)
		return contradiction(err, "environment.gemm.launches_per_pass", "must not be 0");
	if (!(r->timers.host_resolution_seconds > 0))
		return contradiction(err, "timers.host.resolution_seconds", "must be above 0");
	if (r->timers.device_calibration_ratio.reason == NULL && !(r->timers.device_calibration_ratio.value > 0))
		return contradiction(err, "timers.device.calibration_ratio", "must be above 0");
	return ILAB_OK;
}

/* --- synthetic_model against configuration ------------------------------------------------------------------------------ */

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
	return ILAB_OK;
}

/* --- verification ------------------------------------------------------------------------------------------------------- */

static enum ilab_status check_passed(const struct ilab_measure *r, struct ilab_err *err)
{
	if (r->verification.relative_error.reason != NULL || r->verification.max_abs_error.reason != NULL)
		return contradiction(err, "verification.status", "passed without an error figure");
	if (!(r->verification.relative_error.value <= r->verification.bound))
		return contradiction(err, "verification.relative_error", "above the bound, but passed");
	if (r->verification.projection_error.reason != NULL)
		return contradiction(err, "verification.projection_error", "null, but passed");
	if (r->verification.rows_checked == 0 || r->verification.elements_checked < r->verification.rows_checked)
		return contradiction(err, "verification.rows_checked", "nothing was checked, but passed");
	if (r->verification.failure != NULL)
		return contradiction(err, "verification.failure", "names a failure, but passed");
	return ILAB_OK;
}

static enum ilab_status check_verification(const struct ilab_measure *r, struct ilab_err *err)
{
	const struct { const char *path; const struct ilab_real *value; } errors[] = {
		{ "verification.relative_error", &r->verification.relative_error },
		{ "verification.max_abs_error", &r->verification.max_abs_error },
		{ "verification.projection_error", &r->verification.projection_error },
	};

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].value->reason == NULL && !(errors[i].value->value >= 0))
			return contradiction(err, errors[i].path, "is negative");
	if (!(r->verification.bound > 0))
		return contradiction(err, "verification.bound", "must be above 0");
	if (r->verification.rows_checked > r->configuration.batch * r->configuration.context)
		return contradiction(err, "verification.rows_checked", "more rows than there are");
	if (strcmp(r->verification.status, "passed") == 0)
		return check_passed(r, err);
	if (r->summary.flop_per_second.reason == NULL)
		return contradiction(err, "summary.flop_per_second", "a rate, but verification failed");
	return ILAB_OK;
}

/* --- summary against phases ---------------------------------------------------------------------------------------------- */

/* Equal but for the last digits, which another writer may have rounded. */
static bool same(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
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
		check_configuration, check_environment, check_model, ilab_measure_check_rows, check_verification, check_summary,
	};
	enum ilab_status status = ilab_header_check(&r->header, err);

	for (size_t i = 0; i < sizeof checks / sizeof *checks && status == ILAB_OK; i++)
		status = checks[i](r, err);
	return status;
}
