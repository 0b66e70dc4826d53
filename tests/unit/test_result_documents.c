#include "result_fixture.h"

#include "result/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each kind of record as a row: its tree from the fixture, and its reader, which answers with the tree of what it read. */
struct kind {
	const char *name;
	cJSON *(*write)(struct ilab_arena *arena);
	enum ilab_status (*reread)(const cJSON *json, struct ilab_arena *arena, cJSON **again, struct ilab_err *err);
};

static cJSON *write_estimate(struct ilab_arena *arena)
{
	struct ilab_estimate r;

	(void)arena;
	fixture_estimate(&r);
	return ilab_estimate_to_json(&r);
}

static cJSON *write_environment(struct ilab_arena *arena)
{
	struct ilab_environment r;

	fixture_environment(arena, &r);
	return ilab_environment_to_json(&r);
}

static cJSON *write_measure(struct ilab_arena *arena)
{
	struct ilab_measure r;

	fixture_measure(arena, &r);
	return ilab_measure_to_json(&r);
}

static cJSON *write_part(struct ilab_arena *arena)
{
	struct ilab_measure r;

	fixture_measure(arena, &r);
	r.host = (struct ilab_host){ 0 };
	r.configuration.device = r.configuration.view = NULL;
	r.device.physical = -1;
	return ilab_measure_part_to_json(&r);
}

static cJSON *write_listing(struct ilab_arena *arena)
{
	struct ilab_environment r;

	fixture_environment(arena, &r);
	return ilab_listing_to_json(&r.backends[0]);
}

static cJSON *write_phase(struct ilab_arena *arena)
{
	struct ilab_measure r;

	fixture_measure(arena, &r);
	return ilab_phase_to_json(&r.phases[4]);
}

#define REREAD(kind) \
	static enum ilab_status reread_##kind(const cJSON *json, struct ilab_arena *arena, cJSON **again, struct ilab_err *err) \
	{ \
		struct RECORD_##kind r; \
		enum ilab_status status = ilab_##kind##_from_json(json, arena, &r, err); \
		*again = status == ILAB_OK ? ilab_##kind##_to_json(&r) : NULL; \
		return status; \
	}
#define RECORD_estimate ilab_estimate
#define RECORD_environment ilab_environment
#define RECORD_measure ilab_measure
#define RECORD_measure_part ilab_measure
#define RECORD_listing ilab_listing
#define RECORD_phase ilab_phase
REREAD(estimate)
REREAD(environment)
REREAD(measure)
REREAD(measure_part)
REREAD(listing)
REREAD(phase)

static const struct kind kinds[] = {
	{ "estimate", write_estimate, reread_estimate },
	{ "environment", write_environment, reread_environment },
	{ "measure", write_measure, reread_measure },
	{ "measure part", write_part, reread_measure_part },
	{ "listing", write_listing, reread_listing },
	{ "phase", write_phase, reread_phase },
};
#define KINDS (sizeof kinds / sizeof *kinds)

static cJSON *parse(const char *text)
{
	struct ilab_err err = { 0 };
	cJSON *json;

	if (ilab_json_read(text, strlen(text), &json, &err) != ILAB_OK)
		fail_msg("%s", err.text);
	return json;
}

/* Through text and record and back: the same text. */
static void round_trips(void **state)
{
	(void)state;

	for (size_t k = 0; k < KINDS; k++) {
		struct ilab_arena arena = { 0 };
		struct ilab_err err = { 0 };
		cJSON *json = kinds[k].write(&arena), *read, *again;
		char *text = ilab_json_text(json), *text_again;
		read = parse(text);
		if (kinds[k].reread(read, &arena, &again, &err) != ILAB_OK)
			fail_msg("%s: %s", kinds[k].name, err.text);
		text_again = ilab_json_text(again);
		assert_string_equal(text, text_again);
		free(text);
		free(text_again);
		cJSON_Delete(json);
		cJSON_Delete(read);
		cJSON_Delete(again);
		ilab_arena_free(&arena);
	}
}

static char *text_of(cJSON *json)
{
	char *line = ilab_json_line(json);

	cJSON_Delete(json);
	return line;
}

static void has(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("missing: %s", part);
}

/* What stands in the text, by hand. */
static void writes_what_the_record_says(void **state)
{
	struct ilab_arena arena = { 0 };
	char *text;
	(void)state;

	text = text_of(write_measure(&arena));
	has(text, "{\"schema\":\"iteragpu-lab/measure/1\",\"tool\":{\"name\":\"iteragpu-lab\",\"version\":\"0.1.0\",\"modules\":[],"
		"\"build\":{\"compiler\":\"gcc 12.2.0\",\"features\":[\"openmp\",\"nls\"]}},\"command\":[\"measure\",");
	has(text, "\"cpu_model\":null,\"cpu_model_reason\":\"unavailable: ");
	has(text, "\"total_memory_bytes\":9007199254740993,\"max_allocation_bytes\":18446744073709551615,");
	has(text, "\"parameters\":{\"MWG\":64,\"NEG\":-3,\"KERNEL\":\"Xgemm\",\"ODD\":\"007\"}");
	has(text, "\"seed\":\"18446744073709551615\"");
	has(text, "\"driver_used_bytes\":9007199254740993,\"output_checksum\":null,\"output_checksum_reason\":\"not-run: ");
	has(text, "\"phase\":\"cold_forward\",\"repetition\":null,\"seconds\":0.2,");
	has(text, "\"phase\":\"warm_forward\",\"repetition\":2,\"seconds\":0.30000000000000004,");
	has(text, "\"clock_mhz\":{\"median\":1300.5},\"temperature_c\":null,\"temperature_c_reason\":\"unsupported: no sensor\",\"power_w\":{\"median\":70},");
	has(text, "\"throttled\":[\"power\",\"thermal\"]}");
	has(text, "\"version\":null,\"version_reason\":\"unavailable: the library");
	free(text);

	text = text_of(write_estimate(&arena));
	has(text, "\"parameters\":9223372036854775807,\"bits\":64,\"weight_bytes\":73786976294838206456,\"weight_gib\":68719476736,");
	has(text, "\"reserve_gib\":0.500000001,\"total_bytes\":73786976295375077370,");
	free(text);

	text = text_of(write_environment(&arena));
	has(text, "\"backends\":[{\"name\":\"opencl\",\"state\":\"ready\",\"reason\":null,\"modules\":\"built-in\",\"libraries\":[");
	has(text, "{\"name\":\"cuda\",\"state\":\"unavailable\",\"reason\":\"unavailable: libcuda.so.1 not found\",\"modules\":null,\"modules_reason\":");
	has(text, "\"physical_devices\":[{\"identity\":\"pci:0000:41:00.0\",\"views\":[");
	has(text, "\"compute_units\":20,\"physical\":0}");
	free(text);
	ilab_arena_free(&arena);
}

static void reads_into_the_record(void **state)
{
	struct ilab_arena arena = { 0 };
	struct ilab_err err = { 0 };
	struct ilab_measure m, f;
	struct ilab_environment e;
	char *text = text_of(write_measure(&arena));
	cJSON *json = parse(text);
	(void)state;

	fixture_measure(&arena, &f);
	assert_int_equal(ilab_measure_from_json(json, &arena, &m, &err), ILAB_OK);
	assert_true(m.configuration.seed == UINT64_MAX);
	assert_true(m.device.total_memory_bytes == 9007199254740993u);
	assert_int_equal(m.device.device_index, 1);
	assert_int_equal(m.phase_count, FIXTURE_ROWS);
	assert_memory_equal(&m.phases[5].seconds, &f.phases[5].seconds, sizeof(double));
	assert_memory_equal(&m.verification.max_abs_error.value, &f.verification.max_abs_error.value, sizeof(double));
	assert_int_equal(m.phases[5].repetition, 2);
	assert_int_equal(m.phases[2].repetition, 0);
	assert_null(m.host.cpu_model);
	assert_null(m.phases[0].output_checksum);
	assert_string_equal(m.gemm.parameters[1].value, "-3");
	assert_string_equal(m.telemetry.throttled.value, "power,thermal");
	assert_string_equal(m.telemetry.temperature_c.reason, "unsupported: no sensor");
	free(text);
	cJSON_Delete(json);

	text = text_of(write_environment(&arena));
	json = parse(text);
	assert_int_equal(ilab_environment_from_json(json, &arena, &e, &err), ILAB_OK);
	assert_int_equal(e.backends[0].device_count, 2);
	assert_int_equal(e.backends[0].platform_count, 2);
	assert_int_equal(e.backends[1].device_count, 0);
	assert_int_equal(e.backends[0].devices[1].platform_index, 1);
	assert_string_equal(e.backends[0].devices[1].name, "pthread-cpu");
	free(text);
	cJSON_Delete(json);
	ilab_arena_free(&arena);
}

/* --- what the readers must refuse: each fault at each member of each kind ---------------------------------------------- */

/* Members whose null does not need a reason, and those that may be missing or be of more than one type. */
static bool plain_null(const char *name)
{
	return strcmp(name, "reason") == 0 || strcmp(name, "repetition") == 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

enum fault { MISSING, MISTYPED, NULLED, REASONED, BAD_REASON, UNKNOWN };

/* Put `fault` at the member `name` of `object`; false when it would be none there. */
static bool spoil(cJSON *object, const char *name, enum fault fault, bool parameter, bool partial)
{
	cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
	bool reason = ends_with(name, "_reason");
	char sibling[128];

	snprintf(sibling, sizeof sibling, "%s_reason", name);
	switch (fault) {
	case MISSING:
		/* In a part, a string without its reason is a string that is not known yet. */
		if (parameter || (partial && reason))
			return false;
		cJSON_DeleteItemFromObjectCaseSensitive(object, name);
		return true;
	case MISTYPED:
		cJSON_ReplaceItemInObjectCaseSensitive(object, name, cJSON_IsBool(item) ? ilab_json_u64(1) : cJSON_CreateBool(true));
		return true;
	case NULLED:
		if (reason || cJSON_IsNull(item) || plain_null(name) || (partial && cJSON_IsString(item)))
			return false;
		cJSON_ReplaceItemInObjectCaseSensitive(object, name, cJSON_CreateNull());
		return true;
	case REASONED:
		if (reason || parameter || (cJSON_IsNull(item) && !plain_null(name)))
			return false;
		cJSON_AddStringToObject(object, sibling, "unsupported: but it has a value");
		return true;
	case BAD_REASON:
		if (!reason)
			return false;
		cJSON_ReplaceItemInObjectCaseSensitive(object, name, cJSON_CreateString("because: of that"));
		return true;
	case UNKNOWN:
		cJSON_AddStringToObject(object, "a_member_of_the_future", "x");
		return true;
	}
	return false;
}

/* The n-th member of the tree, counted from 0 through `*n`; NULL when there are fewer. */
static cJSON *find_member(cJSON *node, size_t *n, const char **name, bool *parameter)
{
	for (cJSON *child = node->child; child != NULL; child = child->next) {
		cJSON *found;
		if (cJSON_IsObject(node)) {
			*parameter = node->string != NULL && strcmp(node->string, "parameters") == 0;
			if (*n == 0) {
				*name = child->string;
				return node;
			}
			--*n;
		}
		if ((found = find_member(child, n, name, parameter)) != NULL)
			return found;
	}
	return NULL;
}

/* Arrays and objects of strings have no reason siblings; everything else is read with its own. */
static bool has_no_reason(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsArray(item) || strcmp(name, "parameters") == 0 || ends_with(name, "_gib") || ends_with(name, "_gb")
		|| strcmp(name, "throttled") == 0 || strcmp(name, "median") == 0;
}

static size_t try_fault(const struct kind *kind, enum fault fault)
{
	struct ilab_arena arena = { 0 };
	cJSON *whole = kind->write(&arena);
	size_t tried = 0;

	for (size_t i = 0;; i++) {
		cJSON *json = cJSON_Duplicate(whole, true), *object, *again = NULL;
		struct ilab_err err = { 0 };
		enum ilab_status status;
		const char *name = NULL;
		char copy[64];
		bool parameter = false, spoiled;
		size_t n = i;
		if ((object = find_member(json, &n, &name, &parameter)) == NULL) {
			cJSON_Delete(json);
			break;
		}
		snprintf(copy, sizeof copy, "%s", name);
		spoiled = (fault != REASONED || !has_no_reason(object, copy))
			&& spoil(object, copy, fault, parameter, strcmp(kind->name, "measure part") == 0);
		status = kind->reread(json, &arena, &again, &err);
		if (spoiled && (status == ILAB_OK) != (fault == UNKNOWN))
			fail_msg("%s: fault %d at %s: status %d, %s", kind->name, (int)fault, copy, status, err.text);
		tried += spoiled;
		cJSON_Delete(again);
		cJSON_Delete(json);
	}
	cJSON_Delete(whole);
	ilab_arena_free(&arena);
	return tried;
}

static void refuses_missing(void **state)
{
	size_t tried = 0;
	(void)state;

	for (size_t k = 0; k < KINDS; k++)
		tried += try_fault(&kinds[k], MISSING);
	assert_true(tried > 300);
}

static void refuses_mistyped(void **state)
{
	size_t tried = 0;
	(void)state;

	for (size_t k = 0; k < KINDS; k++)
		tried += try_fault(&kinds[k], MISTYPED);
	assert_true(tried > 300);
}

static void refuses_silent_nulls(void **state)
{
	size_t tried = 0;
	(void)state;

	for (size_t k = 0; k < KINDS; k++)
		tried += try_fault(&kinds[k], NULLED);
	assert_true(tried > 200);
}

static void refuses_reasons_without_null(void **state)
{
	size_t tried = 0;
	(void)state;

	for (size_t k = 0; k < KINDS; k++)
		tried += try_fault(&kinds[k], REASONED);
	assert_true(tried > 200);
}

static void refuses_unknown_reason_codes(void **state)
{
	size_t tried = 0;
	(void)state;

	for (size_t k = 0; k < KINDS; k++)
		tried += try_fault(&kinds[k], BAD_REASON);
	assert_true(tried > 30);
}

static void accepts_unknown_members(void **state)
{
	(void)state;

	for (size_t k = 0; k < KINDS; k++)
		assert_true(try_fault(&kinds[k], UNKNOWN) > 0);
}

static void names_the_path(void **state)
{
	struct ilab_arena arena = { 0 };
	struct ilab_err err = { 0 };
	struct ilab_measure r;
	cJSON *json = write_measure(&arena);
	cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, "phases"), 3);
	(void)state;

	cJSON_ReplaceItemInObjectCaseSensitive(row, "peak_allocated_bytes", cJSON_CreateString("12"));
	assert_int_equal(ilab_measure_from_json(json, &arena, &r, &err), ILAB_IO);
	assert_int_equal(strncmp(err.text, "phases[3].peak_allocated_bytes: ", 32), 0);
	cJSON_Delete(json);

	json = write_measure(&arena);
	ilab_err_clear(&err);
	cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, "timers"), "host"), "clock");
	assert_int_equal(ilab_measure_from_json(json, &arena, &r, &err), ILAB_IO);
	assert_string_equal(err.text, "timers.host.clock: missing");
	cJSON_Delete(json);
	ilab_arena_free(&arena);
}

/* The names of members are compared with case. */
static void minds_case(void **state)
{
	struct ilab_arena arena = { 0 };
	struct ilab_err err = { 0 };
	struct ilab_phase p;
	cJSON *json = write_phase(&arena), *item = cJSON_DetachItemFromObjectCaseSensitive(json, "seconds");
	(void)state;

	cJSON_AddItemToObject(json, "Seconds", item);
	assert_int_equal(ilab_phase_from_json(json, &arena, &p, &err), ILAB_IO);
	cJSON_Delete(json);
	ilab_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(writes_what_the_record_says),
		cmocka_unit_test(reads_into_the_record),
		cmocka_unit_test(refuses_missing),
		cmocka_unit_test(refuses_mistyped),
		cmocka_unit_test(refuses_silent_nulls),
		cmocka_unit_test(refuses_reasons_without_null),
		cmocka_unit_test(refuses_unknown_reason_codes),
		cmocka_unit_test(accepts_unknown_members),
		cmocka_unit_test(names_the_path),
		cmocka_unit_test(minds_case),
	};
	return cmocka_run_group_tests_name("result/documents", tests, NULL, NULL);
}
