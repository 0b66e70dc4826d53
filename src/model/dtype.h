#ifndef ILAB_MODEL_DTYPE_H
#define ILAB_MODEL_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Storage types. tf32 is stored as float32 and multiplied by tensor cores with 10 mantissa bits. */
enum ilab_dtype { ILAB_F32, ILAB_TF32, ILAB_F16, ILAB_BF16 };
#define ILAB_DTYPE_COUNT 4

const char *ilab_dtype_name(enum ilab_dtype dtype);                    /* "float32" "tf32" "float16" "bfloat16" */
bool ilab_dtype_from_name(const char *name, enum ilab_dtype *out);
size_t ilab_dtype_bytes(enum ilab_dtype dtype);                        /* bytes of a stored element: 4 or 2 */

/* The stored bits of `v`, zero-extended, and the value that stored bits hold. Into 16 bits to nearest even, in integer arithmetic (dtype_bits.h):
 * overflow gives infinity, NaN stays NaN. */
uint32_t ilab_dtype_encode(enum ilab_dtype dtype, float v);
float ilab_dtype_decode(enum ilab_dtype dtype, uint32_t bits);
/* Element `i` of an array in host memory, as float. */
float ilab_dtype_load(enum ilab_dtype dtype, const void *array, size_t i);

#endif
