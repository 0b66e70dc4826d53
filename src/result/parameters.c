#include "result/parameters.h"

#include "base/numtext.h"

#include <string.h>

static bool is_integer(const char *text)
{
	const char *digits = text + (*text == '-');
	size_t n = strspn(digits, "0123456789");

	return n > 0 && n < 20 && digits[n] == '\0' && (digits[0] != '0' || (n == 1 && digits == text));
}

bool ilab_parameters_write(cJSON *object, const char *name, const struct ilab_parameter *parameters, size_t count)
{
	cJSON *inner = cJSON_CreateObject();

	for (size_t i = 0; i < count && inner != NULL; i++) {
		const char *value = parameters[i].value;
		cJSON *item = is_integer(value) ? cJSON_CreateRaw(value) : ilab_json_string(value);
		if (!ilab_fields_add(inner, parameters[i].name, item)) {
			cJSON_Delete(inner);
			return false;
		}
	}
	return ilab_fields_add(object, name, inner);
}

enum ilab_status ilab_parameters_read(struct ilab_fields_reader *r, const cJSON *object, const char *name, struct ilab_parameter **out, size_t *count)
{
	const cJSON *inner = cJSON_GetObjectItemCaseSensitive(object, name);
	size_t n = (size_t)cJSON_GetArraySize(inner), i = 0;

	if (!cJSON_IsObject(inner))
		return ilab_fields_fault(r, name, "expected an object");
	*out = ilab_arena_alloc(r->arena, (n + 1) * sizeof **out);
	for (const cJSON *item = inner->child; item != NULL; item = item->next, i++) {
		char buf[ILAB_NUMTEXT_SIZE];
		const char *number = ilab_json_integer_text(item, buf);
		if (number != NULL ? !is_integer(number) : !cJSON_IsString(item))
			return ilab_fields_fault(r, name, "%s: expected a whole number or a word", item->string);
		(*out)[i].name = ilab_arena_strdup(r->arena, item->string);
		(*out)[i].value = ilab_arena_strdup(r->arena, number != NULL ? number : item->valuestring);
	}
	*count = n;
	return ILAB_OK;
}
