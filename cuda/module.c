#include "module.h"

/* The module cuda.so: NVIDIA's words and libraries for the native backend. */

static void libraries(struct ilab_arena *arena, struct ilab_library **found, size_t *found_count, const char ***missing, size_t *missing_count)
{
	bool (*const describe[])(struct ilab_arena *, struct ilab_library *, struct ilab_err *) = { cuda_rtc_describe, cuda_gemm_describe };
	const size_t count = sizeof(describe) / sizeof(describe[0]);
	*found = ilab_arena_alloc(arena, count * sizeof(**found));
	*missing = ilab_arena_alloc(arena, count * sizeof(**missing));
	*found_count = *missing_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct ilab_err err = {0};
		if (describe[i](arena, &(*found)[*found_count], &err))
			++*found_count;
		else
			(*missing)[(*missing_count)++] = ilab_arena_printf(arena, "cuda: %s", err.text);
	}
}

const char native_backend_name[] = "cuda";

const struct native_vendor native_vendor = {
	.platform = "NVIDIA",
	.vendor = "NVIDIA Corporation",
	.api = "CUDA",
	.prelude = "cuda/prelude.h",
	.pool_source = "cuda_mempool",
	.tracked_source = "cuda_tracked",
	.pool_reset = "the pool's high marks are set to 0, by which the driver means the current value",
	.memory_info_name = "cuMemGetInfo",
	.timer_source = "cuda events",
	.timer_resolution_seconds = 0.5e-6,    /* as the driver's documentation states it */
	.gemm = &cuda_gemm,
	.load = cuda_load,
	.driver_release = cuda_driver_release,
	.libraries = libraries,
	.compile = cuda_compile,
	.driver_figures = { { "nvml", true, cuda_process_memory } },
};

/* The one symbol that the program looks for. */
__attribute__((visibility("default"))) const struct ilab_backend *ilab_module_backend(void);
const struct ilab_backend *ilab_module_backend(void)
{
	return &native_backend;
}
