#include "cli/command.h"

#include "base/message.h"
#include "base/numtext.h"
#include "base/outfile.h"
#include "cli/deliver.h"
#include "harness/signals.h"
#include "result/diff.h"

#include <string.h>

static enum ilab_status read_all(const struct ilab_context *context, const struct ilab_options *options, struct ilab_saved *saved, struct ilab_err *err)
{
	if (options->file_count < 2)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "diff: needs two documents at least, BASE and NEW");
	for (size_t i = 0; i < options->file_count; i++) {
		enum ilab_status status = ilab_saved_read(options->files[i], context->arena, &saved[i], err);
		if (status != ILAB_OK)
			return status;
		if (ilab_saved_is_hooked(&saved[i]) && !options->accept_test_hook)
			return ilab_err_set(err, ILAB_REFUSED, "", 0, "%.300s: slowed down on purpose with --test-slow-down, so its times mean nothing; --accept-test-hook takes it",
				options->files[i]);
	}
	return ILAB_OK;
}

/* Sets of runs of the base that got no ratio: they pass --fail-above unseen. */
static size_t count_unseen(const struct ilab_diff *r)
{
	size_t count = r->base_unmatched_count;
	for (size_t i = 0; i < r->row_count; i++)
		count += !strcmp(r->rows[i].row.phase, "warm_forward") && r->rows[i].row.ratio.reason;
	return count;
}

static bool has_limit(const struct ilab_options *options)
{
	size_t i = 0;
	while (i < ilab_option_count && ilab_option_table[i].member != offsetof(struct ilab_options, fail_above_nano))
		i++;
	return options->given & (UINT64_C(1) << i);
}

/* A loss counts when it is larger than what is allowed and its verdict is "slower": beyond noise. `single`: the base is one measurement. */
static enum ilab_status judge(const struct ilab_diff *r, bool single, const struct ilab_options *options, struct ilab_err *err)
{
	const double allowed = (double)options->fail_above_nano * 1e-9;
	if (!has_limit(options))
		return ILAB_OK;
	const size_t unseen = count_unseen(r);
	if (unseen)
		ilab_note(ilab_message_plural("--fail-above did not judge %zu row of the base: it has no counterpart that could be compared",
			"--fail-above did not judge %zu rows of the base: they have no counterpart that could be compared", unseen), unseen);
	if (r->worst_loss_percent.reason || r->worst_loss_percent.value <= allowed || r->worst_loss_percent.value <= 0)
		return ILAB_OK;
	if (single)
		ilab_note("single measurements know nothing of what differs from run to run: two of the same work can differ by more than their passes do; `compare` makes several runs");
	char percent[ILAB_NUMTEXT_SIZE];
	ilab_format_fixed(percent, sizeof(percent), r->worst_loss_percent.value, 1);
	return ilab_err_set(err, ILAB_LOSS, "", 0, "a loss of %s %% in time, beyond noise and above the limit", percent);
}

enum ilab_status ilab_cmd_diff(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err)
{
	struct ilab_saved *saved = ilab_arena_alloc(context->arena, (options->file_count + 1) * sizeof(*saved));
	struct ilab_outfile *file = NULL;
	struct ilab_diff record;
	enum ilab_status status = ilab_check_stdout(err);
	if (status == ILAB_OK)
		status = read_all(context, options, saved, err);
	if (status == ILAB_OK && options->output)
		status = ilab_outfile_open(options->output, &file, err);
	if (status == ILAB_OK) {
		ilab_diff_make(&saved[0], &saved[1], options->file_count - 1, context->arena, &record);
		ilab_header_fill(context, options, "iteragpu-lab/diff/1", NULL, 0, &record.header);
		status = ilab_deliver(ilab_diff_to_json(&record), ilab_text_diff(&record, options->verbose, context->arena), options, &file, err);
	}
	if (status == ILAB_OK)
		status = judge(&record, !strcmp(saved[0].kind, "measure"), options, err);
	ilab_outfile_discard(file);
	return status;
}
