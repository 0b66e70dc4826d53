#include "result/measure_parts.h"

#include "base/numtext.h"
#include "result/fields.h"

#include <stdbool.h>
#include <string.h>

static enum ilab_status contradicts(struct ilab_err *err, const char *option, const char *value, const char *what)
{
	return ilab_err_set(err, ILAB_IO, NULL, 0, "command: %s %.100s contradicts %s", option, value, what);
}

/* Options whose value is passed over, since a file may have any name. */
static bool takes_a_value(const char *option)
{
	static const char *const options[] = { "--device", "--backend", "--batch", "--context", "--width", "--hidden", "--dtype", "--warmup",
		"--repeats", "--seed", "--gemm", "--verify-rows", "--timeout", "--tuning", "--output", "--module-dir" };

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (strcmp(option, options[i]) == 0)
			return true;
	return false;
}

/* Where an option stands, 0 where the command does not state it. */
static size_t option_place(const struct ilab_header *h, const char *option)
{
	for (size_t i = 1; i < h->command_count; i += 1 + takes_a_value(h->command[i]))
		if (strcmp(h->command[i], option) == 0)
			return i;
	return 0;
}

/* Its value, NULL where it is not stated. */
static const char *option_value(const struct ilab_header *h, const char *option)
{
	const size_t i = option_place(h, option);

	return i == 0 ? NULL : i + 1 < h->command_count ? h->command[i + 1] : "";
}

static enum ilab_status check_numbers(const struct ilab_measure *r, struct ilab_err *err)
{
	const struct { const char *option; uint64_t is; const char *where; } numbers[] = {
		{ "--batch", r->configuration.batch, "configuration.batch" },
		{ "--context", r->configuration.context, "configuration.context" },
		{ "--width", r->configuration.width, "configuration.width" },
		{ "--hidden", r->configuration.hidden, "configuration.hidden" },
		{ "--warmup", r->configuration.warmup, "configuration.warmup" },
		{ "--repeats", r->configuration.repeats, "configuration.repeats" },
		{ "--seed", r->configuration.seed, "configuration.seed" },
	};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const char *value = option_value(&r->header, numbers[i].option);
		uint64_t said;
		if (value != NULL && (ilab_parse_u64(value, &said) != ILAB_PARSE_OK || said != numbers[i].is))
			return contradicts(err, numbers[i].option, value, numbers[i].where);
	}
	return ILAB_OK;
}

static enum ilab_status check_words(const struct ilab_measure *r, struct ilab_err *err)
{
	const struct { const char *option, *is, *where; } words[] = {
		{ "--dtype", r->configuration.dtype, "configuration.dtype" },
		{ "--gemm", r->configuration.gemm, "configuration.gemm" },
		{ "--backend", r->configuration.backend, "configuration.backend" },
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const char *value = option_value(&r->header, words[i].option);
		if (value != NULL && strcmp(value, words[i].is) != 0)
			return contradicts(err, words[i].option, value, words[i].where);
	}
	return ILAB_OK;
}

/* A selector by index or by type. The others (an address, a UUID, part of a name) may be written in several ways. */
static enum ilab_status check_device(const struct ilab_measure *r, struct ilab_err *err)
{
	static const char *const backends[] = { "opencl", "cuda", "hip" };
	const char *value = option_value(&r->header, "--device");
	uint32_t platform, device;

	if (value == NULL)
		return ILAB_OK;
	if (strcmp(value, "cpu") == 0 && strcmp(r->device.type, "cpu") != 0)
		return contradicts(err, "--device", value, "environment.device.type");
	for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
		if (ilab_selector_indices(value, backends[i], &platform, &device) && strcmp(value, r->device.selector) != 0)
			return contradicts(err, "--device", value, "environment.device.selector");
	return ILAB_OK;
}

static enum ilab_status check_verify_rows(const struct ilab_measure *r, struct ilab_err *err)
{
	const char *value = option_value(&r->header, "--verify-rows");
	const uint64_t rows = r->configuration.batch * r->configuration.context;
	uint64_t said;

	if (value == NULL)
		return ILAB_OK;
	if (ilab_parse_u64(value, &said) != ILAB_PARSE_OK || r->verification.rows_checked != (said < rows ? said : rows))
		return contradicts(err, "--verify-rows", value, "verification.rows_checked");
	return ILAB_OK;
}

enum ilab_status ilab_measure_check_command(const struct ilab_measure *r, struct ilab_err *err)
{
	static enum ilab_status (*const checks[])(const struct ilab_measure *, struct ilab_err *) = {
		check_numbers, check_words, check_device, check_verify_rows,
	};
	enum ilab_status status = ILAB_OK;

	if ((option_place(&r->header, "--graph") > 0) != r->configuration.graph)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "command: contradicts configuration.graph, which is there exactly with --graph");
	for (size_t i = 0; i < sizeof checks / sizeof *checks && status == ILAB_OK; i++)
		status = checks[i](r, err);
	return status;
}
