#include "result/measure_parts.h"

#include "base/numtext.h"
#include "result/command_check.h"
#include "result/fields.h"

#include <string.h>

/* A selector by index or by type. The others (an address, a UUID, part of a name) may be written in several ways. */
static enum ilab_status check_device(const struct ilab_measure *r, struct ilab_err *err)
{
	static const char *const backends[] = { "opencl", "cuda", "hip" };
	const char *value = ilab_command_value(&r->header, "--device");
	uint32_t platform, device;

	if (strcmp(value, "cpu") == 0 && strcmp(r->device.type, "cpu") != 0)
		return ilab_command_fault("--device", value, "environment.device.type", err);
	for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
		if (ilab_selector_indices(value, backends[i], &platform, &device) && strcmp(value, r->device.selector) != 0)
			return ilab_command_fault("--device", value, "environment.device.selector", err);
	return ILAB_OK;
}

static enum ilab_status check_verify_rows(const struct ilab_measure *r, struct ilab_err *err)
{
	const char *value = ilab_command_value(&r->header, "--verify-rows");
	const uint64_t rows = r->configuration.batch * r->configuration.context;
	uint64_t said;

	if (value == NULL)
		return ILAB_OK;
	if (ilab_parse_u64(value, &said) != ILAB_PARSE_OK || r->verification.rows_checked != (said < rows ? said : rows))
		return ilab_command_fault("--verify-rows", value, "verification.rows_checked", err);
	return ILAB_OK;
}

enum ilab_status ilab_measure_check_command(const struct ilab_measure *r, struct ilab_err *err)
{
	const struct ilab_stated options[] = {
		{ "--device", .any = true, .needed = true },
		{ "--batch", "configuration.batch", .number = &r->configuration.batch, .needed = true },
		{ "--context", "configuration.context", .number = &r->configuration.context, .needed = true },
		{ "--width", "configuration.width", .number = &r->configuration.width, .needed = true },
		{ "--hidden", "configuration.hidden", .number = &r->configuration.hidden },
		{ "--warmup", "configuration.warmup", .number = &r->configuration.warmup },
		{ "--repeats", "configuration.repeats", .number = &r->configuration.repeats },
		{ "--seed", "configuration.seed", .number = &r->configuration.seed },
		{ "--dtype", "configuration.dtype", .word = r->configuration.dtype },
		{ "--gemm", "configuration.gemm", .word = r->configuration.gemm },
		{ "--backend", "configuration.backend", .word = r->configuration.backend },
		{ "--graph", "configuration.graph", .any = r->configuration.graph, .needed = r->configuration.graph },
		{ "--tuning", "environment.gemm.tuned", .any = true, .needed = r->gemm.tuned },
	};
	enum ilab_status status = ilab_command_check(&r->header, options, sizeof options / sizeof *options, err);

	if (status == ILAB_OK)
		status = check_device(r, err);
	return status == ILAB_OK ? check_verify_rows(r, err) : status;
}
