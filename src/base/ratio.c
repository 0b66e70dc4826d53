#include "base/ratio.h"

#include "base/numtext.h"

#include <assert.h>
#include <stdio.h>

size_t ilab_format_ratio(char *buf, size_t size, ilab_u128 numerator, ilab_u128 denominator, unsigned decimals)
{
	assert(denominator > 0 && denominator >> 124 == 0 && decimals <= 18);
	ilab_u128 whole = numerator / denominator, rest = numerator % denominator;
	uint64_t fraction = 0, scale = 1;
	for (unsigned i = 0; i < decimals; i++) {
		rest *= 10;
		fraction = fraction * 10 + (uint64_t)(rest / denominator);
		scale *= 10;
		rest %= denominator;
	}
	bool odd = decimals ? fraction & 1 : whole & 1;
	if (2 * rest > denominator || (2 * rest == denominator && odd))
		fraction++;
	if (fraction == scale) {       /* also without decimals: scale is 1 */
		fraction = 0;
		whole++;
	}
	char text[ILAB_NUMTEXT_SIZE];
	ilab_format_u128(text, sizeof(text), whole);
	int length = decimals ? snprintf(buf, size, "%s.%0*llu", text, (int)decimals, (unsigned long long)fraction)
		: snprintf(buf, size, "%s", text);
	return (size_t)length;
}
