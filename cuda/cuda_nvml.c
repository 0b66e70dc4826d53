#include "module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* NVIDIA's monitoring library (NVML): what the driver says of this process's memory. Optional; its header comes with the toolkit's
 * development packages only, so the four calls are declared here after its documentation. */

typedef struct nvmlDevice_st *nvml_device;
typedef int nvml_result;                       /* 0: success */
#define NVML_NOT_AVAILABLE UINT64_MAX

/* nvmlProcessInfo_v2_t, which both the _v2 and the _v3 call fill. */
struct nvml_process { unsigned pid; unsigned long long used_bytes; unsigned gpu_instance, compute_instance; };
_Static_assert(sizeof(struct nvml_process) == 24, "layout of nvmlProcessInfo_v2_t");

static struct {
	nvml_result (*init)(void);
	nvml_result (*driver_version)(char *text, unsigned size);
	nvml_result (*device_by_pci)(const char *address, nvml_device *device);
	nvml_result (*processes)(nvml_device device, unsigned *count, struct nvml_process *rows);
} nvml;

static const char *const names[] = { "libnvidia-ml.so.1", NULL };
static struct native_library library = { .names = names, .folder = CUDA_LIBRARY_FOLDER };

static bool load(void)
{
	static enum { UNTRIED, READY, ABSENT } state;
	const struct native_symbol symbols[] = {
		{ "nvmlInit_v2", (void **)&nvml.init }, { "nvmlSystemGetDriverVersion", (void **)&nvml.driver_version },
		{ "nvmlDeviceGetHandleByPciBusId_v2", (void **)&nvml.device_by_pci },
		{ "nvmlDeviceGetComputeRunningProcesses_v3", (void **)&nvml.processes },
	};
	if (state == UNTRIED) {
		struct ilab_err ignored = {0};
		bool ok = !native_library_load(&library, "", "", &ignored) && !native_library_symbols(&library, symbols, sizeof(symbols) / sizeof(symbols[0]), &ignored);
		state = ok && nvml.init() == 0 ? READY : ABSENT;
	}
	return state == READY;
}

/* In a container whose process numbers differ from the host's, this process is not in the list: then there is no figure. */
bool cuda_process_memory(const char *pci_address, uint64_t *bytes)
{
	enum { ROOM = 256 };
	static struct nvml_process rows[ROOM];
	nvml_device device;
	unsigned count = ROOM;
	if (!load() || nvml.device_by_pci(pci_address, &device) || nvml.processes(device, &count, rows))
		return false;
	for (unsigned i = 0; i < count && i < ROOM; i++) {
		if (rows[i].pid != (unsigned)getpid() || rows[i].used_bytes == NVML_NOT_AVAILABLE)
			continue;
		*bytes = rows[i].used_bytes;
		return true;
	}
	return false;
}

/* The kernel module says its release without starting a library; NVML is asked where that file is hidden. */
const char *cuda_driver_release(struct ilab_arena *arena)
{
	char text[96] = "";
	FILE *f = fopen("/sys/module/nvidia/version", "re");
	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
	}
	text[strcspn(text, "\r\n")] = '\0';
	if (!*text && (!load() || nvml.driver_version(text, sizeof(text))))
		return NULL;
	text[sizeof(text) - 1] = '\0';
	return *text ? ilab_arena_strdup(arena, text) : NULL;
}
