#include "result/document.h"

#include "base/numtext.h"
#include "result/command_check.h"
#include "result/fields.h"

#include <stdint.h>

#define NANO 1000000000u

/* The reserve is 0 where none is stated. */
static enum ilab_status check_command(const struct ilab_estimate *r, struct ilab_err *err)
{
	const struct ilab_stated options[] = {
		{ "--parameters", "parameters", .number = &r->parameters, .needed = true }, { "--bits", "bits", .number = &r->bits, .needed = true },
	};
	const char *value = ilab_command_value(&r->header, "--reserve-gib");
	uint64_t nano = 0;
	enum ilab_status status = ilab_command_check(&r->header, options, sizeof options / sizeof *options, err);

	if (status != ILAB_OK)
		return status;
	if (value == NULL && r->reserve_nano_gib != 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "command: --reserve-gib is missing, contradicts reserve_gib");
	if (value != NULL && (ilab_parse_decimal(value, 9, &nano) != ILAB_PARSE_OK || nano != r->reserve_nano_gib))
		return ilab_command_fault("--reserve-gib", value, "reserve_gib", err);
	return ILAB_OK;
}

enum ilab_status ilab_estimate_check(const struct ilab_estimate *r, struct ilab_err *err)
{
	ilab_u128 weight, reserve;
	enum ilab_status status = ilab_header_check(&r->header, err);

	if (status != ILAB_OK)
		return status;
	if (r->parameters < 1 || r->parameters > INT64_MAX)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "parameters: not from 1 to 2^63-1");
	if (r->bits < 1 || r->bits > 64)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "bits: not from 1 to 64");
	/* Neither can overflow 128 bits: 2^63 * 64, and 2^64 * 2^30. Bits become whole bytes once, at the end. */
	weight = ((ilab_u128)r->parameters * r->bits + 7) / 8;
	reserve = (((ilab_u128)r->reserve_nano_gib << 30) + NANO - 1) / NANO;
	if (r->weight_bytes != weight)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "weight_bytes: contradicts parameters and bits");
	if (r->total_bytes != weight + reserve)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "total_bytes: contradicts weight_bytes and reserve_gib");
	if (r->assumption_count == 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "assumptions: empty");
	return check_command(r, err);
}
