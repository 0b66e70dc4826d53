#ifndef ILAB_BASE_TEXT_BUFFER_H
#define ILAB_BASE_TEXT_BUFFER_H

#include "base/arena.h"

#include <stddef.h>

/* A text that grows by pieces. Zero-initialise but for `arena`. */
struct ilab_text_buffer { struct ilab_arena *arena; char *text; size_t length, size; };

void ilab_text_add(struct ilab_text_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
