#ifndef CONFORMANCE_H
#define CONFORMANCE_H

/* The conformance suite: every operation of a backend, driven through its table, against values computed on the host in float64 or
 * bit for bit. It knows no backend by name; what a backend refuses with a reason is skipped and the reason printed. */

#include "backend/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct suite {
	const struct ilab_backend *api;
	struct ilab_session *session;
	struct ilab_open_options open;
	bool small;                    /* shapes for an interpreter: 64^3 at most */
};
extern struct suite suite;

/* Fails the test with the error's text unless `call` (which gets &err) succeeds. */
#define MUST(call) do { \
		struct ilab_err err = {0}; \
		if (call) \
			fail_msg("%s: %s", #call, err.text); \
	} while (0)
/* `call` must answer with `status` and a reason. */
#define MUST_ANSWER(status_, call) do { \
		struct ilab_err err = {0}; \
		assert_int_equal(call, status_); \
		assert_int_equal(err.status, status_); \
		assert_true(strlen(err.text) > 10); \
	} while (0)

struct ilab_buffer *take(uint64_t bytes);
void give(struct ilab_buffer *b);
/* The whole buffer in host memory, to be freed. */
void *fetch(struct ilab_buffer *b, uint64_t bytes);
struct ilab_buffer *filled(const struct ilab_tensor *t, uint64_t spare_bytes);
uint64_t tensor_bytes(const struct ilab_tensor *t);

int run_listing(void);
int run_data(void);
int run_memory(void);
int run_products(void);
int run_work(void);

#endif
