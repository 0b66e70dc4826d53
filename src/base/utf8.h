#ifndef ILAB_BASE_UTF8_H
#define ILAB_BASE_UTF8_H

#include <stddef.h>

/* Bytes (1 to 4) of the well-formed UTF-8 sequence at `s`, of which `left` bytes may be read; 0 when there is none: stray
 * continuation, overlong form, surrogate, above U+10FFFF, cut off. Source: Unicode standard, table 3-7. */
size_t ilab_utf8_sequence(const char *s, size_t left);
/* The same where a person may see it: 0 also for what a terminal obeys, C0 controls, DEL and C1 controls (U+0080 to U+009F). */
size_t ilab_utf8_printable(const char *s, size_t left);
/* Make a text printable in place: a byte that belongs to no sequence becomes '?', a control a space for each of its bytes. */
void ilab_utf8_clean(char *text);

#endif
