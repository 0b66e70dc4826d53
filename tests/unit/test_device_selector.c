#include "device/device.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ilab_arena arena;

static enum ilab_status parse(const char *text, struct ilab_selector *out, struct ilab_err *err)
{
	*err = (struct ilab_err){ 0 };
	return ilab_selector_parse(text, &arena, out, err);
}

static void backend_selectors_hold_indices(void **state)
{
	struct ilab_selector s;
	struct ilab_err err;
	(void)state;
	assert_int_equal(parse("opencl:2:13", &s, &err), ILAB_OK);
	assert_int_equal(s.kind, ILAB_SELECT_BACKEND);
	assert_string_equal(s.backend, "opencl");
	assert_int_equal(s.platform_index, 2);
	assert_int_equal(s.device_index, 13);
	assert_int_equal(parse("cuda:1", &s, &err), ILAB_OK);
	assert_string_equal(s.backend, "cuda");
	assert_int_equal(s.platform_index, 0);
	assert_int_equal(s.device_index, 1);
	assert_int_equal(parse("hip:4294967295", &s, &err), ILAB_OK);
	assert_int_equal(s.device_index, 4294967295u);
}

static void physical_selectors_become_canonical(void **state)
{
	struct ilab_selector s;
	struct ilab_err err;
	(void)state;
	assert_int_equal(parse("pci:0000:AF:00.0", &s, &err), ILAB_OK);
	assert_int_equal(s.kind, ILAB_SELECT_PCI);
	assert_string_equal(s.text, "0000:af:00.0");
	assert_int_equal(parse("pci:00000001:0B:1f.7", &s, &err), ILAB_OK);    /* eight digits of domain, as NVIDIA prints it */
	assert_string_equal(s.text, "0001:0b:1f.7");
	assert_int_equal(parse("uuid:GPU-AAAAAAAA-bbbb-CCCC-dddd-EEEEEEEEEEEE", &s, &err), ILAB_OK);
	assert_int_equal(s.kind, ILAB_SELECT_UUID);
	assert_string_equal(s.text, "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee");
	assert_int_equal(parse("name:NVIDIA H200", &s, &err), ILAB_OK);
	assert_int_equal(s.kind, ILAB_SELECT_NAME);
	assert_string_equal(s.text, "NVIDIA H200");
	assert_int_equal(parse("name::odd:one", &s, &err), ILAB_OK);
	assert_string_equal(s.text, ":odd:one");
	assert_int_equal(parse("cpu", &s, &err), ILAB_OK);
	assert_int_equal(s.kind, ILAB_SELECT_CPU);
}

static void everything_else_is_refused_in_one_line(void **state)
{
	static const char *const bad[] = {
		"", " ", "cpu ", "CPU", "gpu", "0", "opencl", "opencl:", "opencl:0", "opencl:0:", "opencl::0", "opencl:0:0:0", "opencl:-1:0", "opencl:+1:0",
		"opencl: 1:0", "opencl:0x1:0", "opencl:4294967296:0", "opencl:99999999999999999999999999999999999999:0", "OPENCL:0:0",
		"cuda", "cuda:", "cuda:0:0", "cuda:-0", "cuda:1.5", "hip:one", "rocm:0",
		"pci:", "pci:01:00.0", "pci:0000:01:00", "pci:0000:01:00.0 ", "pci:000:01:00.0", "pci:000000000:01:00.0", "pci:0000:1:00.0", "pci:0000:01:0.0",
		"pci:0000:01:00.00", "pci:000g:01:00.0", "pci:0000.01:00.0",
		"uuid:", "uuid:1", "uuid:11111111-2222-3333-4444-55555555555", "uuid:11111111-2222-3333-4444-5555555555555",
		"uuid:1111111122223333444455555555555500", "uuid:11111111-2222-3333-4444-55555555555g", "uuid:MIG-11111111-2222-3333-4444-555555555555",
		"name:", "name", "opencl:0:0\n",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ilab_selector s;
		struct ilab_err err;
		if (parse(bad[i], &s, &err) != ILAB_REFUSED)
			fail_msg("accepted \"%s\"", bad[i]);
		assert_non_null(strstr(err.text, "opencl:P:D"));
		assert_null(strchr(err.text, '\n'));
	}
}

static void a_long_text_is_cut_not_lost(void **state)
{
	char text[2000];
	struct ilab_selector s;
	struct ilab_err err;
	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(parse(text, &s, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "expected opencl:P:D"));
}

static int release(void **state)
{
	(void)state;
	ilab_arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backend_selectors_hold_indices),
		cmocka_unit_test(physical_selectors_become_canonical),
		cmocka_unit_test(everything_else_is_refused_in_one_line),
		cmocka_unit_test(a_long_text_is_cut_not_lost),
	};
	return cmocka_run_group_tests_name("device selector", tests, NULL, release);
}
