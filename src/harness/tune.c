#include "harness/tune_state.h"

#include "base/clock.h"
#include "model/rule.h"

/* --- plans -------------------------------------------------------------------------------------------------------------------- */

static enum ilab_status lay_out(struct tuner *t, int layer, enum ilab_layout layout, struct ilab_err *err)
{
	static const enum ilab_stream streams[] = { ILAB_STREAM_W1, ILAB_STREAM_W2 };
	struct ilab_workload *w = &t->work;
	const struct ilab_tensor rule = ilab_rule_tensor(streams[layer], &t->request.shape, t->request.dtype, layout, t->request.seed);
	if (layout == t->layout[layer])
		return ILAB_OK;
	t->layout[layer] = layout;
	return w->backend->fill(w->session, w->weight[layer], ILAB_FILL_RULE, &rule, err);
}

enum ilab_status ilab_tuner_use(struct tuner *t, const struct ilab_plan *plan, struct ilab_err *err)
{
	t->work.plan = *plan;
	enum ilab_status status = lay_out(t, 0, plan->weight_layout[0], err);
	return status ? status : lay_out(t, 1, plan->weight_layout[1], err);
}

enum ilab_status ilab_tuner_plan(struct tuner *t, const struct ilab_tuning_entry *entries, size_t count, struct ilab_plan *plan, struct ilab_err *err)
{
	const struct ilab_tuning tuning = { .provider = t->out->provider, .entries = entries, .entry_count = count };
	return t->work.backend->plan(t->work.session, &t->request.shape, t->request.dtype, t->own.provider, &tuning, plan, err);
}

size_t ilab_tuner_entries(const struct tuner *t, unsigned which, struct ilab_tuning_entry out[2])
{
	size_t count = 0;
	for (size_t i = 0; i < t->out->entry_count; i++) {
		const struct ilab_tuned *e = &t->out->entries[i];
		if (which >> i & 1)
			out[count++] = (struct ilab_tuning_entry){ t->request.dtype, e->m, e->n, e->k, e->form, e->parameters, e->parameter_count };
	}
	return count;
}

/* --- the whole ---------------------------------------------------------------------------------------------------------------- */

/* Asked right after setup, so that what cannot be tuned is refused before any work. */
static enum ilab_status ask_candidates(struct tuner *t, struct ilab_err *err)
{
	struct ilab_workload *w = &t->work;
	enum ilab_status status = ILAB_OK;
	for (int i = 0; i < 2 && !status; i++)
		status = w->backend->candidates(w->session, &t->request.shape, t->request.dtype, w->plan.provider, i, &t->scratch,
			&t->fields[i].entries, &t->fields[i].count, err);
	return status;
}

static void record_provider(struct tuner *t)
{
	const struct ilab_gemm_record *g = &t->own.record;
	t->out->provider = ilab_arena_strdup(t->arena, g->provider);
	t->out->provider_version = (struct ilab_text){ ilab_arena_strdup(t->arena, g->version.value), ilab_arena_strdup(t->arena, g->version.reason) };
	t->out->entries = ilab_arena_alloc(t->arena, 2 * sizeof(*t->out->entries));
}

static enum ilab_status search(struct tuner *t, struct ilab_err *err)
{
	struct ilab_workload *w = &t->work;
	if (!w->backend->candidates)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "unsupported: there is nothing to tune on the %s backend yet", w->backend->name);
	enum ilab_status status = ilab_workload_setup(w, err);
	if (!status)
		status = ask_candidates(t, err);
	if (status)
		return status;
	t->own = w->plan;
	for (int i = 0; i < 2; i++)
		t->layout[i] = t->own.weight_layout[i];
	record_provider(t);
	status = ilab_workload_start(w, err);
	for (int i = 0; i < 2 && !status; i++)
		status = ilab_tuner_layer(t, i, err);
	return status ? status : ilab_tuner_passes(t, err);
}

/* A whole measurement with what was found, in a session of its own. */
static enum ilab_status verify(struct tuner *t, struct ilab_err *err)
{
	struct ilab_tuning_record *r = t->out;
	struct ilab_tuning_entry entries[2];
	const struct ilab_tuning tuning = { r->provider, entries, ilab_tuner_entries(t, ~0u, entries), r->provider_version.value };
	struct ilab_measure_request request = t->request;
	struct ilab_measure measured = { 0 };
	request.tuning = &tuning;
	request.gemm = t->own.provider;
	request.repeats = 1;
	enum ilab_status status = ilab_measure_run(t->work.backend, &request, t->work.observer, t->arena, &measured, err);
	for (size_t i = 0; i < r->entry_count; i++)
		r->entries[i].verified = status == ILAB_OK;
	return status;
}

enum ilab_status ilab_tune_run(const struct ilab_backend *backend, const struct ilab_measure_request *request,
	const struct ilab_observer *observer, struct ilab_arena *arena, struct ilab_tuning_record *out, struct ilab_err *err)
{
	const uint64_t start_ns = ilab_clock_ns();
	struct tuner t = { .request = *request, .arena = arena, .out = out };
	t.request.tuning = NULL;
	t.request.open.graph = false;
	t.request.warmup = 0;
	t.request.repeats = TUNE_PLANS * 2 * (TUNE_PASS_WARMUP + TUNE_PASS_PAIRS);
	t.work = (struct ilab_workload){ .backend = backend, .request = &t.request, .observer = observer, .arena = &t.scratch, .out = &t.rows };
	*out = (struct ilab_tuning_record){ 0 };
	if (observer && observer->phase_started)
		observer->phase_started(observer->context, "setup", 0);
	enum ilab_status status = search(&t, err);
	ilab_workload_release(&t.work);
	if (!status && out->entry_count)
		status = verify(&t, err);
	ilab_arena_free(&t.scratch);
	out->search_seconds = (double)(ilab_clock_ns() - start_ns) * 1e-9;
	return status;
}
