#include "backend/native_session.h"

/* Some releases of a driver count whole pages, or freed memory twice, or keep nothing of what is freed whatever they are told. Such a pool is not
 * used: its figures would be wrong, or each pass would wait for the driver's own allocator. */

static bool shows(const struct native_rt *rt, void *pool, uint64_t used, uint64_t used_high, uint64_t least_reserved)
{
	uint64_t value[4];
	for (int i = 0; i < 4; i++)
		if (rt->pool_counter(pool, (enum native_pool_counter)i, &value[i]))
			return false;
	return value[NATIVE_USED] == used && value[NATIVE_USED_HIGH] == used_high && value[NATIVE_RESERVED] >= least_reserved &&
		value[NATIVE_RESERVED_HIGH] == value[NATIVE_RESERVED];
}

bool native_pool_counts_right(const struct native_rt *rt, void *pool)
{
	enum { SMALL = (1 << 20) + 1, LARGE = (3 << 20) + 513, BOTH = SMALL + LARGE };
	native_ptr small = 0, large = 0;
	bool right = !rt->pool_alloc(&small, SMALL, pool, NULL) && !rt->pool_alloc(&large, LARGE, pool, NULL) && shows(rt, pool, BOTH, BOTH, BOTH);
	if (large)
		right &= !rt->pool_free(large, NULL) && shows(rt, pool, SMALL, BOTH, BOTH);
	large = 0;
	right = right && !rt->pool_alloc(&large, LARGE, pool, NULL) && shows(rt, pool, BOTH, BOTH, BOTH);
	if (large)
		right &= !rt->pool_free(large, NULL);
	if (small)
		right &= !rt->pool_free(small, NULL);
	right &= !rt->stream_sync(NULL) && shows(rt, pool, 0, BOTH, BOTH) && !rt->pool_trim(pool);
	return right && !rt->pool_reset(pool, NATIVE_USED_HIGH) && !rt->pool_reset(pool, NATIVE_RESERVED_HIGH);
}
