#include "result/fields.h"

#include <stdio.h>
#include <string.h>

#define H(member) offsetof(struct ilab_header, member)

static const struct ilab_field build_fields[] = {
	{ "compiler", ILAB_FIELD_STRING, .offset = H(build_compiler) },
	{ "features", ILAB_FIELD_STRINGS, .offset = H(build_features), .count_offset = H(build_feature_count) },
	{ 0 },
};

static const struct ilab_field tool_fields[] = {
	{ "name", ILAB_FIELD_STRING, .offset = H(tool_name) },
	{ "version", ILAB_FIELD_STRING, .offset = H(tool_version) },
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

bool ilab_header_write(cJSON *document, const char *schema, const struct ilab_header *header)
{
	struct ilab_header copy = *header;

	copy.schema = schema;
	return ilab_fields_write(document, header_fields, &copy);
}

enum ilab_status ilab_header_read(struct ilab_fields_reader *r, const cJSON *document, const char *schema, struct ilab_header *out)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(document, "schema");

	if (!cJSON_IsObject(document))
		return ilab_fields_fault(r, NULL, "expected an object");
	if (!cJSON_IsString(item) || strcmp(item->valuestring, schema) != 0)
		return ilab_fields_fault(r, "schema", "expected \"%s\"", schema);
	return ilab_fields_read(r, document, header_fields, out);
}

/* "2026-12-01T06:29:46Z", with or without a fraction of a second; the days of a month are not counted. */
static bool utc_valid(const char *text)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd";
	size_t n = sizeof form - 1;
	unsigned year, month, day, hour, minute, second;

	if (strlen(text) < n + 1)
		return false;
	for (size_t i = 0; i < n; i++)
		if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return false;
	if (text[n] == '.')
		n += 1 + strspn(text + n + 1, "0123456789");
	if (strcmp(text + n, "Z") != 0 || text[n - 1] == '.')
		return false;
	return sscanf(text, "%4u-%2u-%2uT%2u:%2u:%2u", &year, &month, &day, &hour, &minute, &second) == 6
		&& month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour <= 23 && minute <= 59 && second <= 60;
}

enum ilab_status ilab_header_check(const struct ilab_header *header, struct ilab_err *err)
{
	if (strcmp(header->tool_name, "iteragpu-lab") != 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "tool.name: expected \"iteragpu-lab\"");
	if (!utc_valid(header->started_utc))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "started_utc: expected a time in UTC such as 2026-12-01T06:29:46Z");
	if (!(header->total_seconds >= 0))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "total_seconds: negative");
	return ILAB_OK;
}
