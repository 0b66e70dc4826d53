#include "comma_locale.h"
#include "result_fixture.h"

#include "result/document.h"
#include "result/layout.h"
#include "result/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static void has(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("missing: %s\nin:\n%s", part, text);
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, part)) != NULL; p++)
		n++;
	return n;
}

/* No line is wider than a terminal, and the last one ends. */
static void fits(const char *text)
{
	size_t column = 0;

	for (const char *p = text; *p != '\0'; p++) {
		if (*p == '\n')
			column = 0;
		else if ((*p & 0xC0) != 0x80 && ++column > ILAB_LAYOUT_COLUMNS)
			fail_msg("a line is too wide:\n%s", text);
	}
	assert_int_equal(column, 0);
}

static void shows_figures(void **state)
{
	struct ilab_arena a = { 0 };
	(void)state;

	assert_string_equal(ilab_layout_seconds(&a, 0), "0 s");
	assert_string_equal(ilab_layout_seconds(&a, 1.5), "1.500 s");
	assert_string_equal(ilab_layout_seconds(&a, 0.0125), "12.500 ms");
	assert_string_equal(ilab_layout_seconds(&a, 1.25e-5), "12.500 us");
	assert_string_equal(ilab_layout_seconds(&a, 1e-9), "1.000 ns");
	assert_string_equal(ilab_layout_seconds(&a, 1e-12), "0.001 ns");
	assert_string_equal(ilab_layout_mib(&a, 132352), "0.126");
	assert_string_equal(ilab_layout_mib(&a, UINT64_C(150) << 30), "153600.0");
	assert_string_equal(ilab_layout_bytes(&a, UINT64_C(8) << 30), "8.00 GiB");
	assert_string_equal(ilab_layout_bytes(&a, 1536 << 10), "1.50 MiB");
	assert_string_equal(ilab_layout_flops(&a, 83886080), "83.886 MFLOP/s");
	assert_string_equal(ilab_layout_flops(&a, 1.25e15), "1.250 PFLOP/s");
	assert_string_equal(ilab_layout_flops(&a, 12), "12.000 FLOP/s");
	assert_string_equal(ilab_layout_flops(&a, 123456), "123.456 kFLOP/s");
	assert_string_equal(ilab_layout_cell(&a, "r\xc3\xa9serv\xc3\xa9", 9), "  r\xc3\xa9serv\xc3\xa9");
	assert_string_equal(ilab_layout_cell(&a, "d\xc3\xa9" "bit", -7), "d\xc3\xa9" "bit  ");
	assert_string_equal(ilab_layout_cell(&a, "too long", -3), "too long");
	assert_string_equal(ilab_layout_count(&a, 1, "row", "rows"), "1 row");
	assert_string_equal(ilab_layout_count(&a, 2048, "row", "rows"), "2,048 rows");
	assert_string_equal(ilab_layout_short(&a, 5e-6), "5.0e-06");
	assert_string_equal(ilab_layout_short(&a, 9.96e-7), "1.0e-06");
	assert_string_equal(ilab_layout_short(&a, 1e-7), "1.0e-07");
	assert_string_equal(ilab_layout_short(&a, -2.5e200), "-2.5e+200");
	assert_string_equal(ilab_layout_short(&a, 0.03), "0.0300");
	assert_string_equal(ilab_layout_short(&a, 0), "0.0000");
	assert_string_equal(ilab_layout_short(&a, 4.9406564584124654e-324), "below 1e-300");
	assert_string_equal(ilab_layout_grouped(&a, 0), "0");
	assert_string_equal(ilab_layout_grouped(&a, 999), "999");
	assert_string_equal(ilab_layout_grouped(&a, 1000), "1,000");
	assert_string_equal(ilab_layout_grouped(&a, (ilab_u128)INT64_MAX * 8), "73,786,976,294,838,206,456");
	ilab_arena_free(&a);
}

static void wraps_words(void **state)
{
	struct ilab_arena a = { 0 };
	struct ilab_text_buffer b = { .arena = &a };
	(void)state;

	ilab_layout_pair(&b, "key", "%s", "one two");
	ilab_layout_pair(&b, "a key that is long", "%s", "value");
	ilab_layout_wrap(&b, "  - ", "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 012345678 x y");
	ilab_layout_pair(&b, "", "%s", "a-word-that-is-longer-than-the-line-and-cannot-be-broken-so-it-stands-alone-in-its-line x");
	assert_string_equal(b.text,
		"key           one two\n"
		"a key that is long\n"
		"              value\n"
		"  - 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 012345678\n"
		"    x y\n"
		"              a-word-that-is-longer-than-the-line-and-cannot-be-broken-so-it-stands-alone-in-its-line\n"
		"              x\n");
	ilab_arena_free(&a);
}

static void shows_estimates(void **state)
{
	struct ilab_arena a = { 0 };
	struct ilab_estimate e;
	(void)state;

	fixture_estimate(&e);
	e.parameters = 7000000000;
	e.bits = 16;
	e.reserve_nano_gib = 4000000000;
	e.weight_bytes = 14000000000;
	e.total_bytes = 18294967296;
	assert_string_equal(ilab_text_estimate(&e, &a),
		"parameters    7,000,000,000 of 16 bits\n"
		"weights       14,000,000,000 bytes, 13.0385 GiB, 14.0000 GB\n"
		"reserve       4,294,967,296 bytes, 4.0000 GiB\n"
		"total         18,294,967,296 bytes, 17.0385 GiB\n"
		"assumptions   - the reserve is the user's guess\n");
	ilab_arena_free(&a);
}

static void shows_measures(void **state)
{
	struct ilab_arena a = { 0 };
	struct ilab_measure m;
	const char *text;
	(void)state;

	fixture_measure(&a, &m);
	text = ilab_text_measure(&m, false, &a);
	fits(text);
	has(text, "device        Strange \"\xC3\xA9\" device (opencl:0:1, gpu)\n");
	has(text, "view          opencl/First Platform/clblast\n");
	has(text, "shape         batch 1, context 16, width 64, hidden 256, float32\n");
	has(text, "provider      clblast 1.5.3, tuned: float32 is supported\n");
	has(text, "model_load         10.000 ms           -     0.126     0.126     0.126     0.126\n");
	has(text, "cold_forward      200.000 ms  150.000 ms     0.134     0.151     0.151     0.151\n");
	has(text, "median        12.500 ms over 7 passes, from 1.000 ms to 300.000 ms\n");
	has(text, "interval      1.000 ms to 300.000 ms for the median, with 98.44 % coverage\n");
	has(text, "3 outliers\n");
	has(text, "rate          83.886 MFLOP/s of the median pass (1,048,576 FLOP)\n");
	has(text, "verification  passed: relative error 1.2e-07, bound 5.0e-06, 8 rows checked\n");
	has(text, "floor         12.500 us for an empty pass; ");
	has(text, "ignored       NVIDIA_TF32_OVERRIDE\n");
	assert_int_equal(count(text, "\nwarm_forward "), FIXTURE_WARM);
	ilab_arena_free(&a);
}

static void collapses_many_rows(void **state)
{
	struct ilab_arena a = { 0 };
	struct ilab_measure m;
	struct ilab_phase *many = ilab_arena_alloc(&a, (4 + 11) * sizeof *many);
	const char *text;
	(void)state;

	fixture_measure(&a, &m);
	memcpy(many, m.phases, FIXTURE_ROWS * sizeof *many);
	for (size_t i = 0; i < 11; i++) {
		many[4 + i] = m.phases[4];
		many[4 + i].repetition = i + 1;
	}
	many[9].peak_reserved_bytes = 3 << 20;
	m.phases = many;
	m.phase_count = 15;
	ilab_measure_summarise(&m, &a);
	text = ilab_text_measure(&m, false, &a);
	fits(text);
	assert_int_equal(count(text, "\nwarm_forward "), 0);
	has(text, "\n11 warm_forward   100.000 ms   75.000 ms     0.134     0.151     0.151     3.000\n");
	assert_int_equal(count(ilab_text_measure(&m, true, &a), "\nwarm_forward "), 11);
	ilab_arena_free(&a);
}

static void shows_failures(void **state)
{
	struct ilab_arena a = { 0 };
	struct ilab_measure m;
	const char *text;
	(void)state;

	fixture_measure(&a, &m);
	m.verification.status = "failed";
	m.verification.failure = "the output of the cold pass is not finite";
	m.verification.relative_error = (struct ilab_real){ .reason = "invalid: not finite" };
	m.phase_count = 5;
	ilab_measure_summarise(&m, &a);
	text = ilab_text_measure(&m, false, &a);
	fits(text);
	has(text, "FAILED");
	has(text, "not finite");
	has(text, "interval      - (too-few-samples: ");
	assert_null(strstr(text, "FLOP/s"));
	ilab_arena_free(&a);
}

static void shows_environments(void **state)
{
	struct ilab_arena a = { 0 };
	struct ilab_environment e;
	const char *text;
	(void)state;

	fixture_environment(&a, &e);
	text = ilab_text_environment(&e, &a);
	fits(text);
	has(text, "  opencl      ready (built-in)\n");
	has(text, "  cuda        unavailable: libcuda.so.1 not found\n");
	has(text, "  opencl:0    First Platform, OpenCL 3.0 (Vendor)\n");
	has(text, "  opencl:1:0  pthread-cpu, cpu\n");
	has(text, "  pci:0000:41:00.0\n              reached by opencl:0:1\n");
	has(text, "  cpu         reached by opencl:1:0\n");
	has(text, "advice\n  - install a driver\n");
	e.backend_count = 0;
	e.physical_count = 0;
	e.advice_count = 0;
	e.host = (struct ilab_host){ 0 };
	text = ilab_text_environment(&e, &a);
	fits(text);
	assert_null(strstr(text, "devices"));
	assert_null(strstr(text, "(null)"));
	ilab_arena_free(&a);
}

/* Last: the locale stays. */
static void ignores_the_locale(void **state)
{
	if (!comma_locale_set()) {
		print_message("skipped: no decimal-comma locale is installed and localedef could not make one\n");
		skip();
	}
	shows_figures(state);
	shows_estimates(state);
	shows_measures(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_figures),
		cmocka_unit_test(wraps_words),
		cmocka_unit_test(shows_estimates),
		cmocka_unit_test(shows_measures),
		cmocka_unit_test(collapses_many_rows),
		cmocka_unit_test(shows_failures),
		cmocka_unit_test(shows_environments),
		cmocka_unit_test(ignores_the_locale),
	};
	return cmocka_run_group_tests_name("result/text", tests, NULL, NULL);
}
