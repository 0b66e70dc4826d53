#include "cli/measure_file.h"

#include "result/document.h"

#include <sha2.h>

static enum ilab_status read_record(const char *text, size_t bytes, struct ilab_arena *arena, struct ilab_measure *out, struct ilab_err *err)
{
	cJSON *json = NULL;
	enum ilab_status status = ilab_json_read(text, bytes, &json, err);
	if (status == ILAB_OK)
		status = ilab_measure_from_json(json, arena, out, err);
	if (status == ILAB_OK)
		status = ilab_measure_check(out, err);
	cJSON_Delete(json);
	return status;
}

enum ilab_status ilab_measure_file_read(const char *path, struct ilab_arena *arena, struct ilab_measure *out, const char **sha256,
	struct ilab_err *err)
{
	struct ilab_err why = { 0 };
	char *text;
	size_t bytes;
	enum ilab_status status = ilab_document_read(path, arena, &text, &bytes, err);
	if (status != ILAB_OK)
		return status;
	status = read_record(text, bytes, arena, out, &why);
	if (status != ILAB_OK)
		return ilab_err_set(err, status, why.call, why.code, "%s: not a valid measurement: %s", path, why.text);
	if (sha256) {
		char *hex = ilab_arena_alloc(arena, SHA256_DIGEST_STRING_LENGTH);
		SHA256Data((const uint8_t *)text, bytes, hex);
		*sha256 = hex;
	}
	return ILAB_OK;
}
