/* passes BACKEND DEVICE_INDEX MODULE_DIR BATCH CONTEXT WIDTH DTYPE [REPEATS]: where the time of a pass goes, through the backend's table
 * and on the host clock. Everything is measured in turn, once in each of REPEATS rounds, so that clocks and temperature are the same
 * for all; each line gives the median and the best, and the median until everything was queued, which is the host's part. No document comes of it: `measure` is the tool, this looks inside. */
#include "backend/backend.h"
#include "base/clock.h"
#include "base/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
	const struct ilab_backend *api;
	struct ilab_session *s;
	struct ilab_plan plan;
	struct ilab_sizes sizes;
	struct ilab_buffer *x, *w[2], *b[2], *scratch;
	struct buffers { struct ilab_buffer *h, *t, *y; } at;
	int repeats;
};

static void must(enum ilab_status status, const struct ilab_err *err)
{
	if (!status)
		return;
	fprintf(stderr, "passes: %s\n", err->text);
	exit((int)status);
}
#define MUST(call) do { struct ilab_err err = {0}; must(call, &err); } while (0)

/* --- the work ------------------------------------------------------------------------------------------------------------- */

static void nothing(struct bench *b) { (void)b; }

static void markers(struct bench *b)
{
	MUST(b->api->span_begin(b->s, &err));
	MUST(b->api->span_end(b->s, &err));
}

static void layer(struct bench *b, int i, enum ilab_epilogue epilogue)
{
	MUST(b->api->linear(b->s, &b->plan, i, i ? b->at.h : b->x, b->w[i], b->b[i], i ? b->at.y : b->at.h, b->at.t, epilogue, &err));
}

static void first_product(struct bench *b) { layer(b, 0, ILAB_EPILOGUE_BIAS); }
static void first_layer(struct bench *b) { layer(b, 0, ILAB_EPILOGUE_BIAS_GELU); }
static void second_product(struct bench *b) { layer(b, 1, ILAB_EPILOGUE_BIAS); }
static void both_products(struct bench *b) { first_product(b); second_product(b); }
static void kept_pass(struct bench *b) { first_layer(b); second_product(b); }
static void replayed_pass(struct bench *b) { MUST(b->api->graph_launch(b->s, &err)); }

/* In the order of a measured pass. */
static void first_allocations(struct bench *b, struct buffers *p)
{
	MUST(b->api->alloc(b->s, b->sizes.hidden_bytes, &p->h, &err));
	if (b->plan.temporary_bytes)
		MUST(b->api->alloc(b->s, b->plan.temporary_bytes, &p->t, &err));
}

static struct buffers allocate(struct bench *b)
{
	struct buffers p = { 0 };
	first_allocations(b, &p);
	MUST(b->api->alloc(b->s, b->sizes.output_bytes, &p.y, &err));
	return p;
}

static void release(struct bench *b, const struct buffers *p)
{
	b->api->free(b->s, p->h);
	b->api->free(b->s, p->t);
	b->api->free(b->s, p->y);
}

static void allocations(struct bench *b)
{
	const struct buffers p = allocate(b);
	release(b, &p);
}

static void whole_pass(struct bench *b)
{
	const struct buffers kept = b->at;
	b->at = (struct buffers){ 0 };
	first_allocations(b, &b->at);
	first_layer(b);
	MUST(b->api->alloc(b->s, b->sizes.output_bytes, &b->at.y, &err));
	second_product(b);
	release(b, &b->at);
	b->at = kept;
}

/* As many bytes as GELU moves: all of hidden, read and written. */
static void copy(struct bench *b)
{
	uint64_t done;
	MUST(b->api->probe(b->s, ILAB_PROBE_COPY, b->plan.dtype, b->scratch, b->sizes.hidden_bytes, &done, &err));
}

/* --- timing ---------------------------------------------------------------------------------------------------------------- */

enum { SYNC, MARKERS, ALLOCATIONS, WHOLE_PASS, KEPT_PASS, REPLAYED_PASS, FIRST_PRODUCT, FIRST_LAYER, SECOND_PRODUCT, BOTH_PRODUCTS, COPY, WORKS };
static const struct { const char *name; void (*run)(struct bench *b); } works[WORKS] = {
	[SYNC] = { "sync alone", nothing }, [MARKERS] = { "an empty pass: two markers", markers },
	[ALLOCATIONS] = { "allocations alone", allocations }, [WHOLE_PASS] = { "pass", whole_pass },
	[KEPT_PASS] = { "pass, buffers kept", kept_pass }, [REPLAYED_PASS] = { "pass, replayed from a graph", replayed_pass },
	[FIRST_PRODUCT] = { "first product, bias", first_product }, [FIRST_LAYER] = { "first product, bias, GELU", first_layer },
	[SECOND_PRODUCT] = { "second product, bias", second_product }, [BOTH_PRODUCTS] = { "both products", both_products },
	[COPY] = { "copy of hidden", copy },
};

static double time_once(struct bench *b, void (*run)(struct bench *b), double *queued)
{
	MUST(b->api->sync(b->s, &err));
	uint64_t begin = ilab_clock_ns();
	run(b);
	*queued = (double)(ilab_clock_ns() - begin) * 1e-9;
	MUST(b->api->sync(b->s, &err));
	return (double)(ilab_clock_ns() - begin) * 1e-9;
}

static struct ilab_buffer *tensor(struct bench *b, enum ilab_stream stream, enum ilab_layout layout, uint64_t bytes)
{
	const struct ilab_tensor t = ilab_rule_tensor(stream, &b->plan.shape, b->plan.dtype, layout, 0);
	struct ilab_buffer *out;
	MUST(b->api->alloc(b->s, bytes, &out, &err));
	MUST(b->api->upload(b->s, out, &t, &err));
	return out;
}

static void load(struct bench *b)
{
	static const enum ilab_stream weights[] = { ILAB_STREAM_W1, ILAB_STREAM_W2 }, biases[] = { ILAB_STREAM_B1, ILAB_STREAM_B2 };
	uint64_t begin = ilab_clock_ns();
	for (int i = 0; i < 2; i++) {
		b->w[i] = tensor(b, weights[i], b->plan.weight_layout[i], b->sizes.weight_bytes[i]);
		b->b[i] = tensor(b, biases[i], ILAB_LAYOUT_ROWS, b->sizes.bias_bytes[i]);
	}
	MUST(b->api->sync(b->s, &err));
	printf("%-34s once   %11.3f us\n", "model load", (double)(ilab_clock_ns() - begin) * 1e-3);
	b->x = tensor(b, ILAB_STREAM_X, ILAB_LAYOUT_ROWS, b->sizes.input_bytes);
}

static bool capture(struct bench *b)
{
	if (!b->api->graph_begin)
		return false;
	kept_pass(b);                  /* what libraries do at first use cannot be recorded */
	MUST(b->api->sync(b->s, &err));
	MUST(b->api->graph_begin(b->s, &err));
	kept_pass(b);
	MUST(b->api->graph_end(b->s, &err));
	return true;
}

#define WARM_ROUNDS 5

static void look_inside(struct bench *b)
{
	double *seconds[WORKS], *queued[WORKS], median[WORKS];
	MUST(b->api->alloc(b->s, 2 * b->sizes.hidden_bytes, &b->scratch, &err));
	b->at = allocate(b);
	const bool graph = capture(b);
	for (int w = 0; w < WORKS; w++)
		seconds[w] = calloc((size_t)b->repeats, sizeof(double)), queued[w] = calloc((size_t)b->repeats, sizeof(double));
	for (int i = -WARM_ROUNDS; i < b->repeats; i++) {
		for (int w = 0; w < WORKS; w++) {
			double until_queued = 0, took = w != REPLAYED_PASS || graph ? time_once(b, works[w].run, &until_queued) : 0;
			if (i >= 0)
				seconds[w][i] = took, queued[w][i] = until_queued;
		}
	}
	for (int w = 0; w < WORKS; w++) {
		double best = seconds[w][0];
		for (int i = 1; i < b->repeats; i++)
			best = seconds[w][i] < best ? seconds[w][i] : best;
		median[w] = ilab_stats_median(seconds[w], (size_t)b->repeats);
		printf("%-34s median %11.3f us   best %11.3f us   queued after %11.3f us\n", works[w].name, median[w] * 1e6, best * 1e6,
			ilab_stats_median(queued[w], (size_t)b->repeats) * 1e6);
		free(seconds[w]);
		free(queued[w]);
	}
	const double gelu = median[FIRST_LAYER] - median[FIRST_PRODUCT], moved = 2 * (double)b->sizes.hidden_bytes;
	const double allowed = median[BOTH_PRODUCTS] + 1.15 * median[COPY];
	printf("GELU: %.3f us, moving %.3f TB/s; the copy moves %.3f TB/s\n", gelu * 1e6, moved / gelu * 1e-12, moved / median[COPY] * 1e-12);
	printf("products + 1.15 copies: %.3f us; the pass is %s, %.4f of it\n", allowed * 1e6, median[WHOLE_PASS] <= allowed ? "within" : "above",
		median[WHOLE_PASS] / allowed);
	release(b, &b->at);
}

int main(int argc, char **argv)
{
	struct bench b = {0};
	struct ilab_err why = {0};
	enum ilab_dtype dtype;
	if (argc < 8 || !ilab_dtype_from_name(argv[7], &dtype)) {
		fprintf(stderr, "usage: passes BACKEND DEVICE_INDEX MODULE_DIR BATCH CONTEXT WIDTH DTYPE [REPEATS]\n");
		return 2;
	}
	const struct ilab_open_options options = { .device_index = (uint32_t)atoi(argv[2]) };
	struct ilab_shape shape = { strtoull(argv[4], NULL, 10), strtoull(argv[5], NULL, 10), strtoull(argv[6], NULL, 10), 0 };
	shape.hidden = 4 * shape.width;
	b.repeats = argc > 8 && atoi(argv[8]) > 0 ? atoi(argv[8]) : 50;
	b.api = ilab_backend_load(argv[1], argv[3], NULL, &why);
	must(b.api ? ILAB_OK : why.status, &why);
	uint64_t begin = ilab_clock_ns();
	MUST(b.api->open(&options, &b.s, &err));
	uint64_t opened = ilab_clock_ns();
	MUST(b.api->plan(b.s, &shape, dtype, ILAB_GEMM_AUTO, NULL, &b.plan, &err));
	MUST(ilab_shape_sizes(&shape, dtype, &b.sizes, &err));
	printf("# %s, %s %s %s x %s x %s: open %.0f ms, plan %.0f ms, temporary %llu bytes\n", b.api->info(b.s)->device.name, b.plan.record.provider,
		argv[7], argv[4], argv[5], argv[6], (double)(opened - begin) * 1e-6, (double)(ilab_clock_ns() - opened) * 1e-6,
		(unsigned long long)b.plan.temporary_bytes);
	load(&b);
	look_inside(&b);
	for (const struct ilab_parameter *p = b.plan.record.parameters; p < b.plan.record.parameters + b.plan.record.parameter_count; p++)
		printf("%s=%s ", p->name, p->value);
	putchar('\n');
	b.api->close(b.s);
	return 0;
}
