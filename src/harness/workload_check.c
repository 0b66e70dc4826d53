#include "harness/workload.h"

#include "base/numtext.h"
#include "model/rule.h"

#include <stdlib.h>
#include <string.h>

/* Host memory that rows are read back through; one row more when a row is longer. */
#define STAGING_BYTES ((uint64_t)64 << 20)

static struct ilab_tensor tensor(const struct ilab_workload *w, enum ilab_stream stream, enum ilab_layout layout)
{
	return ilab_rule_tensor(stream, &w->request->shape, w->request->dtype, layout, w->request->seed);
}

static const char *hex(struct ilab_workload *w, uint64_t checksum)
{
	char text[ILAB_NUMTEXT_SIZE];
	ilab_format_hex64(text, sizeof(text), checksum);
	return ilab_arena_strdup(w->arena, text);
}

/* --- preparing -------------------------------------------------------------------------------------------------------- */

enum ilab_status ilab_workload_check_prepare(struct ilab_workload *w, struct ilab_err *err)
{
	const struct ilab_measure_request *r = w->request;
	const bool half = w->plan.record.accumulation && strcmp(w->plan.record.accumulation, "float16") == 0;
	enum ilab_status status = ilab_verifier_new(&r->shape, r->dtype, r->seed, r->verify_rows, half, &w->verifier, err);
	if (status)
		return status;
	const uint64_t row_bytes = (w->sizes.hidden_bytes > w->sizes.output_bytes ? w->sizes.hidden_bytes : w->sizes.output_bytes) / w->sizes.rows;
	const uint64_t all_bytes = row_bytes * w->sizes.rows;
	w->staging_bytes = row_bytes > STAGING_BYTES ? row_bytes : all_bytes < STAGING_BYTES ? all_bytes : STAGING_BYTES;
	w->staging = malloc((size_t)w->staging_bytes);
	/* Every pass may have a checksum of its own: cold, warm-up, each repetition, and the last one for the projection. */
	w->checked = calloc((size_t)r->repeats + 3, sizeof(*w->checked));
	if (!w->staging || !w->checked)
		return ilab_err_set(err, ILAB_FAILED, "malloc", 0, "out of host memory for %llu bytes to read back through",
			(unsigned long long)w->staging_bytes);
	return ILAB_OK;
}

void ilab_workload_check_free(struct ilab_workload *w)
{
	free(w->checked);
	free(w->staging);
	ilab_verifier_free(w->verifier);
}

/* --- parameters and inputs -------------------------------------------------------------------------------------------- */

struct checksums { uint64_t device, rule; };

/* Adds one tensor's checksums: the sum over tensors is a checksum of them all, since each term holds its stream. */
static enum ilab_status add_checksums(struct ilab_workload *w, const char *what, struct ilab_buffer *b, const struct ilab_tensor *t,
	struct checksums *sum, struct ilab_err *err)
{
	uint64_t device = 0, rule = ilab_checksum_rule(t);
	enum ilab_status status = w->backend->checksum(w->session, b, t, &device, err);
	if (status)
		return status;
	if (device != rule)
		ilab_verifier_fail(w->verifier, "%s: their checksum on the device is %s, that of the input rule %s", what, hex(w, device), hex(w, rule));
	sum->device += device;
	sum->rule += rule;
	return ILAB_OK;
}

enum ilab_status ilab_workload_check_parameters(struct ilab_workload *w, struct ilab_err *err)
{
	const struct { const char *what; struct ilab_buffer *b; struct ilab_tensor t; } parts[] = {
		{ "weights of layer 1", w->weight[0], tensor(w, ILAB_STREAM_W1, w->plan.weight_layout[0]) },
		{ "biases of layer 1", w->bias[0], tensor(w, ILAB_STREAM_B1, ILAB_LAYOUT_ROWS) },
		{ "weights of layer 2", w->weight[1], tensor(w, ILAB_STREAM_W2, w->plan.weight_layout[1]) },
		{ "biases of layer 2", w->bias[1], tensor(w, ILAB_STREAM_B2, ILAB_LAYOUT_ROWS) },
	};
	struct checksums sum = { 0 };
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		enum ilab_status status = add_checksums(w, parts[i].what, parts[i].b, &parts[i].t, &sum, err);
		if (status)
			return status;
	}
	w->out->verification.weights_checksum = hex(w, sum.device);
	return ILAB_OK;
}

enum ilab_status ilab_workload_check_inputs(struct ilab_workload *w, struct ilab_err *err)
{
	const struct ilab_tensor t = tensor(w, ILAB_STREAM_X, ILAB_LAYOUT_ROWS);
	struct checksums sum = { 0 };
	enum ilab_status status = add_checksums(w, "inputs", w->input, &t, &sum, err);
	w->out->verification.inputs_checksum = hex(w, sum.device);
	return status;
}

/* --- outputs ---------------------------------------------------------------------------------------------------------- */

typedef void take_rows(struct ilab_verifier *v, uint64_t first_row, uint64_t count, const void *data);

/* Read a [M, row] buffer back in chunks of whole rows and hand them over. */
static enum ilab_status stream_rows(struct ilab_workload *w, struct ilab_buffer *b, uint64_t bytes, take_rows *take, struct ilab_err *err)
{
	const uint64_t rows = w->sizes.rows, row_bytes = bytes / rows, chunk = w->staging_bytes / row_bytes;
	for (uint64_t first = 0; first < rows; first += chunk) {
		const uint64_t count = chunk < rows - first ? chunk : rows - first;
		enum ilab_status status = w->backend->download(w->session, b, first * row_bytes, count * row_bytes, w->staging, err);
		if (status)
			return status;
		take(w->verifier, first, count, w->staging);
		if (w->observer && w->observer->progress)
			w->observer->progress(w->observer->context, "verify", first + count, rows);
	}
	return ILAB_OK;
}

static bool was_checked(const struct ilab_workload *w, uint64_t checksum)
{
	for (size_t i = 0; i < w->checked_count; i++)
		if (w->checked[i] == checksum)
			return true;
	return false;
}

enum ilab_status ilab_workload_checksum(struct ilab_workload *w, uint64_t *checksum, struct ilab_err *err)
{
	const struct ilab_tensor t = tensor(w, ILAB_STREAM_Y, ILAB_LAYOUT_ROWS);
	return w->backend->checksum(w->session, w->output, &t, checksum, err);
}

enum ilab_status ilab_workload_check_output(struct ilab_workload *w, const char *pass, bool in_full, const char **text, struct ilab_err *err)
{
	uint64_t checksum = 0;
	enum ilab_status status = ilab_workload_checksum(w, &checksum, err);
	if (status)
		return status;
	*text = hex(w, checksum);
	const bool known = was_checked(w, checksum);
	if (known && !in_full)
		return ILAB_OK;
	ilab_verifier_pass_begin(w->verifier, pass);
	status = stream_rows(w, w->output, w->sizes.output_bytes, ilab_verifier_output, err);
	if (status)
		return status;
	ilab_verifier_pass_end(w->verifier);
	if (!known)
		w->checked[w->checked_count++] = checksum;
	return ILAB_OK;
}

enum ilab_status ilab_workload_check_projection(struct ilab_workload *w, struct ilab_err *err)
{
	const char *unused;
	enum ilab_status status = ilab_workload_poison(w, err);
	if (!status)
		status = ilab_workload_forward(w, err);
	if (!status)
		status = w->backend->sync(w->session, err);
	ilab_workload_drop(w, &w->temporary);
	if (!status)
		status = ilab_workload_check_output(w, "projection pass", true, &unused, err);
	if (!status)
		status = stream_rows(w, w->hidden, w->sizes.hidden_bytes, ilab_verifier_hidden, err);
	if (!status)
		ilab_verifier_projection_end(w->verifier);
	return status;
}
