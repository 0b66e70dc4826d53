#include "device/amdgpu.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* What the kernel's amdgpu driver says in files: memory in use by this process (its compute part, KFD) and on the whole device. */

static bool read_number(const char *path, uint64_t *out)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fscanf(f, "%" SCNu64, out) == 1;
	if (f)
		fclose(f);
	return ok;
}

/* --- a process on a device ----------------------------------------------------------------------------------------------- */

/* Whether the lines of a node's properties tell this place; location is bus << 8 | device << 3 | function. */
static bool node_is_at(const char *path, unsigned domain, unsigned location)
{
	char key[64];
	uint64_t value, found_domain = 0, found_location = UINT64_MAX;
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	while (fscanf(f, "%63s %" SCNu64, key, &value) == 2) {
		if (!strcmp(key, "domain"))
			found_domain = value;
		else if (!strcmp(key, "location_id"))
			found_location = value;
	}
	fclose(f);
	return found_domain == domain && found_location == location;
}

#define NODES "/sys/class/kfd/kfd/topology/nodes"

static bool find_gpu(const char *root, const char *pci_address, uint64_t *gpu_id)
{
	unsigned domain, bus, device, function;
	char path[PATH_MAX];
	if (sscanf(pci_address, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
		return false;
	snprintf(path, sizeof(path), "%s" NODES, root);
	DIR *nodes = opendir(path);
	bool found = false;
	for (struct dirent *e; nodes && !found && (e = readdir(nodes));) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s" NODES "/%s/properties", root, e->d_name);
		if (!node_is_at(path, domain, bus << 8 | device << 3 | function))
			continue;
		snprintf(path, sizeof(path), "%s" NODES "/%s/gpu_id", root, e->d_name);
		found = read_number(path, gpu_id) && *gpu_id != 0;
	}
	if (nodes)
		closedir(nodes);
	return found;
}

bool ilab_amdgpu_process_memory(const char *root, const char *pci_address, long pid, uint64_t *bytes)
{
	uint64_t gpu_id;
	char path[PATH_MAX];
	if (!find_gpu(root, pci_address, &gpu_id))
		return false;
	snprintf(path, sizeof(path), "%s/sys/class/kfd/kfd/proc/%ld/vram_%" PRIu64, root, pid, gpu_id);
	return read_number(path, bytes);
}

/* KFD lists processes by their number on the host. In a namespace of process numbers ours means another process there; the host's own
 * namespace always has this name. */
static bool pids_are_the_hosts(void)
{
	char name[64];
	ssize_t n = readlink("/proc/self/ns/pid", name, sizeof(name) - 1);
	if (n <= 0)
		return false;
	name[n] = '\0';
	return !strcmp(name, "pid:[4026531836]");
}

bool ilab_amdgpu_own_memory(const char *pci_address, uint64_t *bytes)
{
	return pids_are_the_hosts() && ilab_amdgpu_process_memory("", pci_address, getpid(), bytes);
}

/* --- a device, a driver -------------------------------------------------------------------------------------------------- */

bool ilab_amdgpu_device_memory(const char *root, const char *pci_address, uint64_t *bytes)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%.32s/mem_info_vram_used", root, pci_address);
	return read_number(path, bytes);
}

bool ilab_amdgpu_used_memory(const char *pci_address, uint64_t *bytes)
{
	return ilab_amdgpu_device_memory("", pci_address, bytes);
}

/* AMD's own packages of the kernel module have a version; the kernel's own goes by the kernel's. */
const char *ilab_amdgpu_release(struct ilab_arena *arena)
{
	char text[96] = "";
	struct utsname kernel;
	FILE *f = fopen("/sys/module/amdgpu/version", "re");
	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
	}
	text[strcspn(text, "\r\n")] = '\0';
	if (*text)
		return ilab_arena_strdup(arena, text);
	return !access("/sys/module/amdgpu", F_OK) && !uname(&kernel) ? ilab_arena_printf(arena, "Linux %s", kernel.release) : NULL;
}

const char *ilab_amdgpu_trouble(struct ilab_arena *arena)
{
	static const char device[] = "/dev/kfd";
	if (access(device, F_OK))
		return ilab_arena_printf(arena, "there is no %s: no AMD GPU, or the kernel's amdgpu driver is not loaded (in a container: not passed in)", device);
	if (access(device, R_OK | W_OK))
		return ilab_arena_printf(arena, "%s may not be opened: join the groups render and video, and log in again", device);
	return NULL;
}
