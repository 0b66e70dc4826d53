#include "backend/opencl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 sequence at `p` (1 to 4), 0 when it is not valid: RFC 3629, table in section 4. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
	size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] <= 0xdf ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4 : 0;
	if (n == 0 || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

/* C0, DEL, and C1 (U+0080 to U+009F: a terminal may obey them). */
static bool is_control(const unsigned char *p, size_t n)
{
	return (n == 1 && (p[0] < 0x20 || p[0] == 0x7f)) || (n == 2 && p[0] == 0xc2 && p[1] < 0xa0);
}

char *opencl_clean_text(struct ilab_arena *arena, const char *raw, size_t bytes)
{
	const unsigned char *p = (const unsigned char *)raw;
	bytes = strnlen(raw, bytes);
	char *out = ilab_arena_alloc(arena, bytes + 1);
	size_t used = 0;
	for (size_t i = 0; i < bytes;) {
		size_t n = utf8_length(p + i, bytes - i);
		if (n == 0 || is_control(p + i, n)) {
			out[used++] = n == 0 ? '?' : ' ';
			i += n ? n : 1;
		} else {
			memcpy(out + used, p + i, n);
			used += n;
			i += n;
		}
	}
	while (used && out[used - 1] == ' ')
		used--;
	out[used] = '\0';
	while (*out == ' ')
		out++;
	return out;
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
