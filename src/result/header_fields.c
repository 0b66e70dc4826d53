#include "result/fields.h"

#include "base/date.h"
#include "result/command_check.h"

#include <stdio.h>
#include <string.h>

#define H(member) offsetof(struct ilab_header, member)

static const struct ilab_field build_fields[] = {
	{ "compiler", ILAB_FIELD_STRING, .offset = H(build_compiler), .limit = ILAB_LIMIT_FILLED },
	{ "features", ILAB_FIELD_STRINGS, .offset = H(build_features), .count_offset = H(build_feature_count) },
	{ 0 },
};

static const struct ilab_field tool_fields[] = {
	{ "name", ILAB_FIELD_STRING, .offset = H(tool_name) },
	{ "version", ILAB_FIELD_STRING, .offset = H(tool_version), .limit = ILAB_LIMIT_FILLED },
	{ "modules", ILAB_FIELD_STRINGS, .offset = H(tool_modules), .count_offset = H(tool_module_count) },
	{ "build", ILAB_FIELD_OBJECT, .table = build_fields },
	{ 0 },
};

static const struct ilab_field header_fields[] = {
	{ "schema", ILAB_FIELD_STRING, .offset = H(schema) },
	{ "tool", ILAB_FIELD_OBJECT, .table = tool_fields },
	{ "command", ILAB_FIELD_STRINGS, .offset = H(command), .count_offset = H(command_count) },
	{ "started_utc", ILAB_FIELD_STRING, .offset = H(started_utc) },
	{ "run_id", ILAB_FIELD_HEX, .offset = H(run_id), .digits = 32 },
	{ "total_seconds", ILAB_FIELD_DOUBLE, .offset = H(total_seconds) },
	{ 0 },
};

cJSON *ilab_fields_document(const char *schema, const struct ilab_header *header, const struct ilab_field *table, const void *record)
{
	struct ilab_header copy = *header;
	cJSON *document = cJSON_CreateObject();

	copy.schema = schema;
	if (document != NULL && ilab_fields_write(document, header_fields, &copy) && ilab_fields_write(document, table, record))
		return document;
	cJSON_Delete(document);
	return NULL;
}

enum ilab_status ilab_fields_read_document(struct ilab_fields_reader *r, const cJSON *document, const char *schema, const struct ilab_field *table,
	struct ilab_header *header, void *record)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(document, "schema");
	enum ilab_status status;

	if (!cJSON_IsObject(document))
		return ilab_fields_fault(r, NULL, "expected an object");
	if (!cJSON_IsString(item) || strcmp(item->valuestring, schema) != 0)
		return ilab_fields_fault(r, "schema", "expected \"%s\"", schema);
	status = ilab_fields_read(r, document, header_fields, header);
	return status == ILAB_OK ? ilab_fields_read(r, document, table, record) : status;
}

/* "2026-12-01T06:29:46Z", with or without a fraction of a second: a day of the calendar and a time of that day. */
bool ilab_utc_valid(const char *text)
{
	static const char form[] = "Tdd:dd:dd";
	const size_t date = 10, n = date + sizeof form - 1;
	unsigned hour, minute, second;
	char day[11];

	if (strlen(text) < n + 1)
		return false;
	memcpy(day, text, date);
	day[date] = '\0';
	for (size_t i = date; i < n; i++)
		if (form[i - date] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i - date])
			return false;
	const char *rest = text + n;
	if (*rest == '.' && strspn(rest + 1, "0123456789") > 0)
		rest += 1 + strspn(rest + 1, "0123456789");
	if (strcmp(rest, "Z") != 0 || !ilab_date_valid(day))
		return false;
	return sscanf(text + date, "T%2u:%2u:%2u", &hour, &minute, &second) == 3 && hour <= 23 && minute <= 59
		&& (second <= 59 || (second == 60 && hour == 23 && minute == 59));
}

/* Which commands write a kind: a comparison measures ceilings of its own, and a suite is made of comparisons. And which kinds are made
 * without any device. */
static const struct kind { const char *schema, *commands[3]; bool without_device; } kinds[] = {
	{ "iteragpu-lab/estimate/1", { "estimate" }, true }, { "iteragpu-lab/environment/1", { "environment" }, false },
	{ "iteragpu-lab/measure/1", { "measure" }, false }, { "iteragpu-lab/compare/1", { "compare", "suite" }, false },
	{ "iteragpu-lab/suite/1", { "suite" }, false }, { "iteragpu-lab/ceilings/1", { "ceilings", "compare", "suite" }, false },
	{ "iteragpu-lab/diff/1", { "diff" }, true }, { "iteragpu-lab/tuning/1", { "tune" }, false }, { "iteragpu-lab/cost/1", { "cost" }, true },
};

static const struct kind *kind_of(const struct ilab_header *h)
{
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if (strcmp(kinds[k].schema, h->schema) == 0)
			return &kinds[k];
	return NULL;
}

static bool command_fits(const struct ilab_header *h, const struct kind *kind)
{
	for (size_t i = 0; kind != NULL && i < 3 && kind->commands[i] != NULL; i++)
		if (ilab_command_is(h, kind->commands[i]))
			return true;
	return false;
}

enum ilab_status ilab_header_check(const struct ilab_header *header, struct ilab_err *err)
{
	const struct kind *kind = kind_of(header);

	if (strcmp(header->tool_name, "iteragpu-lab") != 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "tool.name: expected \"iteragpu-lab\"");
	if (!command_fits(header, kind))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "command: does not begin with the command that writes %s", header->schema);
	if (kind->without_device && header->tool_module_count > 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "tool.modules: no backend takes part in %s", header->command[0]);
	if (!ilab_utc_valid(header->started_utc))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "started_utc: expected a time in UTC such as 2026-12-01T06:29:46Z");
	if (!(header->total_seconds >= 0))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "total_seconds: negative");
	return ILAB_OK;
}
