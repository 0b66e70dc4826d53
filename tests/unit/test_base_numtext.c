/* base/numtext: numbers as text. Every check runs in the C locale and again under a locale with a decimal comma. */
#include "comma_locale.h"

#include "base/numtext.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void check_u64(void)
{
	static const struct { const char *text; enum ilab_parse parse; uint64_t v; } rows[] = {
		{ "0", ILAB_PARSE_OK, 0 }, { "007", ILAB_PARSE_OK, 7 }, { "18446744073709551615", ILAB_PARSE_OK, UINT64_MAX },
		{ "0000000000000000000000000000012", ILAB_PARSE_OK, 12 },
		{ "18446744073709551616", ILAB_PARSE_RANGE, 0 }, { "99999999999999999999999", ILAB_PARSE_RANGE, 0 },
		{ "", ILAB_PARSE_EMPTY, 0 }, { " 1", ILAB_PARSE_SYNTAX, 0 }, { "1 ", ILAB_PARSE_SYNTAX, 0 }, { "+1", ILAB_PARSE_SYNTAX, 0 },
		{ "-1", ILAB_PARSE_SYNTAX, 0 }, { "1.0", ILAB_PARSE_SYNTAX, 0 }, { "1e3", ILAB_PARSE_SYNTAX, 0 }, { "0x10", ILAB_PARSE_SYNTAX, 0 },
		{ "1K", ILAB_PARSE_SYNTAX, 0 }, { "1,000", ILAB_PARSE_SYNTAX, 0 }, { "99999999999999999999999x", ILAB_PARSE_SYNTAX, 0 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t v = 4711;
		assert_int_equal(ilab_parse_u64(rows[i].text, &v), rows[i].parse);
		assert_true(v == (rows[i].parse == ILAB_PARSE_OK ? rows[i].v : 4711));
	}
}

static void check_suffixes(void)
{
	static const struct { const char *text; enum ilab_parse parse; uint64_t v; } rows[] = {
		{ "7", ILAB_PARSE_OK, 7 }, { "7K", ILAB_PARSE_OK, 7000 }, { "7M", ILAB_PARSE_OK, 7000000 },
		{ "7G", ILAB_PARSE_OK, 7000000000 }, { "7T", ILAB_PARSE_OK, 7000000000000 }, { "3Ki", ILAB_PARSE_OK, 3072 },
		{ "3Mi", ILAB_PARSE_OK, 3145728 }, { "3Gi", ILAB_PARSE_OK, 3221225472 }, { "1Ti", ILAB_PARSE_OK, 1099511627776 },
		{ "17179869183Gi", ILAB_PARSE_OK, 18446744072635809792u }, { "17179869184Gi", ILAB_PARSE_RANGE, 0 },
		{ "18446744073709551616", ILAB_PARSE_RANGE, 0 }, { "18446744073709551616Q", ILAB_PARSE_SYNTAX, 0 },
		{ "", ILAB_PARSE_EMPTY, 0 }, { "K", ILAB_PARSE_SYNTAX, 0 }, { "1k", ILAB_PARSE_SYNTAX, 0 }, { "1KB", ILAB_PARSE_SYNTAX, 0 },
		{ "1 K", ILAB_PARSE_SYNTAX, 0 }, { "1Kii", ILAB_PARSE_SYNTAX, 0 }, { "1i", ILAB_PARSE_SYNTAX, 0 }, { "1.5G", ILAB_PARSE_SYNTAX, 0 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t v = 4711;
		assert_int_equal(ilab_parse_u64_suffixed(rows[i].text, &v), rows[i].parse);
		assert_true(v == (rows[i].parse == ILAB_PARSE_OK ? rows[i].v : 4711));
	}
}

static void check_decimals(void)
{
	static const struct { const char *text; unsigned places; enum ilab_parse parse; uint64_t v; } rows[] = {
		{ "4", 9, ILAB_PARSE_OK, 4000000000 }, { "0.5", 9, ILAB_PARSE_OK, 500000000 }, { "0.000000001", 9, ILAB_PARSE_OK, 1 },
		{ "0", 9, ILAB_PARSE_OK, 0 }, { "1.50", 2, ILAB_PARSE_OK, 150 }, { "00.1", 1, ILAB_PARSE_OK, 1 },
		{ "18446744073.709551615", 9, ILAB_PARSE_OK, UINT64_MAX }, { "18446744073.709551616", 9, ILAB_PARSE_RANGE, 0 },
		{ "18446744074", 9, ILAB_PARSE_RANGE, 0 }, { "99999999999999999999999", 1, ILAB_PARSE_RANGE, 0 },
		{ "0.0000000001", 9, ILAB_PARSE_SYNTAX, 0 }, { "0.123", 2, ILAB_PARSE_SYNTAX, 0 }, { "", 9, ILAB_PARSE_EMPTY, 0 },
		{ ".5", 9, ILAB_PARSE_SYNTAX, 0 }, { "5.", 9, ILAB_PARSE_SYNTAX, 0 }, { "-1", 9, ILAB_PARSE_SYNTAX, 0 }, { "+1", 9, ILAB_PARSE_SYNTAX, 0 },
		{ "1e3", 9, ILAB_PARSE_SYNTAX, 0 }, { "0,5", 9, ILAB_PARSE_SYNTAX, 0 }, { "1.2.3", 9, ILAB_PARSE_SYNTAX, 0 },
		{ "nan", 9, ILAB_PARSE_SYNTAX, 0 }, { "99999999999999999999999x", 1, ILAB_PARSE_SYNTAX, 0 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t v = 4711;
		assert_int_equal(ilab_parse_decimal(rows[i].text, rows[i].places, &v), rows[i].parse);
		assert_true(v == (rows[i].parse == ILAB_PARSE_OK ? rows[i].v : 4711));
	}
}

static void check_doubles_in(void)
{
	static const struct { const char *text; enum ilab_parse parse; double v; } rows[] = {
		{ "0", ILAB_PARSE_OK, 0 }, { "-0", ILAB_PARSE_OK, -0.0 }, { "1.5", ILAB_PARSE_OK, 1.5 }, { "-2.5e-3", ILAB_PARSE_OK, -0x1.47ae147ae147bp-9 },
		{ "1E+2", ILAB_PARSE_OK, 100 }, { "0.1", ILAB_PARSE_OK, 0x1.999999999999ap-4 }, { "1e23", ILAB_PARSE_OK, 0x1.52d02c7e14af6p+76 },
		{ "2.2250738585072011e-308", ILAB_PARSE_OK, 0x0.fffffffffffffp-1022 }, { "5e-324", ILAB_PARSE_OK, 0x1p-1074 },
		{ "1e-400", ILAB_PARSE_OK, 0 }, { "1.7976931348623157e308", ILAB_PARSE_OK, DBL_MAX },
		{ "9007199254740993", ILAB_PARSE_OK, 9007199254740992.0 }, { "9007199254740993.0000000000000000000001", ILAB_PARSE_OK, 9007199254740994.0 },
		{ "1.8e308", ILAB_PARSE_RANGE, 0 }, { "-1e999", ILAB_PARSE_RANGE, 0 }, { "", ILAB_PARSE_EMPTY, 0 },
		{ "01", ILAB_PARSE_SYNTAX, 0 }, { "+1", ILAB_PARSE_SYNTAX, 0 }, { ".5", ILAB_PARSE_SYNTAX, 0 }, { "5.", ILAB_PARSE_SYNTAX, 0 },
		{ "1e", ILAB_PARSE_SYNTAX, 0 }, { "1e+", ILAB_PARSE_SYNTAX, 0 }, { "-", ILAB_PARSE_SYNTAX, 0 }, { "nan", ILAB_PARSE_SYNTAX, 0 },
		{ "inf", ILAB_PARSE_SYNTAX, 0 }, { "0x1p3", ILAB_PARSE_SYNTAX, 0 }, { "1,5", ILAB_PARSE_SYNTAX, 0 }, { " 1", ILAB_PARSE_SYNTAX, 0 },
		{ "1 ", ILAB_PARSE_SYNTAX, 0 }, { "1.5.2", ILAB_PARSE_SYNTAX, 0 }, { "--1", ILAB_PARSE_SYNTAX, 0 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double v = 4711;
		assert_int_equal(ilab_parse_double(rows[i].text, &v), rows[i].parse);
		double expected = rows[i].parse == ILAB_PARSE_OK ? rows[i].v : 4711;
		assert_memory_equal(&v, &expected, sizeof(v));
	}
}

static void check_doubles_out(void)
{
	static const struct { double v; const char *text; } rows[] = {
		{ 0, "0" }, { -0.0, "-0" }, { 1, "1" }, { 100, "100" }, { -2.5, "-2.5" }, { 0.1, "0.1" }, { 0x1.3333333333334p-2, "0.30000000000000004" },
		{ 1e15, "1000000000000000" }, { 9007199254740991.0, "9007199254740991" }, { 9007199254740994.0, "9007199254740994" },
		{ 1e16, "1e+16" }, { 1e22, "1e+22" }, { 0x1.52d02c7e14af6p+76, "1e+23" }, { 0.00001, "0.00001" }, { 0.000001, "1e-06" },
		{ 0.000123, "0.000123" }, { 123456.789, "123456.789" }, { 0x1p-1074, "5e-324" }, { DBL_MIN, "2.2250738585072014e-308" },
		{ DBL_MAX, "1.7976931348623157e+308" }, { 33.261e-3, "0.033261" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[ILAB_NUMTEXT_SIZE];
		assert_int_equal(ilab_format_double(text, sizeof(text), rows[i].v), strlen(rows[i].text));
		assert_string_equal(text, rows[i].text);
	}
}

/* Doubles of every magnitude, from a generator of its own, survive the way out and in, with 17 digits or fewer. */
static void check_round_trip(void)
{
	uint64_t bits = 88172645463325252u;
	for (int i = 0; i < 20000; i++) {
		bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
		double v, back = 0;
		memcpy(&v, &bits, sizeof(v));
		if (!isfinite(v))
			continue;
		char text[ILAB_NUMTEXT_SIZE];
		assert_true(ilab_format_double(text, sizeof(text), v) < sizeof(text));
		assert_null(strchr(text, ','));
		assert_int_equal(ilab_parse_double(text, &back), ILAB_PARSE_OK);
		assert_memory_equal(&v, &back, sizeof(v));
		size_t digits = 0;
		for (const char *p = text; *p && *p != 'e'; p++)
			digits += *p >= '0' && *p <= '9' && (digits || *p != '0');
		assert_true(digits <= 17);
	}
}

static void check_integers_out(void)
{
	char text[ILAB_NUMTEXT_SIZE];
	ilab_format_u64(text, sizeof(text), 0);
	assert_string_equal(text, "0");
	assert_int_equal(ilab_format_u64(text, sizeof(text), UINT64_MAX), 20);
	assert_string_equal(text, "18446744073709551615");
	/* 2^63-1 parameters of 64 bits, in bytes */
	ilab_format_u128(text, sizeof(text), (ilab_u128)INT64_MAX * 8);
	assert_string_equal(text, "73786976294838206456");
	assert_int_equal(ilab_format_u128(text, sizeof(text), ~(ilab_u128)0), 39);
	assert_string_equal(text, "340282366920938463463374607431768211455");
	ilab_format_hex64(text, sizeof(text), 0xabcdef);
	assert_string_equal(text, "0000000000abcdef");
	ilab_format_hex64(text, sizeof(text), UINT64_MAX);
	assert_string_equal(text, "ffffffffffffffff");

	/* As snprintf: the length that was needed, and a terminated start. */
	memset(text, '#', sizeof(text));
	assert_int_equal(ilab_format_u64(text, 4, 1234567), 7);
	assert_string_equal(text, "123");
	assert_int_equal(text[4], '#');
	assert_int_equal(ilab_format_double(NULL, 0, 0.25), 4);
}

static void check_fixed(void)
{
	static const struct { double v; unsigned decimals; const char *text; } rows[] = {
		{ 13.03851604461669921875, 4, "13.0385" }, { 0.5, 0, "0" }, { 1.5, 0, "2" }, { -0.001, 2, "0.00" }, { -0.5, 0, "0" }, { -0.006, 2, "-0.01" },
		{ -1.25, 1, "-1.2" }, { 1234567.891, 1, "1234567.9" }, { 0, 3, "0.000" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[ILAB_NUMTEXT_SIZE];
		assert_int_equal(ilab_format_fixed(text, sizeof(text), rows[i].v, rows[i].decimals), strlen(rows[i].text));
		assert_string_equal(text, rows[i].text);
	}
}

static void check_everything(void)
{
	check_u64();
	check_suffixes();
	check_decimals();
	check_doubles_in();
	check_doubles_out();
	check_round_trip();
	check_integers_out();
	check_fixed();
}

static void in_the_c_locale(void **state)
{
	(void)state;
	check_everything();
}

static void in_a_decimal_comma_locale(void **state)
{
	(void)state;
	if (!comma_locale_set()) {
		print_message("skipped: no decimal-comma locale is installed and localedef could not make one\n");
		skip();
	}
	char text[16];
	snprintf(text, sizeof(text), "%.1f", 0.5);
	assert_string_equal(text, "0,5");      /* the locale is in force */
	check_everything();
	snprintf(text, sizeof(text), "%.1f", 0.5);
	assert_string_equal(text, "0,5");      /* and still is */
	setlocale(LC_ALL, "C");
}

static void writing_nan_is_a_mistake_of_ours(void **state)
{
	(void)state;
#ifdef NDEBUG
	print_message("skipped: built without assertions\n");
	skip();
#endif
	const double values[] = { NAN, INFINITY, -INFINITY };
	for (int i = 0; i < 6; i++) {
		pid_t child = fork();
		if (child == 0) {
			char text[ILAB_NUMTEXT_SIZE];
			signal(SIGABRT, SIG_DFL);
			close(STDERR_FILENO);
			if (i < 3)
				ilab_format_double(text, sizeof(text), values[i]);
			else
				ilab_format_fixed(text, sizeof(text), values[i - 3], 2);
			_exit(0);
		}
		int status;
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_the_c_locale),
		cmocka_unit_test(in_a_decimal_comma_locale),
		cmocka_unit_test(writing_nan_is_a_mistake_of_ours),
	};
	return cmocka_run_group_tests_name("base/numtext", tests, NULL, NULL);
}
