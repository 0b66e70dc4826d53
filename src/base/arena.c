#include "base/arena.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)16384)

/* Blocks are never shrunk, moved or reused, so memory from calloc is still zero when it is handed out. */
struct ilab_arena_block {
	struct ilab_arena_block *next;
	size_t used, size;             /* of data[] */
	_Alignas(max_align_t) unsigned char data[];
};

static _Noreturn void out_of_memory(void)
{
	static const char message[] = "iteragpu-lab: out of memory\n";
	ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);
	(void)written;
	_exit(ILAB_FAILED);
}

static struct ilab_arena_block *new_block(size_t bytes)
{
	size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	if (size > SIZE_MAX - sizeof(struct ilab_arena_block))
		out_of_memory();
	struct ilab_arena_block *block = calloc(1, sizeof(*block) + size);
	if (!block)
		out_of_memory();
	block->size = size;
	return block;
}

/* A large request gets a block of its own, behind the head, so that the head's free part stays in use. */
static struct ilab_arena_block *block_for(struct ilab_arena *arena, size_t bytes)
{
	struct ilab_arena_block *head = arena->head;
	if (head && head->size - head->used >= bytes)
		return head;
	struct ilab_arena_block *block = new_block(bytes);
	if (head && bytes > BLOCK_BYTES) {
		block->next = head->next;
		head->next = block;
	} else {
		block->next = head;
		arena->head = block;
	}
	return block;
}

void *ilab_arena_alloc(struct ilab_arena *arena, size_t bytes)
{
	const size_t align = _Alignof(max_align_t);
	if (bytes > SIZE_MAX - align)
		out_of_memory();
	bytes = bytes ? (bytes + align - 1) / align * align : align;
	struct ilab_arena_block *block = block_for(arena, bytes);
	void *memory = block->data + block->used;
	block->used += bytes;
	return memory;
}

char *ilab_arena_strdup(struct ilab_arena *arena, const char *text)
{
	if (!text)
		return NULL;
	size_t bytes = strlen(text) + 1;
	return memcpy(ilab_arena_alloc(arena, bytes), text, bytes);
}

char *ilab_arena_printf(struct ilab_arena *arena, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	char *text = ilab_arena_alloc(arena, length < 0 ? 1 : (size_t)length + 1);
	if (length > 0)
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

void ilab_arena_free(struct ilab_arena *arena)
{
	for (struct ilab_arena_block *block = arena->head, *next; block; block = next) {
		next = block->next;
		free(block);
	}
	arena->head = NULL;
}
