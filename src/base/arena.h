#ifndef ILAB_BASE_ARENA_H
#define ILAB_BASE_ARENA_H

#include <stddef.h>

/* Memory that is freed all at once. A record's strings and rows live in one arena, so records are plain structs that are
 * copied by value and never freed field by field. Zero-initialise: `struct ilab_arena a = {0};`
 * Allocation failure ends the process with a message: a tool that cannot get a few kilobytes has nothing better to do. */
struct ilab_arena { struct ilab_arena_block *head; };

void *ilab_arena_alloc(struct ilab_arena *arena, size_t bytes);        /* zeroed, aligned for any type */
char *ilab_arena_strdup(struct ilab_arena *arena, const char *text);   /* NULL stays NULL */
/* Not for %f and %g, which look at the locale: numbers go through base/numtext.h. */
char *ilab_arena_printf(struct ilab_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ilab_arena_free(struct ilab_arena *arena);

#endif
