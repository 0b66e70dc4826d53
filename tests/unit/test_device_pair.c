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
static struct ilab_physical *physical;
static size_t physical_count;

static void pair(struct ilab_listing *listings, size_t count)
{
	ilab_device_pair(&arena, listings, count, &physical, &physical_count);
}

static bool has(const char *const *list, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], text))
			return true;
	return false;
}

static void nothing_pairs_to_nothing(void **state)
{
	struct ilab_listing l[] = { absent_listing("opencl", "unavailable: no driver"), made_listing("cuda", NULL, 0) };
	(void)state;
	pair(l, 2);
	assert_int_equal(physical_count, 0);
	pair(NULL, 0);
	assert_int_equal(physical_count, 0);
}

static void one_address_is_one_device_in_every_backend(void **state)
{
	struct ilab_device cl[] = {
		made_device("opencl:0:0", "opencl", "NVIDIA CUDA", 0, 0, "NVIDIA H200", "gpu", PCI_B, UUID_B),
		made_device("opencl:0:1", "opencl", "NVIDIA CUDA", 0, 1, "NVIDIA H200", "gpu", PCI_A, UUID_A),
	};
	struct ilab_device cu[] = {     /* the other order: indices differ between tools */
		made_device("cuda:0", "cuda", "NVIDIA", 0, 0, "NVIDIA H200", "gpu", PCI_A, UUID_A),
		made_device("cuda:1", "cuda", "NVIDIA", 0, 1, "NVIDIA H200", "gpu", PCI_B, UUID_B),
	};
	struct ilab_listing l[] = { made_listing("opencl", cl, 2), made_listing("cuda", cu, 2) };
	(void)state;
	pair(l, 2);
	assert_int_equal(physical_count, 2);
	assert_int_equal(cl[0].physical, cu[1].physical);
	assert_int_equal(cl[1].physical, cu[0].physical);
	assert_int_not_equal(cl[0].physical, cl[1].physical);
	assert_string_equal(physical[cl[0].physical].identity, "pci:" PCI_B);
	assert_int_equal(physical[0].view_count, 2);
	assert_true(has(physical[0].views, 2, "opencl/NVIDIA CUDA"));
	assert_true(has(physical[0].views, 2, "cuda/NVIDIA"));
	assert_true(has(cl[0].selectors, cl[0].selector_count, "opencl:0:0"));
	assert_true(has(cl[0].selectors, cl[0].selector_count, "pci:" PCI_B));
	assert_true(has(cl[0].selectors, cl[0].selector_count, "uuid:" UUID_B));
	assert_true(has(cl[0].selectors, cl[0].selector_count, "name:NVIDIA H200"));
	assert_false(has(cl[0].selectors, cl[0].selector_count, "cpu"));
}

static void a_uuid_pairs_where_an_address_is_unknown(void **state)
{
	struct ilab_device cl[] = { made_device("opencl:0:0", "opencl", "NVIDIA CUDA", 0, 0, "G", "gpu", NULL, UUID_A) };
	struct ilab_device cu[] = { made_device("cuda:0", "cuda", "NVIDIA", 0, 0, "G", "gpu", PCI_A, UUID_A) };
	struct ilab_listing l[] = { made_listing("opencl", cl, 1), made_listing("cuda", cu, 1) };
	(void)state;
	pair(l, 2);
	assert_int_equal(physical_count, 1);
	assert_string_equal(physical[0].identity, "pci:" PCI_A);
	cl[0].pci_address.value = PCI_B;        /* now the addresses contradict the UUID: the address decides */
	pair(l, 2);
	assert_int_equal(physical_count, 2);
}

static void an_address_pairs_although_uuids_differ(void **state)
{
	/* Two OpenCL drivers of one GPU make UUIDs by different rules. */
	struct ilab_device a[] = {
		made_device("opencl:0:0", "opencl", "Intel", 0, 0, "Arc", "gpu", PCI_A, UUID_A),
		made_device("opencl:1:0", "opencl", "rusticl", 1, 0, "Arc (mesa)", "gpu", PCI_A, UUID_B),
	};
	struct ilab_listing l[] = { made_listing("opencl", a, 2) };
	(void)state;
	pair(l, 1);
	assert_int_equal(physical_count, 1);
	assert_int_equal(physical[0].view_count, 2);
}

static void a_hip_uuid_is_not_compared(void **state)
{
	struct ilab_device cl[] = { made_device("opencl:0:0", "opencl", "AMD", 0, 0, "gfx90a", "gpu", NULL, UUID_A) };
	struct ilab_device hip[] = { made_device("hip:0", "hip", "AMD", 0, 0, "AMD Instinct", "gpu", NULL, UUID_A) };
	struct ilab_listing l[] = { made_listing("opencl", cl, 1), made_listing("hip", hip, 1) };
	(void)state;
	pair(l, 2);
	assert_int_equal(physical_count, 2);
	assert_string_equal(physical[cl[0].physical].identity, "uuid:" UUID_A);
	assert_string_equal(physical[hip[0].physical].identity, "hip:0");
	assert_false(has(hip[0].selectors, hip[0].selector_count, "uuid:" UUID_A));
	cl[0].pci_address.value = hip[0].pci_address.value = PCI_A;
	pair(l, 2);
	assert_int_equal(physical_count, 1);
}

static void parts_of_one_card_stay_apart(void **state)
{
	/* Both parts show the card's address; each has its own UUID. */
	struct ilab_device cl[] = {
		made_device("opencl:0:0", "opencl", "NVIDIA CUDA", 0, 0, "H200 MIG 1g", "gpu", PCI_A, UUID_A),
		made_device("opencl:0:1", "opencl", "NVIDIA CUDA", 0, 1, "H200 MIG 1g", "gpu", PCI_A, UUID_B),
	};
	struct ilab_device cu[] = { made_device("cuda:0", "cuda", "NVIDIA", 0, 0, "H200 MIG 1g", "gpu", PCI_A, UUID_B) };
	struct ilab_listing l[] = { made_listing("opencl", cl, 2), made_listing("cuda", cu, 1) };
	(void)state;
	pair(l, 2);
	assert_int_equal(physical_count, 2);
	assert_int_equal(cu[0].physical, cl[1].physical);
	assert_string_equal(physical[cl[0].physical].identity, "uuid:" UUID_A);
	assert_string_equal(physical[cl[1].physical].identity, "uuid:" UUID_B);
}

static void the_cpu_of_three_platforms_is_the_host(void **state)
{
	struct ilab_device cl[] = {
		made_device("opencl:0:0", "opencl", "Portable Computing Language", 0, 0, "pthread-EPYC", "cpu", NULL, NULL),
		made_device("opencl:0:1", "opencl", "Portable Computing Language", 0, 1, "pthread-EPYC", "cpu", NULL, NULL),
		made_device("opencl:1:0", "opencl", "rusticl", 1, 0, "llvmpipe", "cpu", NULL, UUID_A),
		made_device("opencl:2:0", "opencl", "Intel(R) OpenCL", 2, 0, "AMD EPYC", "cpu", NULL, UUID_B),
		made_device("opencl:3:0", "opencl", "a GPU's", 3, 0, "a GPU", "gpu", NULL, UUID_A),
	};
	struct ilab_listing l[] = { made_listing("opencl", cl, 5) };
	(void)state;
	pair(l, 1);
	assert_int_equal(physical_count, 2);
	assert_string_equal(physical[0].identity, "cpu");
	assert_int_equal(physical[0].view_count, 3);    /* both devices of the first platform are one view */
	for (int i = 0; i < 4; i++) {
		assert_int_equal(cl[i].physical, 0);
		assert_true(has(cl[i].selectors, cl[i].selector_count, "cpu"));
	}
	assert_int_equal(cl[4].physical, 1);            /* a UUID shared with a CPU is chance */
}

static void devices_of_one_name_without_any_identity_stay_apart(void **state)
{
	struct ilab_device cl[] = {
		made_device("opencl:0:0", "opencl", "P", 0, 0, "same", "gpu", NULL, NULL),
		made_device("opencl:0:1", "opencl", "P", 0, 1, "same", "gpu", NULL, NULL),
		made_device("opencl:1:0", "opencl", "Q", 1, 0, "same", "gpu", NULL, NULL),
	};
	struct ilab_listing l[] = { made_listing("opencl", cl, 3) };
	(void)state;
	pair(l, 1);
	assert_int_equal(physical_count, 3);
	assert_string_equal(physical[1].identity, "opencl:0:1");
}

static void hidden_uuids_leave_no_trace(void **state)
{
	struct ilab_device cl[] = { made_device("opencl:0:0", "opencl", "P", 0, 0, "G", "gpu", NULL, UUID_A) };
	struct ilab_listing l[] = { made_listing("opencl", cl, 1) };
	(void)state;
	pair(l, 1);
	assert_string_equal(physical[0].identity, "uuid:" UUID_A);
	ilab_device_hide_uuids(&arena, l, 1, physical, physical_count);
	assert_string_equal(physical[0].identity, "opencl:0:0");
	assert_null(cl[0].uuid.value);
	assert_int_equal(strncmp(cl[0].uuid.reason, "not-run: ", 9), 0);
	for (size_t i = 0; i < cl[0].selector_count; i++)
		assert_null(strstr(cl[0].selectors[i], "1111"));
}

static void host_facts_are_there(void **state)
{
	struct ilab_host host;
	char name[256] = "";
	(void)state;
	ilab_host_facts(&arena, &host);
	assert_true(host.os[0] && host.kernel[0] && host.cpu_model[0]);
	assert_in_range(host.logical_cores, 1, 1u << 20);
	FILE *file = fopen("/proc/sys/kernel/hostname", "r");
	if (file && fgets(name, sizeof(name), file)) {
		name[strcspn(name, "\n")] = '\0';
		if (strlen(name) > 5)
			assert_null(strstr(host.kernel, name));
	}
	if (file)
		fclose(file);
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
		cmocka_unit_test(nothing_pairs_to_nothing),
		cmocka_unit_test(one_address_is_one_device_in_every_backend),
		cmocka_unit_test(a_uuid_pairs_where_an_address_is_unknown),
		cmocka_unit_test(an_address_pairs_although_uuids_differ),
		cmocka_unit_test(a_hip_uuid_is_not_compared),
		cmocka_unit_test(parts_of_one_card_stay_apart),
		cmocka_unit_test(the_cpu_of_three_platforms_is_the_host),
		cmocka_unit_test(devices_of_one_name_without_any_identity_stay_apart),
		cmocka_unit_test(hidden_uuids_leave_no_trace),
		cmocka_unit_test(host_facts_are_there),
	};
	return cmocka_run_group_tests_name("device pair", tests, NULL, release);
}
