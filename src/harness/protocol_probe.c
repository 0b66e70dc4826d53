#include "harness/protocol.h"

#include "result/fields.h"

static const struct ilab_field item_fields[] = {
	{ "probe", ILAB_FIELD_STRING, .offset = offsetof(struct ilab_probe_item, probe) },
	{ "dtype", ILAB_FIELD_STRING, .offset = offsetof(struct ilab_probe_item, dtype) },
	{ "per_second", ILAB_FIELD_REAL, .offset = offsetof(struct ilab_probe_item, per_second) },
	{ 0 },
};

static const struct ilab_field probes_fields[] = {
	{ "items", ILAB_FIELD_OBJECTS, .offset = offsetof(struct ilab_probes, items), .count_offset = offsetof(struct ilab_probes, count),
		.element_bytes = sizeof(struct ilab_probe_item), .table = item_fields },
	{ 0 },
};

cJSON *ilab_probes_to_json(const struct ilab_probes *probes)
{
	return ilab_fields_object(probes_fields, probes);
}

enum ilab_status ilab_probes_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_probes *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };

	*out = (struct ilab_probes){ 0 };
	return ilab_fields_read(&r, json, probes_fields, out);
}
