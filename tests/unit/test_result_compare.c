/* result/compare, suite, diff and cli/views: tables against values worked out by hand. */
#include "cli/views.h"
#include "result/compare.h"
#include "result/diff.h"
#include "result/document.h"
#include "result/suite.h"
#include "result_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ilab_arena arena;

static int clean(void **state)
{
	(void)state;
	ilab_arena_free(&arena);
	return 0;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

static size_t runs_made;

/* A run whose warm passes all take `seconds`, cold_forward ten times as long. */
static struct ilab_compare_run run(const char *view, double seconds)
{
	struct ilab_compare_run r = { 0 };
	fixture_measure(&arena, &r.document);
	r.document.configuration.view = view;
	for (size_t i = 0; i < r.document.phase_count; i++) {
		r.document.phases[i].seconds = strcmp(r.document.phases[i].phase, "warm_forward") == 0 ? seconds : 10 * seconds;
		r.document.phases[i].device_seconds = (struct ilab_real){ .reason = "not-run: a test" };
	}
	r.document.header.total_seconds = 1000;
	r.document.header.run_id = ilab_arena_printf(&arena, "%032zx", ++runs_made);
	r.document.gemm.tuned = false;
	ilab_measure_summarise(&r.document, &arena);
	cJSON *json = ilab_measure_to_json(&r.document);
	r.sha256 = ilab_document_sha256(json, &arena);
	cJSON_Delete(json);
	return r;
}

static struct ilab_compare_view view(const char *name, const double *seconds, size_t rounds)
{
	struct ilab_compare_view v = { name, "passed", NULL, ilab_arena_alloc(&arena, (rounds + 1) * sizeof(*v.runs)), rounds };
	for (size_t i = 0; i < rounds; i++)
		v.runs[i] = run(ilab_view_base(&arena, name), seconds[i]);
	return v;
}

#define VIEW "opencl/First Platform/clblast"

static struct ilab_compare comparison(const double *a, const double *b, size_t rounds)
{
	struct ilab_compare c = { .identity = "pci:0000:41:00.0", .device_type = "gpu", .against = VIEW };
	c.views = ilab_arena_alloc(&arena, 2 * sizeof(*c.views));
	c.view_count = 2;
	c.views[0] = view(VIEW, a, rounds);
	c.views[1] = view(VIEW "#2", b, rounds);
	const struct ilab_measure *m = &c.views[0].runs[0].document;
	static const char *command[] = { "compare", "--device", "opencl:0:1", "--batch", "1", "--context", "16", "--width", "64", "--against", VIEW,
		"--no-ceilings" };
	c.device_name = m->device.name;
	c.header = m->header;
	c.header.schema = "iteragpu-lab/compare/1";
	c.header.run_id = ilab_arena_printf(&arena, "%032zx", ++runs_made);
	c.header.total_seconds = 1000.0 * 2 * (double)rounds;
	c.header.command_count = sizeof(command) / sizeof(*command);
	c.header.command = ilab_arena_alloc(&arena, sizeof(command));
	memcpy(c.header.command, command, sizeof(command));
	c.configuration.batch = m->configuration.batch;
	c.configuration.context = m->configuration.context;
	c.configuration.width = m->configuration.width;
	c.configuration.hidden = m->configuration.hidden;
	c.configuration.warmup = m->configuration.warmup;
	c.configuration.repeats = m->configuration.repeats;
	c.configuration.seed = m->configuration.seed;
	c.configuration.dtype = m->configuration.dtype;
	c.configuration.rounds = rounds;
	c.order = ilab_arena_alloc(&arena, 2 * rounds * sizeof(*c.order));
	for (size_t i = 0; i < 2 * rounds; i++)
		c.order[c.order_count++] = c.views[i % 2].view;
	c.agreements = ilab_arena_alloc(&arena, 2 * sizeof(*c.agreements));
	c.agreements[c.agreement_count++] = (struct ilab_agreement){ c.views[1].view, c.views[0].view, { 0, NULL } };
	ilab_compare_tabulate(&c, &arena);
	return c;
}

static const struct ilab_compare_row *row(const struct ilab_compare *c, const char *phase, size_t view_index)
{
	for (size_t i = 0; i < c->row_count; i++)
		if (strcmp(c->rows[i].phase, phase) == 0 && strcmp(c->rows[i].view, c->views[view_index].view) == 0)
			return &c->rows[i];
	fail_msg("no row of %s", phase);
	return NULL;
}

static void table_by_hand(void **state)
{
	(void)state;
	/* Ratios 2, 2.2, 1.8: geometric mean (7.92)^(1/3). */
	const double a[] = { 0.1, 0.2, 0.1 }, b[] = { 0.2, 0.44, 0.18 };
	const struct ilab_compare c = comparison(a, b, 3);
	const struct ilab_compare_row *first = row(&c, "warm_forward", 0), *second = row(&c, "warm_forward", 1);
	assert_int_equal(c.row_count, 10);
	assert_non_null(first->ratio.reason);
	assert_true(near(second->ratio.value, cbrt(2 * 2.2 * 1.8)));
	assert_true(near(second->median_seconds.value, 0.2));
	const double l[] = { log(2), log(2.2), log(1.8) }, mean = (l[0] + l[1] + l[2]) / 3;
	const double s2 = ((l[0] - mean) * (l[0] - mean) + (l[1] - mean) * (l[1] - mean) + (l[2] - mean) * (l[2] - mean)) / 2;
	assert_true(near(second->ratio_low.value, exp(mean - 4.302652729911275 * sqrt(s2 / 3))));
	assert_string_equal(second->verdict.value, "slower");
	assert_true(near(row(&c, "cold_forward", 1)->ratio.value, cbrt(2 * 2.2 * 1.8)));
	assert_null(row(&c, "cold_forward", 1)->verdict.value);
	assert_int_equal(strncmp(row(&c, "cold_forward", 1)->verdict.reason, "too-few-samples: ", 17), 0);
	assert_int_equal(second->peak_allocated_bytes.value, 157928);
	assert_int_equal(strncmp(second->share_of_ceiling.reason, "not-run: ", 9), 0);
}

static void share_of_the_ceiling(void **state)
{
	(void)state;
	const double a[] = { 0.1, 0.1 }, b[] = { 0.01, 0.01 };
	struct ilab_ceiling rates[] = {
		{ "float32", "fma", 2e7, "probe", "opencl/First Platform" }, { "float32", "gemm", 5e7, "clblast", VIEW },
		{ "float16", "matrix", 9e9, "probe", "opencl/First Platform" },
	};
	struct ilab_ceilings ceilings = { .arithmetic = rates, .arithmetic_count = 3 };
	struct ilab_compare c = comparison(a, b, 2);
	c.ceilings = &ceilings;
	ilab_compare_tabulate(&c, &arena);
	/* 1048576 FLOP in 0.1 s and 0.01 s, of 5e7 a second. */
	assert_true(near(row(&c, "warm_forward", 0)->share_of_ceiling.value, 0.2097152));
	assert_int_equal(row(&c, "warm_forward", 0)->suspect.value, 0);
	assert_true(near(row(&c, "warm_forward", 1)->share_of_ceiling.value, 2.097152));
	assert_int_equal(row(&c, "warm_forward", 1)->suspect.value, 1);
	assert_non_null(row(&c, "cold_forward", 1)->share_of_ceiling.reason);
}

static void what_did_not_pass_has_no_ratio(void **state)
{
	(void)state;
	static const char *const statuses[] = { "unverified", "failed", "crashed", "timeout", "unsupported" };
	const double a[] = { 0.1, 0.1 };
	for (size_t i = 0; i < 5; i++)
		for (size_t which = 0; which < 2; which++) {
			struct ilab_compare c = comparison(a, a, 2);
			c.views[which].status = statuses[i];
			c.views[which].reason = "because";
			ilab_compare_tabulate(&c, &arena);
			assert_non_null(row(&c, "warm_forward", 1)->ratio.reason);
			assert_non_null(row(&c, "warm_forward", 1)->verdict.reason);
			assert_true((row(&c, "warm_forward", which)->median_seconds.reason != NULL));
			assert_null(row(&c, "warm_forward", 1 - which)->median_seconds.reason);
		}
}

static void documents_are_checked(void **state)
{
	(void)state;
	const double a[] = { 0.1, 0.1 }, b[] = { 0.11, 0.11 };
	struct ilab_compare c = comparison(a, b, 2), back;
	struct ilab_err err = { 0 };
	assert_int_equal(ilab_compare_check(&c, &err), ILAB_OK);
	cJSON *json = ilab_compare_to_json(&c);
	char *text = ilab_json_text(json);
	cJSON *again;
	assert_int_equal(ilab_json_read(text, strlen(text), &again, &err), ILAB_OK);
	assert_int_equal(ilab_compare_from_json(again, &arena, &back, &err), ILAB_OK);
	assert_int_equal(ilab_compare_check(&back, &err), ILAB_OK);
	assert_true(back.rows[1].ratio.value == c.rows[1].ratio.value);
	cJSON_Delete(again);
	cJSON_Delete(json);
	free(text);
	c.views[1].runs[0].document.configuration.seed = 3;
	assert_int_equal(ilab_compare_check(&c, &err), ILAB_IO);
	assert_non_null(strstr(err.text, "views[1].runs[0]"));
}

/* One statement each that contradicts the rest, and where the check must point. */
#define FIRST c->views[0].runs[0].document
#define COMPARE_CASES(X) \
	X("device.name", c->device_name = "Card") \
	X("device.type", c->device_type = "other") \
	X("views[0].runs[0].document: is of another device", c->identity = "pci:0000:42:00.0") \
	X("device.identity", c->identity = "gpu") \
	X("device.identity", c->device_type = "cpu") \
	X("total_seconds", c->header.total_seconds = 3999) \
	X("run_id", c->header.run_id = FIRST.header.run_id) \
	X("run_id", c->views[1].runs[1].document.header.run_id = FIRST.header.run_id) \
	X("tool.modules", (c->header.tool_modules = c->order, c->header.tool_module_count = 1)) \
	X("views[0].runs[0].document: is of another version", c->header.tool_version = "0.2.0") \
	X("command: --batch 2", c->header.command[4] = "2") \
	X("command: --width is missing", c->header.command[7] = "--waist") \
	X("command: --no-ceilings is missing", c->header.command_count--) \
	X("command: --against", c->against = VIEW "#2") \
	X("order: has " VIEW " 3 times", c->order[1] = c->order[0]) \
	X("order: has " VIEW " 1 times", c->order_count = 2) \
	X("order: has " VIEW " 2 times", (c->views[0].status = "failed", c->views[0].reason = "x")) \
	X("order: has " VIEW " 3 times", (c->views[0].status = "failed", c->views[0].reason = "x", c->order[1] = c->order[0])) \
	X("views[0].runs[1].document: passed, but", (c->views[0].status = "unverified", c->views[0].reason = "x")) \
	X("views[0].runs: none", (c->views[0].status = "unverified", c->views[0].reason = "x", c->views[0].run_count = 0)) \
	X("agreement[0]: is not", c->agreement_count = 0) \
	X("agreement[0]: is not", c->agreements[0].view_a = VIEW) \
	X("agreement[0]: is not", c->agreements[0].view_b = VIEW "#2") \
	X("agreement[1]: is of no pair", c->agreements[c->agreement_count++] = c->agreements[0]) \
	X("agreement[0].relative_error: negative", c->agreements[0].relative_error.value = -1) \
	X("agreement[0].relative_error: not 0", c->agreements[0].relative_error.value = 1e-9) \
	X("agreement[0].relative_error: above", (FIRST.verification.outputs_checked = 2, c->agreements[0].relative_error.value = 2e-6)) \
	X("agreement[0].relative_error: null", c->agreements[0].relative_error.reason = "invalid: not finite")

struct expectation { const char *path, *statement; };
static const struct expectation compare_cases[] = {
#define X(path, statement) { path, #statement },
	COMPARE_CASES(X)
#undef X
};

static void contradictions_of_a_comparison_are_found(void **state)
{
	(void)state;
	const double a[] = { 0.1, 0.1 };
	for (size_t i = 0; i < sizeof(compare_cases) / sizeof(*compare_cases); i++) {
		struct ilab_compare made = comparison(a, a, 2), *c = &made;
		struct ilab_err err = { 0 };
		size_t n = 0;
#define X(path, statement) if (n++ == i) { statement; }
		COMPARE_CASES(X)
#undef X
		if (ilab_compare_check(c, &err) != ILAB_IO || strncmp(err.text, compare_cases[i].path, strlen(compare_cases[i].path)) != 0)
			fail_msg("%s: %s", compare_cases[i].statement, err.text);
	}
}

/* A view ends with its first run that does not pass: one with a wrong output is a document, others leave none. */
static void what_did_not_pass_is_no_contradiction(void **state)
{
	(void)state;
	const double a[] = { 0.1, 0.1 };
	struct ilab_err err = { 0 };
	struct ilab_compare c = comparison(a, a, 2);
	c.views[1].status = "crashed";
	c.views[1].reason = "signal 11";
	c.views[1].run_count = 1;
	ilab_compare_tabulate(&c, &arena);
	if (ilab_compare_check(&c, &err) != ILAB_OK)
		fail_msg("%s", err.text);
	c.views[1].run_count = 0;
	c.order_count = 3;
	c.agreement_count = 0;
	ilab_compare_tabulate(&c, &arena);
	if (ilab_compare_check(&c, &err) != ILAB_OK)
		fail_msg("%s", err.text);

	c = comparison(a, a, 2);
	c.views[1].status = "unverified";
	c.views[1].reason = "relative error";
	c.views[1].runs[1].document.verification.status = "failed";
	c.agreements[0].relative_error.value = 0;
	ilab_compare_tabulate(&c, &arena);
	if (ilab_compare_check(&c, &err) != ILAB_OK)
		fail_msg("%s", err.text);
}

static void agreement_by_hand(void **state)
{
	(void)state;
	const double a[] = { 0.1, 0.1 };
	struct ilab_compare c = comparison(a, a, 2);
	float first[] = { 3, 4 }, second[] = { 3, 4.5f };
	c.views[0].runs[0].document.sample = (struct ilab_sample){ 1, 2, first };
	c.views[1].runs[0].document.sample = (struct ilab_sample){ 1, 2, second };
	ilab_compare_agree(&c, &arena);
	assert_int_equal(c.agreement_count, 1);
	assert_string_equal(c.agreements[0].view_a, VIEW "#2");
	assert_true(near(c.agreements[0].relative_error.value, 0.1));    /* 0.5 / 5 */
	second[0] = NAN;
	ilab_compare_agree(&c, &arena);
	assert_non_null(c.agreements[0].relative_error.reason);
}

/* --- suite ------------------------------------------------------------------------------------------------------------------- */

static void the_odd_one_out(void **state)
{
	(void)state;
	const double normal[] = { 0.1, 0.1 }, slow[] = { 0.12, 0.12 };
	struct ilab_suite s = { .suite_version = 1, .cases = ilab_arena_alloc(&arena, 4 * sizeof(*s.cases)), .case_count = 4 };
	for (size_t i = 0; i < 4; i++) {
		s.cases[i] = comparison(normal, i == 2 ? slow : normal, 2);
		s.cases[i].identity = ilab_arena_printf(&arena, "pci:0000:0%zu:00.0", i);
		s.cases[i].case_name = "large float32";
	}
	ilab_suite_find_odd(&s, &arena);
	assert_int_equal(s.odd_count, 1);
	assert_string_equal(s.odd[0].identity, "pci:0000:02:00.0");
	assert_string_equal(s.odd[0].view, VIEW "#2");
	assert_true(near(s.odd[0].ratio, 1.2));
	s.case_count = 2;
	ilab_suite_find_odd(&s, &arena);
	assert_int_equal(s.odd_count, 0);
}

/* --- diff --------------------------------------------------------------------------------------------------------------------- */

static struct ilab_saved saved(const char *file, const char *const *views, size_t count, double seconds)
{
	struct ilab_saved s = { .file = file, .kind = "compare", .entries = ilab_arena_alloc(&arena, (count + 1) * sizeof(*s.entries)), .entry_count = count };
	for (size_t i = 0; i < count; i++)
		s.entries[i] = (struct ilab_saved_entry){ NULL, file, view(views[i], (const double[]){ seconds, seconds, seconds }, 3), 0 };
	return s;
}

static void views_play_their_roles_across_vendors(void **state)
{
	(void)state;
	const char *nvidia[] = { "cuda/NVIDIA/cublaslt", "cuda/NVIDIA/builtin", "opencl/NVIDIA CUDA/clblast" };
	const char *amd[] = { "opencl/AMD/clblast", "hip/AMD/rocblas", "opencl/AMD/builtin" };
	const struct ilab_saved base = saved("n.json", nvidia, 3, 0.1), other = saved("a.json", amd, 3, 0.2);
	struct ilab_diff d;
	ilab_diff_make(&base, &other, 1, &arena, &d);
	size_t warm = 0;
	for (size_t i = 0; i < d.row_count; i++) {
		if (strcmp(d.rows[i].row.phase, "warm_forward") != 0)
			continue;
		warm++;
		const bool vendor = strcmp(d.rows[i].base_view, "cuda/NVIDIA/cublaslt") == 0;
		assert_string_equal(d.rows[i].row.view, vendor ? "hip/AMD/rocblas" : "opencl/AMD/clblast");
		assert_true(near(d.rows[i].row.ratio.value, 2));
		assert_string_equal(d.rows[i].row.verdict.value, "slower");
	}
	assert_int_equal(warm, 2);
	assert_int_equal(d.unmatched_count, 2);
	assert_true(near(d.worst_loss_percent.value, 100));
}

static void a_run_that_was_not_verified_gives_no_ratio(void **state)
{
	(void)state;
	const char *views[] = { VIEW };
	const struct ilab_saved base = saved("a.json", views, 1, 0.1);
	struct ilab_saved other = saved("b.json", views, 1, 0.2);
	struct ilab_diff d;
	other.entries[0].runs.status = "unverified";
	ilab_diff_make(&base, &other, 1, &arena, &d);
	assert_int_equal(d.row_count, 1);
	assert_string_equal(d.rows[0].row.verdict.value, "not-comparable");
	assert_non_null(d.rows[0].row.ratio.reason);
	assert_non_null(d.worst_loss_percent.reason);
	assert_string_equal(d.rows[0].not_comparable, "the new one is unverified");
	other.entries[0].runs.status = "crashed";
	ilab_diff_make(&base, &other, 1, &arena, &d);
	assert_string_equal(d.rows[0].not_comparable, "the new one crashed");
}

static void suites_of_two_versions_are_not_comparable(void **state)
{
	(void)state;
	const char *views[] = { VIEW };
	struct ilab_saved base = saved("a.json", views, 1, 0.1), other = saved("b.json", views, 1, 0.2);
	struct ilab_diff d;
	base.entries[0].suite_version = 1;
	other.entries[0].suite_version = 2;
	ilab_diff_make(&base, &other, 1, &arena, &d);
	assert_int_equal(d.row_count, 1);
	assert_string_equal(d.rows[0].not_comparable, "the suite versions differ, 1 and 2");
	assert_non_null(d.rows[0].row.ratio.reason);
	other.entries[0].suite_version = 1;
	ilab_diff_make(&base, &other, 1, &arena, &d);
	assert_null(d.rows[0].not_comparable);
}

static void an_unknown_suite_version_is_refused(void **state)
{
	(void)state;
	const double a[] = { 0.1, 0.1 };
	struct ilab_compare one = comparison(a, a, 2);
	one.case_name = "large float32";
	static const char *suite_command[] = { "suite", "--device", "opencl:0:1", "--no-ceilings" };
	one.header.command = suite_command;
	one.header.command_count = 4;
	struct ilab_suite s = { .header = one.header, .suite_version = 1, .cases = &one, .case_count = 1 };
	struct ilab_err err = { 0 };
	s.header.schema = "iteragpu-lab/suite/1";
	s.header.run_id = "ffffffffffffffffffffffffffffffff";
	assert_int_equal(ilab_suite_check(&s, &err), ILAB_IO);
	assert_non_null(strstr(err.text, "cases[0].configuration"));   /* of version 1, whose large case is larger */
	ilab_err_clear(&err);
	s.suite_version = 2;
	assert_int_equal(ilab_suite_check(&s, &err), ILAB_IO);
	assert_non_null(strstr(err.text, "suite_version: 2"));
	assert_int_equal(ilab_suite_check_any_version(&s, &err), ILAB_OK);
}

/* --- views --------------------------------------------------------------------------------------------------------------------- */

static void views_of_a_device(void **state)
{
	(void)state;
	const struct ilab_device opencl = { .backend = "opencl", .platform = "NVIDIA CUDA" }, cuda = { .backend = "cuda", .platform = "NVIDIA" };
	const struct ilab_device *devices[] = { &opencl, &cuda };
	const struct ilab_views all = ilab_views_of(devices, 2, ILAB_GEMM_AUTO, &arena);
	const char *const names[] = { "opencl/NVIDIA CUDA/clblast", "opencl/NVIDIA CUDA/builtin", "cuda/NVIDIA/cublaslt", "cuda/NVIDIA/builtin" };
	assert_int_equal(all.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(all.views[i].name, names[i]);
	assert_string_equal(ilab_views_reference(&all)->name, names[2]);
	assert_int_equal(ilab_views_of(devices, 2, ILAB_GEMM_BUILTIN, &arena).count, 2);
	assert_int_equal(ilab_views_of(devices, 2, ILAB_GEMM_ROCBLAS, &arena).count, 0);

	struct ilab_views some;
	struct ilab_err err = { 0 };
	assert_int_equal(ilab_views_named(&all, "cuda/NVIDIA/builtin,opencl/NVIDIA CUDA/clblast,cuda/NVIDIA/builtin", &arena, &some, &err), ILAB_OK);
	assert_int_equal(some.count, 3);
	assert_string_equal(some.views[2].name, "cuda/NVIDIA/builtin#2");
	assert_int_equal(some.views[2].gemm, ILAB_GEMM_BUILTIN);
	assert_ptr_equal(some.views[1].device, &opencl);
	assert_int_equal(ilab_views_named(&all, "cuda/NVIDIA/builtin,", &arena, &some, &err), ILAB_REFUSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(table_by_hand, clean),
		cmocka_unit_test_teardown(share_of_the_ceiling, clean),
		cmocka_unit_test_teardown(what_did_not_pass_has_no_ratio, clean),
		cmocka_unit_test_teardown(documents_are_checked, clean),
		cmocka_unit_test_teardown(contradictions_of_a_comparison_are_found, clean),
		cmocka_unit_test_teardown(what_did_not_pass_is_no_contradiction, clean),
		cmocka_unit_test_teardown(agreement_by_hand, clean),
		cmocka_unit_test_teardown(the_odd_one_out, clean),
		cmocka_unit_test_teardown(views_play_their_roles_across_vendors, clean),
		cmocka_unit_test_teardown(a_run_that_was_not_verified_gives_no_ratio, clean),
		cmocka_unit_test_teardown(suites_of_two_versions_are_not_comparable, clean),
		cmocka_unit_test_teardown(an_unknown_suite_version_is_refused, clean),
		cmocka_unit_test_teardown(views_of_a_device, clean),
	};
	return cmocka_run_group_tests_name("result/compare", tests, NULL, NULL);
}
