#include "module.h"

#include <cuda.h>

#include <stdio.h>
#include <string.h>

/* The function table over the driver API. Each call is used with the type that <cuda.h> declares for it, under the versioned name that
 * the header maps it to, so that a wrong prototype does not compile. */

/* 11.4: pools with counters, graphs instantiated with flags, UUIDs that know about MIG. */
#define OLDEST_DRIVER 11040

/* Newer headers map this one to a name that older drivers do not export; the plain name has the same type. */
#ifdef cuEventElapsedTime
#undef cuEventElapsedTime
typedef __typeof__(&cuEventElapsedTime_v2) elapsed_time_fn;
#else
typedef __typeof__(&cuEventElapsedTime) elapsed_time_fn;
#endif

#define DRIVER_CALLS(X) \
	X(cuInit) X(cuDriverGetVersion) X(cuDeviceGetCount) X(cuDeviceGet) X(cuDeviceGetName) X(cuDeviceGetUuid) X(cuDeviceTotalMem) \
	X(cuDeviceGetAttribute) X(cuDeviceGetPCIBusId) X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease) X(cuCtxSetCurrent) \
	X(cuMemGetInfo) X(cuStreamCreate) X(cuStreamDestroy) X(cuStreamSynchronize) X(cuEventCreate) X(cuEventDestroy) X(cuEventRecord) \
	X(cuEventSynchronize) X(cuModuleLoadData) X(cuModuleUnload) X(cuModuleGetFunction) X(cuLaunchKernel) X(cuMemcpyHtoDAsync) \
	X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) X(cuMemsetD8Async) X(cuMemHostAlloc) X(cuMemFreeHost) X(cuMemAlloc) X(cuMemFree) \
	X(cuMemPoolCreate) X(cuMemPoolDestroy) X(cuMemPoolGetAttribute) X(cuMemPoolSetAttribute) X(cuMemPoolTrimTo) \
	X(cuMemAllocFromPoolAsync) X(cuMemFreeAsync) X(cuStreamBeginCapture) X(cuStreamEndCapture) X(cuGraphInstantiate) X(cuGraphLaunch) \
	X(cuGraphDestroy) X(cuGraphExecDestroy) X(cuGetErrorName) X(cuGetErrorString)

#define TEXT_OF(x) #x
#define EXPANDED_TEXT_OF(x) TEXT_OF(x)
#define MEMBER(call) __typeof__(&call) call##_;
#define SYMBOL(call) { EXPANDED_TEXT_OF(call), (void **)&cu.call##_ },

static struct {
	DRIVER_CALLS(MEMBER)
	elapsed_time_fn cuEventElapsedTime_;
} cu;

/* --- the calls, one line each ------------------------------------------------------------------------------------------- */

/* member of native_rt, driver call, parameters, arguments */
#define WRAPPED_CALLS(X) \
	X(driver_version, cuDriverGetVersion, (int *version), (version)) \
	X(device_count, cuDeviceGetCount, (int *count), (count)) \
	X(memory_info, cuMemGetInfo, (size_t *free_bytes, size_t *total_bytes), (free_bytes, total_bytes)) \
	X(stream_create, cuStreamCreate, (void **stream), ((CUstream *)stream, CU_STREAM_NON_BLOCKING)) \
	X(stream_destroy, cuStreamDestroy, (void *stream), (stream)) \
	X(stream_sync, cuStreamSynchronize, (void *stream), (stream)) \
	X(event_create, cuEventCreate, (void **event, bool timing), ((CUevent *)event, timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING)) \
	X(event_destroy, cuEventDestroy, (void *event), (event)) \
	X(event_record, cuEventRecord, (void *event, void *stream), (event, stream)) \
	X(event_sync, cuEventSynchronize, (void *event), (event)) \
	X(event_elapsed, cuEventElapsedTime, (float *ms, void *begin, void *end), (ms, begin, end)) \
	X(module_load, cuModuleLoadData, (void **module, const void *image), ((CUmodule *)module, image)) \
	X(module_unload, cuModuleUnload, (void *module), (module)) \
	X(module_function, cuModuleGetFunction, (void **function, void *module, const char *name), ((CUfunction *)function, module, name)) \
	X(launch, cuLaunchKernel, (void *function, const unsigned blocks[3], const unsigned threads[3], void *stream, void **arguments), \
		(function, blocks[0], blocks[1], blocks[2], threads[0], threads[1], threads[2], 0, stream, arguments, NULL)) \
	X(copy_to_device, cuMemcpyHtoDAsync, (native_ptr dst, const void *src, size_t bytes, void *stream), (dst, src, bytes, stream)) \
	X(copy_to_host, cuMemcpyDtoHAsync, (void *dst, native_ptr src, size_t bytes, void *stream), (dst, src, bytes, stream)) \
	X(copy_on_device, cuMemcpyDtoDAsync, (native_ptr dst, native_ptr src, size_t bytes, void *stream), (dst, src, bytes, stream)) \
	X(set_bytes, cuMemsetD8Async, (native_ptr dst, unsigned char value, size_t bytes, void *stream), (dst, value, bytes, stream)) \
	X(pinned_alloc, cuMemHostAlloc, (void **host, size_t bytes), (host, bytes, 0)) \
	X(pinned_free, cuMemFreeHost, (void *host), (host)) \
	X(plain_free, cuMemFree, (native_ptr address), (address)) \
	X(pool_destroy, cuMemPoolDestroy, (void *pool), (pool)) \
	X(pool_trim, cuMemPoolTrimTo, (void *pool), (pool, 0)) \
	X(pool_free, cuMemFreeAsync, (native_ptr address, void *stream), (address, stream)) \
	X(capture_begin, cuStreamBeginCapture, (void *stream), (stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)) \
	X(graph_launch, cuGraphLaunch, (void *executable, void *stream), (executable, stream)) \
	X(graph_destroy, cuGraphExecDestroy, (void *executable), (executable))

#define DEFINE_WRAPPER(member, call, parameters, arguments) static int member parameters { return (int)cu.call##_ arguments; }
WRAPPED_CALLS(DEFINE_WRAPPER)

/* --- calls that take more than a line ----------------------------------------------------------------------------------- */

static int init(void) { return (int)cu.cuInit_(0); }

/* Device handles are looked up for each query; that is a table access in the driver. */
static int device_name(char *name, int size, int device)
{
	CUdevice handle;
	CUresult code = cu.cuDeviceGet_(&handle, device);
	return (int)(code ? code : cu.cuDeviceGetName_(name, size, handle));
}

static int device_uuid(uint8_t uuid[16], int device)
{
	CUdevice handle;
	CUuuid value;
	CUresult code = cu.cuDeviceGet_(&handle, device);
	if (!code)
		code = cu.cuDeviceGetUuid_(&value, handle);
	if (!code)
		memcpy(uuid, value.bytes, 16);
	return (int)code;
}

static int device_memory(size_t *bytes, int device)
{
	CUdevice handle;
	CUresult code = cu.cuDeviceGet_(&handle, device);
	return (int)(code ? code : cu.cuDeviceTotalMem_(bytes, handle));
}

static int query(int *value, CUdevice_attribute what, int device)
{
	CUdevice handle;
	CUresult code = cu.cuDeviceGet_(&handle, device);
	return (int)(code ? code : cu.cuDeviceGetAttribute_(value, what, handle));
}

static int device_attribute(int *value, enum native_attribute what, int device)
{
	static const CUdevice_attribute attributes[] = {
		[NATIVE_COMPUTE_UNITS] = CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
		[NATIVE_POOLS_SUPPORTED] = CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
	};
	return query(value, attributes[what], device);
}

static int device_pci(char *address, int size, int device)
{
	CUdevice handle;
	CUresult code = cu.cuDeviceGet_(&handle, device);
	return (int)(code ? code : cu.cuDeviceGetPCIBusId_(address, size, handle));
}

static int architecture(char *name, int size, int device)
{
	int major = 0, minor = 0;
	int code = query(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
	if (!code)
		code = query(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
	if (!code)
		snprintf(name, (size_t)size, "sm_%d%d", major, minor);
	return code;
}

/* The primary context: the one that the libraries, which are built on the runtime API, use. */
static int context_open(void **context, int device)
{
	CUdevice handle;
	CUcontext primary = NULL;
	CUresult code = cu.cuDeviceGet_(&handle, device);
	if (!code)
		code = cu.cuDevicePrimaryCtxRetain_(&primary, handle);
	if (code)
		return (int)code;
	code = cu.cuCtxSetCurrent_(primary);
	if (code)
		cu.cuDevicePrimaryCtxRelease_(handle);
	*context = primary;
	return (int)code;
}

static int context_close(int device)
{
	CUdevice handle;
	CUresult code = cu.cuDeviceGet_(&handle, device);
	return (int)(code ? code : cu.cuDevicePrimaryCtxRelease_(handle));
}

static int plain_alloc(native_ptr *address, size_t bytes)
{
	CUdeviceptr p = 0;
	CUresult code = cu.cuMemAlloc_(&p, bytes);
	*address = p;
	return (int)code;
}

/* Memory stays in the pool until it is trimmed: by default every synchronisation would give it back. */
static int pool_create(void **pool, int device)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device } };
	cuuint64_t keep = UINT64_MAX;
	CUmemoryPool created = NULL;
	CUresult code = cu.cuMemPoolCreate_(&created, &props);
	if (!code)
		code = cu.cuMemPoolSetAttribute_(created, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
	if (code && created)
		cu.cuMemPoolDestroy_(created);
	*pool = code ? NULL : created;
	return (int)code;
}

static const CUmemPool_attribute counters[] = {
	[NATIVE_USED] = CU_MEMPOOL_ATTR_USED_MEM_CURRENT, [NATIVE_USED_HIGH] = CU_MEMPOOL_ATTR_USED_MEM_HIGH,
	[NATIVE_RESERVED] = CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, [NATIVE_RESERVED_HIGH] = CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
};

static int pool_counter(void *pool, enum native_pool_counter what, uint64_t *bytes)
{
	cuuint64_t value = 0;
	CUresult code = cu.cuMemPoolGetAttribute_(pool, counters[what], &value);
	*bytes = value;
	return (int)code;
}

static int pool_reset(void *pool, enum native_pool_counter high)
{
	cuuint64_t zero = 0;
	return (int)cu.cuMemPoolSetAttribute_(pool, counters[high], &zero);
}

static int pool_alloc(native_ptr *address, size_t bytes, void *pool, void *stream)
{
	CUdeviceptr p = 0;
	CUresult code = cu.cuMemAllocFromPoolAsync_(&p, bytes, pool, stream);
	*address = p;
	return (int)code;
}

static int capture_end(void *stream, void **executable)
{
	CUgraph graph = NULL;
	CUgraphExec made = NULL;
	CUresult code = cu.cuStreamEndCapture_(stream, &graph);
	if (!code)
		code = cu.cuGraphInstantiate_(&made, graph, 0);
	if (graph)
		cu.cuGraphDestroy_(graph);
	*executable = code ? NULL : made;
	return (int)code;
}

/* --- words -------------------------------------------------------------------------------------------------------------- */

static const char *error_name(int code)
{
	const char *text = NULL;
	return !cu.cuGetErrorName_((CUresult)code, &text) && text ? text : "unknown error";
}

static const char *error_text(int code)
{
	const char *text = NULL;
	return !cu.cuGetErrorString_((CUresult)code, &text) && text ? text : "the driver has no text for it";
}

static bool is_no_memory(int code)
{
	return code == CUDA_ERROR_OUT_OF_MEMORY;
}

static bool is_no_device(int code)
{
	return code == CUDA_ERROR_NO_DEVICE;
}

static const char *api_name(const char *member)
{
#define NAME_ROW(wrapper, call, parameters, arguments) { #wrapper, #call },
	static const struct { const char *member, *call; } names[] = {
		WRAPPED_CALLS(NAME_ROW)
		{ "init", "cuInit" }, { "architecture", "cuDeviceGetAttribute" }, { "context_open", "cuDevicePrimaryCtxRetain" },
		{ "plain_alloc", "cuMemAlloc" }, { "pool_alloc", "cuMemAllocFromPoolAsync" }, { "capture_end", "cuGraphInstantiate" },
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].member, member))
			return names[i].call;
	return member;
}

#define TABLE_ROW(wrapper, call, parameters, arguments) .wrapper = wrapper,
static const struct native_rt table = {
	WRAPPED_CALLS(TABLE_ROW)
	.init = init, .device_name = device_name, .device_uuid = device_uuid, .device_memory = device_memory,
	.device_attribute = device_attribute, .device_pci = device_pci, .architecture = architecture, .context_open = context_open,
	.context_close = context_close, .plain_alloc = plain_alloc, .pool_create = pool_create, .pool_counter = pool_counter,
	.pool_reset = pool_reset, .pool_alloc = pool_alloc, .capture_end = capture_end, .error_name = error_name,
	.error_text = error_text, .api_name = api_name, .is_no_memory = is_no_memory, .is_no_device = is_no_device,
};

/* --- loading ------------------------------------------------------------------------------------------------------------ */

static const char *const driver_names[] = { "libcuda.so.1", NULL };
static struct native_library driver = { .names = driver_names, .folder = CUDA_LIBRARY_FOLDER };

bool cuda_driver_is_at_least(int version)
{
	int has = 0;
	return cu.cuDriverGetVersion_ && !cu.cuDriverGetVersion_(&has) && has >= version;
}

static enum ilab_status load_driver(struct ilab_err *err)
{
	if (native_library_load(&driver, "no NVIDIA driver", "install NVIDIA's driver (Debian: nvidia-driver libcuda1)", err))
		return ILAB_REFUSED;
	if (native_library_symbol(&driver, "cuDriverGetVersion", (void **)&cu.cuDriverGetVersion_, err))
		return ILAB_REFUSED;
	int version = 0;
	if (!cu.cuDriverGetVersion_(&version) && version < OLDEST_DRIVER)
		return ilab_err_set(err, ILAB_REFUSED, "cuDriverGetVersion", version, "driver too old: it implements CUDA %d.%d and %d.%d is needed; "
			"install a newer driver", version / 1000, version % 1000 / 10, OLDEST_DRIVER / 1000, OLDEST_DRIVER % 1000 / 10);
	const struct native_symbol symbols[] = { DRIVER_CALLS(SYMBOL) { "cuEventElapsedTime", (void **)&cu.cuEventElapsedTime_ } };
	return native_library_symbols(&driver, symbols, sizeof(symbols) / sizeof(symbols[0]), err);
}

const struct native_rt *cuda_load(struct ilab_err *err)
{
	static bool loaded;
	if (!loaded && load_driver(err))
		return NULL;
	loaded = true;
	return &table;
}
