#include "result/compare.h"

#include "result/document.h"
#include "result/fields.h"

#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "iteragpu-lab/compare/1"
#define C(member) offsetof(struct ilab_compare, member)
#define V(member) offsetof(struct ilab_compare_view, member)
#define R(member) offsetof(struct ilab_compare_row, member)
#define A(member) offsetof(struct ilab_agreement, member)
#define N(member) offsetof(struct ilab_compare_run, member)

const char *ilab_document_sha256(const cJSON *document, struct ilab_arena *arena)
{
	char *text = document != NULL ? ilab_json_text(document) : NULL;
	char *hex = ilab_arena_alloc(arena, SHA256_DIGEST_STRING_LENGTH);

	if (text == NULL)
		return NULL;
	SHA256Data((const uint8_t *)text, strlen(text), hex);
	free(text);
	return hex;
}

/* --- whole documents inside this one ------------------------------------------------------------------------------------ */

/* A fault inside an embedded document, with its place in front. */
static enum ilab_status embedded_fault(const struct ilab_fields_reader *r, const char *name, enum ilab_status status, const struct ilab_err *why)
{
	return status == ILAB_OK ? ILAB_OK : ilab_fields_fault(r, name, "%s", why->text);
}

static bool write_document(cJSON *object, const struct ilab_field *f, const void *record)
{
	return ilab_fields_add(object, f->name, ilab_measure_to_json(&((const struct ilab_compare_run *)record)->document));
}

/* The hash is that of the text that `measure` wrote. Another program may have written the same since, with 0.00005 as 5e-05. */
static bool is_hash_of(const struct ilab_compare_run *run, const cJSON *item, struct ilab_arena *arena)
{
	const char *hash = ilab_document_sha256(item, arena);

	if (hash == NULL || strcmp(hash, run->sha256) == 0)
		return hash != NULL;
	cJSON *ours = ilab_measure_to_json(&run->document), *canonical = ours != NULL ? ilab_json_canonical(item, ours) : NULL;
	hash = ilab_document_sha256(canonical, arena);
	cJSON_Delete(canonical);
	cJSON_Delete(ours);
	return hash != NULL && strcmp(hash, run->sha256) == 0;
}

static enum ilab_status read_document(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	struct ilab_compare_run *run = record;
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, f->name);
	struct ilab_err why = { 0 };
	enum ilab_status status = ilab_measure_from_json(item, r->arena, &run->document, &why);

	if (status == ILAB_OK)
		status = ilab_measure_check(&run->document, &why);
	if (status != ILAB_OK)
		return embedded_fault(r, f->name, status, &why);
	return is_hash_of(run, item, r->arena) ? ILAB_OK
		: ilab_fields_fault(r, "sha256", "is not that of the document: it was changed, or saved again by a program that rounds numbers");
}

static bool write_ceilings(cJSON *object, const struct ilab_field *f, const void *record)
{
	const struct ilab_ceilings *ceilings = ((const struct ilab_compare *)record)->ceilings;

	return ilab_fields_add(object, f->name, ceilings != NULL ? ilab_ceilings_to_json(ceilings) : cJSON_CreateNull());
}

static enum ilab_status read_ceilings(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	struct ilab_compare *compare = record;
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, f->name);
	struct ilab_err why = { 0 };
	enum ilab_status status;

	if (cJSON_IsNull(item))
		return ILAB_OK;
	compare->ceilings = ilab_arena_alloc(r->arena, sizeof *compare->ceilings);
	status = ilab_ceilings_from_json(item, r->arena, compare->ceilings, &why);
	if (status == ILAB_OK)
		status = ilab_ceilings_check(compare->ceilings, &why);
	return embedded_fault(r, f->name, status, &why);
}

/* --- true, false, or null with a reason ---------------------------------------------------------------------------------- */

static bool write_suspect(cJSON *object, const struct ilab_field *f, const void *record)
{
	const struct ilab_count *c = &((const struct ilab_compare_row *)record)->suspect;

	if (c->reason == NULL)
		return ilab_fields_add(object, f->name, cJSON_CreateBool(c->value != 0));
	return ilab_fields_add(object, f->name, cJSON_CreateNull()) && ilab_fields_add(object, "suspect_reason", ilab_json_string(c->reason));
}

static enum ilab_status read_suspect(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	struct ilab_count *c = &((struct ilab_compare_row *)record)->suspect;
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, f->name);

	if (cJSON_IsNull(item))
		return ilab_fields_reason(r, object, f->name, &c->reason);
	if (!cJSON_IsBool(item))
		return ilab_fields_fault(r, f->name, "expected true, false or null");
	c->value = cJSON_IsTrue(item);
	return ILAB_OK;
}

/* --- tables -------------------------------------------------------------------------------------------------------------- */

static const char *const types[] = { "gpu", "cpu", "other", NULL };
static const char *const dtypes[] = { "float32", "tf32", "float16", "bfloat16", NULL };
static const char *const statuses[] = { "passed", "unverified", "failed", "crashed", "timeout", "unsupported", NULL };
static const char *const phases[] = { "model_load", "inputs", "cold_forward", "warmup", "warm_forward", NULL };

static const struct ilab_field device_fields[] = {
	{ "identity", ILAB_FIELD_STRING, .offset = C(identity) },
	{ "name", ILAB_FIELD_STRING, .offset = C(device_name) },
	{ "type", ILAB_FIELD_WORD, .offset = C(device_type), .words = types },
	{ 0 },
};

static const struct ilab_field configuration_fields[] = {
	{ "batch", ILAB_FIELD_U64, .offset = C(configuration.batch) },
	{ "context", ILAB_FIELD_U64, .offset = C(configuration.context) },
	{ "width", ILAB_FIELD_U64, .offset = C(configuration.width) },
	{ "hidden", ILAB_FIELD_U64, .offset = C(configuration.hidden) },
	{ "dtype", ILAB_FIELD_WORD, .offset = C(configuration.dtype), .words = dtypes },
	{ "warmup", ILAB_FIELD_U64, .offset = C(configuration.warmup) },
	{ "repeats", ILAB_FIELD_U64, .offset = C(configuration.repeats) },
	{ "rounds", ILAB_FIELD_U64, .offset = C(configuration.rounds) },
	{ "seed", ILAB_FIELD_SEED, .offset = C(configuration.seed) },
	{ 0 },
};

static const struct ilab_field run_fields[] = {
	{ "sha256", ILAB_FIELD_HEX, .offset = N(sha256), .digits = 64 },
	{ "document", ILAB_FIELD_CUSTOM, .write = write_document, .read = read_document },
	{ 0 },
};

static const struct ilab_field view_fields[] = {
	{ "view", ILAB_FIELD_STRING, .offset = V(view) },
	{ "status", ILAB_FIELD_WORD, .offset = V(status), .words = statuses },
	{ "reason", ILAB_FIELD_STRING_OR_NULL, .offset = V(reason) },
	{ "runs", ILAB_FIELD_OBJECTS, .offset = V(runs), .count_offset = V(run_count), .element_bytes = sizeof(struct ilab_compare_run),
		.table = run_fields },
	{ 0 },
};

const struct ilab_field ilab_compare_row_fields[] = {
	{ "phase", ILAB_FIELD_WORD, .offset = R(phase), .words = phases },
	{ "view", ILAB_FIELD_STRING, .offset = R(view), .limit = ILAB_LIMIT_FILLED },
	{ "median_seconds", ILAB_FIELD_REAL, .offset = R(median_seconds), .limit = ILAB_LIMIT_ABOVE_ZERO },
	{ "ci_low_seconds", ILAB_FIELD_REAL, .offset = R(ci_low_seconds), .limit = ILAB_LIMIT_ABOVE_ZERO },
	{ "ci_high_seconds", ILAB_FIELD_REAL, .offset = R(ci_high_seconds), .limit = ILAB_LIMIT_ABOVE_ZERO },
	{ "ratio", ILAB_FIELD_REAL, .offset = R(ratio), .limit = ILAB_LIMIT_ABOVE_ZERO },
	{ "ratio_low", ILAB_FIELD_REAL, .offset = R(ratio_low), .limit = ILAB_LIMIT_ABOVE_ZERO },
	{ "ratio_high", ILAB_FIELD_REAL, .offset = R(ratio_high), .limit = ILAB_LIMIT_ABOVE_ZERO },
	{ "verdict", ILAB_FIELD_TEXT, .offset = R(verdict) },
	{ "share_of_ceiling", ILAB_FIELD_REAL, .offset = R(share_of_ceiling), .limit = ILAB_LIMIT_ABOVE_ZERO },
	{ "suspect", ILAB_FIELD_CUSTOM, .write = write_suspect, .read = read_suspect },
	{ "peak_allocated_bytes", ILAB_FIELD_COUNT, .offset = R(peak_allocated_bytes) },
	{ 0 },
};

static const struct ilab_field agreement_fields[] = {
	{ "view_a", ILAB_FIELD_STRING, .offset = A(view_a) },
	{ "view_b", ILAB_FIELD_STRING, .offset = A(view_b) },
	{ "relative_error", ILAB_FIELD_REAL, .offset = A(relative_error), .limit = ILAB_LIMIT_NOT_NEGATIVE },
	{ 0 },
};

static const struct ilab_field compare_fields[] = {
	{ "case", ILAB_FIELD_STRING_OPTIONAL, .offset = C(case_name) },
	{ "device", ILAB_FIELD_OBJECT, .table = device_fields },
	{ "configuration", ILAB_FIELD_OBJECT, .table = configuration_fields },
	{ "order", ILAB_FIELD_STRINGS, .offset = C(order), .count_offset = C(order_count) },
	{ "against", ILAB_FIELD_STRING, .offset = C(against) },
	{ "table", ILAB_FIELD_OBJECTS, .offset = C(rows), .count_offset = C(row_count), .element_bytes = sizeof(struct ilab_compare_row),
		.table = ilab_compare_row_fields },
	{ "agreement", ILAB_FIELD_OBJECTS, .offset = C(agreements), .count_offset = C(agreement_count),
		.element_bytes = sizeof(struct ilab_agreement), .table = agreement_fields },
	{ "ceilings", ILAB_FIELD_CUSTOM, .write = write_ceilings, .read = read_ceilings },
	{ "views", ILAB_FIELD_OBJECTS, .offset = C(views), .count_offset = C(view_count), .element_bytes = sizeof(struct ilab_compare_view),
		.table = view_fields },
	{ 0 },
};

cJSON *ilab_compare_to_json(const struct ilab_compare *r)
{
	return ilab_fields_document(SCHEMA, &r->header, compare_fields, r);
}

enum ilab_status ilab_compare_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_compare *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };

	*out = (struct ilab_compare){ 0 };
	return ilab_fields_read_document(&r, json, SCHEMA, compare_fields, &out->header, out);
}
