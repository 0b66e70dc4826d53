#include "harness/workload.h"

#include "model/rule.h"
#include "result/document.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

/* More rows than anybody reads, and few enough for memory. */
#define REPEATS_MAX 1000000

/* --- the phases ------------------------------------------------------------------------------------------------------- */

static enum ilab_status load_parameter(struct ilab_workload *w, enum ilab_stream stream, enum ilab_layout layout, uint64_t bytes,
	struct ilab_buffer **b, struct ilab_err *err)
{
	const struct ilab_tensor t = ilab_rule_tensor(stream, &w->request->shape, w->request->dtype, layout, w->request->seed);
	enum ilab_status status = w->backend->alloc(w->session, bytes, b, err);
	return status ? status : w->backend->upload(w->session, *b, &t, err);
}

static enum ilab_status model_load(void *context, struct ilab_err *err)
{
	struct ilab_workload *w = context;
	const enum ilab_stream weights[2] = { ILAB_STREAM_W1, ILAB_STREAM_W2 }, biases[2] = { ILAB_STREAM_B1, ILAB_STREAM_B2 };
	enum ilab_status status = ILAB_OK;
	for (int i = 0; i < 2 && !status; i++) {
		status = load_parameter(w, weights[i], w->plan.weight_layout[i], w->sizes.weight_bytes[i], &w->weight[i], err);
		if (!status)
			status = load_parameter(w, biases[i], ILAB_LAYOUT_ROWS, w->sizes.bias_bytes[i], &w->bias[i], err);
	}
	return status;
}

static enum ilab_status inputs(void *context, struct ilab_err *err)
{
	struct ilab_workload *w = context;
	const struct ilab_tensor t = ilab_rule_tensor(ILAB_STREAM_X, &w->request->shape, w->request->dtype, ILAB_LAYOUT_ROWS, w->request->seed);
	enum ilab_status status = w->backend->alloc(w->session, w->sizes.input_bytes, &w->input, err);
	return status ? status : w->backend->fill(w->session, w->input, ILAB_FILL_RULE, &t, err);
}

static enum ilab_status pass(void *context, struct ilab_err *err)
{
	return ilab_workload_pass(context, err);
}

static enum ilab_status warmup(void *context, struct ilab_err *err)
{
	struct ilab_workload *w = context;
	enum ilab_status status = ILAB_OK;
	for (uint64_t i = 0; i < w->request->warmup && !status; i++)
		status = pass(w, err);
	return status;
}

static enum ilab_status nothing(struct ilab_workload *w, struct ilab_err *err)
{
	(void)w, (void)err;
	return ILAB_OK;
}

static enum ilab_status check_model(struct ilab_workload *w, struct ilab_phase *row, bool last, struct ilab_err *err)
{
	(void)row, (void)last;
	return ilab_workload_check_parameters(w, err);
}

static enum ilab_status check_inputs(struct ilab_workload *w, struct ilab_phase *row, bool last, struct ilab_err *err)
{
	(void)row, (void)last;
	return ilab_workload_check_inputs(w, err);
}

static enum ilab_status check_pass(struct ilab_workload *w, struct ilab_phase *row, bool last, struct ilab_err *err)
{
	char name[48];
	const bool in_full = strcmp(row->phase, "cold_forward") == 0 || (strcmp(row->phase, "warm_forward") == 0 && last);
	snprintf(name, sizeof(name), row->repetition ? "%s %llu" : "%s", row->phase, (unsigned long long)row->repetition);
	return ilab_workload_check_output(w, name, in_full, &row->output_checksum, err);
}

static uint64_t once(const struct ilab_measure_request *r)
{
	(void)r;
	return 1;
}

static uint64_t once_if_warmed(const struct ilab_measure_request *r)
{
	return r->warmup > 0;
}

static uint64_t repeats(const struct ilab_measure_request *r)
{
	return r->repeats;
}

/* The phases, in order. `before` and `after` run outside the clock. */
static const struct phase {
	struct ilab_step step;
	uint64_t (*rows)(const struct ilab_measure_request *r);
	bool numbered;
	enum ilab_status (*before)(struct ilab_workload *w, struct ilab_err *err);
	enum ilab_status (*after)(struct ilab_workload *w, struct ilab_phase *row, bool last, struct ilab_err *err);
} phases[] = {
	{ { "model_load", model_load }, once, false, nothing, check_model },
	{ { "inputs", inputs }, once, false, nothing, check_inputs },
	{ { "cold_forward", pass }, once, false, nothing, check_pass },
	{ { "warmup", warmup }, once_if_warmed, false, ilab_workload_poison, check_pass },
	{ { "warm_forward", pass }, repeats, true, ilab_workload_poison, check_pass },
};
#define PHASE_COUNT (sizeof(phases) / sizeof(phases[0]))
#define WARM (PHASE_COUNT - 1)
#define COLD (PHASE_COUNT - 3)

/* --- running ---------------------------------------------------------------------------------------------------------- */

static void tell_start(const struct ilab_observer *o, const char *phase, uint64_t repetition)
{
	if (o && o->phase_started)
		o->phase_started(o->context, phase, repetition);
}

static void tell_finish(const struct ilab_observer *o, const struct ilab_phase *row, uint64_t done, uint64_t total)
{
	if (o && o->phase_finished)
		o->phase_finished(o->context, row);
	if (o && o->progress)
		o->progress(o->context, row->phase, done, total);
}

/* Hand an error on with the phase's name in front. Once work has begun, a device that cannot do what it planned has failed; only setup
 * may refuse, and a refusal speaks of what was asked for, not of a phase. */
static enum ilab_status blame(const char *phase, enum ilab_status status, const struct ilab_err *from, struct ilab_err *err)
{
	const char *text = from->text[0] ? from->text : "the backend gave no reason";
	if (status == ILAB_REFUSED && strcmp(phase, "setup") == 0)
		return ilab_err_set(err, status, from->call, from->code, "%s", text);
	if (status == ILAB_REFUSED)
		status = ILAB_FAILED;
	return ilab_err_set(err, status, from->call, from->code, "%s: %s", phase, text);
}

/* Host threads of a parallel region spin for a while after its end. On a device that is this very processor they would compete with the
 * pass that is measured (twice the time, seen on two cores), so they are ended. */
void ilab_workload_rest_threads(void)
{
	omp_pause_resource_all(omp_pause_soft);
}

static enum ilab_status run_row(struct ilab_workload *w, const struct phase *p, uint64_t i, uint64_t total, struct ilab_phase *row,
	struct ilab_err *err)
{
	tell_start(w->observer, p->step.name, p->numbered ? i + 1 : 0);
	enum ilab_status status = p->before(w, err);
	ilab_workload_rest_threads();
	if (!status)
		status = ilab_phase_run(w->backend, w->session, &w->timer, &p->step, w, row, err);
	if (status)
		return status;
	row->repetition = p->numbered ? i + 1 : 0;
	row->driver_used_bytes.reason = ilab_arena_strdup(w->arena, row->driver_used_bytes.reason);
	status = p->after(w, row, i + 1 == total, err);
	if (status)
		return status;
	tell_finish(w->observer, row, i + 1, total);
	return ILAB_OK;
}

/* The rows of all phases up to `last`. */
static enum ilab_status run_phases(struct ilab_workload *w, size_t last, struct ilab_err *err)
{
	uint64_t room = 0;
	for (size_t p = 0; p <= last; p++)
		room += phases[p].rows(w->request);
	w->out->phases = ilab_arena_alloc(w->arena, room * sizeof(*w->out->phases));
	w->out->phase_count = 0;
	for (size_t p = 0; p <= last; p++) {
		const uint64_t total = phases[p].rows(w->request);
		for (uint64_t i = 0; i < total; i++) {
			struct ilab_err inner = { 0 };
			enum ilab_status status = run_row(w, &phases[p], i, total, &w->out->phases[w->out->phase_count], &inner);
			if (status)
				return blame(phases[p].step.name, status, &inner, err);
			w->out->phase_count++;
		}
	}
	return ILAB_OK;
}

enum ilab_status ilab_workload_warm_row(struct ilab_workload *w, uint64_t i, uint64_t total, struct ilab_phase *row, struct ilab_err *err)
{
	struct ilab_err inner = { 0 };
	enum ilab_status status = run_row(w, &phases[WARM], i, total, row, &inner);
	return status ? blame(phases[WARM].step.name, status, &inner, err) : ILAB_OK;
}

/* A part of the work that is no row. */
static enum ilab_status run_part(struct ilab_workload *w, const char *name, enum ilab_status (*part)(struct ilab_workload *, struct ilab_err *),
	struct ilab_err *err)
{
	struct ilab_err inner = { 0 };
	tell_start(w->observer, name, 0);
	enum ilab_status status = part(w, &inner);
	return status ? blame(name, status, &inner, err) : ILAB_OK;
}

static enum ilab_status start(struct ilab_workload *w, size_t last, struct ilab_err *err)
{
	enum ilab_status status = run_part(w, "verify", ilab_workload_check_prepare, err);
	return status ? status : run_phases(w, last, err);
}

enum ilab_status ilab_workload_start(struct ilab_workload *w, struct ilab_err *err)
{
	return start(w, COLD, err);
}

static enum ilab_status run_all(struct ilab_workload *w, struct ilab_err *err)
{
	enum ilab_status status = run_part(w, "setup", ilab_workload_setup, err);
	if (!status)
		status = start(w, WARM, err);
	if (!status)
		status = run_part(w, "verify", ilab_workload_check_projection, err);
	return status;
}

void ilab_workload_release(struct ilab_workload *w)
{
	struct ilab_buffer **buffers[] = { &w->output, &w->temporary, &w->hidden, &w->input, &w->bias[1], &w->weight[1], &w->bias[0], &w->weight[0] };
	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		ilab_workload_drop(w, buffers[i]);
	w->backend->close(w->session);
	ilab_workload_check_free(w);
}

enum ilab_status ilab_measure_run(const struct ilab_backend *backend, const struct ilab_measure_request *request,
	const struct ilab_observer *observer, struct ilab_arena *arena, struct ilab_measure *out, struct ilab_err *err)
{
	struct ilab_workload w = { .backend = backend, .request = request, .observer = observer, .arena = arena, .out = out };
	if (request->repeats == 0 || request->repeats > REPEATS_MAX)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "repeats must be 1 to %d", REPEATS_MAX);
	enum ilab_status status = run_all(&w, err);
	if (!status) {
		ilab_workload_record_verification(&w);
		ilab_measure_summarise(out, arena);
		if (out->verification.failure)
			status = ilab_err_set(err, ILAB_UNVERIFIED, "", 0, "verification failed: %s", out->verification.failure);
	}
	ilab_workload_release(&w);
	return status;
}
