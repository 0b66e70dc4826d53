#include "result/tuning.h"

#include "base/message.h"
#include "result/fields.h"
#include "result/layout.h"
#include "result/parameters.h"

#include <string.h>

#define SCHEMA "iteragpu-lab/tuning/1"
#define R(member) offsetof(struct ilab_tuning_record, member)
#define E(member) offsetof(struct ilab_tuned, member)

static const char *const dtypes[] = { "float32", "tf32", "float16", "bfloat16", NULL };
static const char *const providers[] = { "clblast", "builtin", "cublaslt", "rocblas", NULL };

static bool write_parameters(cJSON *object, const struct ilab_field *f, const void *record)
{
	const struct ilab_tuned *e = record;

	return ilab_parameters_write(object, f->name, e->parameters, e->parameter_count);
}

static enum ilab_status read_parameters(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	struct ilab_tuned *e = record;

	return ilab_parameters_read(r, object, f->name, &e->parameters, &e->parameter_count);
}

static const struct ilab_field entry_fields[] = {
	{ "dtype", ILAB_FIELD_WORD, .offset = E(dtype), .words = dtypes },
	{ "m", ILAB_FIELD_U64, .offset = E(m) },
	{ "n", ILAB_FIELD_U64, .offset = E(n) },
	{ "k", ILAB_FIELD_U64, .offset = E(k) },
	{ "parameters", ILAB_FIELD_CUSTOM, .write = write_parameters, .read = read_parameters },
	{ "form", ILAB_FIELD_STRING, .offset = E(form), .limit = ILAB_LIMIT_FILLED },
	{ "median_seconds", ILAB_FIELD_DOUBLE, .offset = E(median_seconds) },
	{ "default_median_seconds", ILAB_FIELD_DOUBLE, .offset = E(default_median_seconds) },
	{ "verified", ILAB_FIELD_BOOL, .offset = E(verified) },
	{ 0 },
};

static const struct ilab_field search_fields[] = {
	{ "seconds", ILAB_FIELD_DOUBLE, .offset = R(search_seconds) },
	{ "candidates", ILAB_FIELD_U64, .offset = R(search_candidates) },
	{ "rejected", ILAB_FIELD_U64, .offset = R(search_rejected) },
	{ 0 },
};

#define P(member) offsetof(struct ilab_tuning_passes, member)

static const struct ilab_field passes_fields[] = {
	{ "pairs", ILAB_FIELD_U64, .offset = P(pairs) },
	{ "median_seconds", ILAB_FIELD_REAL, .offset = P(median_seconds) },
	{ "default_median_seconds", ILAB_FIELD_REAL, .offset = P(default_median_seconds) },
	{ "ratio", ILAB_FIELD_REAL, .offset = P(ratio) },
	{ "ratio_low", ILAB_FIELD_REAL, .offset = P(ratio_low) },
	{ "ratio_high", ILAB_FIELD_REAL, .offset = P(ratio_high) },
	{ 0 },
};

static const struct ilab_field passes_field[] = {
	{ "passes", ILAB_FIELD_OBJECT, .offset = R(passes), .table = passes_fields },
	{ 0 },
};

/* Documents from before whole passes were compared have neither `fastest` nor `passes`. */
static bool write_passes(cJSON *object, const struct ilab_field *f, const void *record)
{
	const struct ilab_tuning_record *t = record;

	(void)f;
	return !t->fastest || ilab_fields_write(object, passes_field, record);
}

static enum ilab_status read_passes(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	const struct ilab_tuning_record *t = record;

	if (t->fastest)
		return ilab_fields_read(r, object, passes_field, record);
	return cJSON_GetObjectItemCaseSensitive(object, f->name) != NULL ? ilab_fields_fault(r, "fastest", "missing, but %s is there", f->name) : ILAB_OK;
}

static const struct ilab_field device_fields[] = {
	{ "identity", ILAB_FIELD_STRING, .offset = R(device_identity), .limit = ILAB_LIMIT_FILLED },
	{ "name", ILAB_FIELD_STRING, .offset = R(device_name) },
	{ "driver_version", ILAB_FIELD_TEXT, .offset = R(driver_version) },
	{ 0 },
};

static const struct ilab_field part_fields[] = {
	{ "provider", ILAB_FIELD_WORD, .offset = R(provider), .words = providers },
	{ "provider_version", ILAB_FIELD_TEXT, .offset = R(provider_version) },
	{ "entries", ILAB_FIELD_OBJECTS, .offset = R(entries), .count_offset = R(entry_count), .element_bytes = sizeof(struct ilab_tuned),
		.table = entry_fields },
	{ "fastest", ILAB_FIELD_STRING_OPTIONAL, .offset = R(fastest) },
	{ "passes", ILAB_FIELD_CUSTOM, .write = write_passes, .read = read_passes },
	{ "search", ILAB_FIELD_OBJECT, .table = search_fields },
	{ 0 },
};

static const struct ilab_field document_fields[] = {
	{ "device", ILAB_FIELD_OBJECT, .table = device_fields },
	{ 0 },
};

cJSON *ilab_tuning_to_json(const struct ilab_tuning_record *r)
{
	cJSON *json = ilab_fields_document(SCHEMA, &r->header, document_fields, r);

	if (json != NULL && ilab_fields_write(json, part_fields, r))
		return json;
	cJSON_Delete(json);
	return NULL;
}

cJSON *ilab_tuning_part_to_json(const struct ilab_tuning_record *r)
{
	return ilab_fields_object(part_fields, r);
}

enum ilab_status ilab_tuning_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_tuning_record *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };
	enum ilab_status status;

	*out = (struct ilab_tuning_record){ 0 };
	status = ilab_fields_read_document(&r, json, SCHEMA, document_fields, &out->header, out);
	return status == ILAB_OK ? ilab_fields_read(&r, json, part_fields, out) : status;
}

enum ilab_status ilab_tuning_part_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_tuning_record *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };

	*out = (struct ilab_tuning_record){ 0 };
	if (!cJSON_IsObject(json))
		return ilab_fields_fault(&r, NULL, "expected an object");
	return ilab_fields_read(&r, json, part_fields, out);
}

/* --- text ---------------------------------------------------------------------------------------------------------------- */

static const char *parameters_text(const struct ilab_tuned *e, struct ilab_arena *arena)
{
	const char *text = "";

	for (size_t i = 0; i < e->parameter_count; i++)
		if (strlen(e->parameters[i].value) <= 32)      /* a library's own words are not for people */
			text = ilab_arena_printf(arena, "%s%s%s=%s", text, *text ? " " : "", e->parameters[i].name, e->parameters[i].value);
	return text;
}

static void add_passes(struct ilab_text_buffer *b, const struct ilab_tuning_record *r, struct ilab_arena *arena)
{
	const struct ilab_tuning_passes *p = &r->passes;

	if (r->entry_count == 0)
		ilab_layout_pair(b, _("fastest"), _("the provider's own choice: nothing was faster by more than noise"));
	if (!r->fastest || p->pairs == 0)
		return;
	ilab_layout_pair(b, _("whole pass"), _("%s tuned, %s by the provider's own choice: %s times as fast [%s, %s], %llu pairs"),
		ilab_layout_seconds(arena, p->median_seconds.value), ilab_layout_seconds(arena, p->default_median_seconds.value),
		ilab_layout_fixed(arena, p->ratio.value, 4), ilab_layout_fixed(arena, p->ratio_low.value, 4),
		ilab_layout_fixed(arena, p->ratio_high.value, 4), (unsigned long long)p->pairs);
}

const char *ilab_text_tuning(const struct ilab_tuning_record *r, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };

	ilab_layout_pair(&b, _("device"), "%s (%s)", r->device_name, r->device_identity);
	ilab_layout_pair(&b, _("provider"), "%s %s", r->provider, r->provider_version.value ? r->provider_version.value : "");
	ilab_layout_pair(&b, _("searched"), _("%llu candidates in %s, %llu of them rejected"), (unsigned long long)r->search_candidates,
		ilab_layout_seconds(arena, r->search_seconds), (unsigned long long)r->search_rejected);
	add_passes(&b, r, arena);
	for (size_t i = 0; i < r->entry_count; i++) {
		const struct ilab_tuned *e = &r->entries[i];
		ilab_text_add(&b, "\n");
		ilab_layout_pair(&b, _("product"), "%s, %llu x %llu x %llu", e->dtype, (unsigned long long)e->m, (unsigned long long)e->n, (unsigned long long)e->k);
		ilab_layout_pair(&b, _("median"), _("%s instead of %s, %s times as fast"), ilab_layout_seconds(arena, e->median_seconds),
			ilab_layout_seconds(arena, e->default_median_seconds), ilab_layout_fixed(arena, e->default_median_seconds / e->median_seconds, 3));
		ilab_layout_pair(&b, _("parameters"), "%s", parameters_text(e, arena));
	}
	return b.text;
}
