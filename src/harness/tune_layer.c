#include "harness/tune_state.h"

#include "base/stats.h"
#include "model/bound.h"

#include <math.h>
#include <stdlib.h>

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

struct contest {
	struct tuner *tuner;
	int layer;
	struct contestant own, **field;
	size_t left;                       /* in `field`, the fastest first after each round */
	uint64_t rows, columns;            /* of the layer's result: sampled rows */
	float *expected, *seen;            /* [rows][columns] */
	void *stored;                      /* one row as it is stored */
};

static const char *const names[] = { "candidates of layer 1", "candidates of layer 2" };

static void tell(const struct contest *c, uint64_t done, uint64_t total)
{
	const struct ilab_observer *o = c->tuner->work.observer;
	if (o && o->progress)
		o->progress(o->context, names[c->layer], done, total);
}

/* --- one layer of a pass ------------------------------------------------------------------------------------------------------ */

static struct ilab_buffer *result_of(const struct contest *c)
{
	return c->layer ? c->tuner->work.output : c->tuner->work.hidden;
}

/* A layer with its temporary memory, which a pass pays for too. */
static enum ilab_status run_layer(struct ilab_workload *w, int layer, struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;
	if (w->plan.temporary_bytes)
		status = w->backend->alloc(w->session, w->plan.temporary_bytes, &w->temporary, err);
	if (!status)
		status = ilab_workload_layer(w, layer, err);
	ilab_workload_drop(w, &w->temporary);
	return status;
}

static void drop_results(struct ilab_workload *w)
{
	ilab_workload_drop(w, &w->hidden);
	ilab_workload_drop(w, &w->output);
}

/* Up to the layer at hand: the results allocated, and what comes before it in a pass. */
static enum ilab_status lead_up(struct contest *c, struct ilab_err *err)
{
	struct ilab_workload *w = &c->tuner->work;
	enum ilab_status status = w->backend->alloc(w->session, w->sizes.hidden_bytes, &w->hidden, err);
	if (!status)
		status = w->backend->alloc(w->session, w->sizes.output_bytes, &w->output, err);
	return status || !c->layer ? status : run_layer(w, 0, err);
}

static enum ilab_status timed_layer(void *context, struct ilab_err *err)
{
	struct contest *c = context;
	return run_layer(&c->tuner->work, c->layer, err);
}

/* A pass between the poison and the checksum of a measurement, with one of its layers inside the clock. Without what surrounds a
 * measured pass the device would be hotter, its clock another, and another candidate the fastest. */
static enum ilab_status take_sample(struct contest *c, const struct contestant *who, double *seconds, struct ilab_err *err)
{
	struct ilab_workload *w = &c->tuner->work;
	const struct ilab_step step = { names[c->layer], timed_layer };
	struct ilab_phase row = { 0 };
	uint64_t unused;
	enum ilab_status status = ilab_tuner_use(c->tuner, &who->plan, err);
	if (!status)
		status = ilab_workload_poison(w, err);
	if (!status)
		status = lead_up(c, err);
	ilab_workload_rest_threads();
	if (!status)
		status = ilab_phase_run(w->backend, w->session, &w->timer, &step, c, &row, err);
	if (!status && !c->layer)
		status = run_layer(w, 1, err);
	if (!status)
		status = ilab_workload_checksum(w, &unused, err);
	drop_results(w);
	*seconds = row.seconds;
	return status;
}

/* --- right or wrong ----------------------------------------------------------------------------------------------------------- */

static enum ilab_status download_rows(struct contest *c, float *rows, struct ilab_err *err)
{
	const struct ilab_workload *w = &c->tuner->work;
	const enum ilab_dtype dtype = c->tuner->request.dtype;
	const uint64_t bytes = c->columns * ilab_dtype_bytes(dtype), last = w->sizes.rows - 1;
	enum ilab_status status = ILAB_OK;
	for (uint64_t i = 0; i < c->rows && !status; i++) {
		const uint64_t row = c->rows > 1 ? (uint64_t)((double)last * (double)i / (double)(c->rows - 1)) : 0;
		status = w->backend->download(w->session, result_of(c), row * bytes, bytes, c->stored, err);
		for (uint64_t j = 0; j < c->columns && !status; j++)
			rows[i * c->columns + j] = ilab_dtype_load(dtype, c->stored, j);
	}
	return status;
}

/* Rows first, last and spread of what the layer leaves in a poisoned result. */
static enum ilab_status compute(struct contest *c, const struct ilab_plan *plan, float *rows, struct ilab_err *err)
{
	struct ilab_workload *w = &c->tuner->work;
	const struct ilab_tensor all = { .stream = ILAB_STREAM_Y, .dtype = c->tuner->request.dtype, .layout = ILAB_LAYOUT_ROWS,
		.rows = w->sizes.rows, .cols = c->columns, .bound = 1 };
	ilab_workload_drop(w, &w->output);     /* of the pass before */
	enum ilab_status status = ilab_tuner_use(c->tuner, plan, err);
	if (!status)
		status = lead_up(c, err);
	if (!status)
		status = w->backend->fill(w->session, result_of(c), ILAB_FILL_POISON, &all, err);
	if (!status)
		status = run_layer(w, c->layer, err);
	if (!status)
		status = w->backend->sync(w->session, err);
	if (!status)
		status = download_rows(c, rows, err);
	drop_results(w);
	return status;
}

/* Both may be off by the bound of the type, in opposite directions. A NaN is no agreement. */
static bool agrees(const struct contest *c)
{
	const uint64_t count = c->rows * c->columns;
	const double bound = 2 * ilab_bound_norm(c->tuner->request.dtype, &c->tuner->request.shape, false) * ilab_bound_few(count);
	double difference = 0, norm = 0;
	for (uint64_t i = 0; i < count; i++) {
		const double a = (double)c->expected[i], b = (double)c->seen[i];
		difference += (a - b) * (a - b);
		norm += a * a;
	}
	return sqrt(difference) <= bound * sqrt(norm);
}

/* A candidate's turn. A refusal, also one that comes with the first run, is an answer; an error that the device does not get over is not. */
static enum ilab_status try_candidate(struct contest *c, struct contestant *who, bool *good, struct ilab_err *err)
{
	struct ilab_workload *w = &c->tuner->work;
	struct ilab_err why = { 0 }, later = { 0 };
	*good = !ilab_tuner_plan(c->tuner, who->entry, 1, &who->plan, &why) && !compute(c, &who->plan, c->seen, &why) && agrees(c);
	if (*good || !why.text[0] || !w->backend->sync(w->session, &later))
		return ILAB_OK;
	return ilab_err_set(err, later.status, later.call, later.code, "%s", later.text);
}

/* Candidates that the provider takes and that compute what its own choice does. */
static enum ilab_status qualify(struct contest *c, const struct tune_field *all, struct ilab_err *err)
{
	enum ilab_status status = compute(c, &c->own.plan, c->expected, err);
	for (size_t i = 0; i < all->count && !status; i++) {
		struct contestant *who = calloc(1, sizeof(*who));
		bool good = false;
		if (!who)
			return ilab_err_set(err, ILAB_FAILED, "calloc", 0, "out of host memory");
		who->entry = &all->entries[i];
		tell(c, i, all->count);
		status = try_candidate(c, who, &good, err);
		if (good)
			c->field[c->left++] = who;
		else
			free(who);
	}
	c->tuner->out->search_candidates += all->count;
	c->tuner->out->search_rejected += all->count - c->left;
	return status;
}

/* --- the contest -------------------------------------------------------------------------------------------------------------- */

static int by_median(const void *a, const void *b)
{
	const double x = (*(struct contestant *const *)a)->median, y = (*(struct contestant *const *)b)->median;
	return (x > y) - (x < y);
}

/* One sample of everybody, forwards and backwards in turn: who comes after whom must not decide. */
static enum ilab_status take_turn(struct contest *c, size_t sample, struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;
	for (size_t i = 0; i <= c->left && !status; i++) {
		const size_t at = sample % 2 ? c->left - i : i;
		struct contestant *who = at ? c->field[at - 1] : &c->own;
		status = take_sample(c, who, &who->seconds[sample], err);
	}
	return status;
}

static enum ilab_status hold_round(struct contest *c, size_t samples, struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;
	for (size_t i = 0; i < samples && !status; i++) {
		status = take_turn(c, i, err);
		tell(c, i, samples);
	}
	c->own.median = ilab_stats_median(c->own.seconds, samples);
	for (size_t i = 0; i < c->left; i++)
		c->field[i]->median = ilab_stats_median(c->field[i]->seconds, samples);
	qsort(c->field, c->left, sizeof(*c->field), by_median);
	return status;
}

static enum ilab_status hold_rounds(struct contest *c, struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;
	for (size_t r = 0; r < ROUNDS && c->left && !status; r++) {
		status = hold_round(c, rounds[r].samples, err);
		while (c->left > rounds[r].keep)
			free(c->field[--c->left]);
	}
	return status;
}

static bool beats_own_choice(const struct contest *c, const struct contestant *who)
{
	double ratios[MOST_SAMPLES];
	struct ilab_interval interval;
	for (size_t i = 0; i < MOST_SAMPLES; i++)
		ratios[i] = c->own.seconds[i] / who->seconds[i];
	return ilab_stats_median_interval(ratios, MOST_SAMPLES, 0.95, &interval) && interval.low > 1 && who->median < c->own.median;
}

static bool has_entry(const struct ilab_tuning_record *r, const struct ilab_tuning_entry *e)
{
	for (size_t i = 0; i < r->entry_count; i++)
		if (r->entries[i].m == e->m && r->entries[i].n == e->n && r->entries[i].k == e->k)
			return true;               /* both layers are the same product */
	return false;
}

static void record_winner(struct contest *c, const struct contestant *who)
{
	struct ilab_arena *arena = c->tuner->arena;
	const struct ilab_tuning_entry *e = who->entry;
	struct ilab_tuned *out = &c->tuner->out->entries[c->tuner->out->entry_count++];
	*out = (struct ilab_tuned){ .dtype = ilab_dtype_name(e->dtype), .m = e->m, .n = e->n, .k = e->k,
		.parameters = ilab_arena_alloc(arena, (e->parameter_count + 1) * sizeof(*out->parameters)), .parameter_count = e->parameter_count,
		.form = ilab_arena_strdup(arena, e->form), .median_seconds = who->median, .default_median_seconds = c->own.median };
	for (size_t i = 0; i < e->parameter_count; i++)
		out->parameters[i] = (struct ilab_parameter){ ilab_arena_strdup(arena, e->parameters[i].name),
			ilab_arena_strdup(arena, e->parameters[i].value) };
}

static void make_room(struct contest *c, size_t candidates)
{
	struct tuner *t = c->tuner;
	c->rows = t->work.sizes.rows < SAMPLED_ROWS ? t->work.sizes.rows : SAMPLED_ROWS;
	c->columns = c->layer ? t->request.shape.width : t->request.shape.hidden;
	c->expected = ilab_arena_alloc(&t->scratch, (size_t)(c->rows * c->columns) * sizeof(float));
	c->seen = ilab_arena_alloc(&t->scratch, (size_t)(c->rows * c->columns) * sizeof(float));
	c->stored = ilab_arena_alloc(&t->scratch, (size_t)c->columns * sizeof(float));
	c->field = ilab_arena_alloc(&t->scratch, (candidates + 1) * sizeof(struct contestant *));
}

enum ilab_status ilab_tuner_layer(struct tuner *t, int layer, struct ilab_err *err)
{
	struct contest c = { .tuner = t, .layer = layer, .own = { .plan = t->own } };
	const struct ilab_observer *o = t->work.observer;
	if (o && o->phase_started)
		o->phase_started(o->context, layer ? "layer 2" : "layer 1", 0);
	make_room(&c, t->fields[layer].count);
	enum ilab_status status = qualify(&c, &t->fields[layer], err);
	if (!status)
		status = hold_rounds(&c, err);
	if (!status && c.left && beats_own_choice(&c, c.field[0]) && !has_entry(t->out, c.field[0]->entry))
		record_winner(&c, c.field[0]);
	while (c.left)
		free(c.field[--c.left]);
	return status;
}
