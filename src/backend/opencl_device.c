#include "backend/opencl.h"

#include <stdio.h>
#include <string.h>

/* cl_nv_device_attribute_query: not in every cl_ext.h. */
#define NV_PCI_BUS_ID 0x4008
#define NV_PCI_SLOT_ID 0x4009
#define NV_PCI_DOMAIN_ID 0x400A

static const char *type_word(cl_device_id device)
{
	/* A bit field: some drivers set several. A device that says it is a CPU is one, whatever else it says. */
	uint64_t bits = opencl_device_number(device, CL_DEVICE_TYPE, 0);
	return bits & CL_DEVICE_TYPE_CPU ? "cpu" : bits & CL_DEVICE_TYPE_GPU ? "gpu" : "other";
}

static const char *pci_text(struct ilab_arena *arena, unsigned domain, unsigned bus, unsigned device, unsigned function)
{
	return ilab_arena_printf(arena, "%04x:%02x:%02x.%x", domain, bus & 0xff, device & 0x1f, function & 7);
}

static const char *pci_khr(struct ilab_arena *arena, cl_device_id device)
{
	cl_device_pci_bus_info_khr p = {0};
	if (!opencl_device_has_extension(device, "cl_khr_pci_bus_info") ||
	    clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof(p), &p, NULL))
		return NULL;
	return pci_text(arena, p.pci_domain, p.pci_bus, p.pci_device, p.pci_function);
}

static const char *pci_nv(struct ilab_arena *arena, cl_device_id device)
{
	const uint64_t none = UINT64_MAX;
	if (!opencl_device_has_extension(device, "cl_nv_device_attribute_query"))
		return NULL;
	uint64_t bus = opencl_device_number(device, NV_PCI_BUS_ID, none), slot = opencl_device_number(device, NV_PCI_SLOT_ID, none);
	if (bus == none || slot == none)
		return NULL;
	/* The slot packs device and function as PCI configuration space does (hwloc reads it so too). */
	return pci_text(arena, (unsigned)opencl_device_number(device, NV_PCI_DOMAIN_ID, 0), (unsigned)bus, (unsigned)slot >> 3, (unsigned)slot & 7);
}

static const char *pci_amd(struct ilab_arena *arena, cl_device_id device)
{
	cl_device_topology_amd t = {0};
	if (!opencl_device_has_extension(device, "cl_amd_device_attribute_query") ||
	    clGetDeviceInfo(device, CL_DEVICE_TOPOLOGY_AMD, sizeof(t), &t, NULL) || t.pcie.type != CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD)
		return NULL;
	/* Signed chars, hence the masks. There is no domain in this query: 0 is assumed, which is wrong only on hosts with several. */
	return pci_text(arena, 0, t.pcie.bus & 0xff, t.pcie.device & 0xff, t.pcie.function & 0xff);
}

static struct ilab_text pci_address(struct ilab_arena *arena, cl_device_id device, const char *type)
{
	if (!strcmp(type, "cpu"))
		return (struct ilab_text){ NULL, "unsupported: a CPU device has no PCI address" };
	const char *text = pci_khr(arena, device);
	if (!text)
		text = pci_nv(arena, device);
	if (!text)
		text = pci_amd(arena, device);
	return (struct ilab_text){ text, text ? NULL : "unsupported: the driver has no query for the PCI address" };
}

static struct ilab_text uuid(struct ilab_arena *arena, cl_device_id device)
{
	cl_uchar u[CL_UUID_SIZE_KHR] = {0};
	if (!opencl_device_has_extension(device, "cl_khr_device_uuid"))
		return (struct ilab_text){ NULL, "unsupported: the driver lacks cl_khr_device_uuid" };
	if (clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof(u), u, NULL))
		return (struct ilab_text){ NULL, "unavailable: the driver did not answer the UUID query" };
	bool zero = true;
	for (size_t i = 0; i < sizeof(u); i++)
		zero = zero && u[i] == 0;
	if (zero)
		return (struct ilab_text){ NULL, "invalid: the driver gives a UUID of zeros" };
	char text[37], *at = text;
	for (size_t i = 0; i < sizeof(u); i++)
		at += sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", u[i]);
	return (struct ilab_text){ ilab_arena_strdup(arena, text), NULL };
}

static struct ilab_text known_text(const char *text)
{
	return (struct ilab_text){ text, text ? NULL : "unavailable: the driver does not say" };
}

static const char *word_or(const char *text, const char *fallback)
{
	return text ? text : fallback;
}

void opencl_describe_device(struct ilab_arena *arena, cl_platform_id platform, cl_device_id device, uint32_t platform_index,
	uint32_t device_index, struct ilab_device *out)
{
	const char *type = type_word(device);
	*out = (struct ilab_device){
		.selector = ilab_arena_printf(arena, "opencl:%u:%u", platform_index, device_index),
		.backend = "opencl",
		.platform = word_or(opencl_platform_text(arena, platform, CL_PLATFORM_NAME), "unnamed platform"),
		.name = word_or(opencl_device_text(arena, device, CL_DEVICE_NAME), "unnamed device"),
		.vendor = word_or(opencl_device_text(arena, device, CL_DEVICE_VENDOR), "unnamed vendor"),
		.type = type,
		.platform_index = platform_index,
		.device_index = device_index,
		.pci_address = pci_address(arena, device, type),
		.uuid = uuid(arena, device),
		.driver_version = known_text(opencl_device_text(arena, device, CL_DRIVER_VERSION)),
		.api_version = known_text(opencl_device_text(arena, device, CL_DEVICE_VERSION)),
		.runtime_version = known_text(opencl_platform_text(arena, platform, CL_PLATFORM_VERSION)),
		.total_memory_bytes = opencl_device_number(device, CL_DEVICE_GLOBAL_MEM_SIZE, 0),
		.max_allocation_bytes = opencl_device_number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0),
		.compute_units = opencl_device_number(device, CL_DEVICE_MAX_COMPUTE_UNITS, 0),
		.physical = -1,
	};
}
