#ifndef ILAB_MODEL_DTYPE_BITS_H
#define ILAB_MODEL_DTYPE_BITS_H

#include "model/dtype.h"

#include <string.h>

/* The conversions behind dtype.h, inline for loops over millions of elements: to nearest even, in integer arithmetic only. Overflow gives infinity,
 * NaN stays NaN. */

static inline uint32_t ilab_float_bits(float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static inline float ilab_bits_float(uint32_t bits)
{
	float v;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Shift right by 1 to 24 places, rounding to nearest even. */
static inline uint32_t ilab_shift_rne(uint32_t v, unsigned places)
{
	return (v + ((1u << (places - 1)) - 1) + ((v >> places) & 1)) >> places;
}

static inline uint16_t ilab_f16_bits(float v)
{
	const uint32_t bits = ilab_float_bits(v), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
	if (magnitude >= 0x38800000u && magnitude < 0x477ff000u)       /* 2^-14 up to 65520: normal, rebias the exponent */
		return (uint16_t)(sign | ilab_shift_rne(magnitude - 0x38000000u, 13));
	if (magnitude <= 0x33000000u)                                   /* up to 2^-25, half the smallest denormal */
		return (uint16_t)sign;
	if (magnitude < 0x38800000u)                                    /* denormal: a count of 2^-24 */
		return (uint16_t)(sign | ilab_shift_rne((magnitude & 0x7fffffu) | 0x800000u, 126 - (magnitude >> 23)));
	if (magnitude > 0x7f800000u)                                    /* NaN: quiet, with the top of its payload */
		return (uint16_t)(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
	return (uint16_t)(sign | 0x7c00u);
}

static inline float ilab_f16_value(uint16_t half)
{
	const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = (half >> 10) & 0x1fu, mantissa = half & 0x3ffu;
	if (exponent == 0)
		return ilab_bits_float(sign | ilab_float_bits((float)mantissa * 0x1p-24f));
	if (exponent == 31)
		return ilab_bits_float(sign | 0x7f800000u | (mantissa << 13));
	return ilab_bits_float(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

static inline uint16_t ilab_bf16_bits(float v)
{
	const uint32_t bits = ilab_float_bits(v);
	if ((bits & 0x7fffffffu) > 0x7f800000u)                         /* NaN: rounding could turn it into infinity */
		return (uint16_t)((bits >> 16) | 0x40u);
	return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

static inline float ilab_bf16_value(uint16_t half)
{
	return ilab_bits_float((uint32_t)half << 16);
}

#endif
