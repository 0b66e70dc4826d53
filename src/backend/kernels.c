#include "backend/kernels.h"

#include "backend/cl_texts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- programs --------------------------------------------------------------------------------------------------------- */

static void program_add_text(struct ilab_program *p, const char *name)
{
	size_t i = 0;
	while (p->texts[i])
		i++;
	assert(i + 1 < ILAB_PROGRAM_TEXTS);
	p->texts[i] = name;
}

static void program_add_macro(struct ilab_program *p, const char *name, unsigned value)
{
	size_t i = 0;
	while (p->macros[i].name)
		i++;
	assert(i + 1 < ILAB_PROGRAM_MACROS);
	p->macros[i] = (struct ilab_macro){ name, value };
}

static unsigned storage_macro(enum ilab_dtype dtype)
{
	return dtype == ILAB_F16 ? 1 : dtype == ILAB_BF16 ? 2 : 0;
}

static struct ilab_program program_begin(enum ilab_dtype dtype, enum ilab_multiply_add multiply_add)
{
	struct ilab_program p = {0};
	program_add_text(&p, "cl/common.cl");
	program_add_macro(&p, "STORAGE", storage_macro(dtype));
	program_add_macro(&p, "MULTIPLY_ADD", (unsigned)multiply_add);
	return p;
}

struct ilab_program ilab_program_elements(enum ilab_dtype dtype, enum ilab_multiply_add multiply_add)
{
	struct ilab_program p = program_begin(dtype, multiply_add);
	program_add_text(&p, "cl/elements.cl");
	return p;
}

struct ilab_program ilab_program_probe(enum ilab_multiply_add multiply_add)
{
	struct ilab_program p = program_begin(ILAB_F32, multiply_add);
	program_add_text(&p, "cl/probe.cl");
	return p;
}

static void print_text(FILE *out, const char *name)
{
	const char *text = ilab_cl_text(name);
	assert(text);
	fprintf(out, "#line 1 \"%s\"\n%s\n", name, text);
}

char *ilab_program_text(const struct ilab_program *program, const char *prelude)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	if (!out)
		return NULL;
	for (const struct ilab_macro *m = program->macros; m->name; m++)
		fprintf(out, "#define %s %u\n", m->name, m->value);
	if (prelude)
		print_text(out, prelude);
	for (size_t i = 0; program->texts[i]; i++)
		print_text(out, program->texts[i]);
	const bool failed = ferror(out);
	if (fclose(out) || failed) {
		free(text);
		return NULL;
	}
	return text;
}

void ilab_program_label(const struct ilab_program *program, char *buf, size_t size)
{
	size_t last = 0, used;
	while (program->texts[last + 1])
		last++;
	used = (size_t)snprintf(buf, size, "%s", program->texts[last]);
	for (const struct ilab_macro *m = program->macros; m->name && used < size; m++)
		used += (size_t)snprintf(buf + used, size - used, " %s=%u", m->name, m->value);
}

/* --- grids ------------------------------------------------------------------------------------------------------------ */

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static struct ilab_grid grid_of_groups(uint64_t groups, size_t items)
{
	return (struct ilab_grid){ { (size_t)groups * items, 1, 1 }, { items, 1, 1 } };
}

/* 4096 groups fill the largest GPU several times over and keep the partial sums of a checksum a small read. More only beyond 2^34
 * elements, so that an item takes 4096 chunks of 16 bytes at most, whatever the compiler unrolls of their elements. */
#define USUAL_GROUPS 4096
#define ELEMENTS_PER_ITEM 8
#define MAX_ELEMENTS_PER_GROUP (UINT64_C(1) << 22)

struct ilab_grid ilab_grid_elements(uint64_t count)
{
	const uint64_t enough = divide_up(count, MAX_ELEMENTS_PER_GROUP);
	const uint64_t most = enough > USUAL_GROUPS ? enough : USUAL_GROUPS;
	const uint64_t groups = divide_up(count, (uint64_t)ILAB_KERNEL_GROUP * ELEMENTS_PER_ITEM);
	return grid_of_groups(groups > most ? most : groups, ILAB_KERNEL_GROUP);
}

/* AMD's compilers count items in 32 bits: 2^24 groups of 256. Beyond, items loop. */
#define MAX_GROUPS 0xffffffu
#define GELU_ELEMENTS_PER_ITEM 16

struct ilab_grid ilab_grid_gelu(uint64_t count)
{
	const uint64_t groups = divide_up(count, (uint64_t)ILAB_KERNEL_GROUP * GELU_ELEMENTS_PER_ITEM);
	return grid_of_groups(groups > MAX_GROUPS ? MAX_GROUPS : groups, ILAB_KERNEL_GROUP);
}

enum ilab_status ilab_grid_probe(uint64_t scratch_bytes, uint64_t compute_units, struct ilab_grid *out, struct ilab_err *err)
{
	const uint64_t groups = scratch_bytes / sizeof(float) / ILAB_KERNEL_GROUP, most = compute_units * 32;
	if (groups == 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the fma probe needs a scratch buffer of %zu bytes at least", sizeof(float) * ILAB_KERNEL_GROUP);
	*out = grid_of_groups(most && groups > most ? most : groups, ILAB_KERNEL_GROUP);
	return ILAB_OK;
}

/* With ratio 1/2 a chain's distance from its end halves at every step: 8 a turn leave nothing of it after 40. */
#define PROBE_MIN_TURNS 40
#define PROBE_MAX_TURNS 50000

uint32_t ilab_probe_turns(const struct ilab_grid *grid, uint64_t flop, uint64_t *done_flop)
{
	const uint64_t flop_per_turn = grid->global[0] * ILAB_PROBE_FLOP_PER_TURN, wanted = divide_up(flop, flop_per_turn);
	const uint64_t turns = wanted < PROBE_MIN_TURNS ? PROBE_MIN_TURNS : wanted > PROBE_MAX_TURNS ? PROBE_MAX_TURNS : wanted;
	*done_flop = turns * flop_per_turn;
	return (uint32_t)turns;
}

size_t ilab_grid_groups(const struct ilab_grid *grid)
{
	size_t groups = 1;
	for (int i = 0; i < 3; i++)
		groups *= grid->global[i] / grid->local[i];
	return groups;
}

/* --- matrix products -------------------------------------------------------------------------------------------------- */

#define MAX_ROWS 0x7fffffffu
#define MAX_TILES MAX_GROUPS

static enum ilab_status check_sizes(uint64_t m, uint64_t n, uint64_t k, struct ilab_err *err)
{
	if (m > MAX_ROWS || n > MAX_ROWS)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the built-in product takes at most %u rows and columns, not %llu x %llu",
			MAX_ROWS, (unsigned long long)m, (unsigned long long)n);
	if (divide_up(m, 64) * divide_up(n, 64) > MAX_TILES)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the built-in product makes at most %u tiles of 64 x 64, too few for %llu x %llu",
			MAX_TILES, (unsigned long long)m, (unsigned long long)n);
	if (k > ILAB_GEMM_MAX_K)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the built-in product sums over at most %u elements, not %llu",
			ILAB_GEMM_MAX_K, (unsigned long long)k);
	return ILAB_OK;
}

/* Elements per item and dimension, 8 or 4: the larger tile reads half as much, the smaller one fills a GPU with a quarter of
 * the work. */
#define LARGE_TILES_WANTED 128

static void plan_tiled(struct ilab_product *p, enum ilab_layout weight_layout)
{
	const bool runs_aligned = p->k % 4 == 0 && (weight_layout == ILAB_LAYOUT_ROWS || p->n % 4 == 0);
	const unsigned item = divide_up(p->m, 128) * divide_up(p->n, 128) >= LARGE_TILES_WANTED ? 8 : 4;
	const unsigned tile = 16 * item;

	program_add_text(&p->program, "cl/gemm.cl");
	program_add_macro(&p->program, "ITEM", item);
	program_add_macro(&p->program, "RUNS_ALIGNED", runs_aligned);
	p->launch_count = 1;
	p->launches[0] = (struct ilab_launch){
		.kernel = "gemm",
		.arguments = { ILAB_ARGUMENT_M, ILAB_ARGUMENT_N, ILAB_ARGUMENT_K, ILAB_ARGUMENT_X, ILAB_ARGUMENT_W,
			ILAB_ARGUMENT_BIAS, ILAB_ARGUMENT_Y },
		.grid = grid_of_groups(divide_up(p->m, tile) * divide_up(p->n, tile), ILAB_KERNEL_GROUP),
	};
}

/* Must be what cl/opencl/gemm_cpu.cl says of itself. */
#define CPU_ROWS 12
#define CPU_COLS 32
#define CPU_BAND 8
#define CPU_BLOCK 256
#define CPU_SLICE 1024
#define CPU_DOTS 16
#define CPU_WIDE 128
/* Turns of loops an item may take: how often `turns` fit, at least 1 and at most `wanted`. */
#define MAX_TURNS 60000u

static struct ilab_grid grid_of_single_items(uint64_t x, uint64_t y)
{
	return (struct ilab_grid){ { (size_t)x, (size_t)y, 1 }, { 1, 1, 1 } };
}

static unsigned as_often_as_fits(unsigned wanted, unsigned turns)
{
	const unsigned fits = MAX_TURNS / turns;
	return fits > wanted ? wanted : fits ? fits : 1;
}

/* In one launch: few rows, which would not repay a packed copy of W, or a product so small that three launches would tell. */
static bool direct_is_better(const struct ilab_product *p)
{
	return (p->m <= CPU_ROWS && p->k <= MAX_TURNS / 2) || (p->k <= CPU_BLOCK && (uint64_t)p->m * p->n <= 65536);
}

static void plan_cpu_dot(struct ilab_product *p)
{
	const unsigned dots = 4 * as_often_as_fits(CPU_DOTS / 4, p->k / 16 + 1);
	program_add_macro(&p->program, "DOTS", dots);
	p->launch_count = 1;
	p->launches[0] = (struct ilab_launch){ "gemm_dot",
		{ ILAB_ARGUMENT_M, ILAB_ARGUMENT_N, ILAB_ARGUMENT_K, ILAB_ARGUMENT_X, ILAB_ARGUMENT_W, ILAB_ARGUMENT_BIAS, ILAB_ARGUMENT_Y },
		grid_of_single_items(divide_up(p->n == 1 ? p->m : p->n, dots), 1) };
}

static void plan_cpu_row(struct ilab_product *p)
{
	program_add_macro(&p->program, "WIDE", CPU_WIDE);
	p->launch_count = 1;
	p->launches[0] = (struct ilab_launch){ "gemm_row",
		{ ILAB_ARGUMENT_M, ILAB_ARGUMENT_N, ILAB_ARGUMENT_K, ILAB_ARGUMENT_X, ILAB_ARGUMENT_W, ILAB_ARGUMENT_BIAS, ILAB_ARGUMENT_Y },
		grid_of_single_items(divide_up(p->n, CPU_WIDE), 1) };
}

static void plan_cpu_direct(struct ilab_product *p)
{
	program_add_macro(&p->program, "BAND", CPU_BAND);
	program_add_macro(&p->program, "BLOCK", CPU_BLOCK);
	p->launch_count = 1;
	p->launches[0] = (struct ilab_launch){ "gemm_direct",
		{ ILAB_ARGUMENT_M, ILAB_ARGUMENT_N, ILAB_ARGUMENT_K, ILAB_ARGUMENT_X, ILAB_ARGUMENT_W, ILAB_ARGUMENT_BIAS, ILAB_ARGUMENT_Y },
		grid_of_single_items(divide_up(p->n, CPU_COLS), divide_up(p->m, CPU_ROWS * CPU_BAND)) };
}

static void plan_cpu_packed(struct ilab_product *p)
{
	const uint64_t row_panels = divide_up(p->m, CPU_ROWS), col_panels = divide_up(p->n, CPU_COLS);
	const uint64_t slices = divide_up(p->k, CPU_SLICE);
	const unsigned band = as_often_as_fits(CPU_BAND, p->k / 8 + 8);

	program_add_macro(&p->program, "BAND", band);
	program_add_macro(&p->program, "SLICE", CPU_SLICE);
	p->offset = row_panels * CPU_ROWS * p->k;
	p->temporary_bytes = (p->offset + col_panels * CPU_COLS * p->k) * sizeof(float);
	p->launch_count = 3;
	p->launches[0] = (struct ilab_launch){ "pack_x",
		{ ILAB_ARGUMENT_M, ILAB_ARGUMENT_K, ILAB_ARGUMENT_X, ILAB_ARGUMENT_TEMPORARY },
		grid_of_single_items(row_panels, slices) };
	p->launches[1] = (struct ilab_launch){ "pack_w",
		{ ILAB_ARGUMENT_N, ILAB_ARGUMENT_K, ILAB_ARGUMENT_W, ILAB_ARGUMENT_OFFSET, ILAB_ARGUMENT_TEMPORARY },
		grid_of_single_items(col_panels, slices) };
	p->launches[2] = (struct ilab_launch){ "gemm_packed",
		{ ILAB_ARGUMENT_M, ILAB_ARGUMENT_N, ILAB_ARGUMENT_K, ILAB_ARGUMENT_OFFSET, ILAB_ARGUMENT_TEMPORARY, ILAB_ARGUMENT_BIAS,
			ILAB_ARGUMENT_Y },
		grid_of_single_items(col_panels, divide_up(row_panels, band)) };
}

static void plan_cpu(struct ilab_product *p, enum ilab_layout weight_layout)
{
	program_add_text(&p->program, "cl/opencl/gemm_cpu.cl");
	if (p->n == 1 || (p->m == 1 && weight_layout == ILAB_LAYOUT_ROWS))
		plan_cpu_dot(p);
	else if (p->m == 1 && p->k <= MAX_TURNS)
		plan_cpu_row(p);
	else if (direct_is_better(p))
		plan_cpu_direct(p);
	else
		plan_cpu_packed(p);
}

enum ilab_status ilab_product_plan(enum ilab_gemm_kernel kernel, enum ilab_dtype dtype, enum ilab_layout weight_layout,
	enum ilab_epilogue epilogue, enum ilab_multiply_add multiply_add, uint64_t m, uint64_t n, uint64_t k,
	struct ilab_product *out, struct ilab_err *err)
{
	assert(m && n && k);
	if (check_sizes(m, n, k, err))
		return ILAB_REFUSED;
	*out = (struct ilab_product){ .m = (uint32_t)m, .n = (uint32_t)n, .k = (uint32_t)k,
		.program = program_begin(dtype, multiply_add) };
	program_add_macro(&out->program, "W_COLUMNS", weight_layout == ILAB_LAYOUT_COLS);
	program_add_macro(&out->program, "EPILOGUE", (unsigned)epilogue);
	if (kernel == ILAB_GEMM_KERNEL_CPU)
		plan_cpu(out, weight_layout);
	else
		plan_tiled(out, weight_layout);
	return ILAB_OK;
}
