#include "cli/tuning_file.h"

#include "cli/command.h"
#include "result/document.h"

#include <string.h>

enum ilab_status ilab_tuning_file_read(const char *path, struct ilab_arena *arena, struct ilab_tuning_record *out, struct ilab_err *err)
{
	struct ilab_err why = { 0 };
	cJSON *json;
	enum ilab_status status = ilab_document_load(path, arena, &json, NULL, &why, err);
	if (status == ILAB_OK)
		status = ilab_tuning_from_json(json, arena, out, &why);
	if (status == ILAB_OK)
		status = ilab_tuning_check(out, &why);
	cJSON_Delete(json);
	return status == ILAB_OK ? ILAB_OK : ilab_err_set(err, status, why.call, why.code, "%s: not a valid tuning: %s", path, why.text);
}

enum ilab_status ilab_tuning_file_check(const struct ilab_tuning_record *t, const char *identity, const struct ilab_device *device,
	struct ilab_err *err)
{
	const char *driver = device->driver_version.value, *wanted = t->driver_version.value;
	if (strcmp(identity, t->device_identity) != 0 || strcmp(device->name, t->device_name) != 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the tuning was found on %s (%s), this device is %s (%s): run tune here", t->device_name,
			t->device_identity, device->name, identity);
	if ((driver || wanted) && (!driver || !wanted || strcmp(driver, wanted) != 0))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the tuning was found with driver %s, here is %s: run tune again", wanted ? wanted : "unknown",
			driver ? driver : "unknown");
	return ILAB_OK;
}

static bool is_of_run(const struct ilab_tuned *e, const struct ilab_measure_request *q)
{
	const uint64_t rows = q->shape.batch * q->shape.context, width = q->shape.width, hidden = q->shape.hidden;
	return !strcmp(e->dtype, ilab_dtype_name(q->dtype)) && e->m == rows
		&& ((e->n == hidden && e->k == width) || (e->n == width && e->k == hidden));
}

const struct ilab_tuning *ilab_tuning_file_use(const struct ilab_tuning_record *t, const struct ilab_measure_request *request, bool quiet,
	struct ilab_arena *arena)
{
	struct ilab_tuning_entry *entries = ilab_arena_alloc(arena, (t->entry_count + 1) * sizeof(*entries));
	struct ilab_tuning *use = ilab_arena_alloc(arena, sizeof(*use));
	*use = (struct ilab_tuning){ t->provider, entries, 0, t->provider_version.value };
	for (size_t i = 0; i < t->entry_count; i++) {
		const struct ilab_tuned *e = &t->entries[i];
		if (is_of_run(e, request))
			entries[use->entry_count++] = (struct ilab_tuning_entry){ request->dtype, e->m, e->n, e->k, e->form, e->parameters, e->parameter_count };
	}
	if (use->entry_count < t->entry_count && !quiet)
		ilab_note("%zu of the tuning's %zu entries are for other products or types and are not used", t->entry_count - use->entry_count, t->entry_count);
	return use;
}
