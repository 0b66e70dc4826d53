#include "harness/protocol.h"
#include "harness/worker_env.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What a worker's environment keeps and loses, and that a request arrives as it was sent. */

static struct ilab_arena arena;

static char *user[] = {
	"PATH=/bin", "NVIDIA_TF32_OVERRIDE=0", "CUBLAS_EMULATE_SINGLE_PRECISION=1", "CUBLAS_EMULATION_STRATEGY=eager", "NVIDIA_TF32_OVERRIDES=kept",
	"CLBLAST_BUILD_OPTIONS=-cl-fast-relaxed-math", "ROCBLAS_INTERNAL_FP16_ALT_IMPL_RNZ=1", "OCL_ICD_VENDORS=/somewhere", "POCL_CACHE_DIR=/cache",
	"HOME=/home/someone", "POCL_DEVICES=pthread", "CUDA_VISIBLE_DEVICES=1", "EMPTY=", NULL,
};

static const char *get(char **list, const char *name)
{
	return ilab_environment_get(list, name);
}

static void variables_that_change_arithmetic_are_taken_out_and_named(void **state)
{
	struct ilab_worker_options options = { .backend = "opencl", .environment = user };
	struct ilab_err err = { 0 };
	char **list;
	(void)state;
	assert_int_equal(ilab_worker_environment(&arena, &options, &list, &err), ILAB_OK);
	assert_null(get(list, "NVIDIA_TF32_OVERRIDE"));
	assert_null(get(list, "CUBLAS_EMULATE_SINGLE_PRECISION"));
	assert_null(get(list, "CUBLAS_EMULATION_STRATEGY"));
	assert_null(get(list, "CLBLAST_BUILD_OPTIONS"));
	assert_null(get(list, "ROCBLAS_INTERNAL_FP16_ALT_IMPL_RNZ"));
	assert_string_equal(get(list, "NVIDIA_TF32_OVERRIDES"), "kept");
	assert_string_equal(get(list, "PATH"), "/bin");
	assert_string_equal(get(list, "OCL_ICD_VENDORS"), "/somewhere");
	assert_string_equal(get(list, "CUDA_VISIBLE_DEVICES"), "1");
	assert_string_equal(get(list, "EMPTY"), "");
	struct ilab_names names = ilab_worker_ignored_variables(&arena, user);
	assert_int_equal(names.count, 5);
	assert_string_equal(names.names[0], "NVIDIA_TF32_OVERRIDE");
	for (size_t i = 0; i < names.count; i++)
		assert_null(strchr(names.names[i], '='));
}

static void nothing_set_is_nothing_ignored(void **state)
{
	char *none[] = { "PATH=/bin", NULL };
	(void)state;
	assert_int_equal(ilab_worker_ignored_variables(&arena, none).count, 0);
	assert_int_equal(ilab_worker_ignored_variables(&arena, NULL).count, 0);
}

static void a_cold_cache_replaces_every_cache(void **state)
{
	char folder[] = "/tmp/iteragpu-lab-test-XXXXXX";
	struct ilab_err err = { 0 };
	char **list;
	(void)state;
	assert_non_null(mkdtemp(folder));
	struct ilab_worker_options options = { .backend = "opencl", .environment = user, .cache_dir = folder, .vendors_dir = "/drivers" };
	assert_int_equal(ilab_worker_environment(&arena, &options, &list, &err), ILAB_OK);
	static const char *const names[] = { "POCL_CACHE_DIR", "MESA_SHADER_CACHE_DIR", "CUDA_CACHE_PATH", "NEO_CACHE_DIR", "AMD_COMGR_CACHE_DIR" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = get(list, names[i]);
		assert_non_null(value);
		assert_int_equal(strncmp(value, folder, strlen(folder)), 0);
		assert_int_equal(access(value, W_OK), 0);
	}
	assert_string_equal(get(list, "OCL_ICD_VENDORS"), "/drivers");
	size_t times = 0;
	for (char **entry = list; *entry; entry++)
		times += !strncmp(*entry, "POCL_CACHE_DIR=", 15) || !strncmp(*entry, "OCL_ICD_VENDORS=", 16);
	assert_int_equal(times, 2);
	assert_int_equal(system(ilab_arena_printf(&arena, "rm -r %s", folder)), 0);
}

static void surroundings_are_what_drivers_use(void **state)
{
	struct ilab_surroundings s;
	(void)state;
	char *isolated[] = { (char *)"OCL_ICD_VENDORS=/one", NULL };
	ilab_worker_surroundings(&arena, isolated, true, &s);
	assert_string_equal(s.opencl_vendors, "/one");         /* the isolated place, and no other */
	assert_null(strchr(s.opencl_vendors_shown, '/'));
	ilab_worker_surroundings(&arena, user, false, &s);
	assert_null(s.opencl_vendors_shown);
	assert_string_equal(s.pocl_cache, "/cache");
	assert_string_equal(s.mesa_cache, "/home/someone/.cache/mesa_shader_cache");
	assert_string_equal(s.nvidia_cache, "/home/someone/.nv/ComputeCache");
	char *bare[] = { NULL };
	ilab_worker_surroundings(&arena, bare, false, &s);
	assert_null(s.pocl_cache);
	assert_null(s.opencl_vendors);
}

static void a_request_arrives_as_it_was_sent(void **state)
{
	struct ilab_request sent = { .measure = true, .backend = "opencl", .module_dir = "/m\"o\\d", .surroundings = { .pocl_cache = "/c" },
		.run = { .open = { .platform_index = 4294967295u, .device_index = 7, .graph = true }, .shape = { INT64_MAX, 2, 3, 4 }, .dtype = ILAB_BF16,
			.gemm = ILAB_GEMM_BUILTIN, .warmup = 0, .repeats = 5, .seed = UINT64_MAX, .verify_rows = 8, .clblast_options = "-x" } };
	struct ilab_request got;
	struct ilab_err err = { 0 };
	cJSON *json = ilab_request_to_json(&sent), *read = NULL;
	(void)state;
	char *line = ilab_json_line(json);
	assert_null(strchr(line, '\n'));
	assert_int_equal(ilab_json_read(line, strlen(line), &read, &err), ILAB_OK);
	assert_int_equal(ilab_request_from_json(read, &arena, &got, &err), ILAB_OK);
	assert_true(got.measure);
	assert_string_equal(got.module_dir, sent.module_dir);
	assert_string_equal(got.run.open.surroundings->pocl_cache, "/c");
	assert_null(got.surroundings.mesa_cache);
	assert_int_equal(got.run.open.platform_index, 4294967295u);
	assert_int_equal(got.run.open.device_index, 7);
	assert_true(got.run.open.graph);
	assert_true(got.run.shape.batch == INT64_MAX && got.run.shape.hidden == 4);
	assert_int_equal(got.run.dtype, ILAB_BF16);
	assert_int_equal(got.run.gemm, ILAB_GEMM_BUILTIN);
	assert_true(got.run.seed == UINT64_MAX);
	assert_int_equal(got.run.repeats, 5);
	assert_string_equal(got.run.clblast_options, "-x");
	cJSON_DeleteItemFromObject(read, "seed");
	assert_int_equal(ilab_request_from_json(read, &arena, &got, &err), ILAB_IO);
	free(line);
	cJSON_Delete(json);
	cJSON_Delete(read);
}

static void an_error_arrives_as_it_was_sent(void **state)
{
	struct ilab_err sent = { 0 }, got = { 0 };
	cJSON *read = NULL;
	(void)state;
	ilab_err_set(&sent, ILAB_REFUSED, "clGetDeviceIDs", -1001, "no \"driver\"");
	cJSON *json = ilab_error_to_json(ILAB_REFUSED, &sent);
	char *line = ilab_json_line(json);
	assert_int_equal(ilab_json_read(line, strlen(line), &read, NULL), ILAB_OK);
	assert_int_equal(ilab_error_from_json(read, &got), ILAB_REFUSED);
	assert_string_equal(got.call, "clGetDeviceIDs");
	assert_int_equal(got.code, -1001);
	assert_string_equal(got.text, "no \"driver\"");
	free(line);
	cJSON_Delete(json);
	cJSON_Delete(read);
}

static int release(void **state)
{
	(void)state;
	ilab_arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_that_change_arithmetic_are_taken_out_and_named),
		cmocka_unit_test(nothing_set_is_nothing_ignored),
		cmocka_unit_test(a_cold_cache_replaces_every_cache),
		cmocka_unit_test(surroundings_are_what_drivers_use),
		cmocka_unit_test(a_request_arrives_as_it_was_sent),
		cmocka_unit_test(an_error_arrives_as_it_was_sent),
	};
	return cmocka_run_group_tests_name("worker environment", tests, NULL, release);
}
