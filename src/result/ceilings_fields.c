#include "result/ceilings.h"

#include "result/fields.h"

#include <string.h>

#define SCHEMA "iteragpu-lab/ceilings/1"
#define C(member) offsetof(struct ilab_ceilings, member)
#define A(member) offsetof(struct ilab_ceiling, member)
#define P(member) offsetof(struct ilab_copy_ceiling, member)

static const char *const dtypes[] = { "float32", "tf32", "float16", "bfloat16", NULL };
static const char *const units[] = { "fma", "matrix", "gemm", NULL };
static const char *const types[] = { "gpu", "cpu", "other", NULL };

static const struct ilab_field device_fields[] = {
	{ "identity", ILAB_FIELD_STRING, .offset = C(identity), .limit = ILAB_LIMIT_FILLED },
	{ "name", ILAB_FIELD_STRING, .offset = C(device_name) },
	{ "type", ILAB_FIELD_WORD, .offset = C(device_type), .words = types },
	{ 0 },
};

static const struct ilab_field copy_fields[] = {
	{ "view", ILAB_FIELD_STRING, .offset = P(view), .limit = ILAB_LIMIT_FILLED },
	{ "bytes_per_second", ILAB_FIELD_DOUBLE, .offset = P(bytes_per_second) },
	{ 0 },
};

static const struct ilab_field arithmetic_fields[] = {
	{ "dtype", ILAB_FIELD_WORD, .offset = A(dtype), .words = dtypes },
	{ "unit", ILAB_FIELD_WORD, .offset = A(unit), .words = units },
	{ "flop_per_second", ILAB_FIELD_DOUBLE, .offset = A(flop_per_second) },
	{ "kernel", ILAB_FIELD_STRING, .offset = A(kernel), .limit = ILAB_LIMIT_FILLED },
	{ "view", ILAB_FIELD_STRING, .offset = A(view), .limit = ILAB_LIMIT_FILLED },
	{ 0 },
};

static const struct ilab_field ceilings_fields[] = {
	{ "device", ILAB_FIELD_OBJECT, .table = device_fields },
	{ "copy_bytes_per_second", ILAB_FIELD_REAL, .offset = C(copy_bytes_per_second) },
	{ "copies", ILAB_FIELD_OBJECTS, .offset = C(copies), .count_offset = C(copy_count), .element_bytes = sizeof(struct ilab_copy_ceiling),
		.table = copy_fields },
	{ "arithmetic", ILAB_FIELD_OBJECTS, .offset = C(arithmetic), .count_offset = C(arithmetic_count),
		.element_bytes = sizeof(struct ilab_ceiling), .table = arithmetic_fields },
	{ "unmeasured", ILAB_FIELD_STRINGS, .offset = C(unmeasured), .count_offset = C(unmeasured_count) },
	{ 0 },
};

cJSON *ilab_ceilings_to_json(const struct ilab_ceilings *r)
{
	return ilab_fields_document(SCHEMA, &r->header, ceilings_fields, r);
}

enum ilab_status ilab_ceilings_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_ceilings *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };

	*out = (struct ilab_ceilings){ 0 };
	return ilab_fields_read_document(&r, json, SCHEMA, ceilings_fields, &out->header, out);
}

const struct ilab_ceiling *ilab_ceilings_best(const struct ilab_ceilings *r, const char *dtype)
{
	const struct ilab_ceiling *best = NULL;

	for (size_t i = 0; i < r->arithmetic_count; i++)
		if (strcmp(r->arithmetic[i].dtype, dtype) == 0 && (best == NULL || r->arithmetic[i].flop_per_second > best->flop_per_second))
			best = &r->arithmetic[i];
	return best;
}
