#include "harness/protocol.h"

#include <string.h>

/* Members of a request that are plain texts or whole numbers, as rows: writer and reader run over the same ones. */
static const struct { const char *name; size_t offset; } texts[] = {
	{ "backend", offsetof(struct ilab_request, backend) },
	{ "module_dir", offsetof(struct ilab_request, module_dir) },
	{ "opencl_vendors", offsetof(struct ilab_request, surroundings.opencl_vendors) },
	{ "opencl_vendors_shown", offsetof(struct ilab_request, surroundings.opencl_vendors_shown) },
	{ "pocl_cache", offsetof(struct ilab_request, surroundings.pocl_cache) },
	{ "mesa_cache", offsetof(struct ilab_request, surroundings.mesa_cache) },
	{ "nvidia_cache", offsetof(struct ilab_request, surroundings.nvidia_cache) },
	{ "intel_cache", offsetof(struct ilab_request, surroundings.intel_cache) },
	{ "clblast_options", offsetof(struct ilab_request, run.clblast_options) },
};
static const struct { const char *name; size_t offset; } wholes[] = {
	{ "batch", offsetof(struct ilab_request, run.shape.batch) },
	{ "context", offsetof(struct ilab_request, run.shape.context) },
	{ "width", offsetof(struct ilab_request, run.shape.width) },
	{ "hidden", offsetof(struct ilab_request, run.shape.hidden) },
	{ "warmup", offsetof(struct ilab_request, run.warmup) },
	{ "repeats", offsetof(struct ilab_request, run.repeats) },
	{ "seed", offsetof(struct ilab_request, run.seed) },
	{ "verify_rows", offsetof(struct ilab_request, run.verify_rows) },
	{ "slow_down_billionths", offsetof(struct ilab_request, run.slow_down_billionths) },
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const cJSON *item_of(const cJSON *json, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(json, name);
}

static const char *text_of(const cJSON *json, const char *name)
{
	return cJSON_GetStringValue(item_of(json, name));
}

static bool add(cJSON *object, const char *name, cJSON *item)
{
	if (item && cJSON_AddItemToObject(object, name, item))
		return true;
	cJSON_Delete(item);
	return false;
}

static bool add_run(cJSON *json, const struct ilab_request *request)
{
	const struct ilab_measure_request *run = &request->run;
	bool good = add(json, "platform_index", ilab_json_u64(run->open.platform_index))
		&& add(json, "device_index", ilab_json_u64(run->open.device_index)) && add(json, "graph", cJSON_CreateBool(run->open.graph))
		&& add(json, "sample", cJSON_CreateBool(run->sample))
		&& add(json, "dtype", cJSON_CreateString(ilab_dtype_name(run->dtype)))
		&& add(json, "gemm", cJSON_CreateString(ilab_gemm_name(run->gemm)));
	for (size_t i = 0; good && i < COUNT(wholes); i++) {
		uint64_t value;
		memcpy(&value, (const char *)request + wholes[i].offset, sizeof(value));
		good = add(json, wholes[i].name, ilab_json_u64(value));
	}
	return good && (!run->tuning || add(json, "tuning", ilab_tuning_use_to_json(run->tuning)));
}

static const char *name_of(const struct ilab_request *request)
{
	return request->measure ? "measure" : request->tune ? "tune" : request->probe ? "probe" : "enumerate";
}

cJSON *ilab_request_to_json(const struct ilab_request *request)
{
	cJSON *json = cJSON_CreateObject();
	bool good = json && add(json, "request", cJSON_CreateString(name_of(request)));
	for (size_t i = 0; good && i < COUNT(texts); i++) {
		const char *value;
		memcpy(&value, (const char *)request + texts[i].offset, sizeof(value));
		good = !value || add(json, texts[i].name, cJSON_CreateString(value));
	}
	if (good && (request->measure || request->tune || request->probe))
		good = add_run(json, request);
	if (good)
		return json;
	cJSON_Delete(json);
	return NULL;
}

static bool get_u32(const cJSON *json, const char *name, uint32_t *out)
{
	uint64_t value;
	if (!ilab_json_get_u64(item_of(json, name), &value) || value > UINT32_MAX)
		return false;
	*out = (uint32_t)value;
	return true;
}

static bool get_run(const cJSON *json, struct ilab_arena *arena, struct ilab_request *out)
{
	struct ilab_measure_request *run = &out->run;
	const char *dtype = text_of(json, "dtype"), *gemm = text_of(json, "gemm");
	bool good = get_u32(json, "platform_index", &run->open.platform_index) && get_u32(json, "device_index", &run->open.device_index)
		&& dtype && ilab_dtype_from_name(dtype, &run->dtype) && gemm && ilab_gemm_from_name(gemm, &run->gemm);
	run->open.graph = cJSON_IsTrue(item_of(json, "graph"));
	run->sample = cJSON_IsTrue(item_of(json, "sample"));
	for (size_t i = 0; good && i < COUNT(wholes); i++) {
		uint64_t value = 0;
		good = ilab_json_get_u64(item_of(json, wholes[i].name), &value);
		memcpy((char *)out + wholes[i].offset, &value, sizeof(value));
	}
	const cJSON *tuning = item_of(json, "tuning");
	run->tuning = tuning ? ilab_tuning_use_from_json(tuning, arena) : NULL;
	return good && (!tuning || run->tuning);
}

enum ilab_status ilab_request_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_request *out, struct ilab_err *err)
{
	const char *what = text_of(json, "request");
	*out = (struct ilab_request){ .measure = what && !strcmp(what, "measure"), .tune = what && !strcmp(what, "tune"),
		.probe = what && !strcmp(what, "probe") };
	for (size_t i = 0; i < COUNT(texts); i++) {
		const char *value = ilab_arena_strdup(arena, text_of(json, texts[i].name));
		memcpy((char *)out + texts[i].offset, &value, sizeof(value));
	}
	out->run.open.surroundings = &out->surroundings;
	if (what && out->backend && (out->measure || out->tune || out->probe ? get_run(json, arena, out) : !strcmp(what, "enumerate")))
		return ILAB_OK;
	return ilab_err_set(err, ILAB_IO, "", 0, "the worker was asked something that it does not know");
}

cJSON *ilab_error_to_json(enum ilab_status status, const struct ilab_err *error)
{
	cJSON *json = cJSON_CreateObject();
	if (json && add(json, "record", cJSON_CreateString("error")) && add(json, "status", ilab_json_u64(status))
		&& add(json, "call", cJSON_CreateString(error->call)) && add(json, "code", cJSON_CreateNumber((double)error->code))
		&& add(json, "text", cJSON_CreateString(error->text)))
		return json;
	cJSON_Delete(json);
	return NULL;
}

enum ilab_status ilab_error_from_json(const cJSON *json, struct ilab_err *err)
{
	uint64_t status = 0;
	double code = 0;
	const char *call = text_of(json, "call"), *text = text_of(json, "text");
	ilab_json_get_u64(item_of(json, "status"), &status);
	ilab_json_get_double(item_of(json, "code"), &code);
	if (status < ILAB_FAILED || status > ILAB_UNVERIFIED)
		status = ILAB_FAILED;
	return ilab_err_set(err, (enum ilab_status)status, call ? call : "", (long)code, "%s", text && *text ? text : "no reason given");
}
