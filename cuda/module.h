#ifndef ILAB_CUDA_MODULE_H
#define ILAB_CUDA_MODULE_H

/* What the files of cuda/ share. Vendor headers serve for types and for checking prototypes; no vendor library is linked. */

#include "backend/native.h"

#include <stdbool.h>
#include <stddef.h>

/* A library that is loaded when needed. `names` are tried in order, by soname and then in the toolkit's default folder. */
struct cuda_library {
	const char *const *names;      /* NULL-terminated */
	void *handle;
	const char *loaded;            /* the one of `names` that loaded */
};

/* Load once. ILAB_REFUSED: none of the names; says which and what to install. */
enum ilab_status cuda_library_load(struct cuda_library *library, const char *what, const char *install, struct ilab_err *err);
/* A symbol, or ILAB_REFUSED naming it. `*(void **)&function` of any function pointer may be passed. */
enum ilab_status cuda_library_symbol(const struct cuda_library *library, const char *name, void **out, struct ilab_err *err);

/* Fill a table of function pointers: rows of names and places. */
struct cuda_symbol { const char *name; void **place; };
enum ilab_status cuda_library_symbols(const struct cuda_library *library, const struct cuda_symbol *rows, size_t count, struct ilab_err *err);

/* The first version of libraries that this driver can serve: the 13 series wants a CUDA 13 driver. */
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

/* cuda_rt.c */
const struct native_rt *cuda_load(struct ilab_err *err);

#endif
