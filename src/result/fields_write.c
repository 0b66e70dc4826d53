#include "result/fields.h"

#include "base/numtext.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ilab_fields_add(cJSON *object, const char *name, cJSON *item)
{
	if (item != NULL && cJSON_AddItemToObject(object, name, item))
		return true;
	cJSON_Delete(item);
	return false;
}

cJSON *ilab_fields_append(cJSON *array, cJSON *item)
{
	if (array != NULL && item != NULL && cJSON_AddItemToArray(array, item))
		return array;
	cJSON_Delete(array);
	cJSON_Delete(item);
	return NULL;
}

static bool add_string(cJSON *object, const char *name, const char *text)
{
	return ilab_fields_add(object, name, ilab_json_string(text));
}

/* null; with a reason, its sibling. */
static bool add_null(cJSON *object, const char *name, const char *reason)
{
	char sibling[96];

	if (!ilab_fields_add(object, name, cJSON_CreateNull()))
		return false;
	if (reason == NULL)
		return true;
	snprintf(sibling, sizeof sibling, "%s_reason", name);
	return add_string(object, sibling, reason);
}

static bool add_text_or_null(cJSON *object, const char *name, const char *text, const char *reason)
{
	return text != NULL ? add_string(object, name, text) : add_null(object, name, reason);
}

static bool add_text(cJSON *object, const char *name, const struct ilab_text *t)
{
	if (t->reason == NULL && t->value == NULL)
		return add_null(object, name, "unavailable: not reported");
	return t->reason != NULL ? add_null(object, name, t->reason) : add_string(object, name, t->value);
}

static bool add_count(cJSON *object, const char *name, const struct ilab_count *c)
{
	return c->reason != NULL ? add_null(object, name, c->reason) : ilab_fields_add(object, name, ilab_json_u64(c->value));
}

static bool add_real(cJSON *object, const char *name, const struct ilab_real *r)
{
	if (r->reason == NULL && !isfinite(r->value))
		return add_null(object, name, "invalid: not a finite number");
	return r->reason != NULL ? add_null(object, name, r->reason) : ilab_fields_add(object, name, ilab_json_double(r->value));
}

static bool add_median(cJSON *object, const char *name, const struct ilab_real *r)
{
	cJSON *inner;

	if (r->reason != NULL || !isfinite(r->value))
		return add_real(object, name, r);
	inner = cJSON_CreateObject();
	if (inner == NULL || !ilab_fields_add(inner, "median", ilab_json_double(r->value))) {
		cJSON_Delete(inner);
		return false;
	}
	return ilab_fields_add(object, name, inner);
}

static bool add_seed(cJSON *object, const char *name, uint64_t seed)
{
	char text[ILAB_NUMTEXT_SIZE];

	ilab_format_u64(text, sizeof text, seed);
	return add_string(object, name, text);
}

static bool add_strings(cJSON *object, const char *name, const char **strings, size_t count)
{
	cJSON *array = cJSON_CreateArray();

	for (size_t i = 0; i < count && array != NULL; i++)
		array = ilab_fields_append(array, ilab_json_string(strings[i]));
	return ilab_fields_add(object, name, array);
}

static bool add_objects(cJSON *object, const struct ilab_field *f, const char *items, size_t count)
{
	cJSON *array = cJSON_CreateArray();

	for (size_t i = 0; i < count && array != NULL; i++)
		array = ilab_fields_append(array, ilab_fields_object(f->table, items + i * f->element_bytes));
	return ilab_fields_add(object, f->name, array);
}

static bool write_string(cJSON *object, const struct ilab_field *f, const char *text)
{
	if (text == NULL && f->kind == ILAB_FIELD_STRING_OPTIONAL)
		return true;
	return add_text_or_null(object, f->name, text, f->unknown);
}

static bool write_integer(cJSON *object, const struct ilab_field *f, const void *at)
{
	uint64_t v = *(const uint64_t *)at;

	if (f->kind == ILAB_FIELD_U64_OR_NULL && v == 0)
		return add_null(object, f->name, NULL);
	return ilab_fields_add(object, f->name, ilab_json_u64(v));
}

static bool write_index(cJSON *object, const struct ilab_field *f, int64_t v)
{
	return v < 0 ? add_null(object, f->name, f->unknown) : ilab_fields_add(object, f->name, ilab_json_u64((uint64_t)v));
}

static bool write_u128(cJSON *object, const struct ilab_field *f, const void *at)
{
	ilab_u128 v;

	memcpy(&v, at, sizeof v);
	return ilab_fields_add(object, f->name, ilab_json_u128(v));
}

static bool write_field(cJSON *object, const struct ilab_field *f, const void *record)
{
	const char *base = record;
	const void *at = base + f->offset;

	switch (f->kind) {
	case ILAB_FIELD_STRING:
	case ILAB_FIELD_STRING_OPTIONAL:
	case ILAB_FIELD_STRING_OR_NULL:
	case ILAB_FIELD_WORD:
	case ILAB_FIELD_HEX:
		return write_string(object, f, *(const char *const *)at);
	case ILAB_FIELD_TEXT:
		return add_text(object, f->name, at);
	case ILAB_FIELD_U32:
		return ilab_fields_add(object, f->name, ilab_json_u64(*(const uint32_t *)at));
	case ILAB_FIELD_U64:
	case ILAB_FIELD_U64_OR_NULL:
		return write_integer(object, f, at);
	case ILAB_FIELD_U128:
		return write_u128(object, f, at);
	case ILAB_FIELD_SEED:
		return add_seed(object, f->name, *(const uint64_t *)at);
	case ILAB_FIELD_INDEX:
		return write_index(object, f, *(const int64_t *)at);
	case ILAB_FIELD_COUNT:
		return add_count(object, f->name, at);
	case ILAB_FIELD_DOUBLE:
		return ilab_fields_add(object, f->name, ilab_json_double(*(const double *)at));
	case ILAB_FIELD_REAL:
		return add_real(object, f->name, at);
	case ILAB_FIELD_MEDIAN:
		return add_median(object, f->name, at);
	case ILAB_FIELD_BOOL:
		return ilab_fields_add(object, f->name, cJSON_CreateBool(*(const bool *)at));
	case ILAB_FIELD_OBJECT:
		return ilab_fields_add(object, f->name, ilab_fields_object(f->table, at));
	case ILAB_FIELD_STRINGS:
		return add_strings(object, f->name, *(const char **const *)at, *(const size_t *)(base + f->count_offset));
	case ILAB_FIELD_OBJECTS:
		return add_objects(object, f, *(const char *const *)at, *(const size_t *)(base + f->count_offset));
	case ILAB_FIELD_CUSTOM:
		return f->write(object, f, record);
	case ILAB_FIELD_END:
		break;
	}
	return false;
}

bool ilab_fields_write(cJSON *object, const struct ilab_field *table, const void *record)
{
	for (const struct ilab_field *f = table; f->kind != ILAB_FIELD_END; f++)
		if (!write_field(object, f, record))
			return false;
	return true;
}

cJSON *ilab_fields_object(const struct ilab_field *table, const void *record)
{
	cJSON *object = cJSON_CreateObject();

	if (object != NULL && !ilab_fields_write(object, table, record)) {
		cJSON_Delete(object);
		return NULL;
	}
	return object;
}
