#ifndef ILAB_BASE_CLOCK_H
#define ILAB_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds: the one host clock of every measurement. */
uint64_t ilab_clock_ns(void);
double ilab_clock_resolution_seconds(void);

/* Now, as RFC 3339 in UTC with seconds ("2026-12-01T06:29:46Z"). `buf` holds at least ILAB_UTC_SIZE bytes. */
#define ILAB_UTC_SIZE 32
void ilab_clock_utc(char *buf, size_t size);

#endif
