/* The module cuda.so without a GPU: it loads, and says why there is no device. Each case runs in a process of its own, with a fake driver
 * loaded first: the loader then takes it for libcuda.so.1. Cases of the module are skipped where it is not built (CUDA=1). */
#include "module_probe.h"

#include <dlfcn.h>
#include <string.h>

struct settings { const char *fake, *name, *value; };      /* fake NULL: no fake driver; name NULL: no setting */

static struct answer ask_cuda(struct settings s, probe_fn *fn)
{
	const struct probe p = { .backend = "cuda", .module_dir = "modules", .fakes = { s.fake }, .environment = { { s.name, s.value } } };
	return ask(&p, fn);
}

#define FAKE "tests/fakes/libcuda.so.1"

static void session(const struct ilab_backend *b, FILE *out)
{
	struct ilab_session *s = NULL;
	struct ilab_plan plan;
	struct ilab_err err = {0};
	const struct ilab_shape shape = { 1, 16, 64, 256 };
	if (b->open(&(struct ilab_open_options){0}, &s, &err)) {
		fprintf(out, "open: %d %s", err.status, err.text);
		return;
	}
	const struct ilab_session_info *info = b->info(s);
	fprintf(out, "%s %s ", info->counters_source, info->driver_source.value);
	enum ilab_status status = b->plan(s, &shape, ILAB_BF16, ILAB_GEMM_BUILTIN, NULL, &plan, &err);
	fprintf(out, "plan: %d %s", status, status ? err.text : plan.record.provider);
	b->close(s);
}

/* --- no driver, or a bad one ------------------------------------------------------------------------------------------------- */

static void without_a_driver_it_says_so(void **state)
{
	(void)state;
	if (dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL))
		skip();
	struct answer a = ask_cuda((struct settings){0}, print_listing);
	assert_says(&a, "status 0 state unavailable reason library libcuda.so.1 not found (no NVIDIA driver): install");
	a = ask_cuda((struct settings){0}, session);
	assert_says(&a, "open: 2 library libcuda.so.1 not found");
}

static void a_driver_s_refusal_is_quoted(void **state)
{
	(void)state;
	static const struct { struct settings settings; const char *words; } cases[] = {
		{ { FAKE, "FAKE_VERSION", "11020" }, "state unavailable reason driver too old: it implements CUDA 11.2 and 11.4 is needed" },
		{ { "tests/fakes/without-pools/libcuda.so.1", NULL, NULL }, "state unavailable reason libcuda.so.1 has no symbol cuMemPoolCreate" },
		{ { FAKE, "FAKE_INIT", "100" }, "state no-device reason cuInit answers CUDA_ERROR_NO_DEVICE (100): words of the fake driver" },
		{ { FAKE, "FAKE_INIT", "803" }, "state unavailable reason cuInit answers CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)" },
		{ { FAKE, "FAKE_INIT", "1" }, "state unavailable reason cuInit answers unknown error (1)" },
		{ { FAKE, "FAKE_COUNT", "0" }, "state no-device reason the CUDA driver works but lists no device" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer a = ask_cuda(cases[i].settings, print_listing);
		assert_says(&a, cases[i].words);
		assert_says(&a, "devices 0");
		a = ask_cuda(cases[i].settings, session);
		assert_says(&a, "open: 2 ");
	}
}

static void devices_are_listed(void **state)
{
	(void)state;
	struct answer a = ask_cuda((struct settings){ FAKE, "FAKE_COUNT", "2" }, print_listing);
	assert_says(&a, "state ready reason none devices 2 [cuda:0 Fake of a device 0000:0c:00.0 a0a0a0a0-a0a0-a0a0-a0a0-a0a0a0a0a0a0 CUDA 13.0 7] [cuda:1 ");
}

static void without_pools_it_counts_itself(void **state)
{
	(void)state;
	struct answer a = ask_cuda((struct settings){ FAKE, "FAKE_POOLS", "0" }, session);
	assert_says(&a, "cuda_tracked cuMemGetInfo");
	a = ask_cuda((struct settings){ FAKE, "FAKE_POOLS", "2" }, session);    /* said to be supported, and refused */
	assert_says(&a, "cuda_tracked");
	a = ask_cuda((struct settings){ FAKE, "FAKE_POOLS", "1" }, session);
	assert_says(&a, "cuda_mempool");
}

/* --- the compiler -------------------------------------------------------------------------------------------------------------- */

static bool compiler_is_here(void)
{
	return dlopen("libnvrtc.so.13", RTLD_LAZY | RTLD_LOCAL) || dlopen("/usr/local/cuda/lib64/libnvrtc.so.13", RTLD_LAZY | RTLD_LOCAL);
}

static void kernels_compile_or_the_reason_is_said(void **state)
{
	(void)state;
	if (!compiler_is_here())
		skip();
	struct answer a = ask_cuda((struct settings){ FAKE, "FAKE_CAPABILITY", "90" }, session);
	assert_says(&a, "plan: 0 builtin");
	a = ask_cuda((struct settings){ FAKE, "FAKE_CAPABILITY", "990" }, session);     /* newer than the compiler: portable code */
	assert_says(&a, "plan: 0 builtin");
	a = ask_cuda((struct settings){ FAKE, "FAKE_CAPABILITY", "61" }, session);
	assert_says(&a, "plan: 2 NVRTC 13.");
	assert_says(&a, "does not compile for this device's architecture sm_61 (it knows sm_75 to sm_");
}

static void an_older_driver_wants_older_libraries(void **state)
{
	(void)state;
	if (dlopen("libnvrtc.so.12", RTLD_LAZY | RTLD_LOCAL))
		skip();
	struct answer a = ask_cuda((struct settings){ FAKE, "FAKE_VERSION", "12020" }, print_listing);
	assert_says(&a, "state ready");
	assert_says(&a, "advice cuda: library libnvrtc.so.12 not found");
	assert_says(&a, "advice cuda: library libcublasLt.so.12 not found");
	a = ask_cuda((struct settings){ FAKE, "FAKE_VERSION", "12020" }, session);
	assert_says(&a, "plan: 2 library libnvrtc.so.12 not found");
}

/* --- modules that are none -------------------------------------------------------------------------------------------------------- */

static void assert_not_loaded(const char *dir, const char *words)
{
	struct ilab_err err = {0};
	assert_null(ilab_backend_load("cuda", in_build(dir), NULL, &err));
	assert_int_equal(err.status, ILAB_REFUSED);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

static void another_version_s_module_is_refused(void **state)
{
	(void)state;
	assert_not_loaded("tests/fakes/wrong-abi", "wrong ABI: module cuda.so speaks version 2, this program 1");
}

static void what_is_no_module_is_refused(void **state)
{
	(void)state;
	assert_not_loaded("tests/fakes/nothing", "no module: cuda.so is not in");
	assert_not_loaded("tests/fakes/text", "module cuda.so does not load");
	assert_not_loaded("tests/fakes/no-symbol", "it has no symbol ilab_module_backend");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_driver_it_says_so), cmocka_unit_test(a_driver_s_refusal_is_quoted), cmocka_unit_test(devices_are_listed),
		cmocka_unit_test(without_pools_it_counts_itself), cmocka_unit_test(kernels_compile_or_the_reason_is_said),
		cmocka_unit_test(an_older_driver_wants_older_libraries), cmocka_unit_test(another_version_s_module_is_refused),
		cmocka_unit_test(what_is_no_module_is_refused),
	};
	return cmocka_run_group_tests_name("cuda module", tests, NULL, NULL);
}
