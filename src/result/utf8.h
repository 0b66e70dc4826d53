#ifndef ILAB_RESULT_UTF8_H
#define ILAB_RESULT_UTF8_H

#include <stddef.h>

/* Bytes (1 to 4) of the well-formed UTF-8 sequence at `s`, of which `left` bytes may be read; 0 when there is none: stray
 * continuation, overlong form, surrogate, above U+10FFFF, cut off. Source: Unicode standard, table 3-7. */
size_t ilab_utf8_sequence(const char *s, size_t left);

#endif
