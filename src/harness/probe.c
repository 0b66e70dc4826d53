#include "harness/probe.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 7
#define ROUND_SECONDS 0.05             /* what a round lasts at least: far above the cost of starting and waiting */
#define SCRATCH_BYTES ((uint64_t)512 << 20)    /* beyond every cache */
#define CHECKED_BYTES 65536u

struct probing {
	const struct ilab_backend *backend;
	struct ilab_session *session;
	struct ilab_arena *arena;
	struct ilab_buffer *scratch;
	uint64_t scratch_bytes;
	enum ilab_probe what;
	enum ilab_dtype dtype;
};

/* `count` float32 from the start of the scratch buffer. */
static struct ilab_tensor floats(uint64_t count)
{
	return (struct ilab_tensor){ .stream = ILAB_STREAM_X, .dtype = ILAB_F32, .layout = ILAB_LAYOUT_ROWS, .rows = 1, .cols = count, .bound = 1 };
}

/* NaN where a result is looked for, and for a copy values in the half that it reads. */
static enum ilab_status prepare(const struct probing *p, struct ilab_err *err)
{
	const bool copy = p->what == ILAB_PROBE_COPY;
	const struct ilab_tensor all = floats((copy ? p->scratch_bytes : CHECKED_BYTES) / sizeof(float)), half = floats(p->scratch_bytes / 2 / sizeof(float));
	enum ilab_status status = p->backend->fill(p->session, p->scratch, ILAB_FILL_POISON, &all, err);
	if (!status && p->what == ILAB_PROBE_COPY)
		status = p->backend->fill(p->session, p->scratch, ILAB_FILL_RULE, &half, err);
	return status ? status : p->backend->sync(p->session, err);
}

static enum ilab_status read_back(const struct probing *p, uint64_t offset, void *into, struct ilab_err *err)
{
	return p->backend->download(p->session, p->scratch, offset, CHECKED_BYTES, into, err);
}

/* Beginning and end of the copy against what was copied. */
static enum ilab_status check_copy(const struct probing *p, bool *good, struct ilab_err *err)
{
	static unsigned char from[CHECKED_BYTES], to[CHECKED_BYTES];
	const uint64_t half = p->scratch_bytes / 2, offsets[] = { 0, half - CHECKED_BYTES };
	*good = true;
	for (size_t i = 0; i < 2; i++) {
		enum ilab_status status = read_back(p, offsets[i], from, err);
		if (!status)
			status = read_back(p, half + offsets[i], to, err);
		if (status)
			return status;
		*good = *good && !memcmp(from, to, CHECKED_BYTES);
	}
	return ILAB_OK;
}

/* All that was written is right, and something was. */
static enum ilab_status check_arithmetic(const struct probing *p, bool *good, struct ilab_err *err)
{
	static float written[CHECKED_BYTES / sizeof(float)];
	enum ilab_status status = read_back(p, 0, written, err);
	*good = written[0] == ILAB_PROBE_RESULT;
	for (size_t i = 0; i < CHECKED_BYTES / sizeof(float); i++)
		*good = *good && (written[i] != written[i] || written[i] == ILAB_PROBE_RESULT);
	return status;
}

static enum ilab_status time_once(const struct probing *p, uint64_t amount, uint64_t *done, double *seconds, struct ilab_err *err)
{
	const uint64_t start_ns = ilab_clock_ns();
	enum ilab_status status = p->backend->probe(p->session, p->what, p->dtype, p->scratch, amount, done, err);
	if (!status)
		status = p->backend->sync(p->session, err);
	*seconds = (double)(ilab_clock_ns() - start_ns) * 1e-9;
	return status;
}

/* The amount of work that lasts a round, found by doubling; the first tries warm the device up. */
static enum ilab_status choose_amount(const struct probing *p, uint64_t *amount, struct ilab_err *err)
{
	double seconds = 0;
	for (*amount = UINT64_C(1) << 24; *amount < UINT64_C(1) << 50; *amount *= 2) {
		uint64_t done;
		enum ilab_status status = time_once(p, *amount, &done, &seconds, err);
		if (status || seconds >= ROUND_SECONDS)
			return status;
	}
	return ILAB_OK;
}

static enum ilab_status run_one(const struct probing *p, struct ilab_real *out, struct ilab_err *err)
{
	double best = 0, seconds;
	uint64_t amount, done;
	bool good = false;
	enum ilab_status status = prepare(p, err);
	if (!status)
		status = choose_amount(p, &amount, err);
	for (size_t i = 0; i < ROUNDS && !status; i++) {
		status = prepare(p, err);
		if (!status)
			status = time_once(p, amount, &done, &seconds, err);
		if (!status)
			status = p->what == ILAB_PROBE_COPY ? check_copy(p, &good, err) : check_arithmetic(p, &good, err);
		if (!status && !good) {
			*out = (struct ilab_real){ .reason = "invalid: the probe's result is wrong" };
			return ILAB_OK;
		}
		if (!status && (double)done / seconds > best)
			best = (double)done / seconds;
	}
	if (!status)
		*out = (struct ilab_real){ .value = best };
	return status;
}

static enum ilab_status add(struct probing *p, const char *name, struct ilab_probes *out, struct ilab_err *err)
{
	struct ilab_err why = { 0 };
	struct ilab_probe_item *item = &out->items[out->count++];
	item->probe = name;
	item->dtype = ilab_dtype_name(p->dtype);
	enum ilab_status status = run_one(p, &item->per_second, &why);
	if (status == ILAB_REFUSED) {
		item->per_second.reason = ilab_arena_printf(p->arena, "unsupported: %s", why.text);
		return ILAB_OK;
	}
	return status ? ilab_err_set(err, status, why.call, why.code, "probing %s of %s: %s", name, item->dtype, why.text) : ILAB_OK;
}

static uint64_t scratch_bytes(const struct ilab_limits *limits)
{
	uint64_t bytes = SCRATCH_BYTES;
	if (limits->max_allocation_bytes && bytes > limits->max_allocation_bytes / 2)
		bytes = limits->max_allocation_bytes / 2;
	if (limits->total_memory_bytes && bytes > limits->total_memory_bytes / 16)
		bytes = limits->total_memory_bytes / 16;
	bytes -= bytes % (2 * CHECKED_BYTES);
	return bytes < 2 * CHECKED_BYTES ? 2 * CHECKED_BYTES : bytes;
}

enum ilab_status ilab_probe_run(const struct ilab_backend *backend, const struct ilab_open_options *open, struct ilab_arena *arena,
	struct ilab_probes *out, struct ilab_err *err)
{
	struct probing p = { .backend = backend, .arena = arena };
	struct ilab_limits limits;
	*out = (struct ilab_probes){ .items = ilab_arena_alloc(arena, (1 + 2 * ILAB_DTYPE_COUNT) * sizeof(*out->items)) };
	enum ilab_status status = backend->open(open, &p.session, err);
	if (status)
		return status;
	backend->limits(p.session, &limits);
	p.scratch_bytes = scratch_bytes(&limits);
	status = backend->alloc(p.session, p.scratch_bytes, &p.scratch, err);
	p.what = ILAB_PROBE_COPY;
	if (!status)
		status = add(&p, "copy", out, err);
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT && !status; dtype++) {
		p.dtype = (enum ilab_dtype)dtype;
		p.what = ILAB_PROBE_FMA;
		status = add(&p, "fma", out, err);
		p.what = ILAB_PROBE_MATRIX;
		if (!status)
			status = add(&p, "matrix", out, err);
	}
	backend->free(p.session, p.scratch);
	backend->close(p.session);
	return status;
}
