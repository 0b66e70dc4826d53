#include "harness/protocol.h"

#include <stdlib.h>
#include <string.h>

/* Floats as the hexadecimal digits of their bits: exact, NaN and infinity too. */
#define DIGITS 8

cJSON *ilab_sample_to_json(const struct ilab_sample *sample)
{
	static const char hex[] = "0123456789abcdef";
	const size_t count = (size_t)(sample->rows * sample->width);
	cJSON *json = cJSON_CreateObject();
	char *text = malloc(count * DIGITS + 1);
	for (size_t i = 0; text && i < count; i++) {
		uint32_t bits;
		memcpy(&bits, &sample->values[i], sizeof(bits));
		for (size_t d = 0; d < DIGITS; d++)
			text[i * DIGITS + d] = hex[bits >> (28 - 4 * d) & 15];
	}
	if (text)
		text[count * DIGITS] = '\0';
	if (json && text && cJSON_AddItemToObject(json, "rows", ilab_json_u64(sample->rows))
		&& cJSON_AddItemToObject(json, "width", ilab_json_u64(sample->width)) && cJSON_AddStringToObject(json, "values", text)) {
		free(text);
		return json;
	}
	free(text);
	cJSON_Delete(json);
	return NULL;
}

static bool parse_bits(const char *text, uint32_t *out)
{
	*out = 0;
	for (size_t d = 0; d < DIGITS; d++) {
		const char c = text[d];
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
		*out = *out << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return true;
}

bool ilab_sample_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_sample *out)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "values"));
	struct ilab_sample s = { 0 };
	uint64_t count;
	*out = s;
	if (!text || !ilab_json_get_u64(cJSON_GetObjectItemCaseSensitive(json, "rows"), &s.rows)
		|| !ilab_json_get_u64(cJSON_GetObjectItemCaseSensitive(json, "width"), &s.width)
		|| !ilab_checked_mul(s.rows, s.width, &count) || count > SIZE_MAX / DIGITS / 2 || strlen(text) != count * DIGITS)
		return false;
	s.values = ilab_arena_alloc(arena, (size_t)count * sizeof(*s.values) + 1);
	for (size_t i = 0; i < count; i++) {
		uint32_t bits;
		if (!parse_bits(text + i * DIGITS, &bits))
			return false;
		memcpy(&s.values[i], &bits, sizeof(bits));
	}
	*out = s;
	return true;
}
