#include "base/path.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void base_names(void **state)
{
	(void)state;
	assert_string_equal(ilab_path_base("/a/b/c.so"), "c.so");
	assert_string_equal(ilab_path_base("c.so"), "c.so");
	assert_string_equal(ilab_path_base("/a/"), "");
	assert_string_equal(ilab_path_base(""), "");
}

static void a_path_in_a_text_is_cut_wherever_it_stands(void **state)
{
	struct ilab_arena arena = { 0 };
	(void)state;
	assert_string_equal(ilab_path_cut(&arena, "/a/b.so: cannot open /a/b.so", "/a/b.so"), "b.so: cannot open b.so");
	assert_string_equal(ilab_path_cut(&arena, "/a/b.so/a/b.so", "/a/b.so"), "b.sob.so");
	assert_string_equal(ilab_path_cut(&arena, "/a/b.s", "/a/b.so"), "/a/b.s");
	assert_string_equal(ilab_path_cut(&arena, "in /home/me/", "/home/me/"), "in ");
	assert_string_equal(ilab_path_cut(&arena, "b.so fails", "b.so"), "b.so fails");
	assert_string_equal(ilab_path_cut(&arena, "text", ""), "text");
	assert_string_equal(ilab_path_cut(&arena, "", "/a"), "");
	ilab_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base_names),
		cmocka_unit_test(a_path_in_a_text_is_cut_wherever_it_stands),
	};
	return cmocka_run_group_tests_name("base path", tests, NULL, NULL);
}
