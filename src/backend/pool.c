#include "backend/pool.h"

#include <assert.h>
#include <stdlib.h>

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void unlink_block(struct ilab_pool *pool, struct ilab_buffer *block)
{
	struct ilab_buffer **at = &pool->blocks;
	while (*at != block)
		at = &(*at)->next;
	*at = block->next;
}

static void push_block(struct ilab_pool *pool, struct ilab_buffer *block)
{
	block->next = pool->blocks;
	pool->blocks = block;
}

static struct ilab_buffer *cached_block(const struct ilab_pool *pool, uint64_t bytes)
{
	struct ilab_buffer *b = pool->blocks;
	while (b && (b->in_use || b->bytes != bytes))
		b = b->next;
	return b;
}

static enum ilab_status new_block(struct ilab_pool *pool, uint64_t bytes, struct ilab_buffer **out, struct ilab_err *err)
{
	struct ilab_buffer *block = calloc(1, sizeof(*block));
	if (!block)
		return ilab_err_set(err, ILAB_FAILED, "calloc", 0, "out of host memory");
	bool no_memory = false;
	struct ilab_err first = {0};
	enum ilab_status status = pool->create(pool->user, bytes, &block->handle, &no_memory, &first);
	if (status && no_memory && pool->reserved_bytes > pool->allocated_bytes) {
		/* Cached blocks may be what is in the way. */
		ilab_pool_trim(pool);
		ilab_err_clear(&first);
		status = pool->create(pool->user, bytes, &block->handle, &no_memory, &first);
	}
	if (status) {
		free(block);
		return ilab_err_set(err, status, first.call, first.code, "%s", first.text);
	}
	block->bytes = bytes;
	push_block(pool, block);
	pool->reserved_bytes += bytes;
	pool->peak_reserved_bytes = max_u64(pool->peak_reserved_bytes, pool->reserved_bytes);
	*out = block;
	return ILAB_OK;
}

enum ilab_status ilab_pool_alloc(struct ilab_pool *pool, uint64_t bytes, struct ilab_buffer **out, struct ilab_err *err)
{
	if (bytes == 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "a device allocation of 0 bytes was asked for");
	struct ilab_buffer *block = cached_block(pool, bytes);
	if (!block) {
		enum ilab_status status = new_block(pool, bytes, &block, err);
		if (status)
			return status;
	}
	block->in_use = true;
	pool->allocated_bytes += bytes;
	pool->peak_allocated_bytes = max_u64(pool->peak_allocated_bytes, pool->allocated_bytes);
	*out = block;
	return ILAB_OK;
}

void ilab_pool_free(struct ilab_pool *pool, struct ilab_buffer *buffer)
{
	if (!buffer)
		return;
	assert(buffer->in_use);
	buffer->in_use = false;
	pool->allocated_bytes -= buffer->bytes;
	unlink_block(pool, buffer);
	push_block(pool, buffer);
}

static void drop_blocks(struct ilab_pool *pool, bool used_too)
{
	struct ilab_buffer **at = &pool->blocks;
	while (*at) {
		struct ilab_buffer *block = *at;
		if (block->in_use && !used_too) {
			at = &block->next;
			continue;
		}
		*at = block->next;
		pool->reserved_bytes -= block->bytes;
		if (block->in_use)
			pool->allocated_bytes -= block->bytes;
		pool->destroy(pool->user, block->handle);
		free(block);
	}
}

void ilab_pool_trim(struct ilab_pool *pool)
{
	drop_blocks(pool, false);
}

void ilab_pool_reset_peaks(struct ilab_pool *pool)
{
	pool->peak_allocated_bytes = pool->allocated_bytes;
	pool->peak_reserved_bytes = pool->reserved_bytes;
}

void ilab_pool_close(struct ilab_pool *pool)
{
	drop_blocks(pool, true);
}
