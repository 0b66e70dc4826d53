#include "backend/opencl.h"

#include <stdlib.h>

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

enum ilab_status opencl_enumerate(const struct ilab_surroundings *surroundings, struct ilab_arena *arena, struct ilab_listing *out,
	struct ilab_err *err)
{
	(void)err;                     /* whatever a driver does wrong belongs into the listing */
	*out = (struct ilab_listing){ .backend = "opencl", .state = "ready", .modules = "built-in" };
	const char *place = opencl_vendor_place(surroundings);
	const char *shown = surroundings && surroundings->opencl_vendors ? "the place that OCL_ICD_VENDORS names" : place;   /* never its value */
	cl_uint count;
	cl_int code;
	cl_platform_id *list = opencl_platforms(&count, &code);
	opencl_describe_loader(arena, out);
	opencl_describe_libraries(arena, &out->libraries, &out->library_count);
	if (list && !code)
		add_platforms(arena, list, count, out);
	free(list);
	opencl_advise_on_driver_files(arena, place, out);
	if (out->device_count)
		return ILAB_OK;
	if (count) {
		out->state = "no-device";
		out->reason = ilab_arena_printf(arena, "unavailable: the %u OpenCL platform%s registered in %s %s no device; " WHAT_TO_INSTALL,
			count, count == 1 ? "" : "s", shown, count == 1 ? "has" : "have");
		return ILAB_OK;
	}
	out->state = "unavailable";
	if (code == CL_PLATFORM_NOT_FOUND_KHR || code == CL_SUCCESS)
		out->reason = ilab_arena_printf(arena, "unavailable: no OpenCL driver is registered (looked for in %s); " WHAT_TO_INSTALL, shown);
	else
		out->reason = ilab_arena_printf(arena, "unavailable: clGetPlatformIDs said %s (%d); reinstall the OpenCL loader or its drivers",
			opencl_error_name(code), code);
	return ILAB_OK;
}
