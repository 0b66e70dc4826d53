#include "backend/native_session.h"

#include <ctype.h>
#include <string.h>

/* Which devices the driver has, without making a context. */

static const char *version_text(struct ilab_arena *arena, const char *api, int version)
{
	return ilab_arena_printf(arena, "%s %d.%d", api, version / 1000, version % 1000 / 10);
}

/* Printable characters only, blanks at the ends cut off: drivers have been seen to report worse. */
static const char *clean_name(struct ilab_arena *arena, char *name)
{
	for (char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = ' ';
	while (*name == ' ')
		name++;
	for (size_t n = strlen(name); n && name[n - 1] == ' '; n--)
		name[n - 1] = '\0';
	return ilab_arena_strdup(arena, *name ? name : "unnamed device");
}

static const char *uuid_text(struct ilab_arena *arena, const uint8_t u[16])
{
	return ilab_arena_printf(arena, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3],
		u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

static struct ilab_text known_or(const char *value, const char *reason)
{
	return value ? (struct ilab_text){ .value = value } : (struct ilab_text){ .reason = reason };
}

static const char *pci_text(const struct native_rt *rt, struct ilab_arena *arena, int device)
{
	char address[64] = "";
	if (rt->device_pci(address, sizeof(address), device) || !*address)
		return NULL;
	for (char *c = address; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return ilab_arena_strdup(arena, address);
}

void native_describe_device(const struct native_rt *rt, struct ilab_arena *arena, int device, struct ilab_device *out)
{
	char name[256] = "";
	uint8_t uuid[16];
	size_t bytes = 0;
	int units = 0, version = 0;
	if (rt->device_name(name, sizeof(name), device))
		name[0] = '\0';
	name[sizeof(name) - 1] = '\0';
	if (rt->device_memory(&bytes, device))
		bytes = 0;
	if (rt->device_attribute(&units, NATIVE_COMPUTE_UNITS, device) || units < 0)
		units = 0;
	if (rt->driver_version(&version))
		version = 0;
	*out = (struct ilab_device){
		.selector = ilab_arena_printf(arena, "%s:%d", native_backend_name, device),
		.backend = native_backend_name,
		.platform = native_vendor.platform,
		.name = clean_name(arena, name),
		.vendor = native_vendor.vendor,
		.type = "gpu",
		.device_index = (uint32_t)device,
		.pci_address = known_or(pci_text(rt, arena, device), "unavailable: the driver does not tell the PCI address."),
		.uuid = known_or(rt->device_uuid(uuid, device) ? NULL : uuid_text(arena, uuid), "unavailable: the driver does not tell a UUID."),
		.driver_version = known_or(native_vendor.driver_release(arena), "unavailable: the driver's release is not readable here."),
		.api_version = known_or(version ? version_text(arena, native_vendor.api, version) : NULL, "unavailable: the driver does not tell it."),
		.total_memory_bytes = bytes,
		.max_allocation_bytes = bytes,
		.compute_units = (uint64_t)units,
		.physical = -1,
	};
	/* The driver itself is the run time of this backend. */
	out->runtime_version = out->api_version;
}

static enum ilab_status unavailable(struct ilab_listing *out, struct ilab_arena *arena, const char *state, const char *reason)
{
	out->state = state;
	out->reason = ilab_arena_strdup(arena, reason);
	return ILAB_OK;
}

static void list_devices(const struct native_rt *rt, struct ilab_arena *arena, int count, struct ilab_listing *out)
{
	int version = 0;
	if (rt->driver_version(&version))
		version = 0;
	out->platforms = ilab_arena_alloc(arena, sizeof(*out->platforms));
	out->platforms[0] = (struct ilab_platform){ .backend = native_backend_name, .name = native_vendor.platform,
		.vendor = native_vendor.vendor, .version = version_text(arena, native_vendor.api, version) };
	out->platform_count = 1;
	out->devices = ilab_arena_alloc(arena, (size_t)count * sizeof(*out->devices));
	for (int i = 0; i < count; i++)
		native_describe_device(rt, arena, i, &out->devices[i]);
	out->device_count = (size_t)count;
}

enum ilab_status native_enumerate(const struct ilab_surroundings *surroundings, struct ilab_arena *arena, struct ilab_listing *out,
	struct ilab_err *err)
{
	(void)surroundings, (void)err;
	static const char no_loader[] = "unsupported: only OpenCL has a loader of its own.";
	*out = (struct ilab_listing){ .backend = native_backend_name, .loader_name.reason = no_loader, .loader_version.reason = no_loader };
	struct ilab_err why = {0};
	const struct native_rt *rt = native_vendor.load(&why);
	if (!rt)
		return unavailable(out, arena, "unavailable", why.text);
	native_vendor.libraries(arena, &out->libraries, &out->library_count, &out->advice, &out->advice_count);

	int count = 0, code = rt->init();
	const char *call = "init";
	if (!code) {
		call = "device_count";
		code = rt->device_count(&count);
	}
	if (code) {
		const char *reason = ilab_arena_printf(arena, "%s answers %s (%d): %s", rt->api_name(call), rt->error_name(code), code, rt->error_text(code));
		return unavailable(out, arena, rt->is_no_device(code) ? "no-device" : "unavailable", reason);
	}
	if (count <= 0)
		return unavailable(out, arena, "no-device", ilab_arena_printf(arena, "the %s driver works but lists no device", native_vendor.api));
	list_devices(rt, arena, count, out);
	out->state = "ready";
	return ILAB_OK;
}
