#include "harness/order.h"

void ilab_order_round(size_t views, size_t round, size_t *out)
{
	for (size_t i = 0; i < views; i++)
		out[i] = (i + round) % views;
}
