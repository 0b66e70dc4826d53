#include "device_listings.h"

#include <stdarg.h>
#include <stdio.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PCI_A "0000:01:00.0"
#define PCI_B "0000:41:00.0"

static struct ilab_arena arena;
static struct ilab_err err;

/* A machine with two GPUs of one name, the first seen by OpenCL and CUDA, the second by OpenCL only; and a CPU. No HIP. */
static struct ilab_device cl[3], cu[1];
static struct ilab_listing machine[3];

static int build(void **state)
{
	struct ilab_physical *physical;
	size_t count;
	(void)state;
	cl[0] = made_device("opencl:0:0", "opencl", "Portable Computing Language", 0, 0, "pthread-EPYC", "cpu", NULL, NULL);
	cl[1] = made_device("opencl:1:0", "opencl", "NVIDIA CUDA", 1, 0, "NVIDIA H200", "gpu", PCI_A, NULL);
	cl[2] = made_device("opencl:1:1", "opencl", "NVIDIA CUDA", 1, 1, "NVIDIA H200", "gpu", PCI_B, UUID_B);
	cu[0] = made_device("cuda:0", "cuda", "NVIDIA", 0, 0, "NVIDIA H200", "gpu", PCI_A, UUID_A);
	machine[0] = made_listing("opencl", cl, 3);
	machine[1] = made_listing("cuda", cu, 1);
	machine[2] = absent_listing("hip", "unavailable: no module: hip.so is nowhere");
	ilab_device_pair(&arena, machine, 3, &physical, &count);
	assert_int_equal(count, 3);
	return 0;
}

static enum ilab_status resolve(const char *text, const char *backend, const struct ilab_listing *listings, size_t count,
	const struct ilab_device **out)
{
	struct ilab_selector s;
	err = (struct ilab_err){ 0 };
	*out = NULL;
	assert_int_equal(ilab_selector_parse(text, &arena, &s, &err), ILAB_OK);
	enum ilab_status status = ilab_device_resolve(&s, backend, listings, count, out, &err);
	assert_true(status == ILAB_OK || (status == ILAB_REFUSED && err.text[0] && !strchr(err.text, '\n')));
	return status;
}

static void expect_device(const char *text, const char *backend, const char *selector)
{
	const struct ilab_device *d;
	if (resolve(text, backend, machine, 3, &d) != ILAB_OK)
		fail_msg("%s: %s", text, err.text);
	assert_string_equal(d->selector, selector);
}

static void expect_refusal(const char *text, const char *backend, const char *part)
{
	const struct ilab_device *d;
	assert_int_equal(resolve(text, backend, machine, 3, &d), ILAB_REFUSED);
	if (!strstr(err.text, part))
		fail_msg("\"%s\" does not say \"%s\"", err.text, part);
}

static void one_fit_is_taken(void **state)
{
	(void)state;
	expect_device("opencl:0:0", NULL, "opencl:0:0");
	expect_device("opencl:1:1", NULL, "opencl:1:1");
	expect_device("cuda:0", NULL, "cuda:0");
	expect_device("pci:" PCI_B, NULL, "opencl:1:1");
	expect_device("pci:" PCI_A, "cuda", "cuda:0");
	expect_device("pci:" PCI_A, "opencl", "opencl:1:0");
	expect_device("uuid:" UUID_B, NULL, "opencl:1:1");
	expect_device("cpu", NULL, "opencl:0:0");
	expect_device("name:pthread-epyc", NULL, "opencl:0:0");
	expect_device("name:EPYC", NULL, "opencl:0:0");
}

static void a_uuid_known_to_one_backend_reaches_the_other_view(void **state)
{
	(void)state;
	expect_device("uuid:" UUID_A, "opencl", "opencl:1:0");
}

static void several_views_are_candidates(void **state)
{
	(void)state;
	expect_refusal("pci:" PCI_A, NULL, "opencl:1:0");
	expect_refusal("pci:" PCI_A, NULL, "cuda:0");
	expect_refusal("pci:" PCI_A, NULL, "--backend");
}

static void several_devices_are_ambiguous(void **state)
{
	(void)state;
	expect_refusal("name:NVIDIA H200", NULL, "several devices");
	expect_refusal("name:h200", "opencl", "opencl:1:1");
	expect_device("name:h200", "cuda", "cuda:0");
}

static void a_whole_name_comes_before_a_part(void **state)
{
	struct ilab_device d[] = {
		made_device("opencl:0:0", "opencl", "P", 0, 0, "RTX 5070", "gpu", PCI_A, NULL),
		made_device("opencl:0:1", "opencl", "P", 0, 1, "RTX 5070 Ti", "gpu", PCI_B, NULL),
	};
	struct ilab_listing l[] = { made_listing("opencl", d, 2) };
	struct ilab_physical *physical;
	size_t count;
	const struct ilab_device *out;
	(void)state;
	ilab_device_pair(&arena, l, 1, &physical, &count);
	assert_int_equal(resolve("name:rtx 5070", NULL, l, 1, &out), ILAB_OK);
	assert_string_equal(out->selector, "opencl:0:0");
	assert_int_equal(resolve("name:5070", NULL, l, 1, &out), ILAB_REFUSED);
}

static void what_is_not_there_is_refused_with_what_is(void **state)
{
	(void)state;
	expect_refusal("opencl:0:1", NULL, "opencl:0:0");
	expect_refusal("opencl:7:0", NULL, "no device opencl:7:0");
	expect_refusal("cuda:1", NULL, "cuda:0");
	expect_refusal("pci:0000:99:00.0", NULL, "there is");
	expect_refusal("uuid:99999999-2222-3333-4444-555555555555", NULL, "there is");
	expect_refusal("name:Radeon", NULL, "name:Radeon");
	expect_refusal("cpu", "cuda", "through cuda");
}

static void an_unavailable_backend_says_why(void **state)
{
	(void)state;
	expect_refusal("hip:0", NULL, "hip.so is nowhere");
	expect_refusal("pci:" PCI_A, "hip", "hip.so is nowhere");
	expect_refusal("cuda:0", "opencl", "--backend");
}

static void no_device_at_all_gives_the_reason(void **state)
{
	struct ilab_listing l[] = { absent_listing("opencl", "unavailable: no OpenCL driver is registered") };
	const struct ilab_device *out;
	(void)state;
	assert_int_equal(resolve("cpu", NULL, l, 1, &out), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "no OpenCL driver is registered"));
	assert_int_equal(resolve("name:x", NULL, NULL, 0, &out), ILAB_REFUSED);
}

static void odd_names_stay_in_one_printable_line(void **state)
{
	struct ilab_device d[] = {
		made_device("opencl:0:0", "opencl", "P\033[31m", 0, 0, "odd\nname\t\033[2J\x01", "gpu", PCI_A, NULL),
		made_device("opencl:0:1", "opencl", "P", 0, 1, "", "gpu", PCI_B, NULL),
	};
	struct ilab_listing l[] = { made_listing("opencl", d, 2) };
	struct ilab_physical *physical;
	size_t count;
	const struct ilab_device *out;
	(void)state;
	ilab_device_pair(&arena, l, 1, &physical, &count);
	assert_int_equal(resolve("name:absent", NULL, l, 1, &out), ILAB_REFUSED);
	for (const char *c = err.text; *c; c++)
		assert_true((unsigned char)*c >= ' ');
}

static void many_candidates_are_cut_short(void **state)
{
	static char selectors[300][16];
	struct ilab_device d[300];
	struct ilab_physical *physical;
	size_t count;
	const struct ilab_device *out;
	(void)state;
	for (uint32_t i = 0; i < 300; i++) {
		snprintf(selectors[i], sizeof(selectors[i]), "opencl:0:%u", i);
		d[i] = made_device(selectors[i], "opencl", "a platform of a long name indeed", 0, i, "a device of a long name", "gpu", NULL, NULL);
	}
	struct ilab_listing l[] = { made_listing("opencl", d, 300) };
	ilab_device_pair(&arena, l, 1, &physical, &count);
	assert_int_equal(count, 300);
	assert_int_equal(resolve("name:device", NULL, l, 1, &out), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "more"));
	assert_true(strlen(err.text) < sizeof(err.text) - 1);
}

static void match_gives_all_views_of_one_device(void **state)
{
	struct ilab_selector s;
	const struct ilab_device **found;
	size_t count;
	(void)state;
	err = (struct ilab_err){ 0 };
	assert_int_equal(ilab_selector_parse("pci:" PCI_A, &arena, &s, &err), ILAB_OK);
	assert_int_equal(ilab_device_match(&s, NULL, machine, 3, &arena, &found, &count, &err), ILAB_OK);
	assert_int_equal(count, 2);
	assert_string_equal(found[0]->selector, "opencl:1:0");
	assert_string_equal(found[1]->selector, "cuda:0");
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
		cmocka_unit_test(one_fit_is_taken),
		cmocka_unit_test(a_uuid_known_to_one_backend_reaches_the_other_view),
		cmocka_unit_test(several_views_are_candidates),
		cmocka_unit_test(several_devices_are_ambiguous),
		cmocka_unit_test(a_whole_name_comes_before_a_part),
		cmocka_unit_test(what_is_not_there_is_refused_with_what_is),
		cmocka_unit_test(an_unavailable_backend_says_why),
		cmocka_unit_test(no_device_at_all_gives_the_reason),
		cmocka_unit_test(odd_names_stay_in_one_printable_line),
		cmocka_unit_test(many_candidates_are_cut_short),
		cmocka_unit_test(match_gives_all_views_of_one_device),
	};
	return cmocka_run_group_tests_name("device resolve", tests, build, release);
}
