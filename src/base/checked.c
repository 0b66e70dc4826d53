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
