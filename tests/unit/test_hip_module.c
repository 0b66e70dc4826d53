/* The module hip.so over fakes of the HIP runtime and of rocBLAS (tests/fakes): what it decides when they answer, err and lie. Nothing here proves
 * that a real runtime is used rightly. The module is built for this test, with the declarations of tests/hip-headers and under a name that the program
 * does not know. */
#include "module_probe.h"

#include "model/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MODULE "tests/hip/hip-fake-test.so"
#define HIP(n) "tests/fakes/hip/libamdhip64.so." #n
#define BELOW "tests/fakes/hip/libhsa-runtime64.so.1", "tests/fakes/hip/libamd_comgr.so.2", "tests/fakes/hip/libamd_comgr.so.3"
#define ROCBLAS(n) "tests/fakes/hip/librocblas.so." #n

struct setting { const char *name, *value; };

static struct answer ask_hip(const char *runtime, const char *rocblas, probe_fn *fn, struct setting a, struct setting b)
{
	struct probe p = { .module_file = MODULE, .fakes = { BELOW, runtime, rocblas } };
	p.environment[0].name = a.name, p.environment[0].value = a.value;
	p.environment[1].name = a.name ? b.name : NULL, p.environment[1].value = b.value;
	return ask(&p, fn);
}
#define SET(name, value) ((struct setting){ name, value })
#define UNSET ((struct setting){0})

/* --- what children do ---------------------------------------------------------------------------------------------------------- */

static const struct ilab_shape shape = { 1, 16, 64, 256 };

static struct ilab_session *open_device(const struct ilab_backend *b, uint32_t device, FILE *out)
{
	struct ilab_session *s = NULL;
	struct ilab_err err = {0};
	if (b->open(&(struct ilab_open_options){ .device_index = device }, &s, &err))
		fprintf(out, "open: %d %s ", err.status, err.text);
	return s;
}

static void try_plan(const struct ilab_backend *b, struct ilab_session *s, enum ilab_dtype dtype, enum ilab_gemm gemm, FILE *out)
{
	struct ilab_plan plan;
	struct ilab_err err = {0};
	enum ilab_status status = b->plan(s, &shape, dtype, gemm, NULL, &plan, &err);
	if (status)
		fprintf(out, "%s: %d %s; ", ilab_gemm_name(gemm), status, err.text);
	else
		fprintf(out, "%s: %s %s, %s; ", ilab_gemm_name(gemm), plan.record.provider, plan.record.version.value, plan.record.reason ? plan.record.reason : "no reason");
}

static void session(const struct ilab_backend *b, FILE *out)
{
	struct ilab_session *s = open_device(b, 0, out);
	if (!s)
		return;
	fprintf(out, "%s %s ", b->info(s)->counters_source, b->info(s)->driver_source.value);
	try_plan(b, s, ILAB_BF16, ILAB_GEMM_AUTO, out);
	try_plan(b, s, ILAB_BF16, ILAB_GEMM_BUILTIN, out);
	try_plan(b, s, ILAB_BF16, ILAB_GEMM_ROCBLAS, out);
	try_plan(b, s, ILAB_TF32, ILAB_GEMM_AUTO, out);
	b->close(s);
}

static void print_counters(const struct ilab_backend *b, struct ilab_session *s, FILE *out)
{
	struct ilab_memory m;
	b->memory(s, &m);
	fprintf(out, "(%llu %llu %llu %llu) ", (unsigned long long)m.allocated_bytes, (unsigned long long)m.peak_allocated_bytes,
		(unsigned long long)m.reserved_bytes, (unsigned long long)m.peak_reserved_bytes);
}

/* allocated, its peak, reserved, its peak: after each step. */
static void counting(const struct ilab_backend *b, FILE *out)
{
	struct ilab_session *s = open_device(b, 0, out);
	struct ilab_buffer *first = NULL, *second = NULL;
	struct ilab_err err = {0};
	if (!s)
		return;
	fprintf(out, "%s ", b->info(s)->counters_source);
	print_counters(b, s, out);
	if (b->alloc(s, 1000, &first, &err) || b->alloc(s, 24, &second, &err))
		fprintf(out, "alloc: %s", err.text);
	print_counters(b, s, out);
	b->reset_peaks(s);
	print_counters(b, s, out);
	b->free(s, first);                     /* after a reset to 0 the pool's own mark knows nothing of these 1024 bytes */
	print_counters(b, s, out);
	b->free(s, second);
	b->trim(s, &err);
	b->reset_peaks(s);
	print_counters(b, s, out);
	b->close(s);
}

static void driver_figure(const struct ilab_backend *b, FILE *out)
{
	struct ilab_session *s = open_device(b, 0, out);
	struct ilab_memory m;
	if (!s)
		return;
	b->memory(s, &m);
	fprintf(out, "%s: %llu, %s", b->info(s)->driver_source.value, (unsigned long long)m.driver_used_bytes.value,
		m.driver_used_bytes.reason ? m.driver_used_bytes.reason : "no reason");
	b->close(s);
}

/* An allocation of 1000 bytes, and everything waited for, after which a call of the runtime begins to fail. */
static void out_of_memory(const struct ilab_backend *b, FILE *out)
{
	struct ilab_session *s = open_device(b, 0, out);
	struct ilab_buffer *buffer = NULL;
	struct ilab_err err = {0}, late = {0};
	const char *failing = getenv("FAILS_LATER");
	if (!s)
		return;
	if (failing)
		setenv("FAKE_HIP_FAIL", failing, 1);
	fprintf(out, "alloc %d %s ", b->alloc(s, 1000, &buffer, &err), err.text);
	if (buffer)
		fprintf(out, "sync %d %s ", b->sync(s, &late), late.text);
	unsetenv("FAKE_HIP_FAIL");
	print_counters(b, s, out);
	b->close(s);
}

/* The second layer's product alone, against sums in float64. */
static void product(const struct ilab_backend *b, FILE *out)
{
	struct ilab_session *s = open_device(b, 0, out);
	struct ilab_plan plan;
	struct ilab_err err = {0};
	struct ilab_buffer *x, *w, *bias, *y, *t;
	static float fx[16 * 256], fw[64 * 256], fy[16 * 64];
	const struct ilab_tensor tx = { 1, ILAB_STREAM_X, ILAB_F32, ILAB_LAYOUT_ROWS, 16, 256, 1 }, tw = { 2, ILAB_STREAM_W2, ILAB_F32, ILAB_LAYOUT_ROWS, 64, 256, 1 };
	double worst = 0;
	if (!s)
		return;
	if (b->plan(s, &shape, ILAB_F32, ILAB_GEMM_ROCBLAS, NULL, &plan, &err) || b->alloc(s, sizeof(fx), &x, &err) || b->alloc(s, sizeof(fw), &w, &err) ||
		b->alloc(s, 256, &bias, &err) || b->alloc(s, sizeof(fy), &y, &err) || b->alloc(s, plan.temporary_bytes, &t, &err) ||
		b->upload(s, x, &tx, &err) || b->upload(s, w, &tw, &err) || b->linear(s, &plan, 1, x, w, bias, y, t, ILAB_EPILOGUE_NONE, &err) ||
		b->download(s, y, 0, sizeof(fy), fy, &err)) {
		fprintf(out, "product: %d %s", err.status, err.text);
		b->close(s);
		return;
	}
	ilab_rule_fill(&tx, 0, 16 * 256, fx);
	ilab_rule_fill(&tw, 0, 64 * 256, fw);
	for (int i = 0; i < 16; i++) {
		for (int j = 0; j < 64; j++) {
			double sum = 0;
			for (int k = 0; k < 256; k++)
				sum += (double)fx[i * 256 + k] * fw[j * 256 + k];
			worst = fmax(worst, fabs(sum - fy[i * 64 + j]));
		}
	}
	fprintf(out, "product %s, temporary %llu, launches %llu, %s", worst < 1e-5 ? "right" : "wrong", (unsigned long long)plan.temporary_bytes,
		(unsigned long long)plan.record.launches_per_pass, plan.record.provider);
	b->close(s);
}

/* --- loading --------------------------------------------------------------------------------------------------------------------- */

static void a_missing_runtime_is_named(void **state)
{
	(void)state;
	const struct probe p = { .module_file = MODULE };
	if (library_is_here("libamdhip64.so.7") || library_is_here("libamdhip64.so.6") || library_is_here("libamdhip64.so.5"))
		skip();
	struct answer a = ask(&p, print_listing);
	assert_says(&a, "status 0 state unavailable reason library libamdhip64.so.7, libamdhip64.so.6, libamdhip64.so.5 not found (no HIP runtime): install ROCm");
}

static void each_series_loads_with_its_own_libraries(void **state)
{
	(void)state;
	static const struct { const char *runtime, *compiler, *rocblas, *words; } cases[] = {
		{ HIP(5), NULL, ROCBLAS(0), "library hipRTC in libamdhip64.so.5 6.2.123 library librocblas.so.0 4.1.0.fake" },
		{ HIP(6), NULL, ROCBLAS(4), "library hipRTC in libamdhip64.so.6 6.2.123 library librocblas.so.4 4.1.0.fake" },
		{ HIP(7), "tests/fakes/hip/libhiprtc.so.7", NULL, "library hipRTC in libhiprtc.so.7 9.0" },
		{ HIP(7), NULL, ROCBLAS(5), "advice hip: library libhiprtc.so.7 not found" },
		{ HIP(6), NULL, ROCBLAS(5), "advice hip: library librocblas.so.4 not found" },       /* of another series: not taken */
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct probe p = { .module_file = MODULE,
			.fakes = { cases[i].runtime, cases[i].compiler ? cases[i].compiler : cases[i].rocblas } };
		struct answer a = ask(&p, print_listing);
		assert_says(&a, cases[i].words);
	}
}

static void the_newest_known_series_is_taken(void **state)
{
	(void)state;
	struct answer a = ask_hip(HIP(5), HIP(7), print_listing, UNSET, UNSET);
	assert_says(&a, "advice hip: library libhiprtc.so.7 not found");
	const struct probe p = { .module_file = MODULE, .fakes = { HIP(8) } };
	a = ask(&p, print_listing);                  /* unknown: it may differ in anything */
	assert_null(strstr(a.text, "Fake of a card"));
}

static void a_missing_symbol_is_named(void **state)
{
	(void)state;
	struct answer a = ask_hip("tests/fakes/hip/without-graphs/libamdhip64.so.7", NULL, print_listing, UNSET, UNSET);
	assert_says(&a, "state unavailable reason libamdhip64.so.7 has no symbol hipGraphInstantiateWithFlags: install a newer one");
	a = ask_hip(HIP(6), "tests/fakes/hip/without-gemm/librocblas.so.4", session, UNSET, UNSET);
	assert_says(&a, "auto: builtin ");
	assert_says(&a, ", librocblas.so.4 has no symbol rocblas_gemm_ex: install a newer one;");
}

/* Neither fakes nor builds for tests can be measured as "hip". */
static void tests_are_kept_out_of_the_program(void **state)
{
	(void)state;
	struct ilab_err err = {0};
	assert_null(ilab_backend_load("hip-fake-test", in_build("tests/hip"), NULL, &err));
	assert_non_null(strstr(err.text, "unknown backend"));
	err = (struct ilab_err){0};
	assert_null(ilab_backend_load("hip", in_build("tests/fakes/hip/renamed"), NULL, &err));
	assert_string_equal(err.text, "module hip.so holds the backend \"hip-on-cuda-test\"");
	const struct probe p = { .backend = "hip", .module_dir = "modules", .fakes = { BELOW, HIP(6) } };
	struct answer a = ask(&p, print_listing);            /* skipped where hip.so is not built */
	assert_says(&a, "state unavailable reason libamdhip64.so.6 is a fake, made for this program's tests");
}

/* --- devices --------------------------------------------------------------------------------------------------------------------- */

static void no_device_is_said_with_the_runtime_s_reason(void **state)
{
	(void)state;
	static const struct { struct setting a, b; const char *words; } cases[] = {
		{ { "FAKE_HIP_COUNT", "0" }, {0}, "state no-device reason hipGetDeviceCount answers hipErrorNoDevice (100): the runtime has no other words for it" },
		{ { "FAKE_HIP_COUNT", "0" }, { "FAKE_HIP_INIT", "101" }, "state no-device reason hipGetDeviceCount answers hipErrorNoDevice (100)" },
		{ { "FAKE_HIP_INIT", "100" }, {0}, "state no-device reason hipInit answers hipErrorNoDevice (100)" },
		{ { "FAKE_HIP_INIT", "999" }, {0}, "state unavailable reason hipInit answers hipErrorUnknown (999): words of the fake runtime" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer a = ask_hip(HIP(6), NULL, print_listing, cases[i].a, cases[i].b);
		assert_says(&a, cases[i].words);
		assert_says(&a, "devices 0 ");
		a = ask_hip(HIP(6), NULL, session, cases[i].a, cases[i].b);
		assert_says(&a, "open: 2 ");
	}
}

static void devices_are_listed(void **state)
{
	(void)state;
	struct answer a = ask_hip(HIP(6), ROCBLAS(4), print_listing, SET("FAKE_HIP_COUNT", "2"), UNSET);
	assert_says(&a, "state ready reason none devices 2 [hip-fake-test:0 Fake of a card 0 0000:c0:00.0 30313233-3435-3637-3839-616263646561 HIP 6.2 104] [hip-fake-test:1 Fake of a card 1 0000:c1:00.0 ");
}

/* --- counters -------------------------------------------------------------------------------------------------------------------- */

static void pools_serve_only_where_they_count_right(void **state)
{
	(void)state;
	static const struct { struct setting a, b; const char *source; } cases[] = {
		{ {0}, {0}, "hip_mempool " },
		{ { "FAKE_HIP_VERSION", "70000001" }, {0}, "hip_mempool " },
		{ { "FAKE_HIP_VERSION", "60140092" }, {0}, "hip_tracked " },           /* said to be supported, before 6.2 */
		{ { "FAKE_HIP_VERSION", "50221153" }, {0}, "hip_tracked " },
		{ { "FAKE_HIP_POOLS", "0" }, {0}, "hip_tracked " },
		{ { "FAKE_HIP_POOLS", "2" }, {0}, "hip_tracked " },
		{ { "FAKE_HIP_FAULT", "sum" }, {0}, "hip_tracked " },
		{ { "FAKE_HIP_FAULT", "forgets" }, {0}, "hip_tracked " },
		{ { "FAKE_HIP_FAULT", "rounds" }, {0}, "hip_tracked " },
		{ { "FAKE_HIP_FAULT", "stuck" }, {0}, "hip_tracked " },
		{ { "FAKE_HIP_FAIL", "hipMallocFromPoolAsync" }, {0}, "hip_tracked " },     /* out of memory where plain allocation works */
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer a = ask_hip(HIP(6), NULL, counting, cases[i].a, cases[i].b);
		assert_says(&a, cases[i].source);
		assert_says(&a, " (0 0 0 0) (1024 1024 1024 1024) (1024 1024 1024 1024) (24 1024 1024 1024) (0 0 0 0) ");
	}
}

static void impossible_free_memory_is_no_figure(void **state)
{
	(void)state;
	struct answer a = ask_hip(HIP(6), NULL, driver_figure, SET("FAKE_HIP_FREE", "above"), UNSET);
	assert_says(&a, "hipMemGetInfo: 0, unavailable: the driver gave no usable figure.");
	a = ask_hip(HIP(6), NULL, driver_figure, UNSET, UNSET);
	assert_says(&a, "hipMemGetInfo: 536870912, no reason");
}

static void memory_that_runs_out_late_is_said(void **state)
{
	(void)state;
	static const char *const pools[] = { "1", "0" };
	for (int i = 0; i < 2; i++) {
		struct answer a = ask_hip(HIP(6), NULL, out_of_memory, SET("FAILS_LATER", "hipMemsetD8Async"), SET("FAKE_HIP_POOLS", pools[i]));
		assert_says(&a, "alloc 1 out of device memory: cannot ");
		assert_says(&a, "(0 ");
		a = ask_hip(HIP(6), NULL, out_of_memory, SET("FAILS_LATER", "hipStreamSynchronize"), SET("FAKE_HIP_POOLS", pools[i]));
		assert_says(&a, "alloc 0  sync 1 out of device memory: cannot finish the queued work");
		a = ask_hip(HIP(6), NULL, out_of_memory, SET("FAILS_LATER", i ? "hipMalloc" : "hipMallocFromPoolAsync"), SET("FAKE_HIP_POOLS", pools[i]));
		assert_says(&a, "alloc 1 out of device memory: cannot allocate");
		assert_says(&a, "(0 0 ");
	}
}

/* --- kernels --------------------------------------------------------------------------------------------------------------------- */

static void the_compiler_is_asked_only_for_what_it_knows(void **state)
{
	(void)state;
	struct answer a = ask_hip(HIP(6), NULL, session, SET("FAKE_HIP_ARCHITECTURE", "gfx1100"), UNSET);
	assert_says(&a, "builtin: 2 hipRTC in libamdhip64.so.6 does not compile for this device's architecture gfx1100; install a newer ROCm (it knows gfx900 gfx90a gfx1030)");
	a = ask_hip(HIP(6), NULL, session, SET("FAKE_HIPRTC_FAILS", "1"), UNSET);
	assert_says(&a, "builtin: 1 hipRTC does not compile ");
	assert_says(&a, " for gfx90a: HIPRTC_ERROR_COMPILATION: words of the compiler");
	a = ask_hip(HIP(7), "tests/fakes/hip/libhiprtc.so.7", session, UNSET, UNSET);
	assert_says(&a, "builtin: builtin ");
}

static void a_device_without_architecture_does_not_open(void **state)
{
	(void)state;
	struct answer a = ask_hip(HIP(6), NULL, session, SET("FAKE_HSA_FAILS", "1"), UNSET);
	assert_says(&a, "open: 1 cannot read the architecture: ");
	a = ask_hip(HIP(6), NULL, session, SET("FAKE_HIP_ARCHITECTURE", "Radeon"), UNSET);
	assert_says(&a, "open: 1 cannot read the architecture: ");
}

/* --- products -------------------------------------------------------------------------------------------------------------------- */

static void without_rocblas_auto_falls_back_and_says_why(void **state)
{
	(void)state;
	if (library_is_here("librocblas.so.4"))
		skip();
	struct answer a = ask_hip(HIP(6), NULL, session, UNSET, UNSET);
	assert_says(&a, "auto: builtin " ILAB_VERSION ", library librocblas.so.4 not found (rocBLAS, the vendor's matrix products): install it");
	assert_says(&a, "rocblas: 2 library librocblas.so.4 not found");
	assert_says(&a, "builtin: builtin " ILAB_VERSION ", no reason;");
}

static void rocblas_gets_what_it_needs(void **state)
{
	(void)state;
	struct answer a = ask_hip(HIP(6), ROCBLAS(4), session, UNSET, UNSET);
	assert_says(&a, "auto: rocblas 4.1.0.fake, the vendor's own library, the default on this backend; ");
	assert_says(&a, "auto: 2 unsupported: HIP has no tf32; use float32, float16 or bfloat16");
	a = ask_hip(HIP(6), ROCBLAS(4), product, UNSET, UNSET);
	assert_says(&a, "product right, temporary 33554432, launches 4, rocblas");
	a = ask_hip(HIP(6), ROCBLAS(4), product, SET("FAKE_ROCBLAS_CODE", "7"), UNSET);      /* slower than it could be is not wrong */
	assert_says(&a, "product right, ");
}

static void rocblas_s_failures_are_told(void **state)
{
	(void)state;
	struct answer a = ask_hip(HIP(6), ROCBLAS(4), product, SET("FAKE_ROCBLAS_CODE", "5"), UNSET);
	assert_says(&a, "product: 1 out of device memory: rocBLAS cannot queue the product");
	a = ask_hip(HIP(6), ROCBLAS(4), product, SET("FAKE_ROCBLAS_CODE", "6"), UNSET);
	assert_says(&a, "product: 1 rocBLAS cannot queue the product: words of the fake library (6)");
	a = ask_hip(HIP(6), ROCBLAS(4), product, SET("FAKE_ROCBLAS_CODE", "2"), UNSET);
	assert_says(&a, "product: 2 rocBLAS cannot queue the product: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_missing_runtime_is_named), cmocka_unit_test(each_series_loads_with_its_own_libraries),
		cmocka_unit_test(the_newest_known_series_is_taken), cmocka_unit_test(a_missing_symbol_is_named),
		cmocka_unit_test(tests_are_kept_out_of_the_program),
		cmocka_unit_test(no_device_is_said_with_the_runtime_s_reason), cmocka_unit_test(devices_are_listed),
		cmocka_unit_test(pools_serve_only_where_they_count_right), cmocka_unit_test(impossible_free_memory_is_no_figure),
		cmocka_unit_test(memory_that_runs_out_late_is_said), cmocka_unit_test(the_compiler_is_asked_only_for_what_it_knows),
		cmocka_unit_test(a_device_without_architecture_does_not_open), cmocka_unit_test(without_rocblas_auto_falls_back_and_says_why),
		cmocka_unit_test(rocblas_gets_what_it_needs), cmocka_unit_test(rocblas_s_failures_are_told),
	};
	return cmocka_run_group_tests_name("hip module", tests, NULL, NULL);
}
