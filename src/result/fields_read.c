#include "result/fields.h"

#include "base/numtext.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_INDEX INT64_MAX

bool ilab_reason_known(const char *reason)
{
	static const char *const codes[] = { "unsupported: ", "unavailable: ", "invalid: ", "too-few-samples: ", "not-run: " };

	for (size_t i = 0; reason != NULL && i < sizeof codes / sizeof *codes; i++)
		if (strncmp(reason, codes[i], strlen(codes[i])) == 0 && reason[strlen(codes[i])] != '\0')
			return true;
	return false;
}

bool ilab_hex_valid(const char *text, unsigned digits)
{
	return text != NULL && strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}

enum ilab_status ilab_fields_fault(const struct ilab_fields_reader *r, const char *name, const char *format, ...)
{
	char what[200];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	return ilab_err_set(r->err, ILAB_IO, NULL, 0, "%s%s%s: %s", r->path, r->path[0] && name != NULL ? "." : "",
		name != NULL ? name : r->path[0] ? "" : "document", what);
}

/* The sibling's name holds at most 64 bytes of the member's: those of the tables are short. */
static const cJSON *reason_of(const cJSON *object, const char *name)
{
	char sibling[96];

	snprintf(sibling, sizeof sibling, "%.64s_reason", name);
	return cJSON_GetObjectItemCaseSensitive(object, sibling);
}

enum ilab_status ilab_fields_reason(struct ilab_fields_reader *r, const cJSON *object, const char *name, const char **reason)
{
	const cJSON *item = reason_of(object, name);

	if (!cJSON_IsString(item))
		return ilab_fields_fault(r, name, "null without %s_reason", name);
	if (!ilab_reason_known(item->valuestring))
		return ilab_fields_fault(r, name, "its reason begins with no known code: %s", item->valuestring);
	*reason = ilab_arena_strdup(r->arena, item->valuestring);
	return ILAB_OK;
}

static enum ilab_status copy_string(struct ilab_fields_reader *r, const cJSON *item, const char *name, const char **out)
{
	if (!cJSON_IsString(item))
		return ilab_fields_fault(r, name, "expected a string");
	*out = ilab_arena_strdup(r->arena, item->valuestring);
	return ILAB_OK;
}

/* Names of members of a nested object, for the time of `body`. */
static size_t enter(struct ilab_fields_reader *r, const char *name, size_t index, bool indexed)
{
	size_t length = strlen(r->path), room = sizeof r->path - length;

	if (indexed)
		snprintf(r->path + length, room, "%s%s[%zu]", length > 0 ? "." : "", name, index);
	else
		snprintf(r->path + length, room, "%s%s", length > 0 ? "." : "", name);
	return length;
}

static void leave(struct ilab_fields_reader *r, size_t length)
{
	r->path[length] = '\0';
}

/* --- one value of each kind: `item` is there and not null -------------------------------------------------------------- */

static enum ilab_status read_word(struct ilab_fields_reader *r, const cJSON *item, const struct ilab_field *f, const char **out)
{
	if (cJSON_IsString(item))
		for (const char *const *word = f->words; *word != NULL; word++)
			if (strcmp(*word, item->valuestring) == 0) {
				*out = *word;
				return ILAB_OK;
			}
	return ilab_fields_fault(r, f->name, "expected a word of the closed list (%s ...)", f->words[0]);
}

static enum ilab_status read_hex(struct ilab_fields_reader *r, const cJSON *item, const struct ilab_field *f, const char **out)
{
	if (!cJSON_IsString(item) || !ilab_hex_valid(item->valuestring, f->digits))
		return ilab_fields_fault(r, f->name, "expected a string of %u lower-case hexadecimal digits", f->digits);
	return copy_string(r, item, f->name, out);
}

static enum ilab_status read_u64(struct ilab_fields_reader *r, const cJSON *item, const char *name, uint64_t max, uint64_t *out)
{
	if (!ilab_json_get_u64(item, out) || *out > max)
		return ilab_fields_fault(r, name, "expected an integer from 0 to %" PRIu64, max);
	return ILAB_OK;
}

/* 0 stands for null in the record. */
static enum ilab_status read_counted(struct ilab_fields_reader *r, const cJSON *item, const char *name, uint64_t *out)
{
	enum ilab_status status = read_u64(r, item, name, UINT64_MAX, out);

	return status == ILAB_OK && *out == 0 ? ilab_fields_fault(r, name, "counts from 1") : status;
}

static enum ilab_status read_u32(struct ilab_fields_reader *r, const cJSON *item, const char *name, uint32_t *out)
{
	uint64_t v;
	enum ilab_status status = read_u64(r, item, name, UINT32_MAX, &v);

	if (status == ILAB_OK)
		*out = (uint32_t)v;
	return status;
}

static enum ilab_status read_index(struct ilab_fields_reader *r, const cJSON *item, const char *name, int64_t *out)
{
	uint64_t v;
	enum ilab_status status = read_u64(r, item, name, MAX_INDEX, &v);

	if (status == ILAB_OK)
		*out = (int64_t)v;
	return status;
}

static enum ilab_status read_u128(struct ilab_fields_reader *r, const cJSON *item, const char *name, void *out)
{
	ilab_u128 v;

	if (!ilab_json_get_u128(item, &v))
		return ilab_fields_fault(r, name, "expected an integer of at most 128 bits");
	memcpy(out, &v, sizeof v);
	return ILAB_OK;
}

/* Canonical digits only: one seed has one text. */
static enum ilab_status read_seed(struct ilab_fields_reader *r, const cJSON *item, const char *name, uint64_t *out)
{
	char again[ILAB_NUMTEXT_SIZE];

	if (cJSON_IsString(item) && ilab_parse_u64(item->valuestring, out) == ILAB_PARSE_OK) {
		ilab_format_u64(again, sizeof again, *out);
		if (strcmp(again, item->valuestring) == 0)
			return ILAB_OK;
	}
	return ilab_fields_fault(r, name, "expected a string of decimal digits");
}

static enum ilab_status read_double(struct ilab_fields_reader *r, const cJSON *item, const char *name, double *out)
{
	if (!ilab_json_get_double(item, out))
		return ilab_fields_fault(r, name, "expected a number");
	return ILAB_OK;
}

static enum ilab_status read_median(struct ilab_fields_reader *r, const cJSON *item, const char *name, double *out)
{
	size_t outer;
	enum ilab_status status;

	if (!cJSON_IsObject(item))
		return ilab_fields_fault(r, name, "expected an object");
	outer = enter(r, name, 0, false);
	status = read_double(r, cJSON_GetObjectItemCaseSensitive(item, "median"), "median", out);
	leave(r, outer);
	return status;
}

static enum ilab_status read_bool(struct ilab_fields_reader *r, const cJSON *item, const char *name, bool *out)
{
	if (!cJSON_IsBool(item))
		return ilab_fields_fault(r, name, "expected true or false");
	*out = cJSON_IsTrue(item);
	return ILAB_OK;
}

static enum ilab_status read_object(struct ilab_fields_reader *r, const cJSON *item, const struct ilab_field *f, void *record)
{
	size_t outer;
	enum ilab_status status;

	if (!cJSON_IsObject(item))
		return ilab_fields_fault(r, f->name, "expected an object");
	outer = enter(r, f->name, 0, false);
	status = ilab_fields_read(r, item, f->table, record);
	leave(r, outer);
	return status;
}

static enum ilab_status read_strings(struct ilab_fields_reader *r, const cJSON *item, const char *name, const char ***strings, size_t *count)
{
	size_t n = (size_t)cJSON_GetArraySize(item), i = 0;

	if (!cJSON_IsArray(item))
		return ilab_fields_fault(r, name, "expected an array");
	*strings = ilab_arena_alloc(r->arena, (n + 1) * sizeof **strings);
	for (const cJSON *child = item->child; child != NULL; child = child->next, i++) {
		if (!cJSON_IsString(child))
			return ilab_fields_fault(r, name, "expected an array of strings");
		(*strings)[i] = ilab_arena_strdup(r->arena, child->valuestring);
	}
	*count = n;
	return ILAB_OK;
}

enum ilab_status ilab_fields_read_objects(struct ilab_fields_reader *r, const cJSON *object, const char *name,
	const struct ilab_field *table, size_t element_bytes, void **items, size_t *count)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, name);
	size_t i = 0;
	char *at;

	if (!cJSON_IsArray(array))
		return ilab_fields_fault(r, name, array == NULL ? "missing" : "expected an array");
	*count = (size_t)cJSON_GetArraySize(array);
	*items = at = ilab_arena_alloc(r->arena, (*count + 1) * element_bytes);
	for (const cJSON *child = array->child; child != NULL; child = child->next, i++) {
		size_t outer = enter(r, name, i, true);
		enum ilab_status status = cJSON_IsObject(child) ? ilab_fields_read(r, child, table, at + i * element_bytes)
			: ilab_fields_fault(r, NULL, "expected an object");
		if (status != ILAB_OK)
			return status;
		leave(r, outer);
	}
	return ILAB_OK;
}

/* --- nulls ------------------------------------------------------------------------------------------------------------- */

/* A null that means "does not apply" leaves the zeroed member as it is. */
static enum ilab_status read_null(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *at)
{
	const char *ignored;

	switch (f->kind) {
	case ILAB_FIELD_STRING_OR_NULL:
	case ILAB_FIELD_U64_OR_NULL:
		if (reason_of(object, f->name) != NULL)
			return ilab_fields_fault(r, f->name, "a null that means \"does not apply\" has no reason");
		return ILAB_OK;
	case ILAB_FIELD_TEXT:
		return ilab_fields_reason(r, object, f->name, &((struct ilab_text *)at)->reason);
	case ILAB_FIELD_COUNT:
		return ilab_fields_reason(r, object, f->name, &((struct ilab_count *)at)->reason);
	case ILAB_FIELD_REAL:
	case ILAB_FIELD_MEDIAN:
		return ilab_fields_reason(r, object, f->name, &((struct ilab_real *)at)->reason);
	case ILAB_FIELD_INDEX:
		*(int64_t *)at = -1;
		return ilab_fields_reason(r, object, f->name, &ignored);
	case ILAB_FIELD_STRING:
	case ILAB_FIELD_WORD:
	case ILAB_FIELD_HEX:
		if (r->partial && reason_of(object, f->name) == NULL)
			return ILAB_OK;
		if (f->unknown != NULL)
			return ilab_fields_reason(r, object, f->name, &ignored);
		break;
	default:
		break;
	}
	return ilab_fields_fault(r, f->name, "must not be null");
}

static enum ilab_status read_value(struct ilab_fields_reader *r, const cJSON *item, const struct ilab_field *f, char *base)
{
	void *at = base + f->offset;

	switch (f->kind) {
	case ILAB_FIELD_STRING:
	case ILAB_FIELD_STRING_OPTIONAL:
	case ILAB_FIELD_STRING_OR_NULL:
		return copy_string(r, item, f->name, at);
	case ILAB_FIELD_WORD:
		return read_word(r, item, f, at);
	case ILAB_FIELD_HEX:
		return read_hex(r, item, f, at);
	case ILAB_FIELD_TEXT:
		return copy_string(r, item, f->name, &((struct ilab_text *)at)->value);
	case ILAB_FIELD_U32:
		return read_u32(r, item, f->name, at);
	case ILAB_FIELD_U64:
		return read_u64(r, item, f->name, UINT64_MAX, at);
	case ILAB_FIELD_U64_OR_NULL:
		return read_counted(r, item, f->name, at);
	case ILAB_FIELD_U128:
		return read_u128(r, item, f->name, at);
	case ILAB_FIELD_SEED:
		return read_seed(r, item, f->name, at);
	case ILAB_FIELD_INDEX:
		return read_index(r, item, f->name, at);
	case ILAB_FIELD_COUNT:
		return read_u64(r, item, f->name, UINT64_MAX, &((struct ilab_count *)at)->value);
	case ILAB_FIELD_DOUBLE:
		return read_double(r, item, f->name, at);
	case ILAB_FIELD_REAL:
		return read_double(r, item, f->name, &((struct ilab_real *)at)->value);
	case ILAB_FIELD_MEDIAN:
		return read_median(r, item, f->name, &((struct ilab_real *)at)->value);
	case ILAB_FIELD_BOOL:
		return read_bool(r, item, f->name, at);
	case ILAB_FIELD_OBJECT:
		return read_object(r, item, f, at);
	case ILAB_FIELD_STRINGS:
		return read_strings(r, item, f->name, at, (size_t *)(void *)(base + f->count_offset));
	default:
		return ilab_fields_fault(r, f->name, "no reader for this kind");
	}
}

/* --- limits ------------------------------------------------------------------------------------------------------------ */

static bool is_filled(const struct ilab_field *f, const char *base)
{
	const void *at = base + f->offset;

	switch (f->kind) {
	case ILAB_FIELD_STRINGS:
		for (size_t i = 0; i < *(const size_t *)(const void *)(base + f->count_offset); i++)
			if ((*(const char **const *)at)[i][0] == '\0')
				return false;
		return true;
	case ILAB_FIELD_TEXT:
		return ((const struct ilab_text *)at)->value[0] != '\0';
	default:
		return (*(const char *const *)at)[0] != '\0';
	}
}

static enum ilab_status check_limit(const struct ilab_fields_reader *r, const struct ilab_field *f, const char *base)
{
	const void *at = base + f->offset;

	if (f->limit == ILAB_LIMIT_NONE)
		return ILAB_OK;
	if (f->limit == ILAB_LIMIT_FILLED)
		return is_filled(f, base) ? ILAB_OK : ilab_fields_fault(r, f->name, "an empty text");
	const double v = f->kind == ILAB_FIELD_DOUBLE ? *(const double *)at : ((const struct ilab_real *)at)->value;
	if (v < 0)
		return ilab_fields_fault(r, f->name, "negative");
	return v == 0 && f->limit == ILAB_LIMIT_ABOVE_ZERO ? ilab_fields_fault(r, f->name, "must be above 0") : ILAB_OK;
}

static enum ilab_status read_field(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, char *base)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, f->name);

	if (f->kind == ILAB_FIELD_CUSTOM)
		return f->read(r, object, f, base);
	if (f->kind == ILAB_FIELD_OBJECTS)
		return ilab_fields_read_objects(r, object, f->name, f->table, f->element_bytes, (void **)(void *)(base + f->offset),
			(size_t *)(void *)(base + f->count_offset));
	if (item == NULL)
		return f->kind == ILAB_FIELD_STRING_OPTIONAL ? ILAB_OK : ilab_fields_fault(r, f->name, "missing");
	if (cJSON_IsNull(item))
		return read_null(r, object, f, base + f->offset);
	if (reason_of(object, f->name) != NULL)
		return ilab_fields_fault(r, f->name, "has a value and also %s_reason", f->name);
	enum ilab_status status = read_value(r, item, f, base);
	return status == ILAB_OK ? check_limit(r, f, base) : status;
}

enum ilab_status ilab_fields_read(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *table, void *record)
{
	for (const struct ilab_field *f = table; f->kind != ILAB_FIELD_END; f++) {
		enum ilab_status status = read_field(r, object, f, record);
		if (status != ILAB_OK)
			return status;
	}
	return ILAB_OK;
}
