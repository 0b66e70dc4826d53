/* The OpenCL backend: the table, and opening a device. */
#include "backend/opencl.h"
#include "backend/registry.h"

#include <clblast_c.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VENDOR_INTEL 0x8086

static enum ilab_status find_device(struct ilab_session *s, const struct ilab_open_options *options, struct ilab_err *err)
{
	cl_uint platform_count, device_count;
	cl_int code;
	cl_platform_id *platforms = opencl_platforms(&platform_count, &code);
	if (options->platform_index >= platform_count) {
		free(platforms);
		return ilab_err_set(err, ILAB_REFUSED, "clGetPlatformIDs", code, "there is no OpenCL platform %u; %u found", options->platform_index,
			platform_count);
	}
	s->platform = platforms[options->platform_index];
	free(platforms);
	cl_device_id *devices = opencl_devices(s->platform, &device_count, &code);
	if (options->device_index >= device_count) {
		free(devices);
		return ilab_err_set(err, ILAB_REFUSED, "clGetDeviceIDs", code, "OpenCL platform %u has no device %u; %u found", options->platform_index,
			options->device_index, device_count);
	}
	s->device = devices[options->device_index];
	free(devices);
	return ILAB_OK;
}

/* "OpenCL 1.1 ..." is older than what we call: filling buffers and markers came with 1.2. */
static bool is_older_than_1_2(const char *version)
{
	unsigned major, minor;
	return version && sscanf(version, "OpenCL %u.%u", &major, &minor) == 2 && (major < 1 || (major == 1 && minor < 2));
}

static enum ilab_status check_device(struct ilab_session *s, struct ilab_err *err)
{
	const struct ilab_device *d = &s->info.device;
	if (!opencl_device_number(s->device, CL_DEVICE_AVAILABLE, 1))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "%s is not available: its driver says so", d->selector);
	if (!opencl_device_number(s->device, CL_DEVICE_COMPILER_AVAILABLE, 1))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the driver of %s has no compiler for kernels", d->selector);
	if (is_older_than_1_2(d->runtime_version.value))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the platform of %s speaks %s; 1.2 is needed", d->selector, d->runtime_version.value);
	uint64_t group = opencl_device_number(s->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, ILAB_KERNEL_GROUP);
	if (group < ILAB_KERNEL_GROUP)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "%s takes work-groups of at most %" PRIu64 " items; %d are needed", d->selector, group,
			ILAB_KERNEL_GROUP);
	return ILAB_OK;
}

static enum ilab_status make_queue(struct ilab_session *s, struct ilab_err *err)
{
	cl_int code;
	const char *refused = NULL;
	s->queue = clCreateCommandQueue(s->context, s->device, CL_QUEUE_PROFILING_ENABLE, &code);
	s->profiling = s->queue && !code;
	if (!s->profiling) {
		refused = ilab_arena_printf(&s->arena, "unsupported: the driver refuses a queue with profiling, %s (%d)", opencl_error_name(code), code);
		s->queue = clCreateCommandQueue(s->context, s->device, 0, &code);
		if (code)
			return opencl_fail(err, code, "clCreateCommandQueue", "making a command queue");
	}
	s->info.timer_source = (struct ilab_text){ refused ? NULL : "opencl markers", refused };
	s->info.timer_resolution_seconds = (double)opencl_device_number(s->device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, 0) * 1e-9;
	return ILAB_OK;
}

static enum ilab_status make_context(struct ilab_session *s, struct ilab_err *err)
{
	const cl_context_properties properties[] = { CL_CONTEXT_PLATFORM, (cl_context_properties)s->platform, 0 };
	cl_int code;
	s->context = clCreateContext(properties, 1, &s->device, NULL, NULL, &code);
	return code ? opencl_fail(err, code, "clCreateContext", "opening the device") : ILAB_OK;
}

static void learn_device(struct ilab_session *s, const struct ilab_open_options *options)
{
	opencl_describe_device(&s->arena, s->platform, s->device, options->platform_index, options->device_index, &s->info.device);
	opencl_describe_libraries(&s->arena, &s->info.libraries, &s->info.library_count);
	s->is_cpu = !strcmp(s->info.device.type, "cpu");
	s->intel_relaxed = !s->is_cpu && opencl_device_number(s->device, CL_DEVICE_VENDOR_ID, 0) == VENDOR_INTEL
		&& s->info.device.total_memory_bytes > UINT32_MAX;
	bool fma = opencl_device_number(s->device, CL_DEVICE_SINGLE_FP_CONFIG, 0) & CL_FP_FMA;
	s->multiply_add = fma ? ILAB_MULTIPLY_ADD_FMA : ILAB_MULTIPLY_ADD_MAD;
	opencl_memory_open(s);
	opencl_cache_watch(s, options->surroundings);
}

static void close_session(struct ilab_session *s)
{
	if (!s)
		return;
	opencl_span_release(s);
	opencl_staging_close(s);
	ilab_pool_close(&s->pool);
	for (int i = 0; i < OPENCL_SCRATCH; i++)
		if (s->scratch[i])
			clReleaseMemObject(s->scratch[i]);
	opencl_programs_release(s);
	/* CLBlast keeps programs of our context until the process ends; some drivers crash when those outlive it. */
	if (s->context)
		CLBlastClearCache();
	if (s->queue)
		clReleaseCommandQueue(s->queue);
	if (s->context)
		clReleaseContext(s->context);
	ilab_arena_free(&s->arena);
	free(s);
}

static enum ilab_status open_session(const struct ilab_open_options *options, struct ilab_session **out, struct ilab_err *err)
{
	if (options->graph)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "OpenCL cannot replay a pass from a captured graph");
	struct ilab_session *s = calloc(1, sizeof(*s));
	if (!s)
		return ilab_err_set(err, ILAB_FAILED, "calloc", 0, "out of host memory");
	enum ilab_status status = find_device(s, options, err);
	if (!status) {
		learn_device(s, options);
		status = check_device(s, err);
	}
	if (!status)
		status = make_context(s, err);
	if (!status)
		status = make_queue(s, err);
	/* The kernels of other types are built when a plan asks for them; that these compile shows that the driver works. */
	if (!status)
		status = opencl_prepare_elements(s, ILAB_F32, err);
	if (status) {
		close_session(s);
		return status;
	}
	s->info.kernel_cache = opencl_cache_state(s);
	*out = s;
	return ILAB_OK;
}

static const struct ilab_session_info *session_info(struct ilab_session *s)
{
	return &s->info;
}

const struct ilab_backend ilab_backend_opencl = {
	.abi = ILAB_BACKEND_ABI,
	.name = "opencl",
	.enumerate = opencl_enumerate,
	.open = open_session,
	.close = close_session,
	.info = session_info,
	.limits = opencl_limits,
	.plan = opencl_plan,
	.alloc = opencl_alloc,
	.free = opencl_free,
	.trim = opencl_trim,
	.upload = opencl_upload,
	.download = opencl_download,
	.fill = opencl_fill,
	.checksum = opencl_checksum,
	.linear = opencl_linear,
	.probe = opencl_probe,
	.sync = opencl_sync,
	.span_begin = opencl_span_begin,
	.span_end = opencl_span_end,
	.span_read = opencl_span_read,
	.memory = opencl_memory,
	.reset_peaks = opencl_reset_peaks,
};
