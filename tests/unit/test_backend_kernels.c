/* backend/kernels: what is launched, against counts done by hand and against the limits that the kernels state. */
#include "backend/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ilab_product plan(enum ilab_gemm_kernel kernel, enum ilab_layout layout, uint64_t m, uint64_t n, uint64_t k)
{
	struct ilab_product p;
	struct ilab_err err = {0};
	assert_int_equal(ilab_product_plan(kernel, ILAB_F32, layout, ILAB_EPILOGUE_BIAS, ILAB_MULTIPLY_ADD_FMA, m, n, k, &p, &err), ILAB_OK);
	assert_string_equal(err.text, "");
	return p;
}

/* A macro's value, or -1 where the program has none of that name. */
static int macro(const struct ilab_program *program, const char *name)
{
	for (const struct ilab_macro *m = program->macros; m->name; m++)
		if (!strcmp(m->name, name))
			return (int)m->value;
	return -1;
}

static void grids_of_elements(void **state)
{
	(void)state;
	static const struct { uint64_t count; size_t groups; } rows[] = {
		{ 1, 1 }, { 2048, 1 }, { 2049, 2 }, { 8388608, 4096 }, { UINT64_C(1) << 34, 4096 }, { UINT64_C(1) << 40, 262144 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ilab_grid g = ilab_grid_elements(rows[i].count);
		assert_int_equal(g.local[0], 256);
		assert_int_equal(g.global[0], rows[i].groups * 256);
		assert_int_equal(ilab_grid_groups(&g), rows[i].groups);
	}
}

static void grids_of_gelu(void **state)
{
	(void)state;
	static const struct { uint64_t count; size_t groups; } rows[] = {
		{ 1, 1 }, { 4096, 1 }, { 4097, 2 }, { UINT64_C(1) << 27, 32768 }, { UINT64_C(1) << 40, (1u << 24) - 1 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ilab_grid g = ilab_grid_gelu(rows[i].count);
		assert_int_equal(g.local[0], 256);
		assert_int_equal(ilab_grid_groups(&g), rows[i].groups);
	}
}

static void grids_of_the_probe(void **state)
{
	(void)state;
	static const struct { uint64_t scratch_bytes, compute_units; size_t groups; } rows[] = {
		{ 1024, 2, 1 }, { 2047, 2, 1 }, { UINT64_C(512) << 20, 132, 132 * 32 }, { 1 << 20, 132, 1024 }, { UINT64_C(512) << 20, 0, 524288 },
	};
	struct ilab_grid g;
	struct ilab_err err = {0};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(ilab_grid_probe(rows[i].scratch_bytes, rows[i].compute_units, &g, &err), ILAB_OK);
		assert_int_equal(g.local[0], 256);
		assert_int_equal(ilab_grid_groups(&g), rows[i].groups);
	}
	assert_int_equal(ilab_grid_probe(1023, 2, &g, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "1024 bytes"));
}

/* A group of 256 items does 8 multiply-adds of 2 FLOP for 16 chains each: 65,536 FLOP a turn. */
static void turns_of_the_probe(void **state)
{
	(void)state;
	static const struct { uint64_t flop; uint32_t turns; } rows[] = {
		{ 1, 40 }, { 40 * 65536, 40 }, { 40 * 65536 + 1, 41 }, { UINT64_C(50000) * 65536, 50000 }, { UINT64_C(1) << 50, 50000 },
	};
	const struct ilab_grid one_group = { { 256, 1, 1 }, { 256, 1, 1 } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t done;
		assert_int_equal(ilab_probe_turns(&one_group, rows[i].flop, &done), rows[i].turns);
		assert_int_equal(done, UINT64_C(65536) * rows[i].turns);
	}
}

static void tiles_follow_the_shape(void **state)
{
	(void)state;
	struct ilab_product p = plan(ILAB_GEMM_KERNEL_TILED, ILAB_LAYOUT_ROWS, 65, 129, 7);
	assert_int_equal(macro(&p.program, "ITEM"), 4);
	assert_int_equal(ilab_grid_groups(&p.launches[0].grid), 2 * 3);      /* tiles of 64 x 64 */
	p = plan(ILAB_GEMM_KERNEL_TILED, ILAB_LAYOUT_ROWS, 4097, 4096, 7);
	assert_int_equal(macro(&p.program, "ITEM"), 8);
	assert_int_equal(ilab_grid_groups(&p.launches[0].grid), 33 * 32);    /* tiles of 128 x 128 */
	assert_int_equal(p.temporary_bytes, 0);
	assert_int_equal(p.launch_count, 1);
}

static void runs_need_multiples_of_four(void **state)
{
	(void)state;
	static const struct { enum ilab_layout layout; uint64_t n, k; int aligned; } rows[] = {
		{ ILAB_LAYOUT_ROWS, 5, 8, 1 }, { ILAB_LAYOUT_ROWS, 8, 6, 0 }, { ILAB_LAYOUT_COLS, 8, 8, 1 },
		{ ILAB_LAYOUT_COLS, 5, 8, 0 }, { ILAB_LAYOUT_COLS, 8, 5, 0 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ilab_product p = plan(ILAB_GEMM_KERNEL_TILED, rows[i].layout, 3, rows[i].n, rows[i].k);
		assert_int_equal(macro(&p.program, "RUNS_ALIGNED"), rows[i].aligned);
	}
}

static void cpu_paths(void **state)
{
	(void)state;
	static const struct { enum ilab_layout layout; uint64_t m, n, k; const char *kernel; uint64_t temporary_bytes; size_t groups; } rows[] = {
		{ ILAB_LAYOUT_ROWS, 1, 100, 64, "gemm_dot", 0, 7 },              /* 16 sums an item */
		{ ILAB_LAYOUT_COLS, 1, 100, 64, "gemm_row", 0, 1 },
		{ ILAB_LAYOUT_COLS, 33, 1, 64, "gemm_dot", 0, 3 },
		{ ILAB_LAYOUT_ROWS, 64, 64, 64, "gemm_direct", 0, 2 },           /* one band of 96 rows, two panels of 32 columns */
		{ ILAB_LAYOUT_ROWS, 12, 4096, 4096, "gemm_direct", 0, 128 },
		/* 86 panels of 12 rows = 1032, 32 panels of 32 columns = 1024, 4 bytes, 1024 k; 11 bands of 8 panels */
		{ ILAB_LAYOUT_ROWS, 1024, 1024, 1024, "pack_x", UINT64_C(4) * (1032 + 1024) * 1024, 86 },
		{ ILAB_LAYOUT_COLS, 13, 33, 5000, "pack_x", UINT64_C(4) * (24 + 64) * 5000, 2 * 5 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ilab_product p = plan(ILAB_GEMM_KERNEL_CPU, rows[i].layout, rows[i].m, rows[i].n, rows[i].k);
		assert_string_equal(p.launches[0].kernel, rows[i].kernel);
		assert_int_equal(p.temporary_bytes, rows[i].temporary_bytes);
		assert_int_equal(ilab_grid_groups(&p.launches[0].grid), rows[i].groups);
		assert_int_equal(p.launch_count, rows[i].temporary_bytes ? 3 : 1);
	}
}

static void packed_panels_do_not_overlap(void **state)
{
	(void)state;
	struct ilab_product p = plan(ILAB_GEMM_KERNEL_CPU, ILAB_LAYOUT_ROWS, 100, 70, 1000);
	assert_int_equal(p.offset, 108 * 1000);        /* 9 panels of 12 rows come first */
	assert_int_equal(p.temporary_bytes, 4 * (108 * 1000 + 96 * 1000));
	assert_string_equal(p.launches[1].kernel, "pack_w");
	assert_string_equal(p.launches[2].kernel, "gemm_packed");
	assert_int_equal(p.launches[2].grid.global[0], 3);
	assert_int_equal(p.launches[2].grid.global[1], 2);
}

/* What cl/README.md promises for every k: an item of no kernel takes 65,535 turns of loops. */
static void loops_stay_short(void **state)
{
	(void)state;
	for (uint64_t k = 1; k <= ILAB_GEMM_MAX_K; k += 997) {
		struct ilab_product p = plan(ILAB_GEMM_KERNEL_CPU, ILAB_LAYOUT_COLS, 1000, 100, k);
		if (macro(&p.program, "BLOCK") < 0)
			assert_true((uint64_t)macro(&p.program, "BAND") * (k / 8 + 7 + 1) < 65535);
		p = plan(ILAB_GEMM_KERNEL_CPU, ILAB_LAYOUT_ROWS, 1, 100, k);
		assert_true((uint64_t)macro(&p.program, "DOTS") / 4 * (k / 16 + 1 + 16) < 65535);
		p = plan(ILAB_GEMM_KERNEL_CPU, ILAB_LAYOUT_COLS, 1, 100, k);
		if (macro(&p.program, "WIDE") > 0)
			assert_true(k < 65535);
		p = plan(ILAB_GEMM_KERNEL_CPU, ILAB_LAYOUT_COLS, 12, 100, k);
		if (macro(&p.program, "BLOCK") > 0)
			assert_true(k + k / 16 + k / 256 < 65535);
		p = plan(ILAB_GEMM_KERNEL_TILED, ILAB_LAYOUT_COLS, 12, 100, k);
		assert_true(k / 16 + 1 < 65535);
	}
}

static void too_large_is_refused(void **state)
{
	(void)state;
	static const uint64_t sizes[][3] = { { UINT64_C(1) << 31, 1, 1 }, { 1, UINT64_C(1) << 31, 1 }, { 1, 1, ILAB_GEMM_MAX_K + 1 },
		{ 0x7fffffff, 0x7fffffff, 1 } };
	for (int kernel = ILAB_GEMM_KERNEL_TILED; kernel <= ILAB_GEMM_KERNEL_CPU; kernel++) {
		for (size_t i = 0; i < 4; i++) {
			struct ilab_product p;
			struct ilab_err err = {0};
			assert_int_equal(ilab_product_plan((enum ilab_gemm_kernel)kernel, ILAB_F16, ILAB_LAYOUT_ROWS, ILAB_EPILOGUE_NONE,
				ILAB_MULTIPLY_ADD_MAD, sizes[i][0], sizes[i][1], sizes[i][2], &p, &err), ILAB_REFUSED);
			assert_string_not_equal(err.text, "");
		}
	}
}

static void text_holds_macros_prelude_and_texts(void **state)
{
	(void)state;
	struct ilab_program program = ilab_program_elements(ILAB_BF16, ILAB_MULTIPLY_ADD_MAD);
	char *text = ilab_program_text(&program, "cuda/prelude.h"), label[ILAB_PROGRAM_LABEL_SIZE], cut[12];
	assert_non_null(text);
	const char *order[] = { "#define STORAGE 2\n", "#define MULTIPLY_ADD 1\n", "#line 1 \"cuda/prelude.h\"\n", "#define ILAB_PRELUDE\n",
		"#line 1 \"cl/common.cl\"\n", "#line 1 \"cl/elements.cl\"\n", "bias_gelu(" };
	const char *at = text;
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		at = strstr(at, order[i]);
		assert_non_null(at);
	}
	free(text);
	text = ilab_program_text(&program, NULL);
	assert_null(strstr(text, "prelude.h"));
	free(text);

	ilab_program_label(&program, label, sizeof(label));
	assert_string_equal(label, "cl/elements.cl STORAGE=2 MULTIPLY_ADD=1");
	ilab_program_label(&program, cut, sizeof(cut));
	assert_string_equal(cut, "cl/elements");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grids_of_elements), cmocka_unit_test(grids_of_gelu),
		cmocka_unit_test(grids_of_the_probe),
		cmocka_unit_test(turns_of_the_probe),
		cmocka_unit_test(tiles_follow_the_shape),
		cmocka_unit_test(runs_need_multiples_of_four),
		cmocka_unit_test(cpu_paths),
		cmocka_unit_test(packed_panels_do_not_overlap),
		cmocka_unit_test(loops_stay_short),
		cmocka_unit_test(too_large_is_refused),
		cmocka_unit_test(text_holds_macros_prelude_and_texts),
	};
	return cmocka_run_group_tests_name("backend/kernels", tests, NULL, NULL);
}
