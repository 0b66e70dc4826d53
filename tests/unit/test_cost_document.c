/* cost/1 there and back, and each figure that must agree with the others. */
#include "cost/flat.h"
#include "result/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TAIL ",2026-09-24,fictional\n"
static const char table[] = "model,gpus_per_lot,days,price_cents_usd,snapshot_date,source\n"
	"b200,2,3,44400" TAIL "b200,2,7,88800" TAIL "b200,2,30,266400" TAIL "a,1,3,11100" TAIL "a,1,7,22200" TAIL "a,1,30,66600" TAIL;
static const char *command[] = { "cost", "--gpu", "b200", "--days", "7", "--lots", "2", "--break-even", "a", "--accepted-per-day", "169",
	"--accepted-results", "1184", "--other-accepted-per-day", "50", "--measure", "a.json", "--measure", "b.json" };
#define BARE 11                        /* words of it without the counts that only the first document has */

static struct ilab_arena arena;
static struct ilab_tariffs tariffs;
static struct ilab_cost whole, bare;
static struct ilab_err err;

static struct ilab_measure run_of(double seconds)
{
	return (struct ilab_measure){ .header.run_id = "00112233445566778899aabbccddeeff", .device.name = "a device",
		.configuration = { .dtype = "float32", .view = "v", .batch = 1, .context = 16, .width = 64, .hidden = 256 },
		.verification.status = "passed", .summary.median_seconds.value = seconds };
}

static int setup(void **state)
{
	(void)state;
	static const char hash[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
	const struct ilab_header header = { .tool_name = "iteragpu-lab", .tool_version = "0.1.0", .build_compiler = "cc", .command = command,
		.command_count = sizeof(command) / sizeof(*command), .started_utc = "2026-12-01T06:29:46Z", .run_id = "ffeeddccbbaa99887766554433221100", .total_seconds = 0.5 };
	struct ilab_count known = { .value = 1184 }, unknown = { .reason = "not-run: --accepted-results was not given" }, rate = { .value = 50 };
	struct ilab_measure a = run_of(0.003), b = run_of(0.002);
	int bad = ilab_tariffs_parse("t.csv", table, sizeof(table) - 1, &arena, &tariffs, &err);
	bad |= ilab_cost_compute(&tariffs, "b200", 7, 2, known, &arena, &whole, &err);
	bad |= ilab_cost_break_even(&tariffs, "a", 169, rate, &arena, &whole, &err);
	bad |= ilab_cost_measured(&a, hash, &b, hash, &arena, &whole, &err);
	bad |= ilab_cost_compute(&tariffs, "b200", 7, 2, unknown, &arena, &bare, &err);
	bad |= ilab_cost_break_even(&tariffs, "a", 169, unknown, &arena, &bare, &err);
	whole.header = bare.header = header;
	bare.header.command_count = BARE;
	return bad;
}

static int teardown(void **state)
{
	(void)state;
	ilab_arena_free(&arena);
	return 0;
}

static char *text_of(const struct ilab_cost *cost)
{
	cJSON *json = ilab_cost_to_json(cost);
	char *text = ilab_json_text(json);
	cJSON_Delete(json);
	assert_non_null(text);
	return text;
}

static void there_and_back(void **state)
{
	(void)state;
	const struct ilab_cost *const records[] = { &whole, &bare };
	for (size_t i = 0; i < 2; i++) {
		struct ilab_cost again;
		cJSON *json = NULL;
		char *text = text_of(records[i]);
		assert_int_equal(ilab_json_read(text, strlen(text), &json, &err), ILAB_OK);
		assert_int_equal(ilab_cost_from_json(json, &arena, &again, &err), ILAB_OK);
		char *second = text_of(&again);
		assert_string_equal(second, text);
		const char *schema;
		assert_int_equal(ilab_document_validate(text, strlen(text), &arena, &schema, &err), ILAB_OK);
		assert_string_equal(schema, "iteragpu-lab/cost/1");
		cJSON_Delete(json);
		free(second);
		free(text);
	}
}

/* `from` occurs once where it is replaced (its first place); the document must then be refused with `says`. */
static const struct { const char *from, *to, *says; } lies[] = {
	{ "\"days\": 7", "\"days\": 8", "days" },
	{ "\"lots\": 2", "\"lots\": 0", "lots" },
	{ "\"lots\": 2", "\"lots\": 3", "gpu_count" },
	{ "\"lots\": 2", "\"lots\": 2.5", "lots" },
	{ "\"gpu_count\": 4", "\"gpu_count\": 2", "gpu_count" },
	{ "\"gpus_per_lot\": 2", "\"gpus_per_lot\": 1", "gpu_count" },
	{ "\"total_cents\": 177600", "\"total_cents\": 177601", "total_cents" },
	{ "\"total_cents\": 177600", "\"total_cents\": -177600", "total_cents" },
	{ "\"currency\": \"USD\"", "\"currency\": \"EUR\"", "currency" },
	{ "\"accepted_results\": 1184", "\"accepted_results\": 1185", "denominator" },
	{ "\"accepted_results\": 1184", "\"accepted_results\": null, \"accepted_results_reason\": \"not-run: x\"", "unit_cost" },
	{ "\"numerator_cents\": 177600", "\"numerator_cents\": 1776", "numerator_cents" },
	{ "\"1.500000\"", "\"1.500001\"", "decimal_usd" },
	{ "\"1.500000\"", "\"1.5\"", "decimal_usd" },
	{ "\"1.500000\"", "1.5", "decimal_usd" },
	{ "\"sha256\": \"", "\"sha256\": \"0", "sha256" },
	{ "\"snapshot_date\"", "\"snapshot\"", "snapshot_date" },
	{ "\"break_even_per_day\": 43", "\"break_even_per_day\": 44", "break_even_per_day" },
	{ "\"break_even_per_day\": 43", "\"break_even_per_day\": 42", "break_even_per_day" },
	{ "\"cheaper\": \"a\"", "\"cheaper\": \"b200\"", "cheaper" },
	{ "\"total_cents\": 44400", "\"total_cents\": 44300", "break_even.total_cents" },
	{ "\"base_accepted_per_day\": 169", "\"base_accepted_per_day\": 170", "break_even.base_" },
	{ "\"ratio_millionths\": 1500000", "\"ratio_millionths\": 1500001", "ratio_millionths" },
	{ "\"scaled_accepted_results\": 1776", "\"scaled_accepted_results\": 1777", "scaled_accepted_results" },
	{ "\"--days\", \"7\"", "\"--days\", \"3\"", "command: --days 3" },
	{ "\"--lots\", \"2\", ", "", "command: --lots is missing" },
	{ "\"--gpu\", \"b200\"", "\"--gpu\", \"a\"", "command: --gpu a" },
	{ "\"--other-accepted-per-day\", \"50\"", "\"--other-accepted-per-day\", \"51\"", "command: --other-accepted-per-day" },
	{ "\"measured\": {", "\"measure\": {", "command: --measure contradicts measured" },
	{ "\"break_even\": {", "\"break\": {", "command: --break-even contradicts break_even" },
	{ "\"modules\": []", "\"modules\": [\"cuda.so\"]", "tool.modules" },
	{ "\"source\": \"fictional\"", "\"source\": \"\"", "source" },
	{ "\"break_even_price_cents\": 266400", "\"break_even_price_cents\": 266401", "break_even_price_cents" },
};

static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *out = malloc(strlen(text) + strlen(to) + 1);
	assert_non_null(at);
	assert_non_null(out);
	memcpy(out, text, (size_t)(at - text));
	strcpy(out + (at - text), to);
	strcat(out, at + strlen(from));
	return out;
}

static void lies_are_found(void **state)
{
	(void)state;
	char *text = text_of(&whole);
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		char *changed = replaced(text, lies[i].from, lies[i].to);
		err = (struct ilab_err){0};
		enum ilab_status status = ilab_document_validate(changed, strlen(changed), &arena, NULL, &err);
		if (status != ILAB_IO || !strstr(err.text, lies[i].says))
			fail_msg("%s -> %s: status %d, \"%s\"", lies[i].from, lies[i].to, status, err.text);
		free(changed);
	}
	free(text);
}

static void the_text_has_the_figures(void **state)
{
	(void)state;
	const char *text = ilab_text_cost(&whole, &arena);
	static const char *const parts[] = { "b200", "1,776.00 USD (177,600 cents)", "1.500000 USD", "177,600 / 1,184 cents", "fictional", "2,664.00 USD",
		"1.500000 passes", "neither availability nor", "43 accepted results a day", "no quality" };
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!strstr(text, parts[i]))
			fail_msg("\"%s\" is not in:\n%s", parts[i], text);
	assert_null(strstr(ilab_text_cost(&bare, &arena), "cheaper"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(lies_are_found),
		cmocka_unit_test(the_text_has_the_figures),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
