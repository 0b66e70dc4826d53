#include "result/document.h"

#include "result/fields.h"
#include "result/parameters.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA "iteragpu-lab/measure/1"

/* --- phases[] ----------------------------------------------------------------------------------------------------------- */

#define P(member) offsetof(struct ilab_phase, member)

static const char *const phases[] = { "model_load", "inputs", "cold_forward", "warmup", "warm_forward", NULL };

const struct ilab_field ilab_phase_fields[] = {
	{ "phase", ILAB_FIELD_WORD, .offset = P(phase), .words = phases },
	{ "repetition", ILAB_FIELD_U64_OR_NULL, .offset = P(repetition) },
	{ "seconds", ILAB_FIELD_DOUBLE, .offset = P(seconds) },
	{ "device_seconds", ILAB_FIELD_REAL, .offset = P(device_seconds) },
	{ "baseline_allocated_bytes", ILAB_FIELD_U64, .offset = P(baseline_allocated_bytes) },
	{ "baseline_reserved_bytes", ILAB_FIELD_U64, .offset = P(baseline_reserved_bytes) },
	{ "end_allocated_bytes", ILAB_FIELD_U64, .offset = P(end_allocated_bytes) },
	{ "end_reserved_bytes", ILAB_FIELD_U64, .offset = P(end_reserved_bytes) },
	{ "peak_allocated_bytes", ILAB_FIELD_U64, .offset = P(peak_allocated_bytes) },
	{ "peak_reserved_bytes", ILAB_FIELD_U64, .offset = P(peak_reserved_bytes) },
	{ "driver_used_bytes", ILAB_FIELD_COUNT, .offset = P(driver_used_bytes) },
	{ "output_checksum", ILAB_FIELD_HEX, .offset = P(output_checksum), .digits = 16, .unknown = "not-run: this phase computes no output" },
	{ 0 },
};

cJSON *ilab_phase_to_json(const struct ilab_phase *r)
{
	return ilab_fields_object(ilab_phase_fields, r);
}

enum ilab_status ilab_phase_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_phase *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };

	*out = (struct ilab_phase){ 0 };
	if (!cJSON_IsObject(json))
		return ilab_fields_fault(&r, NULL, "expected an object");
	return ilab_fields_read(&r, json, ilab_phase_fields, out);
}

/* --- values of an open set of names: gemm.parameters{} ----------------------------------------------------------------- */

#define M(member) offsetof(struct ilab_measure, member)

static bool write_parameters(cJSON *object, const struct ilab_field *f, const void *record)
{
	const struct ilab_gemm_record *g = &((const struct ilab_measure *)record)->gemm;

	return ilab_parameters_write(object, f->name, g->parameters, g->parameter_count);
}

static enum ilab_status read_parameters(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	struct ilab_gemm_record *g = &((struct ilab_measure *)record)->gemm;

	return ilab_parameters_read(r, object, f->name, &g->parameters, &g->parameter_count);
}

/* --- throttled[]: words in the document, one text separated by commas in the record -------------------------------------- */

static bool write_throttled(cJSON *object, const struct ilab_field *f, const void *record)
{
	const struct ilab_text *t = &((const struct ilab_measure *)record)->telemetry.throttled;
	const char *p = t->value;
	cJSON *array;

	if (t->reason != NULL || p == NULL)
		return ilab_fields_add(object, f->name, cJSON_CreateNull())
			&& ilab_fields_add(object, "throttled_reason", ilab_json_string(t->reason != NULL ? t->reason : "unavailable: not reported"));
	array = cJSON_CreateArray();
	while (*p != '\0' && array != NULL) {
		size_t n = strcspn(p, ",");
		char *word = strndup(p, n);
		array = ilab_fields_append(array, word != NULL ? ilab_json_string(word) : NULL);
		free(word);
		p += n + (p[n] == ',');
	}
	return ilab_fields_add(object, f->name, array);
}

static enum ilab_status read_throttled(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	struct ilab_text *t = &((struct ilab_measure *)record)->telemetry.throttled;
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, f->name);

	if (cJSON_IsNull(item))
		return ilab_fields_reason(r, object, f->name, &t->reason);
	if (!cJSON_IsArray(item))
		return ilab_fields_fault(r, f->name, item == NULL ? "missing" : "expected an array");
	if (cJSON_GetObjectItemCaseSensitive(object, "throttled_reason") != NULL)
		return ilab_fields_fault(r, f->name, "has a value and also throttled_reason");
	t->value = ilab_arena_strdup(r->arena, "");
	for (const cJSON *word = item->child; word != NULL; word = word->next) {
		if (!cJSON_IsString(word) || strchr(word->valuestring, ',') != NULL)
			return ilab_fields_fault(r, f->name, "expected an array of words");
		t->value = ilab_arena_printf(r->arena, "%s%s%s", t->value, t->value[0] ? "," : "", word->valuestring);
	}
	return ILAB_OK;
}

/* --- the tables ---------------------------------------------------------------------------------------------------------- */

static const char *const cache_states[] = { "cold", "warm", "none", "unknown", NULL };

static const struct ilab_field backend_fields[] = {
	{ "name", ILAB_FIELD_STRING, .offset = M(backend.name) },
	{ "platform", ILAB_FIELD_STRING, .offset = M(backend.platform) },
	{ "api_version", ILAB_FIELD_TEXT, .offset = M(backend.api_version) },
	{ "runtime_version", ILAB_FIELD_TEXT, .offset = M(backend.runtime_version) },
	{ "libraries", ILAB_FIELD_OBJECTS, .offset = M(backend.libraries), .count_offset = M(backend.library_count),
		.element_bytes = sizeof(struct ilab_library), .table = ilab_library_fields },
	{ "setup_seconds", ILAB_FIELD_DOUBLE, .offset = M(backend.setup_seconds) },
	{ "kernel_cache", ILAB_FIELD_WORD, .offset = M(backend.kernel_cache), .words = cache_states },
	{ "floor_seconds", ILAB_FIELD_DOUBLE, .offset = M(backend.floor_seconds) },
	{ 0 },
};

static const char *const providers[] = { "clblast", "builtin", "cublaslt", "rocblas", NULL };
static const char *const accumulations[] = { "float32", "float16", NULL };

static const struct ilab_field gemm_fields[] = {
	{ "provider", ILAB_FIELD_WORD, .offset = M(gemm.provider), .words = providers },
	{ "version", ILAB_FIELD_TEXT, .offset = M(gemm.version) },
	{ "reason", ILAB_FIELD_STRING_OR_NULL, .offset = M(gemm.reason), .limit = ILAB_LIMIT_FILLED },
	{ "parameters", ILAB_FIELD_CUSTOM, .write = write_parameters, .read = read_parameters },
	{ "tuned", ILAB_FIELD_BOOL, .offset = M(gemm.tuned) },
	{ "accumulation", ILAB_FIELD_WORD, .offset = M(gemm.accumulation), .words = accumulations },
	{ "forms", ILAB_FIELD_STRINGS, .offset = M(gemm.forms), .count_offset = M(gemm.form_count) },
	{ "temporary_bytes", ILAB_FIELD_U64, .offset = M(gemm.temporary_bytes) },
	{ "launches_per_pass", ILAB_FIELD_U64, .offset = M(gemm.launches_per_pass) },
	{ 0 },
};

static const struct ilab_field environment_fields[] = {
	{ "host", ILAB_FIELD_OBJECT, .offset = M(host), .table = ilab_host_fields },
	{ "backend", ILAB_FIELD_OBJECT, .table = backend_fields },
	{ "device", ILAB_FIELD_OBJECT, .offset = M(device), .table = ilab_device_fields },
	{ "gemm", ILAB_FIELD_OBJECT, .table = gemm_fields },
	{ "ignored_variables", ILAB_FIELD_STRINGS, .offset = M(ignored_variables), .count_offset = M(ignored_variable_count) },
	{ 0 },
};

static const char *const dtypes[] = { "float32", "tf32", "float16", "bfloat16", NULL };

/* A percentage that is there only when the test hook was used. */
static bool write_slow_down(cJSON *object, const struct ilab_field *f, const void *record)
{
	const uint64_t billionths = ((const struct ilab_measure *)record)->configuration.slow_down_billionths;

	return billionths == 0 || ilab_fields_add(object, f->name, ilab_json_double((double)billionths / 1e7));
}

static enum ilab_status read_slow_down(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, f->name);
	double percent = 0;

	if (item != NULL && (!ilab_json_get_double(item, &percent) || !(percent > 0) || percent > 1e4))
		return ilab_fields_fault(r, f->name, "expected a number above 0 and up to 10000");
	((struct ilab_measure *)record)->configuration.slow_down_billionths = (uint64_t)(percent * 1e7 + 0.5);
	return ILAB_OK;
}

/* There only when it is true. */
static bool write_graph(cJSON *object, const struct ilab_field *f, const void *record)
{
	return !((const struct ilab_measure *)record)->configuration.graph || ilab_fields_add(object, f->name, cJSON_CreateTrue());
}

static enum ilab_status read_graph(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, f->name);

	if (item != NULL && !cJSON_IsBool(item))
		return ilab_fields_fault(r, f->name, "expected true or false");
	((struct ilab_measure *)record)->configuration.graph = cJSON_IsTrue(item);
	return ILAB_OK;
}

static const struct ilab_field configuration_fields[] = {
	{ "device", ILAB_FIELD_STRING, .offset = M(configuration.device) },
	{ "backend", ILAB_FIELD_STRING, .offset = M(configuration.backend) },
	{ "view", ILAB_FIELD_STRING, .offset = M(configuration.view) },
	{ "gemm", ILAB_FIELD_STRING, .offset = M(configuration.gemm) },
	{ "batch", ILAB_FIELD_U64, .offset = M(configuration.batch) },
	{ "context", ILAB_FIELD_U64, .offset = M(configuration.context) },
	{ "width", ILAB_FIELD_U64, .offset = M(configuration.width) },
	{ "hidden", ILAB_FIELD_U64, .offset = M(configuration.hidden) },
	{ "dtype", ILAB_FIELD_WORD, .offset = M(configuration.dtype), .words = dtypes },
	{ "warmup", ILAB_FIELD_U64, .offset = M(configuration.warmup) },
	{ "repeats", ILAB_FIELD_U64, .offset = M(configuration.repeats) },
	{ "seed", ILAB_FIELD_SEED, .offset = M(configuration.seed) },
	{ "graph", ILAB_FIELD_CUSTOM, .write = write_graph, .read = read_graph },
	{ "test_slow_down_percent", ILAB_FIELD_CUSTOM, .write = write_slow_down, .read = read_slow_down },
	{ 0 },
};

static const struct ilab_field model_fields[] = {
	{ "layers", ILAB_FIELD_STRINGS, .offset = M(model.layers), .count_offset = M(model.layer_count) },
	{ "parameters", ILAB_FIELD_U64, .offset = M(model.parameters) },
	{ "parameter_bytes", ILAB_FIELD_U64, .offset = M(model.parameter_bytes) },
	{ "input_bytes", ILAB_FIELD_U64, .offset = M(model.input_bytes) },
	{ "hidden_bytes", ILAB_FIELD_U64, .offset = M(model.hidden_bytes) },
	{ "output_bytes", ILAB_FIELD_U64, .offset = M(model.output_bytes) },
	{ "flop_per_forward", ILAB_FIELD_U64, .offset = M(model.flop_per_forward) },
	{ 0 },
};

static const struct ilab_field driver_fields[] = {
	{ "source", ILAB_FIELD_TEXT, .offset = M(counters.driver_source) },
	{ "scope", ILAB_FIELD_TEXT, .offset = M(counters.driver_scope) },
	{ 0 },
};

static const struct ilab_field counter_fields[] = {
	{ "source", ILAB_FIELD_STRING, .offset = M(counters.source) },
	{ "scope", ILAB_FIELD_STRING, .offset = M(counters.scope), .limit = ILAB_LIMIT_FILLED },
	{ "reset", ILAB_FIELD_STRING, .offset = M(counters.reset), .limit = ILAB_LIMIT_FILLED },
	{ "driver", ILAB_FIELD_OBJECT, .table = driver_fields },
	{ 0 },
};

static const struct ilab_field host_timer_fields[] = {
	{ "clock", ILAB_FIELD_STRING, .offset = M(timers.host_clock), .limit = ILAB_LIMIT_FILLED },
	{ "resolution_seconds", ILAB_FIELD_DOUBLE, .offset = M(timers.host_resolution_seconds) },
	{ 0 },
};

static const struct ilab_field device_timer_fields[] = {
	{ "source", ILAB_FIELD_TEXT, .offset = M(timers.device_source) },
	{ "calibration_ratio", ILAB_FIELD_REAL, .offset = M(timers.device_calibration_ratio) },
	{ 0 },
};

static const struct ilab_field timer_fields[] = {
	{ "host", ILAB_FIELD_OBJECT, .table = host_timer_fields },
	{ "device", ILAB_FIELD_OBJECT, .table = device_timer_fields },
	{ 0 },
};

/* There only when the passes gave more than one output: absent is 1. */
static bool write_outputs_checked(cJSON *object, const struct ilab_field *f, const void *record)
{
	const uint64_t count = ((const struct ilab_measure *)record)->verification.outputs_checked;

	return count <= 1 || ilab_fields_add(object, f->name, ilab_json_u64(count));
}

static enum ilab_status read_outputs_checked(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, f->name);
	uint64_t count = 1;

	if (item != NULL && (!ilab_json_get_u64(item, &count) || count < 2))
		return ilab_fields_fault(r, f->name, "expected a whole number from 2 on, or nothing");
	((struct ilab_measure *)record)->verification.outputs_checked = count;
	return ILAB_OK;
}

static const char *const verdicts[] = { "passed", "failed", NULL };

static const struct ilab_field verification_fields[] = {
	{ "status", ILAB_FIELD_WORD, .offset = M(verification.status), .words = verdicts },
	{ "bound", ILAB_FIELD_DOUBLE, .offset = M(verification.bound) },
	{ "relative_error", ILAB_FIELD_REAL, .offset = M(verification.relative_error) },
	{ "max_abs_error", ILAB_FIELD_REAL, .offset = M(verification.max_abs_error) },
	{ "rows_checked", ILAB_FIELD_U64, .offset = M(verification.rows_checked) },
	{ "elements_checked", ILAB_FIELD_U64, .offset = M(verification.elements_checked) },
	{ "outputs_checked", ILAB_FIELD_CUSTOM, .write = write_outputs_checked, .read = read_outputs_checked },
	{ "projection_error", ILAB_FIELD_REAL, .offset = M(verification.projection_error) },
	{ "weights_checksum", ILAB_FIELD_HEX, .offset = M(verification.weights_checksum), .digits = 16 },
	{ "inputs_checksum", ILAB_FIELD_HEX, .offset = M(verification.inputs_checksum), .digits = 16 },
	{ "output_checksum", ILAB_FIELD_HEX, .offset = M(verification.output_checksum), .digits = 16 },
	{ "reference", ILAB_FIELD_STRING, .offset = M(verification.reference), .limit = ILAB_LIMIT_FILLED },
	{ "failure", ILAB_FIELD_STRING_OPTIONAL, .offset = M(verification.failure) },
	{ 0 },
};

static const struct ilab_field summary_fields[] = {
	{ "samples", ILAB_FIELD_U64, .offset = M(summary.samples) },
	{ "median_seconds", ILAB_FIELD_REAL, .offset = M(summary.median_seconds) },
	{ "min_seconds", ILAB_FIELD_REAL, .offset = M(summary.min_seconds) },
	{ "max_seconds", ILAB_FIELD_REAL, .offset = M(summary.max_seconds) },
	{ "mad_seconds", ILAB_FIELD_REAL, .offset = M(summary.mad_seconds) },
	{ "ci_low_seconds", ILAB_FIELD_REAL, .offset = M(summary.ci_low_seconds) },
	{ "ci_high_seconds", ILAB_FIELD_REAL, .offset = M(summary.ci_high_seconds) },
	{ "ci_coverage", ILAB_FIELD_REAL, .offset = M(summary.ci_coverage) },
	{ "drift_ratio", ILAB_FIELD_REAL, .offset = M(summary.drift_ratio) },
	{ "outliers", ILAB_FIELD_COUNT, .offset = M(summary.outliers) },
	{ "flop_per_second", ILAB_FIELD_REAL, .offset = M(summary.flop_per_second) },
	{ "device_median_seconds", ILAB_FIELD_REAL, .offset = M(summary.device_median_seconds) },
	{ 0 },
};

static const struct ilab_field telemetry_fields[] = {
	{ "source", ILAB_FIELD_TEXT, .offset = M(telemetry.source) },
	{ "interval_seconds", ILAB_FIELD_REAL, .offset = M(telemetry.interval_seconds), .limit = ILAB_LIMIT_ABOVE_ZERO },
	{ "clock_mhz", ILAB_FIELD_MEDIAN, .offset = M(telemetry.clock_mhz), .limit = ILAB_LIMIT_NOT_NEGATIVE },
	{ "temperature_c", ILAB_FIELD_MEDIAN, .offset = M(telemetry.temperature_c) },
	{ "power_w", ILAB_FIELD_MEDIAN, .offset = M(telemetry.power_w), .limit = ILAB_LIMIT_NOT_NEGATIVE },
	{ "energy_j_per_pass", ILAB_FIELD_REAL, .offset = M(telemetry.energy_j_per_pass), .limit = ILAB_LIMIT_NOT_NEGATIVE },
	{ "throttled", ILAB_FIELD_CUSTOM, .write = write_throttled, .read = read_throttled },
	{ 0 },
};

static const struct ilab_field measure_fields[] = {
	{ "environment", ILAB_FIELD_OBJECT, .table = environment_fields },
	{ "configuration", ILAB_FIELD_OBJECT, .table = configuration_fields },
	{ "synthetic_model", ILAB_FIELD_OBJECT, .table = model_fields },
	{ "memory_counters", ILAB_FIELD_OBJECT, .table = counter_fields },
	{ "timers", ILAB_FIELD_OBJECT, .table = timer_fields },
	{ "verification", ILAB_FIELD_OBJECT, .table = verification_fields },
	{ "summary", ILAB_FIELD_OBJECT, .table = summary_fields },
	{ "telemetry", ILAB_FIELD_OBJECT, .table = telemetry_fields },
	{ "phases", ILAB_FIELD_OBJECTS, .offset = M(phases), .count_offset = M(phase_count), .element_bytes = sizeof(struct ilab_phase),
		.table = ilab_phase_fields },
	{ 0 },
};

static void number_device(struct ilab_device *d)
{
	if (d->selector != NULL && d->backend != NULL)
		ilab_selector_indices(d->selector, d->backend, &d->platform_index, &d->device_index);
}

cJSON *ilab_measure_to_json(const struct ilab_measure *r)
{
	return ilab_fields_document(SCHEMA, &r->header, measure_fields, r);
}

cJSON *ilab_measure_part_to_json(const struct ilab_measure *r)
{
	return ilab_fields_object(measure_fields, r);
}

enum ilab_status ilab_measure_part_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_measure *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err, .partial = true };
	enum ilab_status status;

	*out = (struct ilab_measure){ 0 };
	if (!cJSON_IsObject(json))
		return ilab_fields_fault(&r, NULL, "expected an object");
	if ((status = ilab_fields_read(&r, json, measure_fields, out)) != ILAB_OK)
		return status;
	number_device(&out->device);
	return ILAB_OK;
}

enum ilab_status ilab_measure_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_measure *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };
	enum ilab_status status;

	*out = (struct ilab_measure){ 0 };
	if ((status = ilab_fields_read_document(&r, json, SCHEMA, measure_fields, &out->header, out)) != ILAB_OK)
		return status;
	number_device(&out->device);
	return ILAB_OK;
}
