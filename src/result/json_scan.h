#ifndef ILAB_RESULT_JSON_SCAN_H
#define ILAB_RESULT_JSON_SCAN_H

#include "base/err.h"

#include <stddef.h>

/* The strict half of reading JSON: says whether a text is one value of RFC 8259 within our limits, and where its numbers and its
 * member names stand. cJSON then builds the tree; see json.c. */

struct ilab_json_span { size_t offset, bytes; };
struct ilab_json_spans { struct ilab_json_span *at; size_t count, room; };

struct ilab_json_scan {
	struct ilab_json_spans numbers;   /* in the order of the text */
	struct ilab_json_spans names;     /* member names with their quotes, in the order of the text */
};

/* ILAB_IO with line and column of the first fault; ILAB_FAILED when memory runs out. The caller frees `out` whatever the outcome. */
enum ilab_status ilab_json_scan(const char *text, size_t bytes, struct ilab_json_scan *out, struct ilab_err *err);
void ilab_json_scan_free(struct ilab_json_scan *scan);

/* ILAB_IO: "line L, column C: WHAT". Columns count bytes from 1. */
enum ilab_status ilab_json_fault(const char *text, size_t offset, const char *what, struct ilab_err *err);

#endif
