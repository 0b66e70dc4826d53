#include "module.h"

#include "device/amdgpu.h"

/* The module hip.so: AMD's words and libraries for the native backend. Builds for tests, which run over fakes or over another vendor's driver, have
 * another name: the program knows no backend of it, so nothing that they do can become a document of this one. */
#ifndef HIP_BACKEND_NAME
#define HIP_BACKEND_NAME "hip"
#define HIP_PLATFORM "AMD"
#define HIP_PRELUDE "hip/prelude.h"
#endif

static void libraries(struct ilab_arena *arena, struct ilab_library **found, size_t *found_count, const char ***missing, size_t *missing_count)
{
	bool (*const describe[])(struct ilab_arena *, struct ilab_library *, struct ilab_err *) = { hip_rtc_describe, hip_gemm_describe };
	const size_t count = sizeof(describe) / sizeof(describe[0]);
	const char *trouble = ilab_amdgpu_trouble(arena);
	*found = ilab_arena_alloc(arena, count * sizeof(**found));
	*missing = ilab_arena_alloc(arena, (count + 1) * sizeof(**missing));
	*found_count = *missing_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct ilab_err err = {0};
		if (describe[i](arena, &(*found)[*found_count], &err))
			++*found_count;
		else
			(*missing)[(*missing_count)++] = ilab_arena_printf(arena, "hip: %s", err.text);
	}
	if (trouble)
		(*missing)[(*missing_count)++] = ilab_arena_printf(arena, "hip: %s", trouble);
}

const char native_backend_name[] = HIP_BACKEND_NAME;

const struct native_vendor native_vendor = {
	.platform = HIP_PLATFORM,
	.vendor = "Advanced Micro Devices, Inc.",
	.api = "HIP",
	.prelude = HIP_PRELUDE,
	.pool_source = "hip_mempool",
	.tracked_source = "hip_tracked",
	.pools_vary = true,
	.pool_reset = "the pool's high marks are set to 0; its value at that moment counts as a mark too, because the pool raises a mark only when it allocates",
	.memory_info_name = "hipMemGetInfo",
	.timer_source = "hip events",
	.timer_resolution_seconds = 1e-6,      /* the elapsed time is documented to be about that exact */
	.gemm = &hip_gemm,
	.load = hip_load,
	.driver_release = ilab_amdgpu_release,
	.libraries = libraries,
	.compile = hip_compile,
	.driver_figures = { { "kfd", true, ilab_amdgpu_own_memory }, { "amdgpu_sysfs", false, ilab_amdgpu_used_memory } },
};

/* The one symbol that the program looks for. */
__attribute__((visibility("default"))) const struct ilab_backend *ilab_module_backend(void);
const struct ilab_backend *ilab_module_backend(void)
{
	return &native_backend;
}
