#include "comma_locale.h"

#include "result/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text { const char *at; size_t bytes; };
#define TEXT(literal) { literal, sizeof(literal) - 1 }

static void accepts(void **state)
{
	static const struct text texts[] = {
		TEXT("{}"), TEXT("[]"), TEXT(" \t\r\n null \n"), TEXT("0"), TEXT("-0"), TEXT("-0.0e-0"), TEXT("1E+2"), TEXT("1e308"), TEXT("1e-400"),
		TEXT("\"\""), TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\""), TEXT("\"\\ud83d\\ude00\""), TEXT("\"\xF0\x9F\x98\x80\x7F\""),
		TEXT("{\"a\":1,\"A\":2,\"a \":3,\"\":4}"), TEXT("{\"a\":{\"a\":{\"a\":1}},\"b\":[{\"a\":1},{\"a\":2}]}"),
		TEXT("[1,2.5,true,false,null,\"x\",{},[]]"), TEXT("123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"),
	};
	(void)state;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct ilab_err err = { 0 };
		cJSON *json;
		if (ilab_json_read(texts[i].at, texts[i].bytes, &json, &err) != ILAB_OK)
			fail_msg("%s: %s", texts[i].at, err.text);
		cJSON_Delete(json);
	}
}

static void refuses(void **state)
{
	static const struct text texts[] = {
		TEXT(""), TEXT(" "), TEXT("\xEF\xBB\xBF{}"), TEXT("{} x"), TEXT("{}{}"), TEXT("{}\0"), TEXT("\0"), TEXT("nul"), TEXT("nullx"), TEXT("True"),
		TEXT("NaN"), TEXT("Infinity"), TEXT("-Infinity"), TEXT("[NaN]"), TEXT("01"), TEXT("-01"), TEXT("00"), TEXT("1."), TEXT(".5"), TEXT("+1"),
		TEXT("1e"), TEXT("1e+"), TEXT("-"), TEXT("0x10"), TEXT("1,5"), TEXT("1e400"), TEXT("-1e999"), TEXT("1_000"), TEXT("1 2"),
		TEXT("'a'"), TEXT("\"a"), TEXT("\"\\\""), TEXT("\"\\x41\""), TEXT("\"\\u12\""), TEXT("\"\\u12G4\""), TEXT("\"\\u0000\""), TEXT("\"\\ud800\""),
		TEXT("\"\\ud800x\""), TEXT("\"\\ud800\\u0041\""), TEXT("\"\\udc00\""), TEXT("\"\t\""), TEXT("\"\n\""), TEXT("\"\x01\""), TEXT("\"a\0b\""),
		TEXT("\"\x80\""), TEXT("\"\xC0\xAF\""), TEXT("\"\xE0\x80\xAF\""), TEXT("\"\xED\xA0\x80\""), TEXT("\"\xF4\x90\x80\x80\""), TEXT("\"\xE2\x82\""),
		TEXT("\"\xFF\""), TEXT("\"\xF8\x88\x80\x80\x80\""), TEXT("["), TEXT("[1"), TEXT("[1,"), TEXT("[1,]"), TEXT("[,1]"), TEXT("[1 2]"), TEXT("]"), TEXT("{"),
		TEXT("{\"a\""), TEXT("{\"a\":"), TEXT("{\"a\":1"), TEXT("{\"a\":1,}"), TEXT("{a:1}"), TEXT("{1:1}"), TEXT("{\"a\" 1}"), TEXT("{\"a\":1 \"b\":2}"), TEXT("[1}"),
		TEXT("{\"a\":1]"), TEXT("// x\n1"), TEXT("/* x */1"), TEXT("\v1"), TEXT("\xC2\xA0" "1"),
		TEXT("{\"a\":1,\"a\":1}"), TEXT("{\"a\":1,\"\\u0061\":1}"), TEXT("[{\"x\":{\"b\":1,\"c\":2,\"b\":3}}]"), TEXT("{\"\":1,\"\":2}"),
	};
	(void)state;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct ilab_err err = { 0 };
		cJSON *json;
		if (ilab_json_read(texts[i].at, texts[i].bytes, &json, &err) != ILAB_IO)
			fail_msg("number %zu was accepted: %s", i, texts[i].at);
		assert_null(json);
		assert_non_null(strstr(err.text, "line "));
	}
}

static void says_where(void **state)
{
	static const char text[] = "{\n  \"a\": 1,\n  \"b\": 01\n}";
	static const char twice[] = "{\"a\": 1,\n \"b\": {\"c\": 1}, \"a\": 2}";
	struct ilab_err err = { 0 };
	cJSON *json;
	(void)state;

	assert_int_equal(ilab_json_read(text, sizeof text - 1, &json, &err), ILAB_IO);
	assert_non_null(strstr(err.text, "line 3, column 9"));
	ilab_err_clear(&err);
	assert_int_equal(ilab_json_read(twice, sizeof twice - 1, &json, &err), ILAB_IO);
	assert_non_null(strstr(err.text, "line 2, column 17"));
}

static void limits_depth(void **state)
{
	char text[2 * ILAB_JSON_MAX_DEPTH + 2];
	struct ilab_err err = { 0 };
	cJSON *json;
	(void)state;

	memset(text, '[', ILAB_JSON_MAX_DEPTH);
	memset(text + ILAB_JSON_MAX_DEPTH, ']', ILAB_JSON_MAX_DEPTH);
	assert_int_equal(ilab_json_read(text, 2 * ILAB_JSON_MAX_DEPTH, &json, &err), ILAB_OK);
	cJSON_Delete(json);
	memset(text, '[', ILAB_JSON_MAX_DEPTH + 1);
	memset(text + ILAB_JSON_MAX_DEPTH + 1, ']', ILAB_JSON_MAX_DEPTH + 1);
	assert_int_equal(ilab_json_read(text, sizeof text, &json, &err), ILAB_IO);
	assert_non_null(strstr(err.text, "deep"));
}

static cJSON *must_read(const char *text)
{
	struct ilab_err err = { 0 };
	cJSON *json;

	if (ilab_json_read(text, strlen(text), &json, &err) != ILAB_OK)
		fail_msg("%s: %s", text, err.text);
	return json;
}

static void keeps_integers_exact(void **state)
{
	cJSON *json = must_read("[9007199254740993, 18446744073709551615, 18446744073709551616, 340282366920938463463374607431768211455,"
		"340282366920938463463374607431768211456, 1.0, 1e3, -1, \"1\", null, -0, 9007199254740992.0, 9007199254740994.0, 1.5]");
	const ilab_u128 max = ~(ilab_u128)0;
	uint64_t v = 0;
	ilab_u128 w = 0;
	double d;
	(void)state;

	assert_true(ilab_json_get_u64(cJSON_GetArrayItem(json, 0), &v) && v == 9007199254740993u);
	assert_true(ilab_json_get_u64(cJSON_GetArrayItem(json, 1), &v) && v == UINT64_MAX);
	assert_false(ilab_json_get_u64(cJSON_GetArrayItem(json, 2), &v));
	assert_true(ilab_json_get_u128(cJSON_GetArrayItem(json, 2), &w) && w == (ilab_u128)UINT64_MAX + 1);
	assert_true(ilab_json_get_u128(cJSON_GetArrayItem(json, 3), &w) && w == max);
	for (int i = 4; i <= 10; i++)
		assert_int_equal(ilab_json_get_u128(cJSON_GetArrayItem(json, i), &w), i == 5 || i == 6);
	assert_true(ilab_json_get_double(cJSON_GetArrayItem(json, 5), &d) && d == 1);
	assert_true(ilab_json_get_double(cJSON_GetArrayItem(json, 6), &d) && d == 1000);
	/* A double that stands for one integer only is that integer. */
	assert_true(ilab_json_get_u64(cJSON_GetArrayItem(json, 5), &v) && v == 1);
	assert_true(ilab_json_get_u64(cJSON_GetArrayItem(json, 6), &v) && v == 1000);
	assert_true(ilab_json_get_u64(cJSON_GetArrayItem(json, 11), &v) && v == 9007199254740992u);
	assert_false(ilab_json_get_u64(cJSON_GetArrayItem(json, 12), &v));
	assert_false(ilab_json_get_u64(cJSON_GetArrayItem(json, 13), &v));
	assert_null(ilab_json_number_text(cJSON_GetArrayItem(json, 8)));
	assert_false(ilab_json_get_double(cJSON_GetArrayItem(json, 8), &d));
	assert_null(ilab_json_number_text(cJSON_GetArrayItem(json, 9)));
	assert_null(ilab_json_number_text(NULL));
	cJSON_Delete(json);
}

/* A number and a string of the same characters stay apart, whatever the string holds. */
static void tells_numbers_from_strings(void **state)
{
	cJSON *json = must_read("{\"12\": \"12\", \"b\": 12, \"c\": \"0    \", \"d\": [\"\\u000112\", 1]}");
	char *line = ilab_json_line(json);
	(void)state;

	assert_string_equal(line, "{\"12\":\"12\",\"b\":12,\"c\":\"0    \",\"d\":[\"\\u000112\",1]}");
	free(line);
	cJSON_Delete(json);
}

static uint64_t bits(double d)
{
	uint64_t u;

	memcpy(&u, &d, sizeof u);
	return u;
}

static void doubles_return_bit_for_bit(void **state)
{
	static const double values[] = { 0.0, -0.0, 0.1, 0.30000000000000004, 1.0 / 3, 1e22, 1e23, 5e-324, 2.2250738585072014e-308,
		1.7976931348623157e308, -123456.789, 9007199254740993.0, 0x1.fffffffffffffp-3 };
	(void)state;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		cJSON *item = ilab_json_double(values[i]), *again;
		char *line = ilab_json_line(item);
		double d;
		again = must_read(line);
		assert_true(ilab_json_get_double(again, &d));
		assert_true(bits(d) == bits(values[i]));
		assert_ptr_equal(strchr(line, ','), NULL);
		free(line);
		cJSON_Delete(item);
		cJSON_Delete(again);
	}
}

static void writes_integers_exact(void **state)
{
	cJSON *json = cJSON_CreateArray();
	char *line;
	(void)state;

	cJSON_AddItemToArray(json, ilab_json_u64(9007199254740993u));
	cJSON_AddItemToArray(json, ilab_json_u128((ilab_u128)INT64_MAX * 8));
	line = ilab_json_line(json);
	assert_string_equal(line, "[9007199254740993,73786976294838206456]");
	free(line);
	cJSON_Delete(json);
}

static void lays_text_out(void **state)
{
	cJSON *json = must_read("{\"a\":{\"b\\tc\":1},\"d\":[1,\"\\t\"],\"e\":{}}");
	char *text = ilab_json_text(json);
	(void)state;

	assert_null(strchr(text, '\t'));
	assert_string_equal(text, "{\n  \"a\": {\n    \"b\\tc\": 1\n  },\n  \"d\": [1, \"\\t\"],\n  \"e\": {\n  }\n}\n");
	free(text);
	cJSON_Delete(json);
}

static void writes_only_utf8(void **state)
{
	cJSON *item = ilab_json_string("a\xFF\xC3\xA9\xE2\x82");
	char *line = ilab_json_line(item);
	(void)state;

	assert_string_equal(line, "\"a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\"");
	free(line);
	cJSON_Delete(item);
}

static void canonical(const char *read, const char *ours, const char *expected)
{
	cJSON *a = must_read(read), *b = must_read(ours), *c = ilab_json_canonical(a, b);
	char *line = ilab_json_line(c);

	assert_string_equal(line, expected);
	free(line);
	cJSON_Delete(a);
	cJSON_Delete(b);
	cJSON_Delete(c);
}

static void undoes_what_another_writer_did(void **state)
{
	(void)state;

	canonical("{\"b\":5e-05,\"a\":1.0}", "{\"a\":1,\"b\":0.00005}", "{\"a\":1,\"b\":0.00005}");
	canonical("[{\"n\":2.50},{\"n\":[1e1]}]", "[{\"n\":2.5},{\"n\":[10]}]", "[{\"n\":2.5},{\"n\":[10]}]");
	/* Nothing but form is changed: other figures, texts and lengths stay as they are. */
	canonical("{\"a\":2,\"b\":\"x\",\"c\":[1.0,2.0]}", "{\"a\":1,\"b\":\"y\",\"c\":[1]}", "{\"a\":2,\"b\":\"x\",\"c\":[1,2.0]}");
	canonical("{\"a\":null,\"b\":1.0}", "{\"b\":1,\"a\":3,\"d\":4}", "{\"b\":1,\"a\":null}");
	/* What is not known stays where it is. */
	canonical("{\"new\":1.0,\"b\":2.0,\"more\":{\"z\":1},\"a\":3}", "{\"a\":3,\"b\":2}", "{\"new\":1.0,\"a\":3,\"more\":{\"z\":1},\"b\":2}");
	canonical("{\"a\":{\"b\":1.0}}", "{\"a\":[1]}", "{\"a\":{\"b\":1.0}}");
}

static void ignores_the_locale(void **state)
{
	if (!comma_locale_set()) {
		print_message("skipped: no locale with a decimal comma\n");
		skip();
	}
	doubles_return_bit_for_bit(state);
	keeps_integers_exact(state);
	setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts),
		cmocka_unit_test(refuses),
		cmocka_unit_test(says_where),
		cmocka_unit_test(limits_depth),
		cmocka_unit_test(keeps_integers_exact),
		cmocka_unit_test(undoes_what_another_writer_did),
		cmocka_unit_test(tells_numbers_from_strings),
		cmocka_unit_test(doubles_return_bit_for_bit),
		cmocka_unit_test(writes_integers_exact),
		cmocka_unit_test(lays_text_out),
		cmocka_unit_test(writes_only_utf8),
		cmocka_unit_test(ignores_the_locale),
	};
	return cmocka_run_group_tests_name("result/json", tests, NULL, NULL);
}
