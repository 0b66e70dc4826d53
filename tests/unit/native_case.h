#ifndef NATIVE_CASE_H
#define NATIVE_CASE_H

/* What the tests test_native*.c share: one session of the native backend over the tests' own vendor (tests/native), opened by a case and closed
 * after it. */

#include "../native/host_vendor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const struct ilab_backend *api = &native_backend;
static struct ilab_session *session;

static inline void open_session(void)
{
	struct ilab_err err = {0};
	if (api->open(&(struct ilab_open_options){0}, &session, &err))
		fail_msg("%s", err.text);
}

static inline void close_session(void)
{
	api->close(session);
	session = NULL;
}

static inline struct ilab_buffer *take(uint64_t bytes)
{
	struct ilab_buffer *b = NULL;
	struct ilab_err err = {0};
	if (api->alloc(session, bytes, &b, &err))
		fail_msg("%s", err.text);
	return b;
}

static inline int set_up(void **state)
{
	(void)state;
	host_vendor_reset();
	return 0;
}

/* Every handle and byte went back. */
static inline int tear_down(void **state)
{
	(void)state;
	vendor.failing = NULL;
	close_session();
	return vendor.live || vendor.used_bytes;
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
