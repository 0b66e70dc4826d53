/* The results grid: lines, cells, quotes, and no formula. */
#include "cost/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ilab_phase phases[] = {
	{ .phase = "model_load", .seconds = 9 },
	{ .phase = "inputs", .seconds = 9 },
	{ .phase = "cold_forward", .seconds = 0.25, .device_seconds.reason = "unavailable: no stamps",
		.peak_allocated_bytes = UINT64_C(18446744073709551615), .peak_reserved_bytes = UINT64_C(9007199254740993) },
	{ .phase = "warmup", .seconds = 9 },
	{ .phase = "warm_forward", .repetition = 1, .seconds = 0.1, .device_seconds.value = 1e-7, .peak_allocated_bytes = 1 },
	{ .phase = "warm_forward", .repetition = 2, .seconds = 1e-5, .device_seconds.value = 0.5, .peak_reserved_bytes = 2 },
};

static struct ilab_measure a_run(const char *name)
{
	struct ilab_measure m = {
		.header = { .run_id = "00ff", .started_utc = "2026-12-01T00:00:00Z", .tool_version = "0.1.0" },
		.device = { .name = name, .driver_version.reason = "unavailable: not said" },
		.configuration = { .view = "opencl/P/clblast", .dtype = "float16", .batch = 1, .context = 16, .width = 64, .hidden = 256 },
		.counters.source = "opencl_pool", .verification.status = "passed",
		.phases = phases, .phase_count = sizeof(phases) / sizeof(*phases),
	};
	return m;
}

static char *grid_of(const char *name)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct ilab_measure m = a_run(name);
	ilab_grid_measure(out, &m);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void a_line_for_each_forward_pass(void **state)
{
	(void)state;
	static const char start[] = "00ff,2026-12-01T00:00:00Z,0.1.0,dev,opencl/P/clblast,,float16,1,16,64,256,";
	char expected[2000];
	snprintf(expected, sizeof(expected),
		"%scold_forward,,0.25,,18446744073709551615,9007199254740993,opencl_pool,passed,,,,,\r\n"
		"%swarm_forward,1,0.1,1e-07,1,0,opencl_pool,passed,,,,,\r\n"
		"%swarm_forward,2,0.00001,0.5,0,2,opencl_pool,passed,,,,,\r\n", start, start, start);
	char *text = grid_of("dev");
	assert_string_equal(text, expected);
	free(text);
}

static void names_are_quoted_and_never_formulas(void **state)
{
	(void)state;
	static const struct { const char *name, *cell; } names[] = {
		{ "GPU, \"big\"", ",\"GPU, \"\"big\"\"\"," },
		{ "two\nlines", ",\"two\nlines\"," },
		{ "=HYPERLINK(1)", ",'=HYPERLINK(1)," },
		{ "=A,B", ",\"'=A,B\"," },
		{ "+1", ",'+1," }, { "-1", ",'-1," }, { "@x", ",'@x," }, { "  =1", ",'  =1," }, { "\tx", ",'\tx," }, { "\rx", ",\"'\rx\"," },
		{ "a=b-c", ",a=b-c," },
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *text = grid_of(names[i].name);
		if (!strstr(text, names[i].cell))
			fail_msg("\"%s\": %.120s", names[i].name, text);
		free(text);
	}
}

static void the_header_is_the_agreed_one(void **state)
{
	(void)state;
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	ilab_grid_header(out);
	fclose(out);
	assert_string_equal(text, "run_id,started_utc,tool_version,device,view,driver_version,dtype,batch,context,width,hidden,phase,repetition,"
		"seconds,device_seconds,peak_allocated_bytes,peak_reserved_bytes,counters_source,verification,quality_unit,quality_threshold,"
		"accepted_results,rejected_results,notes\r\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_for_each_forward_pass),
		cmocka_unit_test(names_are_quoted_and_never_formulas),
		cmocka_unit_test(the_header_is_the_agreed_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
