#include "harness/protocol.h"

#include "result/parameters.h"

static cJSON *entry_to_json(const struct ilab_tuning_entry *e)
{
	cJSON *json = cJSON_CreateObject();
	if (json && cJSON_AddStringToObject(json, "dtype", ilab_dtype_name(e->dtype)) && ilab_fields_add(json, "m", ilab_json_u64(e->m))
		&& ilab_fields_add(json, "n", ilab_json_u64(e->n)) && ilab_fields_add(json, "k", ilab_json_u64(e->k))
		&& (!e->form || cJSON_AddStringToObject(json, "form", e->form))
		&& ilab_parameters_write(json, "parameters", e->parameters, e->parameter_count))
		return json;
	cJSON_Delete(json);
	return NULL;
}

cJSON *ilab_tuning_use_to_json(const struct ilab_tuning *tuning)
{
	cJSON *json = cJSON_CreateObject(), *entries = cJSON_AddArrayToObject(json, "entries");
	bool good = json && entries && cJSON_AddStringToObject(json, "provider", tuning->provider)
		&& (!tuning->provider_version || cJSON_AddStringToObject(json, "provider_version", tuning->provider_version));
	for (size_t i = 0; good && i < tuning->entry_count; i++) {
		cJSON *entry = entry_to_json(&tuning->entries[i]);
		good = entry && cJSON_AddItemToArray(entries, entry);
		if (!good)
			cJSON_Delete(entry);
	}
	if (good)
		return json;
	cJSON_Delete(json);
	return NULL;
}

static const char *text_of(const cJSON *json, const char *name, struct ilab_arena *arena)
{
	return ilab_arena_strdup(arena, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name)));
}

static bool whole_of(const cJSON *json, const char *name, uint64_t *out)
{
	return ilab_json_get_u64(cJSON_GetObjectItemCaseSensitive(json, name), out);
}

static bool entry_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_tuning_entry *out)
{
	struct ilab_err why = { 0 };
	struct ilab_fields_reader r = { .arena = arena, .err = &why };
	struct ilab_parameter *parameters;
	const char *dtype = text_of(json, "dtype", arena);
	out->form = text_of(json, "form", arena);
	if (!dtype || !ilab_dtype_from_name(dtype, &out->dtype) || !whole_of(json, "m", &out->m) || !whole_of(json, "n", &out->n)
		|| !whole_of(json, "k", &out->k) || ilab_parameters_read(&r, json, "parameters", &parameters, &out->parameter_count))
		return false;
	out->parameters = parameters;
	return true;
}

const struct ilab_tuning *ilab_tuning_use_from_json(const cJSON *json, struct ilab_arena *arena)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "entries");
	struct ilab_tuning *tuning = ilab_arena_alloc(arena, sizeof(*tuning));
	struct ilab_tuning_entry *entries = ilab_arena_alloc(arena, ((size_t)cJSON_GetArraySize(list) + 1) * sizeof(*entries));
	*tuning = (struct ilab_tuning){ .provider = text_of(json, "provider", arena), .entries = entries,
		.provider_version = text_of(json, "provider_version", arena) };
	if (!tuning->provider || !cJSON_IsArray(list))
		return NULL;
	for (const cJSON *item = list->child; item; item = item->next)
		if (!entry_from_json(item, arena, &entries[tuning->entry_count++]))
			return NULL;
	return tuning;
}
