/* What the module reads of amdgpu's files, in a tree made here: the figures of one process on one of two cards. */
#include "device/amdgpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char root[] = "/tmp/ilab-sysfs-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[512];
	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(full, 0700);
	}
	FILE *f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

#define NODE "/sys/class/kfd/kfd/topology/nodes/"

static int make_tree(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	put(NODE "0/properties", "cpu_cores_count 16\nlocation_id 0\ndomain 0\n");
	put(NODE "0/gpu_id", "0\n");
	put(NODE "1/properties", "simd_count 440\nlocation_id 49152\ndomain 0\nmax_waves_per_simd 8\n");      /* c0:00.0 */
	put(NODE "1/gpu_id", "51234\n");
	put(NODE "2/properties", "location_id 49152\ndomain 1\n");                                             /* another domain */
	put(NODE "2/gpu_id", "60000\n");
	put("/sys/class/kfd/kfd/proc/4711/vram_51234", "1234567890123\n");
	put("/sys/class/kfd/kfd/proc/4711/vram_60000", "5\n");
	put("/sys/bus/pci/devices/0000:c0:00.0/mem_info_vram_used", "17179869184\n");
	put("/sys/bus/pci/devices/0001:c0:00.0/mem_info_vram_used", "no number\n");
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	char command[64];
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void a_process_is_found_on_its_card(void **state)
{
	(void)state;
	uint64_t bytes = 0;
	assert_true(ilab_amdgpu_process_memory(root, "0000:c0:00.0", 4711, &bytes));
	assert_true(bytes == 1234567890123);
	assert_true(ilab_amdgpu_process_memory(root, "0001:c0:00.0", 4711, &bytes));
	assert_true(bytes == 5);
	assert_false(ilab_amdgpu_process_memory(root, "0000:c0:00.0", 4712, &bytes));      /* not a compute process */
	assert_false(ilab_amdgpu_process_memory(root, "0000:c1:00.0", 4711, &bytes));      /* no such card */
	assert_false(ilab_amdgpu_process_memory(root, "0000:00:00.0", 4711, &bytes));      /* the processor's node */
	assert_false(ilab_amdgpu_process_memory(root, "unknown", 4711, &bytes));
	assert_false(ilab_amdgpu_process_memory("/nowhere", "0000:c0:00.0", 4711, &bytes));
}

static void a_card_s_memory_is_read(void **state)
{
	(void)state;
	uint64_t bytes = 0;
	assert_true(ilab_amdgpu_device_memory(root, "0000:c0:00.0", &bytes));
	assert_true(bytes == 17179869184);
	assert_false(ilab_amdgpu_device_memory(root, "0001:c0:00.0", &bytes));
	assert_false(ilab_amdgpu_device_memory(root, "0000:c1:00.0", &bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_process_is_found_on_its_card), cmocka_unit_test(a_card_s_memory_is_read) };
	return cmocka_run_group_tests_name("amdgpu", tests, make_tree, remove_tree);
}
