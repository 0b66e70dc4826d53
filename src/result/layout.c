#include "result/layout.h"

#include "base/utf8.h"

#include "base/message.h"
#include "base/numtext.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Characters, not bytes: UTF-8 continuation bytes do not count. */
static size_t columns(const char *text, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += (text[i] & 0xC0) != 0x80;
	return n;
}

static void wrap_words(struct ilab_text_buffer *b, size_t indent, const char *text)
{
	size_t at = indent;
	bool first = true;

	for (text += strspn(text, " "); *text != '\0'; first = false) {
		size_t bytes = strcspn(text, " "), width = columns(text, bytes);
		if (!first && at + 1 + width > ILAB_LAYOUT_COLUMNS) {
			ilab_text_add(b, "\n%*s", (int)indent, "");
			at = indent;
			first = true;
		}
		ilab_text_add(b, "%s%.*s", first ? "" : " ", (int)bytes, text);
		at += width + !first;
		text += bytes;
		text += strspn(text, " ");
	}
	ilab_text_add(b, "\n");
}

void ilab_layout_wrap(struct ilab_text_buffer *b, const char *lead, const char *text)
{
	char *clean = ilab_arena_strdup(b->arena, text);

	ilab_utf8_clean(clean);
	ilab_text_add(b, "%s", lead);
	wrap_words(b, columns(lead, strlen(lead)), clean);
}

void ilab_layout_pair(struct ilab_text_buffer *b, const char *key, const char *format, ...)
{
	size_t width = columns(key, strlen(key));
	va_list args;
	char *line;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	line = ilab_arena_alloc(b->arena, (size_t)length + 1);
	va_start(args, format);
	vsnprintf(line, (size_t)length + 1, format, args);
	va_end(args);
	ilab_utf8_clean(line);

	if (width < ILAB_LAYOUT_KEY)
		ilab_text_add(b, "%s%*s", key, (int)(ILAB_LAYOUT_KEY - width), "");
	else
		ilab_text_add(b, "%s\n%*s", key, ILAB_LAYOUT_KEY, "");
	wrap_words(b, ILAB_LAYOUT_KEY, line);
}

const char *ilab_layout_cell(struct ilab_arena *arena, const char *text, int width)
{
	const size_t wanted = (size_t)(width < 0 ? -width : width), now = columns(text, strlen(text));
	const int spaces = now < wanted ? (int)(wanted - now) : 0;

	return width < 0 ? ilab_arena_printf(arena, "%s%*s", text, spaces, "") : ilab_arena_printf(arena, "%*s%s", spaces, "", text);
}

const char *ilab_layout_fixed(struct ilab_arena *arena, double v, unsigned decimals)
{
	char text[400];            /* the largest double has 309 digits before the point */

	ilab_format_fixed(text, sizeof text, v, decimals);
	return ilab_arena_strdup(arena, text);
}

struct unit { double size; const char *name; };

/* In the largest unit that does not exceed `v`; the last one otherwise. */
static const char *scaled(struct ilab_arena *arena, double v, const struct unit *units, size_t count)
{
	size_t i = 0;

	while (i + 1 < count && fabs(v) < units[i].size)
		i++;
	return ilab_arena_printf(arena, "%s %s", ilab_layout_fixed(arena, v / units[i].size, 3), units[i].name);
}

const char *ilab_layout_seconds(struct ilab_arena *arena, double v)
{
	static const struct unit units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" } };

	return v == 0 ? "0 s" : scaled(arena, v, units, sizeof units / sizeof *units);
}

const char *ilab_layout_flops(struct ilab_arena *arena, double v)
{
	static const struct unit units[] = { { 1e15, "PFLOP/s" }, { 1e12, "TFLOP/s" }, { 1e9, "GFLOP/s" }, { 1e6, "MFLOP/s" }, { 1e3, "kFLOP/s" }, { 1, "FLOP/s" } };

	return scaled(arena, v, units, sizeof units / sizeof *units);
}

const char *ilab_layout_count(struct ilab_arena *arena, ilab_u128 n, const char *one, const char *many)
{
	return ilab_arena_printf(arena, "%s %s", ilab_layout_grouped(arena, n), ilab_message_plural(one, many, n > 2 ? 2 : (unsigned long)n));
}

const char *ilab_layout_mib(struct ilab_arena *arena, uint64_t bytes)
{
	double mib = (double)bytes / 0x1p20;

	return ilab_layout_fixed(arena, mib, mib < 1e4 ? 3 : 1);
}

const char *ilab_layout_bytes(struct ilab_arena *arena, uint64_t bytes)
{
	bool gib = bytes >= UINT64_C(1) << 30;

	return ilab_arena_printf(arena, "%s %s", ilab_layout_fixed(arena, (double)bytes / (gib ? 0x1p30 : 0x1p20), 2), gib ? "GiB" : "MiB");
}

const char *ilab_layout_short(struct ilab_arena *arena, double v)
{
	int exponent;
	double mantissa;

	if (v == 0 || (fabs(v) >= 1e-2 && fabs(v) < 1e4))
		return ilab_layout_fixed(arena, v, 4);
	if (fabs(v) < 1e-300)      /* powers of ten end soon after */
		return "below 1e-300";
	exponent = (int)floor(log10(fabs(v)));
	mantissa = v / pow(10, exponent);
	if (fabs(mantissa) >= 9.95) {      /* would be written as 10.0 */
		mantissa /= 10;
		exponent++;
	}
	return ilab_arena_printf(arena, "%se%+03d", ilab_layout_fixed(arena, mantissa, 1), exponent);
}

const char *ilab_layout_grouped(struct ilab_arena *arena, ilab_u128 v)
{
	char digits[ILAB_NUMTEXT_SIZE], *text;
	size_t n = ilab_format_u128(digits, sizeof digits, v), at = 0;

	text = ilab_arena_alloc(arena, n + n / 3 + 1);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	return text;
}
