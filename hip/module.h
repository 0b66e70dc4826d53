#ifndef ILAB_HIP_MODULE_H
#define ILAB_HIP_MODULE_H

/* What the files of hip/ share. Vendor headers serve for types and for checking prototypes; no vendor library is linked. */

#include "backend/native.h"
#include "backend/native_library.h"

#include <stdbool.h>
#include <stddef.h>

/* Where ROCm's own packages put their libraries, which are not always in the loader's path. */
#define HIP_LIBRARY_FOLDER "/opt/rocm/lib"

/* The members of struct native_vendor say what hip_load and hip_compile do (backend/native.h). The two `describe` load their library and give its
 * name and version, strings in `arena`; false with the reason in `err` where it is missing. */

/* hip_rt.c. Libraries of one ROCm release go together: the others are chosen by the series of this one. After hip_load. */
const struct native_rt *hip_load(struct ilab_err *err);
const struct native_library *hip_runtime_library(void);
int hip_series(void);                  /* 5, 6, 7: of the library that is loaded; 0: none is */
const char *hip_version_text(struct ilab_arena *arena);        /* "6.2.41133", in `arena`; NULL: not told */

/* hip_agent.c. "gfx90a" into `name`, of the device at a PCI address ("0000:c1:00.0"); false when the runtime below HIP does not say. */
bool hip_architecture_at(const char *pci_address, char *name, size_t size);

/* hip_rtc.c */
enum ilab_status hip_compile(const char *text, const char *label, const char *architecture, void **image, struct ilab_err *err);
bool hip_rtc_describe(struct ilab_arena *arena, struct ilab_library *out, struct ilab_err *err);

/* hip_gemm.c */
extern const struct native_gemm hip_gemm;
bool hip_gemm_describe(struct ilab_arena *arena, struct ilab_library *out, struct ilab_err *err);

#endif
