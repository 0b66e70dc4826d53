#include "model/dtype.h"

#include "model/dtype_bits.h"

#include <assert.h>

static const struct { const char *name; size_t bytes; } types[ILAB_DTYPE_COUNT] = {
	[ILAB_F32] = { "float32", 4 },
	[ILAB_TF32] = { "tf32", 4 },
	[ILAB_F16] = { "float16", 2 },
	[ILAB_BF16] = { "bfloat16", 2 },
};

const char *ilab_dtype_name(enum ilab_dtype dtype)
{
	assert((unsigned)dtype < ILAB_DTYPE_COUNT);
	return types[dtype].name;
}

bool ilab_dtype_from_name(const char *name, enum ilab_dtype *out)
{
	for (int i = 0; i < ILAB_DTYPE_COUNT; i++) {
		if (!strcmp(name, types[i].name)) {
			*out = (enum ilab_dtype)i;
			return true;
		}
	}
	return false;
}

size_t ilab_dtype_bytes(enum ilab_dtype dtype)
{
	assert((unsigned)dtype < ILAB_DTYPE_COUNT);
	return types[dtype].bytes;
}

uint32_t ilab_dtype_encode(enum ilab_dtype dtype, float v)
{
	switch (dtype) {
	case ILAB_F16: return ilab_f16_bits(v);
	case ILAB_BF16: return ilab_bf16_bits(v);
	default: return ilab_float_bits(v);
	}
}

float ilab_dtype_decode(enum ilab_dtype dtype, uint32_t bits)
{
	switch (dtype) {
	case ILAB_F16: return ilab_f16_value((uint16_t)bits);
	case ILAB_BF16: return ilab_bf16_value((uint16_t)bits);
	default: return ilab_bits_float(bits);
	}
}

float ilab_dtype_load(enum ilab_dtype dtype, const void *array, size_t i)
{
	if (ilab_dtype_bytes(dtype) == 2)
		return ilab_dtype_decode(dtype, ((const uint16_t *)array)[i]);
	return ((const float *)array)[i];
}
