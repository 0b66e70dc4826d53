#ifndef HIP_ON_CUDA_MAPPING_H
#define HIP_ON_CUDA_MAPPING_H

/* HIP's names, answered by CUDA: a test of the code that hip.so shares with cuda.so, and of HIP's counter logic, on an NVIDIA GPU. It is no HIP:
 * the prelude, hipRTC, HSA and rocBLAS themselves are not in it, so they are not proven by it. */

#include <stddef.h>

struct mapped { const char *name; void *function; };

/* Each ended by a NULL name. */
extern const struct mapped mapped_runtime[];           /* runtime.c: libamdhip64 */
extern const struct mapped mapped_pools[];             /* pools.c: its memory pools */
extern const struct mapped mapped_compiler[];          /* compiler.c: hipRTC, by NVRTC */
extern const struct mapped mapped_products[];          /* products.c: rocBLAS, by cuBLAS */

#define MAPPED(name) { #name, (void *)name }

#endif
