#ifndef ILAB_RESULT_LAYOUT_H
#define ILAB_RESULT_LAYOUT_H

#include "base/checked.h"
#include "base/text_buffer.h"
#include "result/record.h"

#include <stdint.h>

/* Lines for a terminal of 80 columns. A character counts as one column; numbers have '.' as decimal mark in every locale. Names of files and devices
 * may hold anything: what a terminal obeys is no part of the lines below. */
#define ILAB_LAYOUT_COLUMNS 80
#define ILAB_LAYOUT_KEY 14         /* width of the keys' column */

/* `key`, then the text, wrapped between words under itself. A key longer than its column stands on a line of its own. */
void ilab_layout_pair(struct ilab_text_buffer *b, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Text wrapped between words: the first line after `lead`, the others after as many spaces. */
void ilab_layout_wrap(struct ilab_text_buffer *b, const char *lead, const char *text);

/* The text with spaces to `width` columns, before it, or after it when `width` is negative: printf counts bytes. */
const char *ilab_layout_cell(struct ilab_arena *arena, const char *text, int width);

/* Short texts of figures, owned by `arena`. */
const char *ilab_layout_seconds(struct ilab_arena *arena, double v);       /* "12.500 us" "1.250 s" */
const char *ilab_layout_mib(struct ilab_arena *arena, uint64_t bytes);     /* "0.126", without unit */
const char *ilab_layout_bytes(struct ilab_arena *arena, uint64_t bytes);   /* "8.00 GiB" */
const char *ilab_layout_count(struct ilab_arena *arena, ilab_u128 n, const char *one, const char *many);   /* "1 byte" "2,048 bytes" */
const char *ilab_layout_flops(struct ilab_arena *arena, double v);         /* "2.097 GFLOP/s" */
const char *ilab_layout_short(struct ilab_arena *arena, double v);         /* "2.1e-07" */
const char *ilab_layout_fixed(struct ilab_arena *arena, double v, unsigned decimals);
const char *ilab_layout_grouped(struct ilab_arena *arena, ilab_u128 v);    /* "14,000,000,000" */

#endif
