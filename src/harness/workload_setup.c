#include "harness/workload.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/numtext.h"

#include <string.h>

/* --- limits ----------------------------------------------------------------------------------------------------------- */

struct part { const char *name; uint64_t bytes; };

static enum ilab_status check_buffer(const struct part *p, uint64_t limit_bytes, struct ilab_err *err)
{
	if (limit_bytes == 0 || p->bytes <= limit_bytes)
		return ILAB_OK;
	return ilab_err_set(err, ILAB_REFUSED, "", 0,
		"%s need %llu bytes in one buffer, but max_allocation_bytes of this device is %llu; choose a smaller shape",
		p->name, (unsigned long long)p->bytes, (unsigned long long)limit_bytes);
}

/* Drivers create buffers beyond their limits and fail later, or compute wrong values, so the sizes are checked here. */
static enum ilab_status check_limits(const struct ilab_limits *limits, const struct ilab_sizes *sizes, uint64_t temporary_bytes,
	struct ilab_err *err)
{
	const struct part parts[] = {
		{ "the weights of layer 1", sizes->weight_bytes[0] }, { "the weights of layer 2", sizes->weight_bytes[1] },
		{ "the biases of layer 1", sizes->bias_bytes[0] }, { "the biases of layer 2", sizes->bias_bytes[1] },
		{ "the inputs", sizes->input_bytes }, { "the hidden units", sizes->hidden_bytes },
		{ "the outputs", sizes->output_bytes }, { "the temporary values", temporary_bytes },
	};
	char sum[ILAB_NUMTEXT_SIZE];
	ilab_u128 total = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		enum ilab_status status = check_buffer(&parts[i], limits->max_allocation_bytes, err);
		if (status)
			return status;
		total += parts[i].bytes;
	}
	if (limits->total_memory_bytes == 0 || total <= limits->total_memory_bytes)
		return ILAB_OK;
	ilab_format_u128(sum, sizeof(sum), total);
	return ilab_err_set(err, ILAB_REFUSED, "", 0,
		"parameters, inputs, hidden units, outputs and temporary values need %s bytes together, but total_memory_bytes of this device is %llu; choose a smaller shape",
		sum, (unsigned long long)limits->total_memory_bytes);
}

/* --- setup ------------------------------------------------------------------------------------------------------------ */

static void prepare_timer(struct ilab_workload *w)
{
	const struct ilab_session_info *info = w->backend->info(w->session);
	w->timer.source.value = ilab_arena_strdup(w->arena, info->timer_source.value);
	w->timer.source.reason = ilab_arena_strdup(w->arena, info->timer_source.reason);
	w->timer.resolution_seconds = info->timer_resolution_seconds;
	w->timer.slow_down = (double)w->request->slow_down_billionths * 1e-9;
}

/* Parameters mean something to the provider and version that they were found with. */
static enum ilab_status check_tuning(const struct ilab_tuning *t, const struct ilab_gemm_record *g, struct ilab_err *err)
{
	if (!t)
		return ILAB_OK;
	if (strcmp(t->provider, g->provider) != 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the tuning is for %s, but this run multiplies with %s: leave the tuning out, or choose another provider",
			t->provider, g->provider);
	if (t->provider_version && g->version.value && strcmp(t->provider_version, g->version.value) != 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the tuning was found with %s %s, here is %s: run tune again", t->provider, t->provider_version,
			g->version.value);
	return ILAB_OK;
}

static enum ilab_status plan(struct ilab_workload *w, struct ilab_err *err)
{
	const struct ilab_measure_request *r = w->request;
	struct ilab_limits limits = { 0 };
	w->backend->limits(w->session, &limits);
	enum ilab_status status = check_limits(&limits, &w->sizes, 0, err);
	if (!status)
		status = w->backend->plan(w->session, &r->shape, r->dtype, r->gemm, r->tuning, &w->plan, err);
	if (!status)
		status = check_tuning(r->tuning, &w->plan.record, err);
	if (!status)
		status = check_limits(&limits, &w->sizes, w->plan.temporary_bytes, err);
	return status;
}

enum ilab_status ilab_workload_setup(struct ilab_workload *w, struct ilab_err *err)
{
	const uint64_t start_ns = ilab_clock_ns();
	double floor_seconds = 0;
	enum ilab_status status = ilab_shape_sizes(&w->request->shape, w->request->dtype, &w->sizes, err);
	if (!status && w->request->open.graph && !w->backend->graph_begin)
		status = ilab_err_set(err, ILAB_REFUSED, "", 0, "unsupported: the %s backend cannot replay a pass from a graph; leave --graph out", w->backend->name);
	if (!status)
		status = w->backend->open(&w->request->open, &w->session, err);
	if (!status)
		status = plan(w, err);
	if (status)
		return status;
	prepare_timer(w);
	status = ilab_timer_calibrate(w->backend, w->session, &w->timer, err);
	if (!status)
		status = ilab_timer_floor(w->backend, w->session, &w->timer, &floor_seconds, err);
	if (!status)
		status = w->backend->trim(w->session, err);
	if (status)
		return status;
	ilab_workload_record_setup(w);
	w->out->backend.floor_seconds = floor_seconds;
	w->out->backend.setup_seconds = (double)(ilab_clock_ns() - start_ns) * 1e-9;
	return ILAB_OK;
}
