#ifndef ILAB_BACKEND_POOL_H
#define ILAB_BACKEND_POOL_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A caching pool of device blocks. It knows no API: two callbacks make and destroy a block, so it is tested without a driver.
 *
 * A block is handed out whole and has exactly the size asked for; a freed block is kept and given to the next request of the
 * same size, the latest freed first. Nothing is rounded, split or merged, so the counters are exact:
 *   allocated = bytes of blocks handed out, reserved = bytes of all blocks held (allocated ones too). */

/* What a backend's opaque allocation is when it comes from this pool. Read `handle` and `bytes`; the rest is the pool's. */
struct ilab_buffer {
	void *handle;
	uint64_t bytes;
	bool in_use;
	struct ilab_buffer *next;
};

/* Make a block of `bytes` and store its handle. A device that has no room answers ILAB_FAILED and sets *no_memory: the pool then
 * gives its cached blocks back and tries once more. `err` is clean at each call. */
typedef enum ilab_status ilab_pool_create_fn(void *user, uint64_t bytes, void **handle, bool *no_memory, struct ilab_err *err);
typedef void ilab_pool_destroy_fn(void *user, void *handle);

/* Zero-initialise, then set the first three members. Single-threaded. */
struct ilab_pool {
	ilab_pool_create_fn *create;
	ilab_pool_destroy_fn *destroy;
	void *user;
	struct ilab_buffer *blocks;    /* latest freed or made first */
	uint64_t allocated_bytes, reserved_bytes, peak_allocated_bytes, peak_reserved_bytes;
};

/* `bytes` > 0, else ILAB_REFUSED. The buffer is the pool's; give it back with ilab_pool_free. */
enum ilab_status ilab_pool_alloc(struct ilab_pool *pool, uint64_t bytes, struct ilab_buffer **out, struct ilab_err *err);
void ilab_pool_free(struct ilab_pool *pool, struct ilab_buffer *buffer);   /* NULL is allowed */
void ilab_pool_trim(struct ilab_pool *pool);                              /* destroys the blocks that are not handed out */
void ilab_pool_reset_peaks(struct ilab_pool *pool);                       /* both peaks become the current values */
void ilab_pool_close(struct ilab_pool *pool);                             /* destroys every block, handed out or not */

#endif
