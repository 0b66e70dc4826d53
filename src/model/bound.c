#include "model/bound.h"

#include <math.h>

/* From correct passes of this network with this input rule, widths 64 to 4096: float32 up to 2.6e-6 for one sequential sum, growing with
 * its root; tf32 2.6e-4 with rounded operands and 1.45e-3 with truncated ones; float16 3e-4; bfloat16 2.4e-3. */
double ilab_bound_norm(enum ilab_dtype dtype, const struct ilab_shape *shape, bool half_accumulation)
{
	if (half_accumulation)
		return 3e-2;
	switch (dtype) {
	case ILAB_TF32: return 2.5e-3;
	case ILAB_F16: return 8e-4;
	case ILAB_BF16: return 5e-3;
	case ILAB_F32: break;
	}
	uint64_t longest = shape->width > shape->hidden ? shape->width : shape->hidden;
	return fmax(5e-6, 5e-8 * sqrt((double)longest));
}

double ilab_bound_few(uint64_t elements)
{
	return elements < 256 ? sqrt(256 / (double)elements) : 1;
}

double ilab_bound_sample(enum ilab_dtype dtype, const struct ilab_shape *shape, bool half_accumulation, uint64_t rows)
{
	return ilab_bound_norm(dtype, shape, half_accumulation) * ilab_bound_few(rows * shape->width);
}

uint64_t ilab_bound_blocks(uint64_t width)
{
	return (width - 1) / ILAB_BOUND_BLOCK + 1;
}

/* How small a fault the projection sees. Rounding errors of the second layer, seen through random signs, add up like a random walk: their
 * sum over a block is normal with a deviation of about the block's own relative error times its norm. With storage roundoff u that is
 * 0.42 u for one rounding of y and 0.6 u for two (a product stored before its bias is added): 1.7e-3 and 2.4e-3 in bfloat16 (u = 2^-8),
 * 2.1e-4 and 2.9e-4 in float16 (u = 2^-11), at most 2e-6 in float32. Three times the bound is thus six deviations or more, which no row
 * of a correct output reaches (two in a thousand million).
 * An element that is off by d moves its block's sum by d, whatever the signs. It is seen when d passes 3 bound times the norm of the block,
 * and that norm is sqrt(columns) times the root mean square of its elements, 32 for a full block of 1024 columns. So, in units of that root
 * mean square: 0.48 in bfloat16, 0.08 in float16, 0.24 in tf32, and 5e-4 in float32. */
double ilab_bound_projection(enum ilab_dtype dtype, const struct ilab_shape *shape, bool half_accumulation)
{
	return 3 * ilab_bound_norm(dtype, shape, half_accumulation) * ilab_bound_few(shape->width / ilab_bound_blocks(shape->width));
}

double ilab_bound_scale(double norm, uint64_t n)
{
	return fmax(norm, ILAB_BOUND_LEAST_RMS * sqrt((double)n));
}

double ilab_bound_element(const struct ilab_shape *shape)
{
	const double width = (double)shape->width, hidden = (double)shape->hidden;
	const double rounded = 1 + 0x1p-7;     /* each stored value may have been rounded up, at most by this in bfloat16 */
	const double unit = (width + 1) / sqrt(width) * rounded * rounded;     /* inputs within 1, weights and bias within 1/sqrt(width) */

	return (hidden * unit + 1) / sqrt(hidden) * rounded * rounded;
}
