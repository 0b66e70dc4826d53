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

/* Numbers exact as written. NaN and infinity are mistakes of ours (assert). */
cJSON *ilab_json_u64(uint64_t v);
cJSON *ilab_json_u128(ilab_u128 v);
cJSON *ilab_json_double(double v);

/* Text of a tree: two-space indentation and a final newline, or one line without newline. malloc'd; NULL when memory runs out. */
char *ilab_json_text(const cJSON *json);
char *ilab_json_line(const cJSON *json);

/* Strict reading: RFC 8259 grammar, UTF-8, no duplicate names, depth <= 64, no text after the value, no NUL. Numbers keep their
 * text: read them with the accessors below, never through valuedouble. ILAB_IO with line and column. Free with cJSON_Delete. */
enum ilab_status ilab_json_read(const char *text, size_t bytes, cJSON **out, struct ilab_err *err);

/* Of a tree made by ilab_json_read. False when it is something else or out of range. */
bool ilab_json_is_number(const cJSON *item);
bool ilab_json_get_u64(const cJSON *item, uint64_t *out);
bool ilab_json_get_u128(const cJSON *item, ilab_u128 *out);
bool ilab_json_get_double(const cJSON *item, double *out);

#endif
