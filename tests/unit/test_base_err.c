/* base/err, base/checked, base/arena, base/clock: the small ones. */
#include "base/arena.h"
#include "base/checked.h"
#include "base/clock.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void err_is_passed_on(void **state)
{
	(void)state;
	struct ilab_err from = {0}, err = {0}, taken = {0};
	ilab_err_set(&from, ILAB_FAILED, "clFinish", -36, "lost");
	ilab_err_set(&taken, ILAB_IO, "", 0, "before");
	assert_int_equal(ilab_err_pass(&err, ILAB_INTERRUPTED, &from), ILAB_INTERRUPTED);
	assert_int_equal(err.status, ILAB_INTERRUPTED);
	assert_int_equal(err.code, -36);
	assert_string_equal(err.call, "clFinish");
	assert_string_equal(ilab_err_shown(&err), "lost");
	assert_int_equal(ilab_err_pass(&taken, ILAB_FAILED, &from), ILAB_FAILED);
	assert_string_equal(taken.text, "before");
	assert_int_equal(ilab_err_pass(NULL, ILAB_FAILED, &from), ILAB_FAILED);
	assert_string_equal(ilab_err_errno(2), "No such file or directory");
}

static void err_first_one_wins(void **state)
{
	(void)state;
	struct ilab_err err = {0};
	assert_int_equal(ilab_err_set(&err, ILAB_FAILED, "clFinish", -36, "device %d: %s", 3, "lost"), ILAB_FAILED);
	assert_int_equal(ilab_err_set(&err, ILAB_IO, "write", 28, "another"), ILAB_IO);
	assert_int_equal(err.status, ILAB_FAILED);
	assert_int_equal(err.code, -36);
	assert_string_equal(err.call, "clFinish");
	assert_string_equal(err.text, "device 3: lost");

	ilab_err_clear(&err);
	assert_int_equal(err.status, ILAB_OK);
	assert_int_equal(ilab_err_set(&err, ILAB_IO, NULL, 0, "again"), ILAB_IO);
	assert_string_equal(err.text, "again");
	assert_string_equal(err.call, "");
	assert_int_equal(ilab_err_set(NULL, ILAB_REFUSED, NULL, 0, "nobody listens"), ILAB_REFUSED);
	ilab_err_clear(NULL);
}

static void err_text_is_one_printable_line(void **state)
{
	(void)state;
	struct ilab_err err = {0};
	ilab_err_set(&err, ILAB_IO, NULL, 0, "%s", "a\nb\r\tc\x1b[31m\x7f" "d\xc2\x85" "e \xc3\xa9 \xe2\x82\xac");
	assert_string_equal(err.text, "a b  c [31m d  e \xc3\xa9 \xe2\x82\xac");
	/* What is no UTF-8: stray bytes, a sequence cut off, an overlong form, a surrogate. */
	err = (struct ilab_err){ 0 };
	ilab_err_set(&err, ILAB_IO, NULL, 0, "%s", "a\xff" "b\xc3" "c\xc0\x80" "d\xed\xa0\x80" "\xe2\x82");
	assert_string_equal(err.text, "a?b?c??d?????");
}

static void err_long_text_is_cut_between_characters(void **state)
{
	(void)state;
	/* Every position of the cut relative to characters of 2, 3 and 4 bytes. */
	static const char *const characters[] = { "x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x99\x82" };
	for (size_t c = 0; c < 4; c++) {
		const size_t width = strlen(characters[c]);
		for (size_t shift = 0; shift < width; shift++) {
			char text[2048] = "";
			memset(text, '-', shift);
			for (size_t used = shift; used + width < sizeof(text); used += width)
				memcpy(text + used, characters[c], width + 1);
			struct ilab_err err = {0};
			ilab_err_set(&err, ILAB_IO, NULL, 0, "%s", text);
			size_t length = strlen(err.text);
			assert_in_range(length, sizeof(err.text) - 1 - 3, sizeof(err.text) - 1);
			assert_string_equal(err.text + length - 3, "...");
			assert_memory_equal(err.text, text, length - 3);
			assert_int_equal((length - 3 - shift) % width, 0);
		}
	}
}

static void err_call_name_fits(void **state)
{
	(void)state;
	char call[200];
	memset(call, 'c', sizeof(call) - 1);
	call[sizeof(call) - 1] = '\0';
	struct ilab_err err = {0};
	ilab_err_set(&err, ILAB_FAILED, call, 0, "x");
	assert_int_equal(strlen(err.call), sizeof(err.call) - 1);
}

static void checked_notices_overflow(void **state)
{
	(void)state;
	uint64_t v = 77;
	assert_true(ilab_checked_add(UINT64_MAX - 1, 1, &v));
	assert_true(v == UINT64_MAX);
	assert_false(ilab_checked_add(UINT64_MAX, 1, &v));
	assert_true(v == UINT64_MAX);
	assert_true(ilab_checked_mul(4294967295u, 4294967297u, &v));
	assert_true(v == UINT64_MAX);                  /* (2^32-1)(2^32+1) = 2^64-1 */
	v = 77;
	assert_false(ilab_checked_mul(4294967296u, 4294967296u, &v));
	assert_true(v == 77);
	assert_true(ilab_checked_mul(0, UINT64_MAX, &v));
	assert_true(v == 0);
}

static void arena_memory_is_zero_aligned_and_separate(void **state)
{
	(void)state;
	struct ilab_arena arena = {0};
	unsigned char *pieces[300];
	size_t sizes[300];
	for (size_t i = 0; i < 300; i++) {
		sizes[i] = i % 50 == 49 ? 100000 + i : (i * 37) % 600;
		pieces[i] = ilab_arena_alloc(&arena, sizes[i]);
		assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(pieces[i][k], 0);
		memset(pieces[i], (int)(i % 255) + 1, sizes[i]);
	}
	for (size_t i = 0; i < 300; i++)
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(pieces[i][k], i % 255 + 1);
	ilab_arena_free(&arena);
	assert_null(arena.head);
	ilab_arena_free(&arena);
}

static void arena_makes_strings(void **state)
{
	(void)state;
	struct ilab_arena arena = {0};
	char source[] = "device";
	char *copy = ilab_arena_strdup(&arena, source);
	source[0] = 'X';
	assert_string_equal(copy, "device");
	assert_null(ilab_arena_strdup(&arena, NULL));
	assert_string_equal(ilab_arena_strdup(&arena, ""), "");
	assert_string_equal(ilab_arena_printf(&arena, "opencl:%d:%d", 0, 1), "opencl:0:1");
	assert_string_equal(ilab_arena_printf(&arena, "%s", ""), "");
	char *wide = ilab_arena_printf(&arena, "%60000d", 7);
	assert_int_equal(strlen(wide), 60000);
	ilab_arena_free(&arena);
}

static void arena_ends_the_process_when_memory_runs_out(void **state)
{
	(void)state;
	int tube[2];
	assert_int_equal(pipe(tube), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(tube[1], STDERR_FILENO);
		struct ilab_arena arena = {0};
		ilab_arena_alloc(&arena, SIZE_MAX - 4);
		_exit(99);
	}
	close(tube[1]);
	char said[200] = "";
	assert_true(read(tube[0], said, sizeof(said) - 1) > 0);
	close(tube[0]);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), ILAB_FAILED);
	assert_non_null(strstr(said, "out of memory"));
}

static void clock_goes_forward(void **state)
{
	(void)state;
	uint64_t before = ilab_clock_ns();
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	uint64_t after = ilab_clock_ns();
	assert_in_range(after - before, 20000000, 5000000000);
	double resolution = ilab_clock_resolution_seconds();
	assert_true(resolution > 0 && resolution <= 0.1);
}

static void clock_utc_is_rfc3339(void **state)
{
	(void)state;
	char text[ILAB_UTC_SIZE];
	time_t before = time(NULL);
	ilab_clock_utc(text, sizeof(text));
	time_t after = time(NULL);
	struct tm parsed = {0};
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &parsed);
	assert_non_null(rest);
	assert_string_equal(rest, "");
	assert_int_equal(strlen(text), 20);
	assert_in_range(timegm(&parsed), before, after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(err_first_one_wins),
		cmocka_unit_test(err_is_passed_on),
		cmocka_unit_test(err_text_is_one_printable_line),
		cmocka_unit_test(err_long_text_is_cut_between_characters),
		cmocka_unit_test(err_call_name_fits),
		cmocka_unit_test(checked_notices_overflow),
		cmocka_unit_test(arena_memory_is_zero_aligned_and_separate),
		cmocka_unit_test(arena_makes_strings),
		cmocka_unit_test(arena_ends_the_process_when_memory_runs_out),
		cmocka_unit_test(clock_goes_forward),
		cmocka_unit_test(clock_utc_is_rfc3339),
	};
	return cmocka_run_group_tests_name("base/err checked arena clock", tests, NULL, NULL);
}
