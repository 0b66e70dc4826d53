#include "cli/measure_file.h"

#include "result/document.h"

enum ilab_status ilab_measure_file_read(const char *path, struct ilab_arena *arena, struct ilab_measure *out, const char **sha256,
	struct ilab_err *err)
{
	struct ilab_err why = { 0 };
	cJSON *json;
	enum ilab_status status = ilab_document_load(path, arena, &json, sha256, &why, err);
	if (status == ILAB_OK)
		status = ilab_measure_from_json(json, arena, out, &why);
	if (status == ILAB_OK)
		status = ilab_measure_check(out, &why);
	if (status == ILAB_OK)
		status = ilab_measure_check_values(out, NULL, &why);
	cJSON_Delete(json);
	return status == ILAB_OK ? ILAB_OK : ilab_err_set(err, status, why.call, why.code, "%s: not a valid measurement: %s", path, why.text);
}
