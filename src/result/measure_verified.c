#include "result/measure_parts.h"

#include "base/numtext.h"
#include "model/bound.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static enum ilab_status contradiction(struct ilab_err *err, const char *path, const char *what)
{
	return ilab_err_set(err, ILAB_IO, NULL, 0, "%s: %s", path, what);
}

/* But for the last digits, which another writer may have rounded. */
#define ROUNDING 1e-9

struct bounds { double sample, projection; };

static struct bounds bounds_of(const struct ilab_measure *r, const struct ilab_shape *shape)
{
	const bool half = strcmp(r->gemm.accumulation, "float16") == 0;
	enum ilab_dtype dtype = ILAB_F32;

	ilab_dtype_from_name(r->configuration.dtype, &dtype);
	return (struct bounds){ ilab_bound_sample(dtype, shape, half, r->verification.rows_checked), ilab_bound_projection(dtype, shape, half) };
}

static struct ilab_shape shape_of(const struct ilab_measure *r)
{
	return (struct ilab_shape){ r->configuration.batch, r->configuration.context, r->configuration.width, r->configuration.hidden };
}

/* --- figures ------------------------------------------------------------------------------------------------------------ */

static enum ilab_status check_counts(const struct ilab_measure *r, struct ilab_err *err)
{
	static const char tail[] = " sampled rows";
	const uint64_t rows = r->configuration.batch * r->configuration.context;
	const char *end = strstr(r->verification.reference, tail), *start = end;

	if (r->verification.rows_checked == 0 || r->verification.rows_checked > rows)
		return contradiction(err, "verification.rows_checked", "not from 1 to the number of rows");
	if (r->verification.elements_checked != rows * r->configuration.width)
		return contradiction(err, "verification.elements_checked", "is not rows x width: every element is read back");
	while (start != NULL && start > r->verification.reference && start[-1] >= '0' && start[-1] <= '9')
		start--;
	if (start != end && strtoull(start, NULL, 10) != r->verification.rows_checked)
		return contradiction(err, "verification.reference", "speaks of another number of sampled rows than rows_checked");
	return ILAB_OK;
}

/* Over the sampled rows of a pass with n elements, relative_error * scale is the norm of the errors, which lies between their largest
 * and sqrt(n) times that; and the scale lies between 0.05 sqrt(n) and sqrt(n) times the largest element there can be. The worst of
 * each over the passes keep both relations. */
static enum ilab_status check_errors(const struct ilab_measure *r, const struct ilab_shape *shape, struct ilab_err *err)
{
	const struct { const char *path; const struct ilab_real *value; } errors[] = {
		{ "verification.relative_error", &r->verification.relative_error },
		{ "verification.max_abs_error", &r->verification.max_abs_error },
		{ "verification.projection_error", &r->verification.projection_error },
	};
	const double relative = r->verification.relative_error.value, largest = r->verification.max_abs_error.value;
	const double n = (double)r->verification.rows_checked * (double)shape->width;

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].value->reason == NULL && !(errors[i].value->value >= 0))
			return contradiction(err, errors[i].path, "is negative");
	if ((r->verification.relative_error.reason == NULL) != (r->verification.max_abs_error.reason == NULL))
		return contradiction(err, "verification.max_abs_error", "is known exactly when relative_error is");
	if (r->verification.relative_error.reason != NULL)
		return ILAB_OK;
	if (largest < relative * ILAB_BOUND_LEAST_RMS * (1 - ROUNDING))
		return contradiction(err, "verification.max_abs_error", "too small for relative_error");
	if (largest > relative * sqrt(n) * ilab_bound_element(shape) * (1 + ROUNDING))
		return contradiction(err, "verification.max_abs_error", "too large for relative_error");
	return ILAB_OK;
}

/* --- outputs ------------------------------------------------------------------------------------------------------------ */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Different checksums of the forward rows. */
static size_t distinct_outputs(const struct ilab_measure *r)
{
	struct ilab_arena arena = { 0 };
	const char **texts = ilab_arena_alloc(&arena, (r->phase_count + 1) * sizeof *texts);
	size_t n = 0, distinct = 0;

	for (size_t i = 0; i < r->phase_count; i++)
		if (r->phases[i].output_checksum != NULL)
			texts[n++] = r->phases[i].output_checksum;
	qsort(texts, n, sizeof *texts, compare_texts);
	for (size_t i = 0; i < n; i++)
		distinct += i == 0 || strcmp(texts[i], texts[i - 1]) != 0;
	ilab_arena_free(&arena);
	return distinct;
}

/* A device may give other bits in another pass; each such output is checked in full, and counted. The untimed pass at the end, which
 * is no row, may have given one more. */
static enum ilab_status check_outputs(const struct ilab_measure *r, struct ilab_err *err)
{
	const uint64_t distinct = distinct_outputs(r), checked = r->verification.outputs_checked;

	if (strcmp(r->verification.output_checksum, r->phases[r->phase_count - 1].output_checksum) != 0)
		return contradiction(err, "verification.output_checksum", "is not that of the last row");
	if (checked != distinct && checked != distinct + 1)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "verification.outputs_checked: %" PRIu64 ", but the rows have %" PRIu64
			" different output checksums", checked, distinct);
	return ILAB_OK;
}

/* --- status ------------------------------------------------------------------------------------------------------------- */

static enum ilab_status check_passed(const struct ilab_measure *r, const struct bounds *bounds, struct ilab_err *err)
{
	if (r->verification.relative_error.reason != NULL)
		return contradiction(err, "verification.status", "passed without an error figure");
	if (!(r->verification.relative_error.value <= r->verification.bound))
		return contradiction(err, "verification.relative_error", "above the bound, but passed");
	if (r->verification.projection_error.reason != NULL)
		return contradiction(err, "verification.projection_error", "null, but passed");
	if (!(r->verification.projection_error.value <= bounds->projection * (1 + ROUNDING)))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "verification.projection_error: above its limit of %.3g, but passed", bounds->projection);
	if (r->verification.failure != NULL)
		return contradiction(err, "verification.failure", "names a failure, but passed");
	return ILAB_OK;
}

enum ilab_status ilab_measure_check_verification(const struct ilab_measure *r, struct ilab_err *err)
{
	const struct ilab_shape shape = shape_of(r);
	const bool passed = strcmp(r->verification.status, "passed") == 0;
	enum ilab_status status = check_counts(r, err);

	if (status != ILAB_OK)
		return status;
	const struct bounds bounds = bounds_of(r, &shape);
	if (!(fabs(r->verification.bound - bounds.sample) <= ROUNDING * bounds.sample))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "verification.bound: is not what type, accumulation, shape and rows_checked give, %.17g",
			bounds.sample);
	if ((status = check_errors(r, &shape, err)) == ILAB_OK)
		status = check_outputs(r, err);
	if (status == ILAB_OK && passed)
		status = check_passed(r, &bounds, err);
	if (status == ILAB_OK && !passed && r->summary.flop_per_second.reason == NULL)
		status = contradiction(err, "summary.flop_per_second", "a rate, but verification failed");
	if (status == ILAB_OK && !passed && r->verification.failure == NULL)
		status = contradiction(err, "verification.failure", "missing, but failed");
	return status;
}
