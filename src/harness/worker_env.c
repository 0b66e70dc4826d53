#include "harness/worker_env.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The fixed list: variables that change what is computed, by which code, or where memory comes from, without the program that
 * computes taking any notice. A name that ends with '*' stands for all names that begin so. Variables that choose devices, print logs
 * or place caches are the user's business and stay. */
static const struct { const char *name, *why; } ignored[] = {
	{ "NVIDIA_TF32_OVERRIDE", "float32 products of CUDA libraries in tf32, or tf32 ones in float32" },
	{ "CUBLAS_EMULAT*", "float32 and float64 products of cuBLAS by emulation with smaller types" },
	{ "CUBLAS_WORKSPACE_CONFIG", "cuBLAS buffers outside our count; other algorithms" },
	{ "NVRTC_PREPEND_FLAGS", "options for every kernel that NVRTC compiles, such as fast mathematics" },
	{ "NVRTC_APPEND_FLAGS", "the same" },
	{ "HIPRTC_COMPILE_OPTIONS_APPEND", "the same for hipRTC" },
	{ "CLBLAST_BUILD_OPTIONS", "options for every kernel of CLBlast, such as fast mathematics" },
	{ "POCL_EXTRA_BUILD_FLAGS", "options for every kernel that PoCL compiles" },
	{ "AMD_OCL_BUILD_OPTIONS*", "options for every kernel that AMD's OpenCL compiles" },
	{ "OCLGRIND_BUILD_OPTIONS", "options for every kernel that Oclgrind compiles" },
	{ "ROCBLAS_INTERNAL_FP16_ALT_IMPL*", "float16 products of rocBLAS through bfloat16 on some devices" },
	{ "ROCBLAS_DEFAULT_ATOMICS_MODE", "results of rocBLAS that change from run to run" },
	{ "ROCBLAS_TENSILE_*", "kernels of rocBLAS from another folder or list" },
	{ "ROCBLAS_USE_HIPBLASLT*", "another library under rocBLAS" },
	{ "ROCBLAS_DEVICE_MEMORY_SIZE", "rocBLAS buffers outside our count" },
	{ "HIPBLASLT_OVERRIDE_COMPUTE_TYPE_XF32", "float32 products in a smaller type" },
	{ "HIPBLASLT_TENSILE_*", "kernels of hipBLASLt from another folder" },
};

/* Where drivers keep compiled kernels; each gets a folder of its own, so that none finds another's files. */
static const struct { const char *variable, *folder; } caches[] = {
	{ "POCL_CACHE_DIR", "pocl" },
	{ "MESA_SHADER_CACHE_DIR", "mesa" },
	{ "MESA_GLSL_CACHE_DIR", "mesa-old" },
	{ "CUDA_CACHE_PATH", "cuda" },
	{ "NEO_CACHE_DIR", "neo" },
	{ "cl_cache_dir", "neo-old" },
	{ "AMD_COMGR_CACHE_DIR", "comgr" },
	{ "XDG_CACHE_HOME", "xdg" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool has_name(const char *entry, const char *pattern)
{
	size_t length = strlen(pattern);
	if (pattern[length - 1] == '*')
		return !strncmp(entry, pattern, length - 1);
	return !strncmp(entry, pattern, length) && entry[length] == '=';
}

static bool is_ignored(const char *entry)
{
	for (size_t i = 0; i < COUNT(ignored); i++)
		if (has_name(entry, ignored[i].name))
			return true;
	return false;
}

static bool is_replaced(const char *entry, const struct ilab_worker_options *options)
{
	for (size_t i = 0; options->cache_dir && i < COUNT(caches); i++)
		if (has_name(entry, caches[i].variable))
			return true;
	return options->vendors_dir && has_name(entry, "OCL_ICD_VENDORS");
}

static size_t length_of(char *const *environment)
{
	size_t n = 0;
	while (environment && environment[n])
		n++;
	return n;
}

struct ilab_names ilab_worker_ignored_variables(struct ilab_arena *arena, char *const *environment)
{
	struct ilab_names out = { ilab_arena_alloc(arena, (length_of(environment) + 1) * sizeof(*out.names)), 0 };
	for (size_t i = 0; i < length_of(environment); i++)
		if (is_ignored(environment[i]))
			out.names[out.count++] = ilab_arena_printf(arena, "%.*s", (int)strcspn(environment[i], "="), environment[i]);
	return out;
}

enum ilab_status ilab_worker_environment(struct ilab_arena *arena, const struct ilab_worker_options *options, char ***out,
	struct ilab_err *err)
{
	size_t count = length_of(options->environment), n = 0;
	char **list = ilab_arena_alloc(arena, (count + COUNT(caches) + 2) * sizeof(*list));
	for (size_t i = 0; i < count; i++)
		if (!is_ignored(options->environment[i]) && !is_replaced(options->environment[i], options))
			list[n++] = options->environment[i];
	for (size_t i = 0; options->cache_dir && i < COUNT(caches); i++) {
		const char *folder = ilab_arena_printf(arena, "%s/%s", options->cache_dir, caches[i].folder);
		if (mkdir(folder, 0700) < 0 && errno != EEXIST)
			return ilab_err_set(err, ILAB_FAILED, "mkdir", errno, "cannot make a folder for a cold cache: %s", ilab_err_errno(errno));
		list[n++] = ilab_arena_printf(arena, "%s=%s", caches[i].variable, folder);
	}
	if (options->vendors_dir)
		list[n++] = ilab_arena_printf(arena, "OCL_ICD_VENDORS=%s", options->vendors_dir);
	*out = list;
	return ILAB_OK;
}

const char *ilab_environment_get(char *const *environment, const char *name)
{
	for (size_t i = 0; i < length_of(environment); i++)
		if (has_name(environment[i], name))
			return environment[i] + strlen(name) + 1;
	return NULL;
}

/* The folder that a variable names, else one below a base folder; NULL when neither is known. */
static const char *folder(struct ilab_arena *arena, char *const *environment, const char *variable, const char *base, const char *below)
{
	const char *value = ilab_environment_get(environment, variable);
	if (value && *value)
		return value;
	return base ? ilab_arena_printf(arena, "%s/%s", base, below) : NULL;
}

void ilab_worker_surroundings(struct ilab_arena *arena, char *const *environment, bool isolated, struct ilab_surroundings *out)
{
	const char *home = ilab_environment_get(environment, "HOME"), *vendors = ilab_environment_get(environment, "OCL_ICD_VENDORS");
	const char *cache = folder(arena, environment, "XDG_CACHE_HOME", home, ".cache");
	*out = (struct ilab_surroundings){
		.opencl_vendors = vendors && *vendors ? vendors : NULL,
		.opencl_vendors_shown = isolated ? "the driver files that were asked" : NULL,
		.pocl_cache = folder(arena, environment, "POCL_CACHE_DIR", cache, "pocl/kcache"),
		.mesa_cache = folder(arena, environment, "MESA_SHADER_CACHE_DIR", cache, "mesa_shader_cache"),
		.nvidia_cache = folder(arena, environment, "CUDA_CACHE_PATH", home, ".nv/ComputeCache"),
		.intel_cache = folder(arena, environment, "NEO_CACHE_DIR", cache, "neo_compiler_cache"),
	};
}
