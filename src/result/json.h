#ifndef ILAB_RESULT_JSON_H
#define ILAB_RESULT_JSON_H

#include "base/arena.h"
#include "base/checked.h"
#include "base/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exact JSON over cJSON, which keeps doubles only, accepts what RFC 8259 does not, and prints numbers with loss. Everything the
 * program writes or reads goes through here. */

#define ILAB_JSON_MAX_DEPTH 64
#define ILAB_JSON_MAX_BYTES (256u << 20)

/* Numbers exact as written. NaN and infinity are mistakes of ours (assert). */
cJSON *ilab_json_u64(uint64_t v);
cJSON *ilab_json_u128(ilab_u128 v);
cJSON *ilab_json_double(double v);
/* A string; bytes that are not UTF-8 (a file argument, a driver's name) become U+FFFD, so that what is written can be read. */
cJSON *ilab_json_string(const char *text);

/* Text of a tree: two-space indentation and a final newline, or one line without newline. malloc'd; NULL when memory runs out. */
char *ilab_json_text(const cJSON *json);
char *ilab_json_line(const cJSON *json);

/* Strict reading: RFC 8259 grammar, UTF-8 without byte order mark, no duplicate names (compared as decoded), no NUL, no number
 * beyond a double's range, depth and size within the limits above, no text after the value. Numbers keep their text (as
 * cJSON_Raw items, which print unchanged): read them with the accessors below, never through valuedouble. ILAB_IO with line and
 * column. Free with cJSON_Delete. */
enum ilab_status ilab_json_read(const char *text, size_t bytes, cJSON **out, struct ilab_err *err);

/* Of a tree made by ilab_json_read or by the writers above. False when it is something else or out of range. A program that keeps every number
 * in a double may have saved an integer with a point or an exponent ("16.0"): up to 2^53 it is read as the integer that it is. `item` may be
 * NULL. */
const char *ilab_json_number_text(const cJSON *item);   /* as written; NULL when it is no number */
const char *ilab_json_integer_text(const cJSON *item, char *buf);   /* digits, '-' before them if need be; `buf` has ILAB_NUMTEXT_SIZE. NULL: no integer */
bool ilab_json_get_u64(const cJSON *item, uint64_t *out);
bool ilab_json_get_u128(const cJSON *item, ilab_u128 *out);
bool ilab_json_get_double(const cJSON *item, double *out);

/* What was read, as this program writes it: `ours` is what it writes for the record that it read. Numbers get its form, known members its order;
 * members that `ours` lacks stay as and where they are. A document that another program saved again without loss gets its first bytes back.
 * NULL when memory runs out. */
cJSON *ilab_json_canonical(const cJSON *read, const cJSON *ours);

#endif
