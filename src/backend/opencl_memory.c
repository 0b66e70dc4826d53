/* Device memory: the caching pool over cl_mem. */
#include "backend/opencl.h"

#include <inttypes.h>
#include <string.h>

/* Intel: a buffer above 4 GiB is made only with this flag (and its kernels need a build option). Not in every cl_ext.h. */
#define MEM_ALLOW_UNRESTRICTED_SIZE_INTEL (1u << 23)
#define AMD_GLOBAL_FREE_MEMORY 0x4039  /* size_t[2] in KiB: free, largest free block; of the device, not of this process */

/* Drivers allocate at first use, so a new block is written over its whole length now: a lack of memory shows here and the pages are
 * there when the clock runs. Ones are NaN in every type: a value that nobody wrote does not pass for a result.
 * The pattern is the longest that there is: one driver counts patterns in 31 bits and loses its queue beyond 2 GiB of single bytes. */
static cl_int touch(struct ilab_session *s, cl_mem mem, uint64_t bytes)
{
	static unsigned char ones[128];
	const uint64_t tail = bytes % sizeof(ones), body = bytes - tail;
	memset(ones, 0xff, sizeof(ones));
	cl_int code = CL_SUCCESS;
	if (body)
		code = clEnqueueFillBuffer(s->queue, mem, ones, sizeof(ones), 0, body, 0, NULL, NULL);
	if (tail && !code)
		code = clEnqueueWriteBuffer(s->queue, mem, CL_FALSE, body, tail, ones, 0, NULL, NULL);
	return code ? code : clFinish(s->queue);
}

static enum ilab_status no_room(bool *no_memory, struct ilab_err *err, const char *call, cl_int code, uint64_t bytes, uint64_t held, uint64_t total)
{
	*no_memory = true;
	return ilab_err_set(err, ILAB_FAILED, call, code, "out of device memory: %" PRIu64 " bytes asked for, %" PRIu64 " held, %" PRIu64
		" on the device%s%s", bytes, held, total, code ? ": " : "", code ? opencl_error_name(code) : "");
}

static enum ilab_status create_block(void *user, uint64_t bytes, void **handle, bool *no_memory, struct ilab_err *err)
{
	struct ilab_session *s = user;
	struct ilab_limits limits;
	opencl_limits(s, &limits);
	uint64_t held = s->pool.reserved_bytes;
	/* Drivers make buffers far beyond both limits without complaint and fail later, for good. */
	if (limits.max_allocation_bytes && bytes > limits.max_allocation_bytes)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "a buffer of %" PRIu64 " bytes exceeds the device's limit for one buffer, %" PRIu64
			" bytes", bytes, limits.max_allocation_bytes);
	if (limits.total_memory_bytes && (held > limits.total_memory_bytes || bytes > limits.total_memory_bytes - held))
		return no_room(no_memory, err, "", 0, bytes, held, limits.total_memory_bytes);

	cl_mem_flags flags = CL_MEM_READ_WRITE;
	if (s->intel_relaxed && bytes > UINT32_MAX)
		flags |= MEM_ALLOW_UNRESTRICTED_SIZE_INTEL;
	cl_int code;
	cl_mem mem = clCreateBuffer(s->context, flags, bytes, NULL, &code);
	if (mem && !code)
		code = touch(s, mem, bytes);
	if (!code) {
		*handle = mem;
		return ILAB_OK;
	}
	if (mem)
		clReleaseMemObject(mem);
	/* Some drivers call an exhausted device an invalid queue or buffer size once the fill has failed. */
	if (opencl_is_no_memory(code) || code == CL_INVALID_BUFFER_SIZE || code == CL_INVALID_COMMAND_QUEUE || code == CL_OUT_OF_HOST_MEMORY)
		return no_room(no_memory, err, "clCreateBuffer", code, bytes, held, limits.total_memory_bytes);
	return opencl_fail(err, code, "clCreateBuffer", "making a buffer");
}

static void destroy_block(void *user, void *handle)
{
	(void)user;
	clReleaseMemObject(handle);
}

void opencl_memory_open(struct ilab_session *s)
{
	s->pool = (struct ilab_pool){ .create = create_block, .destroy = destroy_block, .user = s };
	s->info.counters_source = "opencl_pool";
	s->info.counters_scope = "buffers that this process took from its own caching pool on this device; bytes asked for, exact sizes; "
		"a small scratch buffer and pinned staging areas of the host are outside";
	s->info.counters_reset = "both peaks are set to the current values before each phase";
	bool amd = opencl_device_has_extension(s->device, "cl_amd_device_attribute_query") && !s->is_cpu;
	const char *none = "unsupported: OpenCL has no query for memory in use on this platform";
	s->info.driver_source = amd ? (struct ilab_text){ "CL_DEVICE_GLOBAL_FREE_MEMORY_AMD", NULL } : (struct ilab_text){ NULL, none };
	s->info.driver_scope = amd ? (struct ilab_text){ "the whole device, all processes; total minus free, in steps of 1024 bytes", NULL }
		: (struct ilab_text){ NULL, none };
}

void opencl_limits(struct ilab_session *s, struct ilab_limits *out)
{
	out->total_memory_bytes = s->info.device.total_memory_bytes;
	out->max_allocation_bytes = s->intel_relaxed ? out->total_memory_bytes : s->info.device.max_allocation_bytes;
}

enum ilab_status opencl_alloc(struct ilab_session *s, uint64_t bytes, struct ilab_buffer **out, struct ilab_err *err)
{
	return ilab_pool_alloc(&s->pool, bytes, out, err);
}

void opencl_free(struct ilab_session *s, struct ilab_buffer *b)
{
	ilab_pool_free(&s->pool, b);
}

enum ilab_status opencl_trim(struct ilab_session *s, struct ilab_err *err)
{
	/* Work on the cached blocks may still be queued. */
	enum ilab_status status = opencl_sync(s, err);
	ilab_pool_trim(&s->pool);
	return status;
}

static struct ilab_count driver_used(struct ilab_session *s)
{
	size_t free_kib[2] = {0};
	uint64_t total = s->info.device.total_memory_bytes;
	if (s->info.driver_source.reason)
		return (struct ilab_count){ 0, s->info.driver_source.reason };
	if (clGetDeviceInfo(s->device, AMD_GLOBAL_FREE_MEMORY, sizeof(free_kib), free_kib, NULL) || free_kib[0] > total / 1024)
		return (struct ilab_count){ 0, "unavailable: the driver did not answer the query for free memory" };
	return (struct ilab_count){ total - (uint64_t)free_kib[0] * 1024, NULL };
}

void opencl_memory(struct ilab_session *s, struct ilab_memory *out)
{
	const struct ilab_pool *p = &s->pool;
	*out = (struct ilab_memory){ p->allocated_bytes, p->reserved_bytes, p->peak_allocated_bytes, p->peak_reserved_bytes, driver_used(s) };
}

void opencl_reset_peaks(struct ilab_session *s)
{
	ilab_pool_reset_peaks(&s->pool);
}
