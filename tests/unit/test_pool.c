/* The caching pool against a device of our own: `room` bytes, a block is its number. */
#include "backend/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

struct device {
	uint64_t room, used;
	int created, destroyed, refused;
	uint64_t size_of[64];
	bool broken;
};

static enum ilab_status device_create(void *user, uint64_t bytes, void **handle, bool *no_memory, struct ilab_err *err)
{
	struct device *d = user;
	if (d->broken)
		return ilab_err_set(err, ILAB_FAILED, "create", -34, "the context is lost");
	if (bytes > d->room - d->used) {
		d->refused++;
		*no_memory = true;
		return ilab_err_set(err, ILAB_FAILED, "create", -4, "out of device memory");
	}
	d->used += bytes;
	d->size_of[d->created] = bytes;
	*handle = &d->size_of[d->created++];
	return ILAB_OK;
}

static void device_destroy(void *user, void *handle)
{
	struct device *d = user;
	d->used -= *(uint64_t *)handle;
	d->destroyed++;
}

static struct ilab_pool pool_on(struct device *d)
{
	return (struct ilab_pool){ .create = device_create, .destroy = device_destroy, .user = d };
}

static void assert_counters(const struct ilab_pool *p, uint64_t allocated, uint64_t reserved, uint64_t peak_allocated, uint64_t peak_reserved)
{
	assert_int_equal(p->allocated_bytes, allocated);
	assert_int_equal(p->reserved_bytes, reserved);
	assert_int_equal(p->peak_allocated_bytes, peak_allocated);
	assert_int_equal(p->peak_reserved_bytes, peak_reserved);
}

static struct ilab_buffer *take(struct ilab_pool *p, uint64_t bytes)
{
	struct ilab_buffer *b = NULL;
	struct ilab_err err = {0};
	assert_int_equal(ilab_pool_alloc(p, bytes, &b, &err), ILAB_OK);
	assert_int_equal(b->bytes, bytes);
	assert_int_equal(*(uint64_t *)b->handle, bytes);
	return b;
}

static void counts_to_the_byte(void **state)
{
	(void)state;
	struct device d = { .room = 1000 };
	struct ilab_pool p = pool_on(&d);
	struct ilab_buffer *a = take(&p, 1), *b = take(&p, 513);
	assert_counters(&p, 514, 514, 514, 514);
	ilab_pool_free(&p, b);
	assert_counters(&p, 1, 514, 514, 514);
	ilab_pool_reset_peaks(&p);
	assert_counters(&p, 1, 514, 1, 514);
	struct ilab_buffer *c = take(&p, 7);
	assert_counters(&p, 8, 521, 8, 521);
	ilab_pool_trim(&p);
	assert_counters(&p, 8, 8, 8, 521);
	ilab_pool_free(&p, a);
	ilab_pool_free(&p, c);
	ilab_pool_free(&p, NULL);
	ilab_pool_close(&p);
	assert_counters(&p, 0, 0, 8, 521);
	assert_int_equal(d.used, 0);
	assert_int_equal(d.created, d.destroyed);
}

static void reuses_only_the_same_size(void **state)
{
	(void)state;
	struct device d = { .room = 1000 };
	struct ilab_pool p = pool_on(&d);
	struct ilab_buffer *a = take(&p, 100), *b = take(&p, 100);
	assert_ptr_not_equal(a, b);
	ilab_pool_free(&p, a);
	struct ilab_buffer *smaller = take(&p, 99);
	assert_ptr_not_equal(smaller, a);
	assert_ptr_equal(take(&p, 100), a);
	ilab_pool_free(&p, a);
	ilab_pool_free(&p, b);
	assert_ptr_equal(take(&p, 100), b);   /* the latest freed is the warmest */
	assert_int_equal(d.created, 3);
	ilab_pool_close(&p);
	assert_int_equal(d.used, 0);
}

static void trims_and_retries_once_when_full(void **state)
{
	(void)state;
	struct device d = { .room = 100 };
	struct ilab_pool p = pool_on(&d);
	ilab_pool_free(&p, take(&p, 80));
	struct ilab_buffer *b = take(&p, 90);   /* fits only after the 80 are given back */
	assert_int_equal(d.refused, 1);
	assert_counters(&p, 90, 90, 90, 90);

	struct ilab_buffer *none = NULL;
	struct ilab_err err = {0};
	assert_int_equal(ilab_pool_alloc(&p, 11, &none, &err), ILAB_FAILED);
	assert_null(none);
	assert_int_equal(err.code, -4);
	assert_int_equal(strncmp(err.text, "out of device memory", 20), 0);
	assert_int_equal(d.refused, 2);         /* nothing cached: no second try */
	assert_counters(&p, 90, 90, 90, 90);
	ilab_pool_free(&p, b);
	ilab_pool_close(&p);
	assert_int_equal(d.used, 0);
}

static void other_failures_keep_the_cache(void **state)
{
	(void)state;
	struct device d = { .room = 100 };
	struct ilab_pool p = pool_on(&d);
	ilab_pool_free(&p, take(&p, 10));
	d.broken = true;
	struct ilab_buffer *none = NULL;
	struct ilab_err err = {0};
	assert_int_equal(ilab_pool_alloc(&p, 20, &none, &err), ILAB_FAILED);
	assert_int_equal(err.code, -34);
	assert_counters(&p, 0, 10, 10, 10);
	assert_non_null(take(&p, 10));          /* the cached block needs no driver */
	ilab_pool_close(&p);
}

static void refuses_zero_bytes(void **state)
{
	(void)state;
	struct device d = { .room = 100 };
	struct ilab_pool p = pool_on(&d);
	struct ilab_buffer *none = NULL;
	struct ilab_err err = {0};
	assert_int_equal(ilab_pool_alloc(&p, 0, &none, &err), ILAB_REFUSED);
	assert_null(none);
	assert_int_equal(d.created, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_to_the_byte),
		cmocka_unit_test(reuses_only_the_same_size),
		cmocka_unit_test(trims_and_retries_once_when_full),
		cmocka_unit_test(other_failures_keep_the_cache),
		cmocka_unit_test(refuses_zero_bytes),
	};
	return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
