#include "result_fixture.h"

#include "model/rule.h"
#include "result/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* Damaged documents: refused or accepted, but never a crash, and never accepted when something is missing. Bounded and the same
 * in every run; meant for a build with sanitizers. */

#define MUTATIONS 10000

static char *document(void)
{
	struct ilab_arena arena = { 0 };
	struct ilab_measure m;
	cJSON *json;
	char *line;

	fixture_measure(&arena, &m);
	m.phase_count = 5;
	json = ilab_measure_to_json(&m);
	line = ilab_json_line(json);
	cJSON_Delete(json);
	ilab_arena_free(&arena);
	return line;
}

/* Copied to a block of exactly `bytes`, so that a read past the end is seen. */
static enum ilab_status validate(const char *text, size_t bytes)
{
	struct ilab_arena arena = { 0 };
	struct ilab_err err = { 0 };
	char *exact = malloc(bytes ? bytes : 1);
	enum ilab_status status;

	memcpy(exact, text, bytes);
	status = ilab_document_validate(exact, bytes, &arena, NULL, &err);
	assert_true(status == ILAB_OK || status == ILAB_IO);
	assert_true((status == ILAB_OK) == (err.text[0] == '\0'));
	free(exact);
	ilab_arena_free(&arena);
	return status;
}

static void refuses_every_truncation(void **state)
{
	char *text = document();
	size_t bytes = strlen(text);
	(void)state;

	for (size_t i = 0; i < bytes; i += 1 + i / 400)
		assert_int_equal(validate(text, i), ILAB_IO);
	free(text);
}

static void survives_mutations(void **state)
{
	static const char pieces[] = "\"{}[]:,\\u0e1-+.tn \t\n\x80\xFF\xED";
	char *text = document(), *copy;
	size_t bytes = strlen(text);
	(void)state;

	copy = malloc(bytes);
	for (uint64_t i = 0; i < MUTATIONS; i++) {
		uint64_t h = ilab_splitmix64(i);
		memcpy(copy, text, bytes);
		for (uint64_t n = 0; n <= i % 4; n++, h = ilab_splitmix64(h)) {
			size_t at = h % bytes, from = (h >> 20) % bytes, room = bytes - (at > from ? at : from);
			if (h >> 63)
				copy[at] = pieces[(h >> 40) % (sizeof pieces - 1)];
			else
				memmove(copy + at, copy + from, (h >> 40) % 32 < room ? (h >> 40) % 32 : room);
		}
		validate(copy, bytes);
	}
	free(copy);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_every_truncation),
		cmocka_unit_test(survives_mutations),
	};
	return cmocka_run_group_tests_name("result/fuzz", tests, NULL, NULL);
}
