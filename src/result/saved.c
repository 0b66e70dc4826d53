#include "result/saved.h"

#include "base/path.h"
#include "result/document.h"
#include "result/suite.h"

#include <string.h>

static enum ilab_status take_measure(const cJSON *json, struct ilab_arena *arena, struct ilab_saved *out, struct ilab_err *err)
{
	struct ilab_compare_run *run = ilab_arena_alloc(arena, sizeof *run);
	struct ilab_measure *m = &run->document;
	enum ilab_status status = ilab_measure_from_json(json, arena, m, err);

	if (status == ILAB_OK)
		status = ilab_measure_check(m, err);
	if (status == ILAB_OK)
		status = ilab_measure_check_values(m, NULL, err);
	if (status != ILAB_OK)
		return status;
	const bool passed = strcmp(m->verification.status, "passed") == 0;
	run->sha256 = out->sha256;
	out->header = m->header;
	out->entries = ilab_arena_alloc(arena, sizeof *out->entries);
	out->entries[out->entry_count++] = (struct ilab_saved_entry){ NULL, m->device.name,
		{ m->configuration.view, passed ? "passed" : "unverified", passed ? NULL : m->verification.failure, run, 1 }, 0 };
	return ILAB_OK;
}

static void add_compare(const struct ilab_compare *c, struct ilab_saved *out)
{
	for (size_t i = 0; i < c->view_count; i++)
		out->entries[out->entry_count++] = (struct ilab_saved_entry){ c->case_name, c->device_name, c->views[i], 0 };
}

static enum ilab_status take_compare(const cJSON *json, struct ilab_arena *arena, struct ilab_saved *out, struct ilab_err *err)
{
	struct ilab_compare c;
	enum ilab_status status = ilab_compare_from_json(json, arena, &c, err);

	if (status == ILAB_OK)
		status = ilab_compare_check(&c, err);
	if (status == ILAB_OK)
		status = ilab_compare_check_values(&c, err);
	if (status != ILAB_OK)
		return status;
	out->header = c.header;
	out->entries = ilab_arena_alloc(arena, c.view_count * sizeof *out->entries);
	add_compare(&c, out);
	return ILAB_OK;
}

static enum ilab_status take_suite(const cJSON *json, struct ilab_arena *arena, struct ilab_saved *out, struct ilab_err *err)
{
	struct ilab_suite s;
	enum ilab_status status = ilab_suite_from_json(json, arena, &s, err);
	size_t most = 1;

	if (status == ILAB_OK)
		status = ilab_suite_check_any_version(&s, err);
	if (status == ILAB_OK)
		status = ilab_suite_check_values(&s, err);
	if (status != ILAB_OK)
		return status;
	for (size_t i = 0; i < s.case_count; i++)
		most += s.cases[i].view_count;
	out->header = s.header;
	out->entries = ilab_arena_alloc(arena, most * sizeof *out->entries);
	for (size_t i = 0; i < s.case_count; i++)
		add_compare(&s.cases[i], out);
	for (size_t i = 0; i < out->entry_count; i++)
		out->entries[i].suite_version = s.suite_version;
	return ILAB_OK;
}

static const struct {
	const char *kind, *schema;
	enum ilab_status (*take)(const cJSON *json, struct ilab_arena *arena, struct ilab_saved *out, struct ilab_err *err);
} kinds[] = {
	{ "measure", "iteragpu-lab/measure/1", take_measure },
	{ "compare", "iteragpu-lab/compare/1", take_compare },
	{ "suite", "iteragpu-lab/suite/1", take_suite },
};

static enum ilab_status take(const cJSON *json, struct ilab_arena *arena, struct ilab_saved *out, struct ilab_err *err)
{
	const char *schema = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "schema"));

	for (size_t i = 0; schema != NULL && i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(schema, kinds[i].schema) == 0) {
			out->kind = kinds[i].kind;
			return kinds[i].take(json, arena, out, err);
		}
	return ilab_err_set(err, ILAB_IO, NULL, 0, "schema %s%.80s%s: a measure, compare or suite document of number 1 is needed",
		schema != NULL ? "\"" : "", schema != NULL ? schema : "missing", schema != NULL ? "\"" : "");
}

enum ilab_status ilab_saved_read(const char *path, struct ilab_arena *arena, struct ilab_saved *out, struct ilab_err *err)
{
	struct ilab_err why = { 0 };
	cJSON *json;
	enum ilab_status status;

	*out = (struct ilab_saved){ .file = ilab_path_base(path) };
	status = ilab_document_load(path, arena, &json, &out->sha256, &why, err);
	if (status == ILAB_OK)
		status = take(json, arena, out, &why);
	cJSON_Delete(json);
	return status == ILAB_OK ? ILAB_OK : ilab_err_set(err, status, why.call, why.code, "%s: %s", path, why.text);
}

bool ilab_saved_is_hooked(const struct ilab_saved *s)
{
	for (size_t i = 0; i < s->entry_count; i++)
		for (size_t k = 0; k < s->entries[i].runs.run_count; k++)
			if (s->entries[i].runs.runs[k].document.configuration.slow_down_billionths != 0)
				return true;
	return false;
}
