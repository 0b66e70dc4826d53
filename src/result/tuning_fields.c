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
	{ "form", ILAB_FIELD_STRING, .offset = E(form) },
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

	(void)f;
	return t->fastest ? ilab_fields_read(r, object, passes_field, record) : ILAB_OK;
}

static const struct ilab_field device_fields[] = {
	{ "identity", ILAB_FIELD_STRING, .offset = R(device_identity) },
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

/* --- checks -------------------------------------------------------------------------------------------------------------- */

static enum ilab_status fault(struct ilab_err *err, size_t i, const char *what)
{
	return ilab_err_set(err, ILAB_IO, NULL, 0, "entries[%zu].%s", i, what);
}

static bool same_product(const struct ilab_tuned *a, const struct ilab_tuned *b)
{
	return strcmp(a->dtype, b->dtype) == 0 && a->m == b->m && a->n == b->n && a->k == b->k;
}

static enum ilab_status check_entry(const struct ilab_tuning_record *r, size_t i, struct ilab_err *err)
{
	const struct ilab_tuned *e = &r->entries[i];

	if (e->m == 0 || e->n == 0 || e->k == 0)
		return fault(err, i, "m, n and k must not be 0");
	if (!(e->median_seconds > 0) || !(e->default_median_seconds > e->median_seconds))
		return fault(err, i, "median_seconds: must be above 0 and below default_median_seconds");
	if (!e->verified)
		return fault(err, i, "verified: is false, and only what was verified may be used");
	for (size_t j = 0; j < i; j++)
		if (same_product(e, &r->entries[j]))
			return fault(err, i, "m, n, k: this product has two entries");
	return ILAB_OK;
}

static enum ilab_status passes_fault(struct ilab_err *err, const char *what)
{
	return ilab_err_set(err, ILAB_IO, NULL, 0, "%s", what);
}

/* Entries are there exactly when passes with them were faster. */
static enum ilab_status check_passes(const struct ilab_tuning_record *r, struct ilab_err *err)
{
	const struct ilab_tuning_passes *p = &r->passes;
	const bool tuned = r->fastest && strcmp(r->fastest, "tuned") == 0;

	if (!r->fastest)
		return ILAB_OK;
	if (!tuned && strcmp(r->fastest, "default") != 0)
		return passes_fault(err, "fastest: neither tuned nor default");
	if (tuned != (r->entry_count > 0))
		return passes_fault(err, "fastest: tuned needs entries, and default has none");
	if ((p->pairs == 0) != (p->median_seconds.reason != NULL) || (p->pairs == 0) != (p->default_median_seconds.reason != NULL)
		|| (p->pairs == 0) != (p->ratio.reason != NULL) || (p->pairs == 0) != (p->ratio_low.reason != NULL)
		|| (p->pairs == 0) != (p->ratio_high.reason != NULL))
		return passes_fault(err, "passes: figures need pairs, and pairs give figures");
	if (p->pairs && (!(p->median_seconds.value > 0) || !(p->default_median_seconds.value > 0)))
		return passes_fault(err, "passes: medians must be above 0");
	if (p->pairs && (!(p->ratio_low.value <= p->ratio.value) || !(p->ratio.value <= p->ratio_high.value)))
		return passes_fault(err, "passes.ratio: outside its interval");
	if (tuned && (p->pairs == 0 || !(p->ratio_low.value > 1)))
		return passes_fault(err, "passes.ratio_low: must be above 1 where entries are kept");
	if (!tuned && p->pairs && p->ratio_low.value > 1)
		return passes_fault(err, "fastest: default, but passes with the best plan tried were faster by more than noise");
	return ILAB_OK;
}

enum ilab_status ilab_tuning_check(const struct ilab_tuning_record *r, struct ilab_err *err)
{
	enum ilab_status status = ilab_header_check(&r->header, err);

	for (size_t i = 0; i < r->entry_count && status == ILAB_OK; i++)
		status = check_entry(r, i, err);
	if (status != ILAB_OK)
		return status;
	if ((status = check_passes(r, err)) != ILAB_OK)
		return status;
	if (!(r->search_seconds >= 0) || r->search_seconds > r->header.total_seconds + 1e-6)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "search.seconds: negative, or more than total_seconds");
	if (r->search_rejected > r->search_candidates || r->entry_count > r->search_candidates - r->search_rejected)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "search.candidates: fewer than those rejected and those chosen");
	return ILAB_OK;
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
