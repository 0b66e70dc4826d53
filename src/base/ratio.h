#ifndef ILAB_BASE_RATIO_H
#define ILAB_BASE_RATIO_H

#include "base/checked.h"

#include <stddef.h>

/* numerator / denominator as a decimal with `decimals` places (at most 18), computed in integers and rounded half to even: a tie
 * goes to the even last digit. The denominator is not 0 and below 2^124. Returns the length, as snprintf does;
 * ILAB_RATIO_SIZE is enough. */
#define ILAB_RATIO_SIZE 64
size_t ilab_format_ratio(char *buf, size_t size, ilab_u128 numerator, ilab_u128 denominator, unsigned decimals);

#endif
