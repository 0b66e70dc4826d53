#include "result/suite.h"

#include "base/stats.h"
#include "result/fields.h"

#include <string.h>

#define SCHEMA "iteragpu-lab/suite/1"
#define S(member) offsetof(struct ilab_suite, member)
#define O(member) offsetof(struct ilab_odd, member)

/* --- cases[]: whole compare documents ------------------------------------------------------------------------------------ */

static bool write_cases(cJSON *object, const struct ilab_field *f, const void *record)
{
	const struct ilab_suite *r = record;
	cJSON *array = cJSON_CreateArray();

	for (size_t i = 0; i < r->case_count && array != NULL; i++)
		array = ilab_fields_append(array, ilab_compare_to_json(&r->cases[i]));
	return ilab_fields_add(object, f->name, array);
}

static enum ilab_status read_cases(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	struct ilab_suite *suite = record;
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, f->name), *item;

	if (!cJSON_IsArray(array))
		return ilab_fields_fault(r, f->name, "expected an array");
	suite->cases = ilab_arena_alloc(r->arena, ((size_t)cJSON_GetArraySize(array) + 1) * sizeof *suite->cases);
	cJSON_ArrayForEach(item, array) {
		struct ilab_compare *c = &suite->cases[suite->case_count++];
		struct ilab_err why = { 0 };
		enum ilab_status status = ilab_compare_from_json(item, r->arena, c, &why);
		if (status == ILAB_OK)
			status = ilab_compare_check(c, &why);
		if (status != ILAB_OK)
			return ilab_fields_fault(r, ilab_arena_printf(r->arena, "%s[%zu]", f->name, suite->case_count - 1), "%s", why.text);
	}
	return ILAB_OK;
}

static const struct ilab_field odd_fields[] = {
	{ "device", ILAB_FIELD_STRING, .offset = O(identity) },
	{ "case", ILAB_FIELD_STRING, .offset = O(name) },
	{ "view", ILAB_FIELD_STRING, .offset = O(view) },
	{ "ratio", ILAB_FIELD_DOUBLE, .offset = O(ratio) },
	{ 0 },
};

static const struct ilab_field suite_fields[] = {
	{ "suite_version", ILAB_FIELD_U64, .offset = S(suite_version) },
	{ "cases", ILAB_FIELD_CUSTOM, .write = write_cases, .read = read_cases },
	{ "odd", ILAB_FIELD_OBJECTS, .offset = S(odd), .count_offset = S(odd_count), .element_bytes = sizeof(struct ilab_odd), .table = odd_fields },
	{ 0 },
};

cJSON *ilab_suite_to_json(const struct ilab_suite *r)
{
	return ilab_fields_document(SCHEMA, &r->header, suite_fields, r);
}

enum ilab_status ilab_suite_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_suite *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };

	*out = (struct ilab_suite){ 0 };
	return ilab_fields_read_document(&r, json, SCHEMA, suite_fields, &out->header, out);
}

/* --- the odd one out --------------------------------------------------------------------------------------------------------- */

double ilab_suite_seconds(const struct ilab_compare *c, const char *view)
{
	for (size_t i = 0; i < c->row_count; i++)
		if (strcmp(c->rows[i].phase, "warm_forward") == 0 && strcmp(c->rows[i].view, view) == 0 && c->rows[i].median_seconds.reason == NULL)
			return c->rows[i].median_seconds.value;
	return 0;
}

/* This device's median of a view against the median of all devices in the same case, itself among them: of three, one slow one does not make the
 * two others odd. 0 when there are fewer than three. */
static double ratio_to_usual(const struct ilab_suite *r, size_t index, const char *view, struct ilab_arena *arena)
{
	const struct ilab_compare *c = &r->cases[index];
	double *medians = ilab_arena_alloc(arena, r->case_count * sizeof *medians);
	size_t count = 0;

	for (size_t i = 0; i < r->case_count; i++) {
		const double seconds = strcmp(r->cases[i].case_name, c->case_name) != 0 ? 0 : ilab_suite_seconds(&r->cases[i], view);
		if (seconds > 0)
			medians[count++] = seconds;
	}
	return count < 3 ? 0 : ilab_suite_seconds(c, view) / ilab_stats_median(medians, count);
}

void ilab_suite_find_odd(struct ilab_suite *r, struct ilab_arena *arena)
{
	size_t most = 1;

	for (size_t i = 0; i < r->case_count; i++)
		most += r->cases[i].view_count;
	r->odd = ilab_arena_alloc(arena, most * sizeof *r->odd);
	r->odd_count = 0;
	for (size_t i = 0; i < r->case_count; i++)
		for (size_t v = 0; v < r->cases[i].view_count; v++) {
			const char *view = r->cases[i].views[v].view;
			const double ratio = r->cases[i].case_name == NULL ? 0 : ratio_to_usual(r, i, view, arena);
			if (ratio > ILAB_SUITE_ODD || (ratio > 0 && ratio < 1 / ILAB_SUITE_ODD))
				r->odd[r->odd_count++] = (struct ilab_odd){ r->cases[i].identity, r->cases[i].case_name, view, ratio };
		}
}
