#ifndef HOST_KERNELS_H
#define HOST_KERNELS_H

#include "backend/native.h"

/* The kernels of cl/ and the matrix library, in plain C. "Machine code" is the label of the program that was compiled. */
enum ilab_status host_compile(const char *text, const char *label, const char *architecture, void **image, struct ilab_err *err);
int host_module_load(void **module, const void *image);
int host_module_unload(void *module);
int host_module_function(void **function, void *module, const char *name);
int host_kernel_run(void *function, unsigned blocks, void **arguments);

extern const struct native_gemm host_gemm;

#endif
