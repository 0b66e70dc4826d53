#include "cli/measuring.h"
#include "device_listings.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PCI "0000:01:00.0"
#define GIB (UINT64_C(1) << 30)

static void the_option_of_intel_is_for_intel_alone(void **state)
{
	struct ilab_device d = made_device("opencl:2:1", "opencl", "Intel(R) OpenCL Graphics", 2, 1, "Arc", "gpu", PCI, NULL);
	struct ilab_measure_request r = { 0 };
	(void)state;
	d.vendor = "Intel(R) Corporation";
	d.total_memory_bytes = 16 * GIB;
	ilab_measuring_aim(&r, &d);
	assert_int_equal(r.open.platform_index, 2);
	assert_int_equal(r.open.device_index, 1);
	assert_string_equal(r.clblast_options, "-cl-intel-greater-than-4GB-buffer-required");
	d.total_memory_bytes = 2 * GIB;         /* no buffer can be that large */
	ilab_measuring_aim(&r, &d);
	assert_null(r.clblast_options);
	d.total_memory_bytes = 16 * GIB;
	d.type = "cpu";
	ilab_measuring_aim(&r, &d);
	assert_null(r.clblast_options);
	d.type = "gpu";
	d.vendor = "NVIDIA Corporation";
	ilab_measuring_aim(&r, &d);
	assert_null(r.clblast_options);
}

static void another_device_than_the_chosen_one_is_noticed(void **state)
{
	const struct ilab_device chosen = made_device("opencl:0:0", "opencl", "P", 0, 0, "G", "gpu", PCI, UUID_A);
	struct ilab_device opened = chosen;
	(void)state;
	assert_int_equal(ilab_measuring_check_device(&chosen, &opened, NULL), ILAB_OK);
	opened.name = "H";
	assert_int_equal(ilab_measuring_check_device(&chosen, &opened, NULL), ILAB_FAILED);
	opened = chosen;
	opened.pci_address.value = "0000:02:00.0";
	assert_int_equal(ilab_measuring_check_device(&chosen, &opened, NULL), ILAB_FAILED);
	opened = chosen;
	opened.uuid.value = NULL;
	assert_int_equal(ilab_measuring_check_device(&chosen, &opened, NULL), ILAB_FAILED);
	opened = chosen;
	opened.driver_version.value = "2";
	assert_int_equal(ilab_measuring_check_device(&chosen, &opened, NULL), ILAB_FAILED);
}

static void a_request_is_what_the_options_say(void **state)
{
	struct ilab_options o = { .batch = 2, .context = 3, .width = 5, .dtype = "bfloat16", .gemm = "builtin", .warmup = 1, .repeats = 7, .seed = 9,
		.verify_rows = 4 };
	struct ilab_measure_request r;
	struct ilab_err err = { 0 };
	(void)state;
	assert_int_equal(ilab_measuring_request(&o, &r, &err), ILAB_OK);
	assert_int_equal(r.shape.hidden, 20);
	assert_int_equal(r.dtype, ILAB_BF16);
	assert_int_equal(r.gemm, ILAB_GEMM_BUILTIN);
	assert_int_equal(r.repeats, 7);
	o.hidden = 6;
	assert_int_equal(ilab_measuring_request(&o, &r, &err), ILAB_OK);
	assert_int_equal(r.shape.hidden, 6);
	o.hidden = 0;
	o.width = UINT64_MAX / 4 + 1;
	assert_int_equal(ilab_measuring_request(&o, &r, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "hidden"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_option_of_intel_is_for_intel_alone),
		cmocka_unit_test(another_device_than_the_chosen_one_is_noticed),
		cmocka_unit_test(a_request_is_what_the_options_say),
	};
	return cmocka_run_group_tests_name("cli measuring", tests, NULL, NULL);
}
