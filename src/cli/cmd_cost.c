#include "cli/command.h"

#include "base/message.h"
#include "base/numtext.h"
#include "cli/measure_file.h"
#include "cli/tariff_path.h"
#include "cost/flat.h"

#define NOT_GIVEN(option) "not-run: " option " was not given"

static enum ilab_status usage(const char *what, struct ilab_err *err)
{
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "cost: %s; see `iteragpu-lab cost --help`", _(what));
}

/* What only makes sense together, before any file is read. */
static enum ilab_status check_options(const struct ilab_options *o, struct ilab_err *err)
{
	if (o->break_even && !o->accepted_per_day)
		return usage(N_("--break-even needs --accepted-per-day, your own count for --gpu"), err);
	if (!o->break_even && (o->accepted_per_day || o->other_accepted_per_day))
		return usage(N_("results a day go with --break-even MODEL; those of the whole rental are --accepted-results"), err);
	if (o->measures.count == 1)
		return usage(N_("a ratio needs two measurements: --measure A.json --measure B.json"), err);
	if (o->measures.count && !o->accepted_results)
		return usage(N_("--measure needs --accepted-results, your own count: a measurement knows nothing of accepted results"), err);
	return ILAB_OK;
}

static struct ilab_count count_or_reason(uint64_t value, const char *reason)
{
	return value ? (struct ilab_count){ .value = value } : (struct ilab_count){ .reason = reason };
}

static enum ilab_status add_measured(const struct ilab_context *context, const struct ilab_options *o, struct ilab_cost *cost, struct ilab_err *err)
{
	struct ilab_measure runs[2];
	const char *sha256[2];
	for (size_t i = 0; i < 2; i++) {
		enum ilab_status status = ilab_measure_file_read(o->measures.files[i], context->arena, &runs[i], &sha256[i], err);
		if (status != ILAB_OK)
			return status;
	}
	return ilab_cost_measured(&runs[0], sha256[0], &runs[1], sha256[1], context->arena, cost, err);
}

static enum ilab_status compute(const struct ilab_context *context, const struct ilab_options *o, const struct ilab_tariffs *tariffs,
	struct ilab_cost *cost, struct ilab_err *err)
{
	uint64_t days = 0;
	ilab_parse_u64(o->days, &days);            /* one of the table's choices */
	enum ilab_status status = ilab_cost_compute(tariffs, o->gpu, days, o->lots,
		count_or_reason(o->accepted_results, NOT_GIVEN("--accepted-results")), context->arena, cost, err);
	if (status == ILAB_OK && o->break_even)
		status = ilab_cost_break_even(tariffs, o->break_even, o->accepted_per_day,
			count_or_reason(o->other_accepted_per_day, NOT_GIVEN("--other-accepted-per-day")), context->arena, cost, err);
	if (status == ILAB_OK && o->measures.count)
		status = add_measured(context, o, cost, err);
	return status;
}

enum ilab_status ilab_cmd_cost(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err)
{
	struct ilab_tariffs tariffs;
	struct ilab_cost cost;
	const char *path;
	enum ilab_status status = check_options(options, err);
	if (status == ILAB_OK)
		status = ilab_tariff_path(context, options->tariffs, &path, err);
	if (status == ILAB_OK)
		status = ilab_tariffs_read(path, context->arena, &tariffs, err);
	if (status == ILAB_OK)
		status = compute(context, options, &tariffs, &cost, err);
	if (status != ILAB_OK)
		return status;
	ilab_header_fill(context, options, "iteragpu-lab/cost/1", NULL, 0, &cost.header);
	if (options->json)
		return ilab_print_json(ilab_cost_to_json(&cost), err);
	return ilab_print_text(ilab_text_cost(&cost, context->arena), err);
}
