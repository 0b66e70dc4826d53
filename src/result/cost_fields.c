#include "result/cost.h"

#include "result/fields.h"

#include <stdio.h>
#include <string.h>

#define SCHEMA "iteragpu-lab/cost/1"
#define C(member) offsetof(struct ilab_cost, member)
#define B(member) offsetof(struct ilab_break_even, member)
#define M(member) offsetof(struct ilab_measured_ratio, member)

/* --- an object, or null with its reason ------------------------------------------------------------------------------- */

#define U(member) offsetof(struct ilab_unit_cost, member)
static const struct ilab_field unit_cost_fields[] = {
	{ "numerator_cents", ILAB_FIELD_U64, .offset = U(numerator_cents) },
	{ "denominator", ILAB_FIELD_U64, .offset = U(denominator) },
	{ "decimal_usd", ILAB_FIELD_STRING, .offset = U(decimal_usd) },
	{ 0 },
};

static bool write_unit_cost(cJSON *object, const struct ilab_field *f, const void *record)
{
	const struct ilab_unit_cost *u = (const void *)((const char *)record + f->offset);
	char sibling[64];

	if (u->reason == NULL)
		return ilab_fields_add(object, f->name, ilab_fields_object(unit_cost_fields, u));
	snprintf(sibling, sizeof sibling, "%s_reason", f->name);
	return ilab_fields_add(object, f->name, cJSON_CreateNull()) && ilab_fields_add(object, sibling, ilab_json_string(u->reason));
}

static enum ilab_status read_unit_cost(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	struct ilab_unit_cost *u = (void *)((char *)record + f->offset);
	/* The engine's own rows do the reading: an object there, or a null with its reason. */
	const struct ilab_field row[] = { { f->name, ILAB_FIELD_OBJECT, .table = unit_cost_fields }, { 0 } };

	if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, f->name)))
		return ilab_fields_reason(r, object, f->name, &u->reason);
	return ilab_fields_read(r, object, row, u);
}

#define UNIT_COST(name, at) { name, ILAB_FIELD_CUSTOM, .offset = at, .write = write_unit_cost, .read = read_unit_cost }

/* --- parts that are there only when asked for -------------------------------------------------------------------------- */

static bool write_optional(cJSON *object, const struct ilab_field *f, const void *record)
{
	const void *part;

	memcpy(&part, (const char *)record + f->offset, sizeof part);
	return part == NULL || ilab_fields_add(object, f->name, ilab_fields_object(f->table, part));
}

static enum ilab_status read_optional(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	const struct ilab_field row[] = { { f->name, ILAB_FIELD_OBJECT, .table = f->table }, { 0 } };
	void *part;

	if (cJSON_GetObjectItemCaseSensitive(object, f->name) == NULL)
		return ILAB_OK;
	part = ilab_arena_alloc(r->arena, f->element_bytes);
	memcpy((char *)record + f->offset, &part, sizeof part);
	return ilab_fields_read(r, object, row, part);
}

#define OPTIONAL(name, at, fields, type) \
	{ name, ILAB_FIELD_CUSTOM, .offset = at, .element_bytes = sizeof(type), .table = fields, .write = write_optional, .read = read_optional }

/* --- the document ------------------------------------------------------------------------------------------------------ */

static const struct ilab_field break_even_fields[] = {
	{ "gpu", ILAB_FIELD_STRING, .offset = B(other.gpu), .limit = ILAB_LIMIT_FILLED },
	{ "snapshot_date", ILAB_FIELD_STRING, .offset = B(other.snapshot_date) },
	{ "source", ILAB_FIELD_STRING, .offset = B(other.source), .limit = ILAB_LIMIT_FILLED },
	{ "gpus_per_lot", ILAB_FIELD_U64, .offset = B(other.gpus_per_lot) },
	{ "gpu_count", ILAB_FIELD_U64, .offset = B(other.gpu_count) },
	{ "lot_price_cents", ILAB_FIELD_U64, .offset = B(other.lot_price_cents) },
	{ "total_cents", ILAB_FIELD_U64, .offset = B(other.total_cents) },
	{ "base_accepted_per_day", ILAB_FIELD_U64, .offset = B(accepted_per_day) },
	UNIT_COST("base_unit_cost", B(unit_cost)),
	{ "accepted_per_day", ILAB_FIELD_COUNT, .offset = B(other_accepted_per_day) },
	UNIT_COST("unit_cost", B(other_unit_cost)),
	{ "break_even_per_day", ILAB_FIELD_U64, .offset = B(break_even_per_day) },
	{ "cheaper", ILAB_FIELD_TEXT, .offset = B(cheaper) },
	{ 0 },
};

#define R(member) offsetof(struct ilab_measured, member)
static const struct ilab_field measured_fields[] = {
	{ "run_id", ILAB_FIELD_HEX, .offset = R(run_id), .digits = 32 },
	{ "sha256", ILAB_FIELD_HEX, .offset = R(sha256), .digits = 64 },
	{ "device", ILAB_FIELD_STRING, .offset = R(device) },
	{ "view", ILAB_FIELD_STRING, .offset = R(view) },
	{ "median_seconds", ILAB_FIELD_DOUBLE, .offset = R(median_seconds) },
	{ 0 },
};

static const struct ilab_field ratio_fields[] = {
	{ "a", ILAB_FIELD_OBJECT, .offset = M(a), .table = measured_fields },
	{ "b", ILAB_FIELD_OBJECT, .offset = M(b), .table = measured_fields },
	{ "ratio_millionths", ILAB_FIELD_U64, .offset = M(ratio_millionths) },
	{ "accepted_results", ILAB_FIELD_U64, .offset = M(accepted_results) },
	{ "scaled_accepted_results", ILAB_FIELD_U64, .offset = M(scaled_accepted_results) },
	{ "break_even_price_cents", ILAB_FIELD_U64, .offset = M(break_even_price_cents) },
	{ 0 },
};

static const struct ilab_field tariffs_fields[] = {
	{ "file", ILAB_FIELD_STRING, .offset = C(tariffs_file), .limit = ILAB_LIMIT_FILLED },
	{ "sha256", ILAB_FIELD_HEX, .offset = C(tariffs_sha256), .digits = 64 },
	{ "snapshot_date", ILAB_FIELD_STRING, .offset = C(offer.snapshot_date) },
	{ "source", ILAB_FIELD_STRING, .offset = C(offer.source), .limit = ILAB_LIMIT_FILLED },
	{ 0 },
};

static const char *const currencies[] = { "USD", NULL };

static const struct ilab_field cost_fields[] = {
	{ "tariffs", ILAB_FIELD_OBJECT, .table = tariffs_fields },
	{ "gpu", ILAB_FIELD_STRING, .offset = C(offer.gpu), .limit = ILAB_LIMIT_FILLED },
	{ "days", ILAB_FIELD_U64, .offset = C(days) },
	{ "lots", ILAB_FIELD_U64, .offset = C(lots) },
	{ "gpus_per_lot", ILAB_FIELD_U64, .offset = C(offer.gpus_per_lot) },
	{ "gpu_count", ILAB_FIELD_U64, .offset = C(offer.gpu_count) },
	{ "lot_price_cents", ILAB_FIELD_U64, .offset = C(offer.lot_price_cents) },
	{ "total_cents", ILAB_FIELD_U64, .offset = C(offer.total_cents) },
	{ "currency", ILAB_FIELD_WORD, .offset = C(currency), .words = currencies },
	{ "accepted_results", ILAB_FIELD_COUNT, .offset = C(accepted_results) },
	UNIT_COST("unit_cost", C(unit_cost)),
	OPTIONAL("break_even", C(break_even), break_even_fields, struct ilab_break_even),
	OPTIONAL("measured", C(measured), ratio_fields, struct ilab_measured_ratio),
	{ "notes", ILAB_FIELD_STRINGS, .offset = C(notes), .count_offset = C(note_count), .limit = ILAB_LIMIT_FILLED },
	{ 0 },
};

cJSON *ilab_cost_to_json(const struct ilab_cost *r)
{
	return ilab_fields_document(SCHEMA, &r->header, cost_fields, r);
}

enum ilab_status ilab_cost_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_cost *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };

	*out = (struct ilab_cost){ 0 };
	return ilab_fields_read_document(&r, json, SCHEMA, cost_fields, &out->header, out);
}
