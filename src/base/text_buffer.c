#include "base/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void reserve(struct ilab_text_buffer *b, size_t more)
{
	if (b->text && b->length + more < b->size)
		return;
	size_t size = 2 * (b->length + more) + 1024;
	char *text = ilab_arena_alloc(b->arena, size);
	if (b->text)
		memcpy(text, b->text, b->length);
	b->text = text;
	b->size = size;
}

void ilab_text_add(struct ilab_text_buffer *b, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	reserve(b, (size_t)length + 1);
	va_start(args, format);
	vsnprintf(b->text + b->length, b->size - b->length, format, args);
	va_end(args);
	b->length += (size_t)length;
}
