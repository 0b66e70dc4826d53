#include "result/diff.h"

#include "result/fields.h"

#include <math.h>
#include <string.h>

#define SCHEMA "iteragpu-lab/diff/1"
#define D(member) offsetof(struct ilab_diff, member)
#define M(member) offsetof(struct ilab_diff_document, member)
#define R(member) offsetof(struct ilab_diff_row, member)
#define P(member) offsetof(struct ilab_difference, member)
#define U(member) offsetof(struct ilab_unmatched, member)

static const char *const kinds[] = { "measure", "compare", "suite", NULL };

static const struct ilab_field document_fields[] = {
	{ "file", ILAB_FIELD_STRING, .offset = M(file), .limit = ILAB_LIMIT_FILLED },
	{ "sha256", ILAB_FIELD_HEX, .offset = M(sha256), .digits = 64 },
	{ "kind", ILAB_FIELD_WORD, .offset = M(kind), .words = kinds },
	{ "run_id", ILAB_FIELD_HEX, .offset = M(run_id), .digits = 32 },
	{ "started_utc", ILAB_FIELD_STRING, .offset = M(started_utc) },
	{ 0 },
};

static const struct ilab_field difference_fields[] = {
	{ "path", ILAB_FIELD_STRING, .offset = P(path), .limit = ILAB_LIMIT_FILLED },
	{ "base", ILAB_FIELD_STRING_OR_NULL, .offset = P(base) },
	{ "new", ILAB_FIELD_STRING_OR_NULL, .offset = P(other) },
	{ 0 },
};

/* The members of a row of compare's table stand between the others. */
static bool write_row(cJSON *object, const struct ilab_field *f, const void *record)
{
	(void)f;
	return ilab_fields_write(object, ilab_compare_row_fields, &((const struct ilab_diff_row *)record)->row);
}

static enum ilab_status read_row(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	(void)f;
	return ilab_fields_read(r, object, ilab_compare_row_fields, &((struct ilab_diff_row *)record)->row);
}

static const struct ilab_field row_fields[] = {
	{ "document", ILAB_FIELD_U64, .offset = R(document) },
	{ "what", ILAB_FIELD_STRING, .offset = R(what) },
	{ "base_view", ILAB_FIELD_STRING, .offset = R(base_view) },
	{ "base_device", ILAB_FIELD_STRING, .offset = R(base_device) },
	{ "device", ILAB_FIELD_STRING, .offset = R(device) },
	{ "base_median_seconds", ILAB_FIELD_REAL, .offset = R(base_median_seconds), .limit = ILAB_LIMIT_ABOVE_ZERO },
	{ "phase", ILAB_FIELD_CUSTOM, .write = write_row, .read = read_row },
	{ "not_comparable", ILAB_FIELD_STRING_OR_NULL, .offset = R(not_comparable) },
	{ 0 },
};

static const struct ilab_field unmatched_fields[] = {
	{ "what", ILAB_FIELD_STRING, .offset = U(what) },
	{ "reason", ILAB_FIELD_STRING, .offset = U(reason) },
	{ 0 },
};

static const struct ilab_field diff_fields[] = {
	{ "base", ILAB_FIELD_OBJECT, .offset = D(base), .table = document_fields },
	{ "new", ILAB_FIELD_OBJECTS, .offset = D(others), .count_offset = D(other_count), .element_bytes = sizeof(struct ilab_diff_document),
		.table = document_fields },
	{ "differences", ILAB_FIELD_OBJECTS, .offset = D(differences), .count_offset = D(difference_count),
		.element_bytes = sizeof(struct ilab_difference), .table = difference_fields },
	{ "table", ILAB_FIELD_OBJECTS, .offset = D(rows), .count_offset = D(row_count), .element_bytes = sizeof(struct ilab_diff_row),
		.table = row_fields },
	{ "unmatched", ILAB_FIELD_OBJECTS, .offset = D(unmatched), .count_offset = D(unmatched_count),
		.element_bytes = sizeof(struct ilab_unmatched), .table = unmatched_fields },
	{ "worst_loss_percent", ILAB_FIELD_REAL, .offset = D(worst_loss_percent) },
	{ 0 },
};

cJSON *ilab_diff_to_json(const struct ilab_diff *r)
{
	return ilab_fields_document(SCHEMA, &r->header, diff_fields, r);
}

enum ilab_status ilab_diff_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_diff *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };

	*out = (struct ilab_diff){ 0 };
	return ilab_fields_read_document(&r, json, SCHEMA, diff_fields, &out->header, out);
}

struct ilab_real ilab_diff_worst(const struct ilab_diff *r)
{
	struct ilab_real worst = { .reason = "unavailable: nothing could be compared" };

	for (size_t i = 0; i < r->row_count; i++) {
		const struct ilab_compare_row *row = &r->rows[i].row;
		if (row->verdict.value == NULL || row->ratio.reason != NULL)
			continue;
		worst.reason = NULL;
		if (strcmp(row->verdict.value, "slower") == 0)
			worst.value = fmax(worst.value, 100 * (row->ratio.value - 1));
	}
	return worst;
}
