#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

/* Lead bytes and what may follow them: only the second byte's range varies. */
static const struct { unsigned char lead_low, lead_high, second_low, second_high, bytes; } forms[] = {
	{ 0xC2, 0xDF, 0x80, 0xBF, 2 },
	{ 0xE0, 0xE0, 0xA0, 0xBF, 3 },
	{ 0xE1, 0xEC, 0x80, 0xBF, 3 },
	{ 0xED, 0xED, 0x80, 0x9F, 3 },
	{ 0xEE, 0xEF, 0x80, 0xBF, 3 },
	{ 0xF0, 0xF0, 0x90, 0xBF, 4 },
	{ 0xF1, 0xF3, 0x80, 0xBF, 4 },
	{ 0xF4, 0xF4, 0x80, 0x8F, 4 },
};

static bool continues(const unsigned char *p, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if ((p[i] & 0xC0) != 0x80)
			return false;
	return true;
}

size_t ilab_utf8_sequence(const char *s, size_t left)
{
	const unsigned char *p = (const unsigned char *)s;

	if (left == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (p[0] < forms[i].lead_low || p[0] > forms[i].lead_high)
			continue;
		if (left < forms[i].bytes || p[1] < forms[i].second_low || p[1] > forms[i].second_high)
			return 0;
		return continues(p, 2, forms[i].bytes) ? forms[i].bytes : 0;
	}
	return 0;
}

static bool is_control(const unsigned char *p, size_t bytes)
{
	return bytes == 1 ? p[0] < 0x20 || p[0] == 0x7f : bytes == 2 && p[0] == 0xc2 && p[1] < 0xa0;
}

size_t ilab_utf8_printable(const char *s, size_t left)
{
	size_t bytes = ilab_utf8_sequence(s, left);

	return bytes && is_control((const unsigned char *)s, bytes) ? 0 : bytes;
}

void ilab_utf8_clean(char *text)
{
	for (size_t left = strlen(text); left > 0;) {
		size_t bytes = ilab_utf8_sequence(text, left);
		if (bytes == 0)
			*text = '?';
		else if (ilab_utf8_printable(text, left) == 0)
			memset(text, ' ', bytes);
		bytes += bytes == 0;
		text += bytes;
		left -= bytes;
	}
}
