#ifndef ILAB_BASE_CHECKED_H
#define ILAB_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

/* Unsigned arithmetic that notices overflow. Each returns false, and leaves *out untouched, when the exact result does not
 * fit. */
bool ilab_checked_add(uint64_t a, uint64_t b, uint64_t *out);
bool ilab_checked_mul(uint64_t a, uint64_t b, uint64_t *out);

/* 128-bit unsigned integers: 2^63-1 parameters of 64 bits are 73,786,976,294,838,206,456 bytes. */
typedef unsigned __int128 ilab_u128;

#endif
