/* passes BACKEND DEVICE_INDEX MODULE_DIR BATCH CONTEXT WIDTH DTYPE [REPEATS [candidates]]: where the time of a pass goes, through the
 * backend's table and on the host clock, each line the median and the best of REPEATS. With `candidates`, every parameter set that the
 * backend proposes is timed too. No document comes of it: `measure` is the tool, this looks inside. */
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
	struct ilab_buffer *x, *w[2], *b[2], *h, *y, *t;
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

static void empty(struct bench *b) { (void)b; }

static void layer(struct bench *b, int i, enum ilab_epilogue epilogue)
{
	MUST(b->api->linear(b->s, &b->plan, i, i ? b->h : b->x, b->w[i], b->b[i], i ? b->y : b->h, b->t, epilogue, &err));
}

static void first_product(struct bench *b) { layer(b, 0, ILAB_EPILOGUE_NONE); }
static void first_layer(struct bench *b) { layer(b, 0, ILAB_EPILOGUE_BIAS_GELU); }
static void second_layer(struct bench *b) { layer(b, 1, ILAB_EPILOGUE_BIAS); }
static void both_products(struct bench *b) { first_product(b); second_layer(b); }
static void kept_pass(struct bench *b) { first_layer(b); second_layer(b); }
static void replayed_pass(struct bench *b) { MUST(b->api->graph_launch(b->s, &err)); }

static void allocate(struct bench *b)
{
	MUST(b->api->alloc(b->s, b->sizes.hidden_bytes, &b->h, &err));
	b->t = NULL;
	if (b->plan.temporary_bytes)
		MUST(b->api->alloc(b->s, b->plan.temporary_bytes, &b->t, &err));
	MUST(b->api->alloc(b->s, b->sizes.output_bytes, &b->y, &err));
}

static void release(struct bench *b)
{
	b->api->free(b->s, b->h);
	b->api->free(b->s, b->t);
	b->api->free(b->s, b->y);
}

static void allocations(struct bench *b) { allocate(b); release(b); }

static void whole_pass(struct bench *b)
{
	allocate(b);
	kept_pass(b);
	release(b);
}

static void copy(struct bench *b)
{
	uint64_t done;
	MUST(b->api->probe(b->s, ILAB_PROBE_COPY, b->plan.dtype, b->h, b->sizes.hidden_bytes / 2, &done, &err));
}

/* --- timing ---------------------------------------------------------------------------------------------------------------- */

static double time_of(struct bench *b, void (*work)(struct bench *b), const char *name)
{
	double *seconds = calloc((size_t)b->repeats, sizeof(*seconds)), best = 1e9;
	for (int i = -5; i < b->repeats; i++) {
		MUST(b->api->sync(b->s, &err));
		uint64_t begin = ilab_clock_ns();
		work(b);
		MUST(b->api->sync(b->s, &err));
		double took = (double)(ilab_clock_ns() - begin) * 1e-9;
		if (i < 0)
			continue;
		seconds[i] = took;
		best = took < best ? took : best;
	}
	double median = ilab_stats_median(seconds, (size_t)b->repeats);
	if (name)
		printf("%-34s median %11.3f us   best %11.3f us\n", name, median * 1e6, best * 1e6);
	free(seconds);
	return median;
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

static void capture(struct bench *b)
{
	if (!b->api->graph_begin)
		return;
	MUST(b->api->graph_begin(b->s, &err));
	kept_pass(b);
	MUST(b->api->graph_end(b->s, &err));
	time_of(b, replayed_pass, "pass, replayed from a graph");
}

static void look_inside(struct bench *b)
{
	time_of(b, empty, "sync alone");
	time_of(b, allocations, "allocations alone");
	time_of(b, whole_pass, "pass, as measured");
	allocate(b);
	time_of(b, kept_pass, "pass, buffers kept");
	capture(b);
	double first = time_of(b, first_product, "first product"), with_gelu = time_of(b, first_layer, "first product, bias, GELU");
	time_of(b, second_layer, "second product, bias");
	time_of(b, both_products, "both products");
	double copied = time_of(b, copy, "copy of half of hidden");
	printf("bias and GELU: %.3f us, moving %.3f TB/s; the copy moves %.3f TB/s\n", (with_gelu - first) * 1e6,
		2 * (double)b->sizes.hidden_bytes / (with_gelu - first) * 1e-12, (double)b->sizes.hidden_bytes / copied * 1e-12);
	release(b);
}

/* --- candidates -------------------------------------------------------------------------------------------------------------- */

static void print_candidate(const struct ilab_tuning_entry *e, double seconds, size_t rank)
{
	printf("  %3zu %11.3f us ", rank, seconds * 1e6);
	for (size_t i = 0; i < e->parameter_count; i++)
		if (strlen(e->parameters[i].value) < 40)       /* the library's own words are not for people */
			printf(" %s=%s", e->parameters[i].name, e->parameters[i].value);
	putchar('\n');
}

static void try_candidates(struct bench *b, int which)
{
	struct ilab_arena arena = {0};
	struct ilab_tuning_entry *entries;
	size_t count;
	const struct ilab_plan kept = b->plan;
	MUST(b->api->candidates(b->s, &kept.shape, kept.dtype, kept.provider, which, &arena, &entries, &count, &err));
	printf("layer %d: %zu candidates\n", which + 1, count);
	for (size_t i = 0; i < count; i++) {
		struct ilab_err why = {0};
		const struct ilab_tuning tuning = { kept.record.provider, &entries[i], 1, NULL };
		if (b->api->plan(b->s, &kept.shape, kept.dtype, kept.provider, &tuning, &b->plan, &why)) {
			printf("  %3zu %s\n", i, why.text);
			continue;
		}
		allocate(b);
		print_candidate(&entries[i], time_of(b, which ? second_layer : first_product, NULL), i);
		release(b);
	}
	b->plan = kept;
	ilab_arena_free(&arena);
}

int main(int argc, char **argv)
{
	struct bench b = {0};
	struct ilab_err why = {0};
	enum ilab_dtype dtype;
	if (argc < 8 || !ilab_dtype_from_name(argv[7], &dtype)) {
		fprintf(stderr, "usage: passes BACKEND DEVICE_INDEX MODULE_DIR BATCH CONTEXT WIDTH DTYPE [REPEATS [candidates]]\n");
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
	for (int i = 0; i < 2 && argc > 9 && b.api->candidates; i++)
		try_candidates(&b, i);
	b.api->close(b.s);
	return 0;
}
