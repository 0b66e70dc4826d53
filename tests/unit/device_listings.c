#include "device_listings.h"

struct ilab_device made_device(const char *selector, const char *backend, const char *platform, uint32_t p, uint32_t d,
	const char *name, const char *type, const char *pci, const char *uuid)
{
	return (struct ilab_device){
		.selector = selector, .backend = backend, .platform = platform, .platform_index = p, .device_index = d,
		.name = name, .vendor = "a vendor", .type = type,
		.pci_address = { pci, pci ? NULL : "unsupported: not told" }, .uuid = { uuid, uuid ? NULL : "unsupported: not told" },
	};
}

struct ilab_listing made_listing(const char *backend, struct ilab_device *devices, size_t count)
{
	return (struct ilab_listing){ .backend = backend, .state = "ready", .devices = devices, .device_count = count };
}

struct ilab_listing absent_listing(const char *backend, const char *reason)
{
	return (struct ilab_listing){ .backend = backend, .state = "unavailable", .reason = reason };
}
