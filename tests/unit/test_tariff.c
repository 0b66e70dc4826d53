/* The tariff table: what is accepted, and that each kind of fault is refused with its line. */
#include "cost/tariff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define HEADER "model,gpus_per_lot,days,price_cents_usd,snapshot_date,source\n"
#define TAIL ",2026-09-24,test\n"
#define GOOD "m,1,3,100" TAIL "m,1,7,200" TAIL "m,1,30,600" TAIL

static struct ilab_arena arena;
static struct ilab_tariffs tariffs;
static struct ilab_err err;

static enum ilab_status parse_bytes(const char *text, size_t bytes)
{
	err = (struct ilab_err){0};
	tariffs = (struct ilab_tariffs){0};
	return ilab_tariffs_parse("dir/t.csv", text, bytes, &arena, &tariffs, &err);
}

static enum ilab_status parse(const char *text) { return parse_bytes(text, strlen(text)); }

static int teardown(void **state)
{
	(void)state;
	ilab_arena_free(&arena);
	return 0;
}

static void accepts_the_plain_table(void **state)
{
	(void)state;
	assert_int_equal(parse(HEADER "b200,2,30,9007199255" TAIL "b200,2,3,1" TAIL "b200,2,7,22" TAIL GOOD), ILAB_OK);
	assert_int_equal(tariffs.row_count, 6);
	assert_string_equal(tariffs.file, "t.csv");
	const struct ilab_tariff *row;
	assert_int_equal(ilab_tariffs_find(&tariffs, "b200", 30, &row, &err), ILAB_OK);
	assert_int_equal(row->price_cents, 9007199255);
	assert_int_equal(row->gpus_per_lot, 2);
	assert_int_equal(row->line, 2);
	assert_string_equal(row->snapshot_date, "2026-09-24");
	assert_string_equal(row->source, "test");
}

/* As sha256sum prints it; the byte order mark is part of the file. */
static void hashes_the_file(void **state)
{
	(void)state;
	assert_int_equal(parse(HEADER GOOD), ILAB_OK);
	assert_string_equal(tariffs.sha256, "4db7b50bd2b534eef8b80f8f7dfc5d0547bd55cd078b1d88bd304d1598a90cfb");
	assert_int_equal(parse("\xef\xbb\xbf" HEADER GOOD), ILAB_OK);
	assert_string_equal(tariffs.sha256, "c5782db30383ffab5ec3bbe6e581fb1cd44f7f46ee01f24dfd38d3522040efe0");
}

static void accepts_other_forms_of_csv(void **state)
{
	(void)state;
	static const char crlf[] = "model,gpus_per_lot,days,price_cents_usd,snapshot_date,source\r\n"
		"m,1,3,100,2026-09-24,test\r\nm,1,7,200,2026-09-24,test\r\nm,1,30,600,2026-09-24,test\r\n";
	assert_int_equal(parse(crlf), ILAB_OK);
	assert_int_equal(tariffs.row_count, 3);
	assert_string_equal(tariffs.rows[2].source, "test");
	assert_int_equal(parse("\xef\xbb\xbf" HEADER GOOD), ILAB_OK);
	assert_int_equal(parse_bytes(HEADER GOOD, strlen(HEADER GOOD) - 1), ILAB_OK);   /* no end of the last line */
	assert_int_equal(tariffs.row_count, 3);
	assert_int_equal(parse("\"model\",\"gpus_per_lot\",days,price_cents_usd,snapshot_date,source\n"
		"\"a \"\"b\"\", c\",\"1\",\"3\",100" TAIL "\"a \"\"b\"\", c\",1,7,200" TAIL "\"a \"\"b\"\", c\",1,30,600" TAIL), ILAB_OK);
	assert_string_equal(tariffs.rows[0].model, "a \"b\", c");
	assert_int_equal(parse(HEADER "\xc3\xa9,1,3,100,2028-02-29,s\n\xc3\xa9,1,7,200" TAIL "\xc3\xa9,1,30,600" TAIL), ILAB_OK);
	assert_string_equal(tariffs.rows[0].model, "\xc3\xa9");
}

static const struct { const char *text, *line, *says; } faults[] = {
	/* header */
	{ "", "line 1:", "empty" },
	{ HEADER, "line 1:", "no price" },
	{ "model,gpus_per_lot,days,price_cents_usd,snapshot_date\n", "line 1:", "'source' is missing" },
	{ "model,gpus_per_lot,days,price_cents_usd,snapshot_date,source,more\n" GOOD, "line 1:", "unknown column 'more'" },
	{ "model,gpus_per_lot,days,price_cents_usd,snapshot_date,source,source\n" GOOD, "line 1:", "misplaced column 'source'" },
	{ "model,days,gpus_per_lot,price_cents_usd,snapshot_date,source\n" GOOD, "line 1:", "misplaced column 'days'" },
	{ "model,gpus,days,price_cents_usd,snapshot_date,source\n" GOOD, "line 1:", "unknown column 'gpus'" },
	{ "Model,gpus_per_lot,days,price_cents_usd,snapshot_date,source\n" GOOD, "line 1:", "unknown column 'Model'" },
	{ "model;gpus_per_lot;days;price_cents_usd;snapshot_date;source\n", "line 1:", "unknown column" },
	{ GOOD, "line 1:", "unknown column 'm'" },
	/* cells */
	{ HEADER "m,1,3,100,2026-09-24\n", "line 2:", "5 cells" },
	{ HEADER GOOD "n,1,3,100,2026-09-24,test,\n", "line 5:", "7 cells" },
	{ HEADER ",1,3,100" TAIL, "line 2:", "model is empty" },
	{ HEADER "\"\",1,3,100" TAIL, "line 2:", "model is empty" },
	{ HEADER GOOD "n,1,3,," TAIL, "line 5:", "price_cents_usd is empty" },
	{ HEADER "m,1,3,100,2026-09-24,\n", "line 2:", "source is empty" },
	{ HEADER "m,1,3,100.00" TAIL, "line 2:", "'100.00' is not a whole number of US cents" },
	{ HEADER "m,1,3,\"100,00\"" TAIL, "line 2:", "'100,00' is not a whole number" },
	{ HEADER "m,1,3,1e3" TAIL, "line 2:", "not a whole number" },
	{ HEADER "m,1,3,0x10" TAIL, "line 2:", "not a whole number" },
	{ HEADER "m,1,3,+1" TAIL, "line 2:", "not a whole number" },
	{ HEADER "m,1,3,-100" TAIL, "line 2:", "'-100' is not a whole number" },
	{ HEADER "m,1,3,$100" TAIL, "line 2:", "not a whole number" },
	{ HEADER "m,1,3, 100" TAIL, "line 2:", "blank" },
	{ HEADER "m,1,3,0" TAIL, "line 2:", "at least 1" },
	{ HEADER "m,1,3,1000000000001" TAIL, "line 2:", "is more than 1000000000000 US cents" },
	{ HEADER "m,1,3,99999999999999999999999999" TAIL, "line 2:", "is more than 1000000000000 US cents" },
	{ HEADER "m,0,3,100" TAIL, "line 2:", "gpus_per_lot '0' must be at least 1" },
	{ HEADER "m,1.5,3,100" TAIL, "line 2:", "not a whole number of GPUs" },
	{ HEADER "m,1,5,100" TAIL, "line 2:", "days '5' is not 3, 7 or 30" },
	{ HEADER "m,1,03,100" TAIL, "line 2:", "is not 3, 7 or 30" },
	{ HEADER "m,1,3,100,2026-02-29,test\n", "line 2:", "is not a date" },
	{ HEADER "m,1,3,100,2100-02-29,test\n", "line 2:", "is not a date" },
	{ HEADER "m,1,3,100,2026-13-01,test\n", "line 2:", "is not a date" },
	{ HEADER "m,1,3,100,2026-00-10,test\n", "line 2:", "is not a date" },
	{ HEADER "m,1,3,100,2026-04-31,test\n", "line 2:", "is not a date" },
	{ HEADER "m,1,3,100,2026-9-24,test\n", "line 2:", "is not a date" },
	{ HEADER "m,1,3,100,24/09/2026,test\n", "line 2:", "is not a date" },
	{ HEADER " m,1,3,100" TAIL, "line 2:", "blank" },
	{ HEADER "\xff,1,3,100" TAIL, "line 2:", "not UTF-8" },
	{ HEADER "a\tb,1,3,100" TAIL, "line 2:", "control character" },
	/* lines and quotes */
	{ HEADER GOOD "\n", "line 5:", "empty" },
	{ HEADER "\r\n" GOOD, "line 2:", "empty" },
	{ HEADER "# a comment\n", "line 2:", "1 cells" },
	{ HEADER "m,1,3,100,2026-09-24,a\rb\n", "line 2:", "carriage return" },
	{ HEADER "m\"x,1,3,100" TAIL, "line 2:", "quote" },
	{ HEADER "\"m\"x,1,3,100" TAIL, "line 2:", "quote" },
	{ HEADER "\"m,1,3,100" TAIL, "line 2:", "inside a quoted cell" },
	{ HEADER "\"m\nn\",1,3,100" TAIL GOOD, "line 2:", "line break" },
	{ HEADER "n,1,3,1,2026-09-24,\"a\n\n\"\n" GOOD "x", "line 2:", "line break" },
	{ "\xff\xfem\n", "line 1:", "unknown column" },
	/* the table as a whole */
	{ HEADER GOOD "m,1,7,300" TAIL, "line 5:", "has 7 days twice, first in line 3" },
	{ HEADER "m,1,3,100" TAIL "m,1,30,600" TAIL, "line 2:", "no row for 7 days" },
	{ HEADER GOOD "n,1,7,100" TAIL "n,1,30,600" TAIL, "line 5:", "'n' has no row for 3 days" },
	{ HEADER "n,1,7,100" TAIL "n,1,3,600" TAIL, "line 3:", "'n' has no row for 30 days" },
	{ HEADER "m,1,3,100" TAIL "m,2,7,200" TAIL "m,1,30,600" TAIL, "line 3:", "2 GPUs a lot here and 1 in line 2" },
};

static void refuses_every_fault_with_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		enum ilab_status status = parse(faults[i].text);
		if (status != ILAB_IO || !strstr(err.text, faults[i].line) || !strstr(err.text, faults[i].says) || !strstr(err.text, "t.csv"))
			fail_msg("fault %zu (%s %s): status %d, \"%s\"", i, faults[i].line, faults[i].says, status, err.text);
	}
	assert_int_equal(parse_bytes(HEADER "m\0,1,3,100" TAIL, sizeof(HEADER "m\0,1,3,100" TAIL) - 1), ILAB_IO);
	assert_non_null(strstr(err.text, "line 2: a NUL byte"));
}

static void lookup_says_what_there_is(void **state)
{
	(void)state;
	const struct ilab_tariff *row = NULL;
	assert_int_equal(parse(HEADER GOOD "z,1,3,100" TAIL "z,1,7,200" TAIL "z,1,30,600" TAIL), ILAB_OK);
	assert_int_equal(ilab_tariffs_find(&tariffs, "M", 3, &row, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "'M' is not in t.csv, which has: m, z"));
	err = (struct ilab_err){0};
	assert_int_equal(ilab_tariffs_find(&tariffs, "m", 4, &row, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "4 days"));
}

/* 99,999 rows of 33,333 models, last ones first; then the same with one duplicate at the end. */
static void reads_a_hundred_thousand_rows(void **state)
{
	(void)state;
	char *text = malloc(8 << 20);
	assert_non_null(text);
	size_t used = (size_t)sprintf(text, HEADER);
	for (unsigned i = 33333; i > 0; i--)
		for (unsigned d = 0; d < 3; d++)
			used += (size_t)sprintf(text + used, "model-%05u,1,%s,%u" TAIL, i, ((const char *[]){ "30", "7", "3" })[d], i + d);
	struct timespec begin, end;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	assert_int_equal(parse_bytes(text, used), ILAB_OK);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_int_equal(tariffs.row_count, 99999);
	assert_true(end.tv_sec - begin.tv_sec < 10);       /* a quadratic check takes far longer */
	const struct ilab_tariff *row;
	assert_int_equal(ilab_tariffs_find(&tariffs, "model-00007", 7, &row, &err), ILAB_OK);
	assert_int_equal(row->price_cents, 8);
	used += (size_t)sprintf(text + used, "model-33333,1,7,9" TAIL);
	assert_int_equal(parse_bytes(text, used), ILAB_IO);
	assert_non_null(strstr(err.text, "line 100001: model 'model-33333' has 7 days twice, first in line 3"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_the_plain_table),
		cmocka_unit_test(hashes_the_file),
		cmocka_unit_test(accepts_other_forms_of_csv),
		cmocka_unit_test(refuses_every_fault_with_its_line),
		cmocka_unit_test(lookup_says_what_there_is),
		cmocka_unit_test(reads_a_hundred_thousand_rows),
	};
	return cmocka_run_group_tests(tests, NULL, teardown);
}
