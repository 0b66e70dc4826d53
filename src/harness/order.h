#ifndef ILAB_HARNESS_ORDER_H
#define ILAB_HARNESS_ORDER_H

#include <stddef.h>

/* The order in which `views` things are run in round `round` (from 0): indices, each once, into `out`. Two change places in every
 * round, A B B A A B; three or more are rotated by one, so that over as many rounds as there are things each stands at every place
 * once. What drifts with time, a clock or a temperature, then falls on all alike. Pure. */
void ilab_order_round(size_t views, size_t round, size_t *out);

#endif
