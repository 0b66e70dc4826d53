#include "base/clock.h"

#include <assert.h>
#include <time.h>

static uint64_t nanoseconds(struct timespec t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t ilab_clock_ns(void)
{
	struct timespec now;
	int failed = clock_gettime(CLOCK_MONOTONIC, &now);
	assert(!failed);
	(void)failed;
	return nanoseconds(now);
}

double ilab_clock_resolution_seconds(void)
{
	struct timespec step;
	int failed = clock_getres(CLOCK_MONOTONIC, &step);
	assert(!failed);
	(void)failed;
	return (double)nanoseconds(step) * 1e-9;
}

void ilab_clock_utc(char *buf, size_t size)
{
	assert(size >= ILAB_UTC_SIZE);
	time_t now = time(NULL);
	struct tm utc;
	if (!gmtime_r(&now, &utc) || !strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &utc))
		buf[0] = '\0';
}
