#include "base/checked.h"

bool ilab_checked_add(uint64_t a, uint64_t b, uint64_t *out)
{
	uint64_t sum;
	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*out = sum;
	return true;
}

bool ilab_checked_mul(uint64_t a, uint64_t b, uint64_t *out)
{
	uint64_t product;
	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*out = product;
	return true;
}

bool ilab_checked_add128(ilab_u128 a, ilab_u128 b, ilab_u128 *out)
{
	ilab_u128 sum = a + b;
	if (sum < a)
		return false;
	*out = sum;
	return true;
}
