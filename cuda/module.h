#ifndef ILAB_CUDA_MODULE_H
#define ILAB_CUDA_MODULE_H

/* What the files of cuda/ share. Vendor headers serve for types and for checking prototypes; no vendor library is linked. */

#include "backend/native.h"
#include "backend/native_library.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a toolkit lies when its folder is not in the loader's path. */
#define CUDA_LIBRARY_FOLDER "/usr/local/cuda/lib64"

/* The members of struct native_vendor say what these do (backend/native.h): cuda_load, cuda_compile, cuda_driver_release, cuda_process_memory.
 * The two `describe` load their library and give its name and version, strings in `arena`; false with the reason in `err` where it is missing. */

/* cuda_rt.c */
const struct native_rt *cuda_load(struct ilab_err *err);
/* Does the loaded driver implement this version of CUDA, 1000 * major + 10 * minor? Libraries of the 13 series want a driver of 13. */
bool cuda_driver_is_at_least(int version);

/* cuda_rtc.c */
enum ilab_status cuda_compile(const char *text, const char *label, const char *architecture, void **image, struct ilab_err *err);
bool cuda_rtc_describe(struct ilab_arena *arena, struct ilab_library *out, struct ilab_err *err);

/* cuda_gemm.c */
extern const struct native_gemm cuda_gemm;
bool cuda_gemm_describe(struct ilab_arena *arena, struct ilab_library *out, struct ilab_err *err);

/* cuda_nvml.c */
bool cuda_process_memory(const char *pci_address, uint64_t *bytes);
const char *cuda_driver_release(struct ilab_arena *arena);

#endif
