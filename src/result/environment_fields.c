#include "result/document.h"

#include "base/numtext.h"
#include "result/fields.h"

#include <stdio.h>
#include <string.h>

/* --- what other documents use too ------------------------------------------------------------------------------------- */

const struct ilab_field ilab_library_fields[] = {
	{ "name", ILAB_FIELD_STRING, .offset = offsetof(struct ilab_library, name), .limit = ILAB_LIMIT_FILLED },
	{ "version", ILAB_FIELD_STRING, .offset = offsetof(struct ilab_library, version), .unknown = "unavailable: the library does not tell its version" },
	{ 0 },
};

#define HOST(member) offsetof(struct ilab_host, member)
#define NOT_TOLD "unavailable: the system does not tell"

const struct ilab_field ilab_host_fields[] = {
	{ "os", ILAB_FIELD_STRING, .offset = HOST(os), .unknown = NOT_TOLD },
	{ "kernel", ILAB_FIELD_STRING, .offset = HOST(kernel), .unknown = NOT_TOLD },
	{ "cpu_model", ILAB_FIELD_STRING, .offset = HOST(cpu_model), .unknown = NOT_TOLD },
	{ "logical_cores", ILAB_FIELD_U64, .offset = HOST(logical_cores) },
	{ 0 },
};

#define P(member) offsetof(struct ilab_platform, member)

const struct ilab_field ilab_platform_fields[] = {
	{ "backend", ILAB_FIELD_STRING, .offset = P(backend) },
	{ "index", ILAB_FIELD_U32, .offset = P(index) },
	{ "name", ILAB_FIELD_STRING, .offset = P(name) },
	{ "vendor", ILAB_FIELD_STRING, .offset = P(vendor) },
	{ "version", ILAB_FIELD_STRING, .offset = P(version) },
	{ 0 },
};

#define D(member) offsetof(struct ilab_device, member)

static const char *const device_types[] = { "cpu", "gpu", "other", NULL };

const struct ilab_field ilab_device_fields[] = {
	{ "selector", ILAB_FIELD_STRING, .offset = D(selector) },
	{ "selectors", ILAB_FIELD_STRINGS, .offset = D(selectors), .count_offset = D(selector_count) },
	{ "backend", ILAB_FIELD_STRING, .offset = D(backend) },
	{ "platform", ILAB_FIELD_STRING, .offset = D(platform) },
	{ "name", ILAB_FIELD_STRING, .offset = D(name) },
	{ "vendor", ILAB_FIELD_STRING, .offset = D(vendor) },
	{ "type", ILAB_FIELD_WORD, .offset = D(type), .words = device_types },
	{ "pci_address", ILAB_FIELD_TEXT, .offset = D(pci_address) },
	{ "uuid", ILAB_FIELD_TEXT, .offset = D(uuid) },
	{ "driver_version", ILAB_FIELD_TEXT, .offset = D(driver_version) },
	{ "api_version", ILAB_FIELD_TEXT, .offset = D(api_version) },
	{ "runtime_version", ILAB_FIELD_TEXT, .offset = D(runtime_version) },
	{ "total_memory_bytes", ILAB_FIELD_U64, .offset = D(total_memory_bytes) },
	{ "max_allocation_bytes", ILAB_FIELD_U64, .offset = D(max_allocation_bytes) },
	{ "compute_units", ILAB_FIELD_U64, .offset = D(compute_units) },
	{ "physical", ILAB_FIELD_INDEX, .offset = D(physical), .unknown = "not-run: the device was not paired with others" },
	{ 0 },
};

bool ilab_selector_indices(const char *selector, const char *backend, uint32_t *platform, uint32_t *device)
{
	size_t length = strlen(backend);
	bool two = strcmp(backend, "opencl") == 0;
	char again[96];
	unsigned p = 0, d = 0;

	if (strncmp(selector, backend, length) != 0 || selector[length] != ':' || strlen(selector) > 64)
		return false;
	if (two ? sscanf(selector + length, ":%9u:%9u", &p, &d) != 2 : sscanf(selector + length, ":%9u", &d) != 1)
		return false;
	/* One device has one canonical selector: no leading zeros, nothing after it. */
	if (two)
		snprintf(again, sizeof again, "%s:%u:%u", backend, p, d);
	else
		snprintf(again, sizeof again, "%s:%u", backend, d);
	*platform = p;
	*device = d;
	return strcmp(again, selector) == 0;
}

/* --- listings ---------------------------------------------------------------------------------------------------------- */

#define L(member) offsetof(struct ilab_listing, member)

static const char *const states[] = { "ready", "no-device", "unavailable", NULL };

/* A backend as it stands in environment/1; its platforms and devices stand beside it there. */
static const struct ilab_field backend_fields[] = {
	{ "name", ILAB_FIELD_STRING, .offset = L(backend), .limit = ILAB_LIMIT_FILLED },
	{ "state", ILAB_FIELD_WORD, .offset = L(state), .words = states },
	{ "reason", ILAB_FIELD_STRING_OR_NULL, .offset = L(reason), .limit = ILAB_LIMIT_FILLED },
	{ "modules", ILAB_FIELD_STRING, .offset = L(modules), .unknown = "unavailable: no module of this backend is loaded" },
	{ "libraries", ILAB_FIELD_OBJECTS, .offset = L(libraries), .count_offset = L(library_count), .element_bytes = sizeof(struct ilab_library),
		.table = ilab_library_fields },
	{ 0 },
};

/* What the selector of a document says stands apart on the worker's line. */
static const struct ilab_field listed_device_fields[] = {
	{ "device", ILAB_FIELD_OBJECT, .table = ilab_device_fields },
	{ "platform_index", ILAB_FIELD_U32, .offset = D(platform_index) },
	{ "device_index", ILAB_FIELD_U32, .offset = D(device_index) },
	{ 0 },
};

static const struct ilab_field listing_fields[] = {
	{ "backend", ILAB_FIELD_OBJECT, .table = backend_fields },
	{ "loader_name", ILAB_FIELD_TEXT, .offset = L(loader_name) },
	{ "loader_version", ILAB_FIELD_TEXT, .offset = L(loader_version) },
	{ "platforms", ILAB_FIELD_OBJECTS, .offset = L(platforms), .count_offset = L(platform_count), .element_bytes = sizeof(struct ilab_platform),
		.table = ilab_platform_fields },
	{ "devices", ILAB_FIELD_OBJECTS, .offset = L(devices), .count_offset = L(device_count), .element_bytes = sizeof(struct ilab_device),
		.table = listed_device_fields },
	{ "advice", ILAB_FIELD_STRINGS, .offset = L(advice), .count_offset = L(advice_count) },
	{ 0 },
};

cJSON *ilab_listing_to_json(const struct ilab_listing *r)
{
	return ilab_fields_object(listing_fields, r);
}

enum ilab_status ilab_listing_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_listing *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };

	*out = (struct ilab_listing){ 0 };
	if (!cJSON_IsObject(json))
		return ilab_fields_fault(&r, NULL, "expected an object");
	return ilab_fields_read(&r, json, listing_fields, out);
}

/* --- environment/1 ------------------------------------------------------------------------------------------------------ */

#define E(member) offsetof(struct ilab_environment, member)
#define SCHEMA "iteragpu-lab/environment/1"

/* Platforms and devices of all backends stand in one array each, in the order of the backends. */
static bool write_flat(cJSON *document, const struct ilab_field *f, const void *record)
{
	const struct ilab_environment *e = record;
	cJSON *array = cJSON_CreateArray();

	for (size_t b = 0; b < e->backend_count && array != NULL; b++) {
		const char *items = *(char *const *)((const char *)&e->backends[b] + f->offset);
		size_t count = *(const size_t *)((const char *)&e->backends[b] + f->count_offset);
		for (size_t i = 0; i < count && array != NULL; i++)
			array = ilab_fields_append(array, ilab_fields_object(f->table, items + i * f->element_bytes));
	}
	return ilab_fields_add(document, f->name, array);
}

/* `backend` is a string at another place of the two element types. */
static const char *backend_of(const struct ilab_field *f, const char *element)
{
	return *(const char *const *)(element + (f->table == ilab_platform_fields ? P(backend) : D(backend)));
}

static enum ilab_status read_flat(struct ilab_fields_reader *r, const cJSON *document, const struct ilab_field *f, void *record)
{
	struct ilab_environment *e = record;
	void *all;
	size_t count, i = 0;
	enum ilab_status status = ilab_fields_read_objects(r, document, f->name, f->table, f->element_bytes, &all, &count);

	if (status != ILAB_OK)
		return status;
	for (size_t b = 0; b < e->backend_count; b++) {
		char *listing = (char *)&e->backends[b];
		size_t first = i;
		while (i < count && strcmp(backend_of(f, (char *)all + i * f->element_bytes), e->backends[b].backend) == 0)
			i++;
		*(void **)(void *)(listing + f->offset) = (char *)all + first * f->element_bytes;
		*(size_t *)(void *)(listing + f->count_offset) = i - first;
	}
	if (i < count)
		return ilab_fields_fault(r, f->name, "item %zu: its backend is not listed, or it is out of the order of the backends", i);
	return ILAB_OK;
}

static const struct ilab_field loader_fields[] = {
	{ "name", ILAB_FIELD_TEXT, .offset = E(loader_name) },
	{ "version", ILAB_FIELD_TEXT, .offset = E(loader_version) },
	{ 0 },
};

static const struct ilab_field physical_fields[] = {
	{ "identity", ILAB_FIELD_STRING, .offset = offsetof(struct ilab_physical, identity) },
	{ "views", ILAB_FIELD_STRINGS, .offset = offsetof(struct ilab_physical, views), .count_offset = offsetof(struct ilab_physical, view_count) },
	{ 0 },
};

static const struct ilab_field environment_fields[] = {
	{ "host", ILAB_FIELD_OBJECT, .offset = E(host), .table = ilab_host_fields },
	{ "loader", ILAB_FIELD_OBJECT, .table = loader_fields },
	{ "backends", ILAB_FIELD_OBJECTS, .offset = E(backends), .count_offset = E(backend_count), .element_bytes = sizeof(struct ilab_listing),
		.table = backend_fields },
	{ "platforms", ILAB_FIELD_CUSTOM, .offset = L(platforms), .count_offset = L(platform_count), .element_bytes = sizeof(struct ilab_platform),
		.table = ilab_platform_fields, .write = write_flat, .read = read_flat },
	{ "devices", ILAB_FIELD_CUSTOM, .offset = L(devices), .count_offset = L(device_count), .element_bytes = sizeof(struct ilab_device),
		.table = ilab_device_fields, .write = write_flat, .read = read_flat },
	{ "physical_devices", ILAB_FIELD_OBJECTS, .offset = E(physical), .count_offset = E(physical_count), .element_bytes = sizeof(struct ilab_physical),
		.table = physical_fields },
	{ "advice", ILAB_FIELD_STRINGS, .offset = E(advice), .count_offset = E(advice_count) },
	{ 0 },
};

cJSON *ilab_environment_to_json(const struct ilab_environment *r)
{
	return ilab_fields_document(SCHEMA, &r->header, environment_fields, r);
}

/* The indices are the selector's; whether it is a canonical one is for the check to say. */
static void number_devices(struct ilab_environment *e)
{
	for (size_t b = 0; b < e->backend_count; b++)
		for (size_t i = 0; i < e->backends[b].device_count; i++) {
			struct ilab_device *d = &e->backends[b].devices[i];
			ilab_selector_indices(d->selector, d->backend, &d->platform_index, &d->device_index);
		}
}

enum ilab_status ilab_environment_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_environment *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };
	enum ilab_status status;

	*out = (struct ilab_environment){ 0 };
	if ((status = ilab_fields_read_document(&r, json, SCHEMA, environment_fields, &out->header, out)) != ILAB_OK)
		return status;
	number_devices(out);
	return ILAB_OK;
}
