#include "harness/tune.h"

#include "base/clock.h"
#include "base/stats.h"
#include "harness/verify.h"
#include "model/bound.h"
#include "model/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many samples each round takes of a candidate, and how many candidates are left for the next. */
static const struct { size_t samples, keep; } rounds[] = { { 3, 8 }, { 9, 3 }, { 41, 1 } };
#define ROUNDS (sizeof(rounds) / sizeof(rounds[0]))
#define MOST_SAMPLES 41
#define SAMPLED_ROWS 32

struct contestant {
	const struct ilab_tuning_entry *entry;         /* NULL: the provider's own choice */
	struct ilab_plan plan;
	double seconds[MOST_SAMPLES];                  /* of the round at hand */
	double median;
};

struct tuner {
	const struct ilab_backend *backend;
	const struct ilab_measure_request *request;
	const struct ilab_observer *observer;
	struct ilab_arena *arena;
	struct ilab_tuning_record *out;
	struct ilab_session *session;
	struct ilab_sizes sizes;
	struct contestant own;
	struct ilab_buffer *input, *hidden, *output, *weight[2], *bias[2];
	int layer;                         /* at hand */
	enum ilab_layout layout;           /* that its weights lie in */
	uint64_t rows, columns;            /* of its result: sampled rows */
	float *expected, *seen;            /* [rows][columns] */
	void *stored;                      /* one row as it is stored */
};

/* --- buffers ---------------------------------------------------------------------------------------------------------------- */

static const enum ilab_stream weights[] = { ILAB_STREAM_W1, ILAB_STREAM_W2 }, biases[] = { ILAB_STREAM_B1, ILAB_STREAM_B2 };

static struct ilab_tensor tensor(const struct tuner *t, enum ilab_stream stream, enum ilab_layout layout)
{
	return ilab_rule_tensor(stream, &t->request->shape, t->request->dtype, layout, t->request->seed);
}

static enum ilab_status make(struct tuner *t, enum ilab_stream stream, uint64_t bytes, struct ilab_buffer **out, struct ilab_err *err)
{
	const struct ilab_tensor rule = tensor(t, stream, ILAB_LAYOUT_ROWS);
	enum ilab_status status = t->backend->alloc(t->session, bytes, out, err);
	return status ? status : t->backend->fill(t->session, *out, ILAB_FILL_RULE, &rule, err);
}

static enum ilab_status make_all(struct tuner *t, struct ilab_err *err)
{
	enum ilab_status status = make(t, ILAB_STREAM_X, t->sizes.input_bytes, &t->input, err);
	for (int i = 0; i < 2 && !status; i++) {
		status = make(t, weights[i], t->sizes.weight_bytes[i], &t->weight[i], err);
		if (!status)
			status = make(t, biases[i], t->sizes.bias_bytes[i], &t->bias[i], err);
	}
	if (!status)
		status = t->backend->alloc(t->session, t->sizes.hidden_bytes, &t->hidden, err);
	return status ? status : t->backend->alloc(t->session, t->sizes.output_bytes, &t->output, err);
}

static enum ilab_status lay_out(struct tuner *t, enum ilab_layout layout, struct ilab_err *err)
{
	const struct ilab_tensor rule = tensor(t, weights[t->layer], layout);
	if (layout == t->layout)
		return ILAB_OK;
	t->layout = layout;
	return t->backend->fill(t->session, t->weight[t->layer], ILAB_FILL_RULE, &rule, err);
}

static struct ilab_buffer *result_of(const struct tuner *t)
{
	return t->layer ? t->output : t->hidden;
}

/* --- one product -------------------------------------------------------------------------------------------------------------- */

static enum ilab_status product(struct tuner *t, const struct ilab_plan *plan, enum ilab_epilogue epilogue, struct ilab_err *err)
{
	struct ilab_buffer *temporary = NULL;
	enum ilab_status status = ILAB_OK;
	if (plan->temporary_bytes)
		status = t->backend->alloc(t->session, plan->temporary_bytes, &temporary, err);
	if (!status)
		status = t->backend->linear(t->session, plan, t->layer, t->layer ? t->hidden : t->input, t->weight[t->layer], t->bias[t->layer],
			result_of(t), temporary, epilogue, err);
	t->backend->free(t->session, temporary);
	return status;
}

static enum ilab_status time_product(struct tuner *t, const struct contestant *c, double *seconds, struct ilab_err *err)
{
	enum ilab_status status = lay_out(t, c->plan.weight_layout[t->layer], err);
	if (!status)
		status = t->backend->sync(t->session, err);
	const uint64_t start_ns = ilab_clock_ns();
	if (!status)
		status = product(t, &c->plan, ILAB_EPILOGUE_BIAS, err);
	if (!status)
		status = t->backend->sync(t->session, err);
	*seconds = (double)(ilab_clock_ns() - start_ns) * 1e-9;
	return status;
}

/* --- right or wrong ------------------------------------------------------------------------------------------------------------ */

/* Rows first, last and spread of what the product leaves in a poisoned result. */
static enum ilab_status compute(struct tuner *t, const struct contestant *c, float *rows, struct ilab_err *err)
{
	const uint64_t bytes = t->columns * ilab_dtype_bytes(t->request->dtype), last = t->sizes.rows - 1;
	const struct ilab_tensor all = { .stream = ILAB_STREAM_Y, .dtype = t->request->dtype, .layout = ILAB_LAYOUT_ROWS, .rows = t->sizes.rows,
		.cols = t->columns, .bound = 1 };
	enum ilab_status status = lay_out(t, c->plan.weight_layout[t->layer], err);
	if (!status)
		status = t->backend->fill(t->session, result_of(t), ILAB_FILL_POISON, &all, err);
	if (!status)
		status = product(t, &c->plan, ILAB_EPILOGUE_BIAS, err);
	if (!status)
		status = t->backend->sync(t->session, err);
	for (uint64_t i = 0; i < t->rows && !status; i++) {
		const uint64_t row = t->rows > 1 ? (uint64_t)((double)last * (double)i / (double)(t->rows - 1)) : 0;
		status = t->backend->download(t->session, result_of(t), row * bytes, bytes, t->stored, err);
		for (uint64_t j = 0; j < t->columns && !status; j++)
			rows[i * t->columns + j] = ilab_dtype_load(t->request->dtype, t->stored, j);
	}
	return status;
}

/* Both may be off by the bound of the type, in opposite directions. A NaN is no agreement. */
static bool agrees(const struct tuner *t)
{
	const uint64_t count = t->rows * t->columns;
	const double bound = 2 * ilab_bound_norm(t->request->dtype, &t->request->shape, false) * ilab_bound_few(count);
	double difference = 0, norm = 0;
	for (uint64_t i = 0; i < count; i++) {
		const double a = (double)t->expected[i], b = (double)t->seen[i];
		difference += (a - b) * (a - b);
		norm += a * a;
	}
	return sqrt(difference) <= bound * sqrt(norm);
}

/* --- the contest ---------------------------------------------------------------------------------------------------------------- */

static void tell(const struct tuner *t, uint64_t done, uint64_t total)
{
	if (t->observer && t->observer->progress)
		t->observer->progress(t->observer->context, t->layer ? "candidates of layer 2" : "candidates of layer 1", done, total);
}

/* A candidate's turn. A refusal, also one that comes with the first run, is an answer; an error that the device does not get over is not. */
static enum ilab_status try_candidate(struct tuner *t, struct contestant *c, bool *good, struct ilab_err *err)
{
	const struct ilab_tuning tuning = { .provider = t->out->provider, .entries = c->entry, .entry_count = 1 };
	struct ilab_err why = { 0 }, later = { 0 };
	*good = !t->backend->plan(t->session, &t->request->shape, t->request->dtype, t->own.plan.provider, &tuning, &c->plan, &why)
		&& !compute(t, c, t->seen, &why) && agrees(t);
	if (*good || !why.text[0] || !t->backend->sync(t->session, &later))
		return ILAB_OK;
	return ilab_err_set(err, later.status, later.call, later.code, "%s", later.text);
}

/* Candidates that the provider takes and that compute what its own choice does. */
static enum ilab_status qualify(struct tuner *t, const struct ilab_tuning_entry *entries, size_t count, struct contestant **field, size_t *left,
	struct ilab_err *err)
{
	enum ilab_status status = compute(t, &t->own, t->expected, err);
	*left = 0;
	for (size_t i = 0; i < count && !status; i++) {
		struct contestant *c = calloc(1, sizeof(*c));
		bool good = false;
		if (!c)
			return ilab_err_set(err, ILAB_FAILED, "calloc", 0, "out of host memory");
		c->entry = &entries[i];
		tell(t, i, count);
		status = try_candidate(t, c, &good, err);
		if (good)
			field[(*left)++] = c;
		else
			free(c);
	}
	t->out->search_candidates += count;
	t->out->search_rejected += count - *left;
	return status;
}

static int by_median(const void *a, const void *b)
{
	const double x = (*(struct contestant *const *)a)->median, y = (*(struct contestant *const *)b)->median;
	return (x > y) - (x < y);
}

static enum ilab_status hold_round(struct tuner *t, size_t samples, struct contestant **field, size_t count, struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;
	for (size_t i = 0; i < samples && !status; i++) {
		status = time_product(t, &t->own, &t->own.seconds[i], err);
		for (size_t c = 0; c < count && !status; c++)
			status = time_product(t, field[c], &field[c]->seconds[i], err);
		tell(t, i, samples);
	}
	t->own.median = ilab_stats_median(t->own.seconds, samples);
	for (size_t c = 0; c < count; c++)
		field[c]->median = ilab_stats_median(field[c]->seconds, samples);
	qsort(field, count, sizeof(*field), by_median);
	return status;
}

static enum ilab_status contest(struct tuner *t, struct contestant **field, size_t *count, struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;
	for (size_t r = 0; r < ROUNDS && *count && !status; r++) {
		status = hold_round(t, rounds[r].samples, field, *count, err);
		while (*count > rounds[r].keep)
			free(field[--*count]);
	}
	return status;
}

static bool beats_own_choice(const struct tuner *t, const struct contestant *c)
{
	double ratios[MOST_SAMPLES];
	struct ilab_interval interval;
	for (size_t i = 0; i < MOST_SAMPLES; i++)
		ratios[i] = t->own.seconds[i] / c->seconds[i];
	return ilab_stats_median_interval(ratios, MOST_SAMPLES, 0.95, &interval) && interval.low > 1 && c->median < t->own.median;
}

static bool has_entry(const struct tuner *t, const struct ilab_tuning_entry *e)
{
	for (size_t i = 0; i < t->out->entry_count; i++)
		if (t->out->entries[i].m == e->m && t->out->entries[i].n == e->n && t->out->entries[i].k == e->k)
			return true;               /* both layers are the same product */
	return false;
}

static void record_winner(struct tuner *t, const struct contestant *c)
{
	const struct ilab_tuning_entry *e = c->entry;
	struct ilab_tuned *out = &t->out->entries[t->out->entry_count++];
	*out = (struct ilab_tuned){ .dtype = ilab_dtype_name(e->dtype), .m = e->m, .n = e->n, .k = e->k,
		.parameters = ilab_arena_alloc(t->arena, (e->parameter_count + 1) * sizeof(*out->parameters)), .parameter_count = e->parameter_count,
		.form = ilab_arena_strdup(t->arena, e->form), .median_seconds = c->median, .default_median_seconds = t->own.median };
	for (size_t i = 0; i < e->parameter_count; i++)
		out->parameters[i] = (struct ilab_parameter){ ilab_arena_strdup(t->arena, e->parameters[i].name),
			ilab_arena_strdup(t->arena, e->parameters[i].value) };
}

static enum ilab_status take_candidates(struct tuner *t, struct ilab_arena *arena, struct ilab_tuning_entry **entries, size_t *count,
	struct ilab_err *err)
{
	*count = 0;
	enum ilab_status status = t->backend->candidates(t->session, &t->request->shape, t->request->dtype, t->own.plan.provider, t->layer, arena, entries,
		count, err);
	const size_t bytes = (size_t)(t->rows * t->columns) * sizeof(float);
	t->expected = ilab_arena_alloc(arena, bytes);
	t->seen = ilab_arena_alloc(arena, bytes);
	t->stored = ilab_arena_alloc(arena, (size_t)t->columns * sizeof(float));
	return status;
}

static enum ilab_status tune_layer(struct tuner *t, int layer, struct ilab_err *err)
{
	struct ilab_arena arena = { 0 };
	struct ilab_tuning_entry *entries = NULL;
	size_t count = 0, left = 0;
	t->layer = layer;
	t->layout = ILAB_LAYOUT_ROWS;
	t->rows = t->sizes.rows < SAMPLED_ROWS ? t->sizes.rows : SAMPLED_ROWS;
	t->columns = layer ? t->request->shape.width : t->request->shape.hidden;
	if (t->observer && t->observer->phase_started)
		t->observer->phase_started(t->observer->context, layer ? "layer 2" : "layer 1", 0);
	enum ilab_status status = take_candidates(t, &arena, &entries, &count, err);
	struct contestant **field = ilab_arena_alloc(&arena, (count + 1) * sizeof(*field));
	if (!status)
		status = qualify(t, entries, count, field, &left, err);
	if (!status)
		status = contest(t, field, &left, err);
	if (!status && left && beats_own_choice(t, field[0]) && !has_entry(t, field[0]->entry))
		record_winner(t, field[0]);
	while (left)
		free(field[--left]);
	if (!status)
		status = lay_out(t, t->own.plan.weight_layout[layer], err);
	if (!status && layer == 0)             /* the second layer's input, as in a pass */
		status = product(t, &t->own.plan, ILAB_EPILOGUE_BIAS_GELU, err);
	ilab_arena_free(&arena);
	return status;
}

/* --- the whole -------------------------------------------------------------------------------------------------------------------- */

static enum ilab_status search(struct tuner *t, struct ilab_err *err)
{
	const struct ilab_measure_request *r = t->request;
	if (!t->backend->candidates)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "unsupported: there is nothing to tune on the %s backend yet", t->backend->name);
	enum ilab_status status = ilab_shape_sizes(&r->shape, r->dtype, &t->sizes, err);
	if (!status)
		status = t->backend->open(&r->open, &t->session, err);
	if (!status)
		status = t->backend->plan(t->session, &r->shape, r->dtype, r->gemm, NULL, &t->own.plan, err);
	if (status)
		return status;
	t->out->provider = ilab_arena_strdup(t->arena, t->own.plan.record.provider);
	t->out->provider_version = (struct ilab_text){ ilab_arena_strdup(t->arena, t->own.plan.record.version.value),
		ilab_arena_strdup(t->arena, t->own.plan.record.version.reason) };
	t->out->entries = ilab_arena_alloc(t->arena, 2 * sizeof(*t->out->entries));
	status = make_all(t, err);
	for (int i = 0; i < 2 && !status; i++)
		status = tune_layer(t, i, err);
	return status;
}

static void give_back(struct tuner *t)
{
	struct ilab_buffer *all[] = { t->input, t->hidden, t->output, t->weight[0], t->weight[1], t->bias[0], t->bias[1] };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i])
			t->backend->free(t->session, all[i]);
	t->backend->close(t->session);
}

/* A whole measurement with what was found, in a session of its own. */
static enum ilab_status verify(struct tuner *t, struct ilab_err *err)
{
	struct ilab_tuning_record *r = t->out;
	struct ilab_tuning_entry entries[2];
	struct ilab_measure_request request = *t->request;
	struct ilab_measure measured = { 0 };
	for (size_t i = 0; i < r->entry_count; i++)
		entries[i] = (struct ilab_tuning_entry){ t->request->dtype, r->entries[i].m, r->entries[i].n, r->entries[i].k, r->entries[i].form,
			r->entries[i].parameters, r->entries[i].parameter_count };
	const struct ilab_tuning tuning = { r->provider, entries, r->entry_count, r->provider_version.value };
	request.tuning = &tuning;
	request.gemm = t->own.plan.provider;
	request.warmup = 0;
	request.repeats = 1;
	enum ilab_status status = ilab_measure_run(t->backend, &request, t->observer, t->arena, &measured, err);
	for (size_t i = 0; i < r->entry_count; i++)
		r->entries[i].verified = status == ILAB_OK;
	return status;
}

enum ilab_status ilab_tune_run(const struct ilab_backend *backend, const struct ilab_measure_request *request,
	const struct ilab_observer *observer, struct ilab_arena *arena, struct ilab_tuning_record *out, struct ilab_err *err)
{
	const uint64_t start_ns = ilab_clock_ns();
	struct tuner t = { .backend = backend, .request = request, .observer = observer, .arena = arena, .out = out };
	*out = (struct ilab_tuning_record){ 0 };
	if (observer && observer->phase_started)
		observer->phase_started(observer->context, "setup", 0);
	enum ilab_status status = search(&t, err);
	give_back(&t);
	if (!status && out->entry_count)
		status = verify(&t, err);
	out->search_seconds = (double)(ilab_clock_ns() - start_ns) * 1e-9;
	return status;
}
