/* Saved documents as files: read whole, parsed, hashed. */
#include "result/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void reads_files(void **state)
{
	struct ilab_arena arena = { 0 };
	struct ilab_err err = { 0 };
	char path[] = "/tmp/ilab-document-XXXXXX", *text;
	size_t bytes;
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	(void)state;

	for (int i = 0; i < 30000; i++)
		fprintf(f, "line %d\n", i);
	fclose(f);
	assert_int_equal(ilab_document_read(path, &arena, &text, &bytes, &err), ILAB_OK);
	assert_int_equal(strlen(text), bytes);
	assert_non_null(strstr(text, "\nline 29999\n"));
	remove(path);
	assert_int_equal(ilab_document_read(path, &arena, &text, &bytes, &err), ILAB_IO);
	assert_non_null(strstr(err.text, path));
	ilab_err_clear(&err);
	assert_int_equal(ilab_document_read("/tmp", &arena, &text, &bytes, &err), ILAB_IO);
	ilab_arena_free(&arena);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* The hash is what sha256sum prints for this text. */
static void loads_documents(void **state)
{
	struct ilab_arena arena = { 0 };
	struct ilab_err err = { 0 }, why = { 0 };
	char path[] = "/tmp/ilab-document-XXXXXX";
	const char *sha256 = NULL;
	cJSON *json = NULL;
	(void)state;

	close(mkstemp(path));
	write_file(path, "{\"schema\": \"x\"}\n");
	assert_int_equal(ilab_document_load(path, &arena, &json, &sha256, &why, &err), ILAB_OK);
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "schema")), "x");
	assert_string_equal(sha256, "acd1e1ac44f7dfe210eab12577d7a1907ed43fccb53fb75736dae2bb6d3d149c");
	cJSON_Delete(json);
	write_file(path, "{\"schema\": }\n");
	assert_int_equal(ilab_document_load(path, &arena, &json, NULL, &why, &err), ILAB_IO);
	assert_null(json);
	assert_non_null(strstr(why.text, "line 1, column 12"));
	assert_int_equal(err.status, ILAB_OK);         /* what it should have been is the caller's to say */
	ilab_err_clear(&why);
	remove(path);
	assert_int_equal(ilab_document_load(path, &arena, &json, NULL, &why, &err), ILAB_IO);
	assert_null(json);
	assert_non_null(strstr(err.text, path));
	assert_int_equal(why.status, ILAB_OK);
	ilab_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_files),
		cmocka_unit_test(loads_documents),
	};
	return cmocka_run_group_tests_name("result/files", tests, NULL, NULL);
}
