#ifndef ILAB_BASE_NUMTEXT_H
#define ILAB_BASE_NUMTEXT_H

#include "base/checked.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers as text, in and out, with '.' as the decimal mark in every locale. None of these looks at the locale. */

enum ilab_parse { ILAB_PARSE_OK, ILAB_PARSE_EMPTY, ILAB_PARSE_SYNTAX, ILAB_PARSE_RANGE };

/* Whole text must be a decimal unsigned integer: no sign, no space, no trailing characters. Leading zeros are accepted. */
enum ilab_parse ilab_parse_u64(const char *text, uint64_t *out);

/* As above, with an optional suffix: K M G T = 1000^n, Ki Mi Gi Ti = 1024^n. */
enum ilab_parse ilab_parse_u64_suffixed(const char *text, uint64_t *out);

/* Non-negative decimal with at most `places` digits after the point (1 <= places <= 9), as an integer count of 10^-places.
 * "4" -> 4000000000 and "0.5" -> 500000000 at 9 places. More digits, exponents, signs: SYNTAX. */
enum ilab_parse ilab_parse_decimal(const char *text, unsigned places, uint64_t *scaled);

/* Finite JSON number (RFC 8259 grammar), correctly rounded. RANGE when it overflows to infinity. */
enum ilab_parse ilab_parse_double(const char *text, double *out);

/* Writers return the length, as snprintf does, and always terminate when size > 0. ILAB_NUMTEXT_SIZE is enough for each
 * (for ilab_format_fixed up to 1e40 with 18 decimals). */
#define ILAB_NUMTEXT_SIZE 64
size_t ilab_format_u64(char *buf, size_t size, uint64_t v);
size_t ilab_format_u128(char *buf, size_t size, ilab_u128 v);
/* Shortest of up to 17 significant digits that reads back as the same double, as a JSON number: plain from 1e-5 to below
 * 1e16 ("100", "0.25"), with an exponent outside ("1e+16"). `v` must be finite. */
size_t ilab_format_double(char *buf, size_t size, double v);
/* Fixed number of decimals, for people ("13.0385"); never "-0.00". `v` must be finite. */
size_t ilab_format_fixed(char *buf, size_t size, double v, unsigned decimals);
/* 16 lower-case hexadecimal digits. */
size_t ilab_format_hex64(char *buf, size_t size, uint64_t v);

#endif
