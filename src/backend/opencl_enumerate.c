#include "backend/opencl.h"

#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cl_platform_id *opencl_platforms(cl_uint *count, cl_int *code)
{
	*count = 0;
	*code = clGetPlatformIDs(0, NULL, count);
	cl_platform_id *list = *code || *count == 0 ? NULL : calloc(*count, sizeof(*list));
	if (list)
		*code = clGetPlatformIDs(*count, list, NULL);
	if (!list || *code)
		*count = 0;
	return list;
}

cl_device_id *opencl_devices(cl_platform_id platform, cl_uint *count, cl_int *code)
{
	*count = 0;
	*code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, count);
	cl_device_id *list = *code || *count == 0 ? NULL : calloc(*count, sizeof(*list));
	if (list)
		*code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, *count, list, NULL);
	if (!list || *code)
		*count = 0;
	return list;
}

static void add_devices(struct ilab_arena *arena, cl_platform_id platform, uint32_t index, struct ilab_listing *out)
{
	const char *name = out->platforms[index].name;
	cl_uint count;
	cl_int code;
	cl_device_id *list = opencl_devices(platform, &count, &code);
	if (count == 0) {
		if (code && code != CL_DEVICE_NOT_FOUND)
			opencl_advise(arena, out, ilab_arena_printf(arena, "Platform %u, %s, does not list its devices: clGetDeviceIDs said %s (%d).",
				index, name, opencl_error_name(code), code));
		else
			opencl_advise(arena, out, ilab_arena_printf(arena, "Platform %u, %s, has no devices.", index, name));
		free(list);
		return;
	}
	struct ilab_device *grown = ilab_arena_alloc(arena, (out->device_count + count) * sizeof(*grown));
	for (size_t i = 0; i < out->device_count; i++)
		grown[i] = out->devices[i];
	for (cl_uint i = 0; i < count; i++)
		opencl_describe_device(arena, platform, list[i], index, i, &grown[out->device_count + i]);
	out->devices = grown;
	out->device_count += count;
	free(list);
}

static void add_platforms(struct ilab_arena *arena, const cl_platform_id *list, cl_uint count, struct ilab_listing *out)
{
	out->platforms = ilab_arena_alloc(arena, count * sizeof(*out->platforms));
	out->platform_count = count;
	for (cl_uint i = 0; i < count; i++) {
		const char *name = opencl_platform_text(arena, list[i], CL_PLATFORM_NAME);
		const char *vendor = opencl_platform_text(arena, list[i], CL_PLATFORM_VENDOR);
		const char *version = opencl_platform_text(arena, list[i], CL_PLATFORM_VERSION);
		out->platforms[i] = (struct ilab_platform){ "opencl", i, name ? name : "unnamed platform", vendor ? vendor : "unnamed vendor",
			version ? version : "unnamed version" };
		add_devices(arena, list[i], i, out);
	}
}

#define WHAT_TO_INSTALL "install the OpenCL driver of your GPU's vendor, or PoCL for the CPU (pocl-opencl-icd on Debian and Ubuntu, pocl on Fedora)"

/* The place of the driver files, as a listing may call it: never by the value of a variable, at most by its last part. */
static const char *shown_place(const struct ilab_surroundings *s)
{
	if (s && s->opencl_vendors_shown)
		return s->opencl_vendors_shown;
	return s && s->opencl_vendors ? "the place that OCL_ICD_VENDORS names" : opencl_vendor_place(s);
}

/* Platforms, but no device. What it takes is not always one more driver. */
static const char *no_device(struct ilab_arena *arena, const struct ilab_listing *l, const char *shown)
{
	const char *why = "the hardware or its kernel driver may be missing, or a variable hides it";
	for (size_t i = 0; i < l->platform_count; i++)
		if (!strcmp(l->platforms[i].name, "Portable Computing Language"))
			why = "PoCL needs a cache folder that it can write to (POCL_CACHE_DIR, else below HOME), and a POCL_DEVICES, where set, that names devices";
	if (l->platform_count == 1)
		return ilab_arena_printf(arena, "unavailable: %s, the only OpenCL platform of %s, offers no device; %s", l->platforms[0].name, shown, why);
	return ilab_arena_printf(arena, "unavailable: the %zu OpenCL platforms of %s offer no device; %s", l->platform_count, shown, why);
}

/* No platform: nothing is registered, or what is registered does not work. */
static const char *no_platform(struct ilab_arena *arena, const struct ilab_surroundings *s, size_t registered, cl_int code)
{
	const char *place = opencl_vendor_place(s), *shown = shown_place(s);
	if (code != CL_PLATFORM_NOT_FOUND_KHR && code != CL_SUCCESS)
		return ilab_arena_printf(arena, "unavailable: clGetPlatformIDs said %s (%d); reinstall the OpenCL loader or its drivers",
			opencl_error_name(code), code);
	if (s && s->opencl_vendors && !s->opencl_vendors_shown && strchr(place, '/') && access(place, F_OK) != 0) {
		const char *base = ilab_path_base(place);
		return ilab_arena_printf(arena, "unavailable: no OpenCL driver: OCL_ICD_VENDORS names a place that cannot be used, \"%s\" (%s); unset it to use " ILAB_OPENCL_VENDORS,
			opencl_clean_text(arena, base, strlen(base)), strerror(errno));
	}
	if (registered)
		return ilab_arena_printf(arena, "unavailable: %zu OpenCL driver%s registered in %s, but none could be loaded or offers a platform", registered,
			registered == 1 ? " is" : "s are", shown);
	return ilab_arena_printf(arena, "unavailable: no OpenCL driver is registered (looked for in %s); " WHAT_TO_INSTALL, shown);
}

enum ilab_status opencl_enumerate(const struct ilab_surroundings *surroundings, struct ilab_arena *arena, struct ilab_listing *out,
	struct ilab_err *err)
{
	(void)err;                     /* whatever a driver does wrong belongs into the listing */
	*out = (struct ilab_listing){ .backend = "opencl", .state = "ready", .modules = "built-in" };
	cl_uint count;
	cl_int code;
	cl_platform_id *list = opencl_platforms(&count, &code);
	opencl_describe_loader(arena, out);
	opencl_describe_libraries(arena, &out->libraries, &out->library_count);
	if (list && !code)
		add_platforms(arena, list, count, out);
	free(list);
	size_t registered = opencl_advise_on_driver_files(arena, opencl_vendor_place(surroundings), out);
	if (out->device_count)
		return ILAB_OK;
	out->state = count ? "no-device" : "unavailable";
	out->reason = count ? no_device(arena, out, shown_place(surroundings)) : no_platform(arena, surroundings, registered, code);
	return ILAB_OK;
}
