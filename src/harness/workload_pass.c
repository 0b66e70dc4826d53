#include "harness/workload.h"

void ilab_workload_drop(struct ilab_workload *w, struct ilab_buffer **b)
{
	if (*b)
		w->backend->free(w->session, *b);
	*b = NULL;
}

/* What a pass allocates, in its order: this before layer 1, the output before layer 2. The poison must ask for the same. */
static enum ilab_status allocate_hidden(struct ilab_workload *w, struct ilab_err *err)
{
	enum ilab_status status = w->backend->alloc(w->session, w->sizes.hidden_bytes, &w->hidden, err);
	if (!status && w->plan.temporary_bytes > 0)
		status = w->backend->alloc(w->session, w->plan.temporary_bytes, &w->temporary, err);
	return status;
}

static enum ilab_status allocate_output(struct ilab_workload *w, struct ilab_err *err)
{
	return w->backend->alloc(w->session, w->sizes.output_bytes, &w->output, err);
}

enum ilab_status ilab_workload_layer(struct ilab_workload *w, int layer, struct ilab_err *err)
{
	return w->backend->linear(w->session, &w->plan, layer, layer ? w->hidden : w->input, w->weight[layer], w->bias[layer],
		layer ? w->output : w->hidden, w->temporary, layer ? ILAB_EPILOGUE_BIAS : ILAB_EPILOGUE_BIAS_GELU, err);
}

static enum ilab_status queue_layers(struct ilab_workload *w, struct ilab_err *err)
{
	enum ilab_status status = ilab_workload_layer(w, 0, err);
	return status ? status : ilab_workload_layer(w, 1, err);
}

enum ilab_status ilab_workload_forward(struct ilab_workload *w, struct ilab_err *err)
{
	if (w->recorded)
		return w->backend->graph_launch(w->session, err);
	enum ilab_status status = allocate_hidden(w, err);
	if (!status)
		status = ilab_workload_layer(w, 0, err);
	if (!status)
		status = allocate_output(w, err);      /* while the device computes layer 1 */
	return status ? status : ilab_workload_layer(w, 1, err);
}

/* The recording is ended also when it failed: nothing can be given back before. */
static enum ilab_status record_graph(struct ilab_workload *w, struct ilab_err *err)
{
	enum ilab_status status = w->backend->graph_begin(w->session, err);
	if (status)
		return status;
	status = queue_layers(w, err);
	enum ilab_status ended = w->backend->graph_end(w->session, err);
	w->recorded = !status && !ended;
	return status ? status : ended;
}

enum ilab_status ilab_workload_pass(struct ilab_workload *w, struct ilab_err *err)
{
	if (!w->recorded)
		ilab_workload_drop(w, &w->output);     /* of the pass before, where several are one row */
	enum ilab_status status = ilab_workload_forward(w, err);
	if (!status && w->request->open.graph && !w->recorded)
		status = record_graph(w, err);
	if (!w->recorded) {
		ilab_workload_drop(w, &w->hidden);
		ilab_workload_drop(w, &w->temporary);
	}
	return status;
}

static enum ilab_status poison(struct ilab_workload *w, struct ilab_buffer *b, uint64_t bytes, struct ilab_err *err)
{
	const uint64_t elements = bytes / ilab_dtype_bytes(w->request->dtype);
	const struct ilab_tensor t = { .stream = ILAB_STREAM_Y, .dtype = w->request->dtype, .layout = ILAB_LAYOUT_ROWS, .rows = 1,
		.cols = elements, .bound = 1 };
	return b && elements > 0 ? w->backend->fill(w->session, b, ILAB_FILL_POISON, &t, err) : ILAB_OK;
}

static enum ilab_status poison_all(struct ilab_workload *w, struct ilab_err *err)
{
	enum ilab_status status = poison(w, w->hidden, w->sizes.hidden_bytes, err);
	if (!status)
		status = poison(w, w->temporary, w->plan.temporary_bytes, err);
	return status ? status : poison(w, w->output, w->sizes.output_bytes, err);
}

enum ilab_status ilab_workload_poison(struct ilab_workload *w, struct ilab_err *err)
{
	if (w->recorded)
		return poison_all(w, err);
	ilab_workload_drop(w, &w->output);
	enum ilab_status status = allocate_hidden(w, err);
	if (!status)
		status = allocate_output(w, err);
	if (!status)
		status = poison_all(w, err);
	ilab_workload_drop(w, &w->hidden);
	ilab_workload_drop(w, &w->temporary);
	ilab_workload_drop(w, &w->output);
	return status;
}
