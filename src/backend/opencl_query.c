#include "backend/opencl.h"

#include "base/utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

char *opencl_clean_text(struct ilab_arena *arena, const char *raw, size_t bytes)
{
	bytes = strnlen(raw, bytes);
	char *out = ilab_arena_alloc(arena, bytes + 1);
	memcpy(out, raw, bytes);
	out[bytes] = '\0';
	ilab_utf8_clean(out);
	while (bytes && out[bytes - 1] == ' ')
		out[--bytes] = '\0';
	return out + strspn(out, " ");
}

/* Cleaned copy of a property that `get` reads with the usual two calls; NULL when it fails or is empty. */
typedef cl_int get_fn(const void *object, cl_uint what, size_t size, void *value, size_t *size_out);

static char *read_text(struct ilab_arena *arena, get_fn *get, const void *object, cl_uint what)
{
	size_t size = 0;
	if (get(object, what, 0, NULL, &size) || size == 0 || size > (1 << 20))
		return NULL;
	char *raw = calloc(1, size + 1);
	char *clean = NULL;
	if (raw && !get(object, what, size, raw, NULL))
		clean = opencl_clean_text(arena, raw, size);
	free(raw);
	return clean && *clean ? clean : NULL;
}

static cl_int get_platform(const void *object, cl_uint what, size_t size, void *value, size_t *size_out)
{
	return clGetPlatformInfo((cl_platform_id)object, what, size, value, size_out);
}

static cl_int get_device(const void *object, cl_uint what, size_t size, void *value, size_t *size_out)
{
	return clGetDeviceInfo((cl_device_id)object, what, size, value, size_out);
}

char *opencl_platform_text(struct ilab_arena *arena, cl_platform_id platform, cl_platform_info what)
{
	return read_text(arena, get_platform, platform, what);
}

char *opencl_device_text(struct ilab_arena *arena, cl_device_id device, cl_device_info what)
{
	return read_text(arena, get_device, device, what);
}

uint64_t opencl_device_number(cl_device_id device, cl_device_info what, uint64_t fallback)
{
	union { cl_uint u32; cl_ulong u64; } v = {0};
	size_t size = 0;
	if (clGetDeviceInfo(device, what, sizeof(v), &v, &size))
		return fallback;
	return size == sizeof(v.u64) ? v.u64 : size == sizeof(v.u32) ? v.u32 : fallback;
}

bool opencl_device_has_extension(cl_device_id device, const char *name)
{
	struct ilab_arena scratch = {0};
	const char *list = opencl_device_text(&scratch, device, CL_DEVICE_EXTENSIONS);
	bool found = false;
	size_t length = strlen(name);
	for (const char *at = list; at && !found && (at = strstr(at, name)); at += length)
		found = (at == list || isspace((unsigned char)at[-1])) && (at[length] == '\0' || isspace((unsigned char)at[length]));
	ilab_arena_free(&scratch);
	return found;
}
