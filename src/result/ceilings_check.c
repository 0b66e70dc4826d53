#include "result/ceilings.h"

#include "result/command_check.h"
#include "result/fields.h"

#include <math.h>
#include <string.h>

/* False for NaN and infinity too. */
static bool is_rate(double per_second)
{
	return per_second > 0 && per_second <= ILAB_CEILING_MOST;
}

static enum ilab_status check_copies(const struct ilab_ceilings *r, struct ilab_err *err)
{
	double best = 0;

	for (size_t i = 0; i < r->copy_count; i++) {
		if (!is_rate(r->copies[i].bytes_per_second))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "copies[%zu].bytes_per_second: must be above 0 and at most 1e18", i);
		best = fmax(best, r->copies[i].bytes_per_second);
	}
	if ((r->copy_bytes_per_second.reason == NULL) != (r->copy_count > 0)
		|| (r->copy_count > 0 && r->copy_bytes_per_second.value != best))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "copy_bytes_per_second: is not the best of copies");
	return ILAB_OK;
}

/* A probe goes through backend/platform; a pass through backend/platform/provider, of the provider that multiplied. */
static bool is_made_by(const struct ilab_ceiling *c)
{
	const char *provider = strrchr(c->view, '/');

	if (strcmp(c->unit, "gemm") != 0)
		return strcmp(c->kernel, "probe") == 0;
	return provider != NULL && strcmp(provider + 1, c->kernel) == 0;
}

/* Probes may be: two devices of one platform share its name. */
static bool same_product(const struct ilab_ceiling *a, const struct ilab_ceiling *b)
{
	return strcmp(a->unit, "gemm") == 0 && strcmp(b->unit, "gemm") == 0 && strcmp(a->dtype, b->dtype) == 0 && strcmp(a->view, b->view) == 0;
}

static enum ilab_status check_arithmetic(const struct ilab_ceilings *r, struct ilab_err *err)
{
	for (size_t i = 0; i < r->arithmetic_count; i++) {
		const struct ilab_ceiling *c = &r->arithmetic[i];
		if (!is_rate(c->flop_per_second))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "arithmetic[%zu].flop_per_second: must be above 0 and at most 1e18", i);
		if (strcmp(c->dtype, "tf32") == 0 && (strncmp(c->view, "opencl/", 7) == 0 || strcmp(c->kernel, "builtin") == 0))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "arithmetic[%zu].dtype: tf32, which only a vendor's own way computes", i);
		if (!is_made_by(c))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "arithmetic[%zu].kernel: contradicts unit and view", i);
		for (size_t k = 0; k < i; k++)
			if (same_product(c, &r->arithmetic[k]))
				return ilab_err_set(err, ILAB_IO, NULL, 0, "arithmetic[%zu]: the products of this type and view stand twice", i);
	}
	return ILAB_OK;
}

enum ilab_status ilab_ceilings_check(const struct ilab_ceilings *r, struct ilab_err *err)
{
	const struct ilab_stated options[] = { { "--device", .any = true, .needed = true } };
	enum ilab_status status = ilab_header_check(&r->header, err);

	if (status == ILAB_OK)
		status = ilab_command_check(&r->header, options, 1, err);
	if (status == ILAB_OK && !ilab_identity_fits(r->identity, r->device_type))
		status = ilab_err_set(err, ILAB_IO, NULL, 0, "device.identity: %.100s is none of a device of type %s", r->identity, r->device_type);
	if (status == ILAB_OK)
		status = check_copies(r, err);
	return status == ILAB_OK ? check_arithmetic(r, err) : status;
}
