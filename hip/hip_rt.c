#include "module.h"

#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <string.h>

/* The function table over the HIP runtime. Each call is used with the type that the header declares for it, so that a wrong prototype
 * does not compile. Device facts come from attributes: the layout of the property structure changed with ROCm 6. */

#define RUNTIME_CALLS(X) \
	X(hipInit) X(hipRuntimeGetVersion) X(hipGetDeviceCount) X(hipDeviceGetName) X(hipDeviceGetUuid) X(hipDeviceTotalMem) \
	X(hipDeviceGetAttribute) X(hipDeviceGetPCIBusId) X(hipSetDevice) \
	X(hipMemGetInfo) X(hipStreamCreateWithFlags) X(hipStreamDestroy) X(hipStreamSynchronize) X(hipEventCreateWithFlags) X(hipEventDestroy) \
	X(hipEventRecord) X(hipEventSynchronize) X(hipEventElapsedTime) X(hipModuleLoadData) X(hipModuleUnload) X(hipModuleGetFunction) \
	X(hipModuleLaunchKernel) X(hipMemcpyHtoDAsync) X(hipMemcpyDtoHAsync) X(hipMemcpyDtoDAsync) X(hipMemsetD8Async) X(hipHostMalloc) \
	X(hipHostFree) X(hipMalloc) X(hipFree) X(hipMemPoolCreate) X(hipMemPoolDestroy) X(hipMemPoolGetAttribute) X(hipMemPoolSetAttribute) \
	X(hipMemPoolTrimTo) X(hipMallocFromPoolAsync) X(hipFreeAsync) X(hipStreamBeginCapture) X(hipStreamEndCapture) \
	X(hipGraphInstantiateWithFlags) X(hipGraphLaunch) X(hipGraphDestroy) X(hipGraphExecDestroy) X(hipGetErrorName) X(hipGetErrorString)

#define TEXT_OF(x) #x
#define EXPANDED_TEXT_OF(x) TEXT_OF(x)
#define MEMBER(call) __typeof__(&call) call##_;
#define SYMBOL(call) { EXPANDED_TEXT_OF(call), (void **)&hip.call##_ },

static struct { RUNTIME_CALLS(MEMBER) } hip;

static void *pointer(native_ptr address)
{
	return (void *)(uintptr_t)address;
}

/* --- the calls, one line each ------------------------------------------------------------------------------------------- */

/* member of native_rt, runtime call, parameters, arguments */
#define WRAPPED_CALLS(X) \
	X(device_count, hipGetDeviceCount, (int *count), (count)) \
	X(device_name, hipDeviceGetName, (char *name, int size, int device), (name, size, device)) \
	X(device_memory, hipDeviceTotalMem, (size_t *bytes, int device), (bytes, device)) \
	X(device_pci, hipDeviceGetPCIBusId, (char *address, int size, int device), (address, size, device)) \
	X(memory_info, hipMemGetInfo, (size_t *free_bytes, size_t *total_bytes), (free_bytes, total_bytes)) \
	X(stream_create, hipStreamCreateWithFlags, (void **stream), ((hipStream_t *)stream, hipStreamNonBlocking)) \
	X(stream_destroy, hipStreamDestroy, (void *stream), (stream)) \
	X(stream_sync, hipStreamSynchronize, (void *stream), (stream)) \
	X(event_create, hipEventCreateWithFlags, (void **event, bool timing), ((hipEvent_t *)event, timing ? hipEventDefault : hipEventDisableTiming)) \
	X(event_destroy, hipEventDestroy, (void *event), (event)) \
	X(event_record, hipEventRecord, (void *event, void *stream), (event, stream)) \
	X(event_sync, hipEventSynchronize, (void *event), (event)) \
	X(event_elapsed, hipEventElapsedTime, (float *ms, void *begin, void *end), (ms, begin, end)) \
	X(module_load, hipModuleLoadData, (void **module, const void *image), ((hipModule_t *)module, image)) \
	X(module_unload, hipModuleUnload, (void *module), (module)) \
	X(module_function, hipModuleGetFunction, (void **function, void *module, const char *name), ((hipFunction_t *)function, module, name)) \
	X(launch, hipModuleLaunchKernel, (void *function, const unsigned blocks[3], const unsigned threads[3], void *stream, void **arguments), \
		(function, blocks[0], blocks[1], blocks[2], threads[0], threads[1], threads[2], 0, stream, arguments, NULL)) \
	X(copy_to_device, hipMemcpyHtoDAsync, (native_ptr dst, const void *src, size_t bytes, void *stream), \
		(pointer(dst), (void *)(uintptr_t)src, bytes, stream)) \
	X(copy_to_host, hipMemcpyDtoHAsync, (void *dst, native_ptr src, size_t bytes, void *stream), (dst, pointer(src), bytes, stream)) \
	X(copy_on_device, hipMemcpyDtoDAsync, (native_ptr dst, native_ptr src, size_t bytes, void *stream), (pointer(dst), pointer(src), bytes, stream)) \
	X(set_bytes, hipMemsetD8Async, (native_ptr dst, unsigned char value, size_t bytes, void *stream), (pointer(dst), value, bytes, stream)) \
	X(pinned_alloc, hipHostMalloc, (void **host, size_t bytes), (host, bytes, hipHostMallocDefault)) \
	X(pinned_free, hipHostFree, (void *host), (host)) \
	X(plain_free, hipFree, (native_ptr address), (pointer(address))) \
	X(pool_destroy, hipMemPoolDestroy, (void *pool), (pool)) \
	X(pool_trim, hipMemPoolTrimTo, (void *pool), (pool, 0)) \
	X(pool_free, hipFreeAsync, (native_ptr address, void *stream), (pointer(address), stream)) \
	X(capture_begin, hipStreamBeginCapture, (void *stream), (stream, hipStreamCaptureModeThreadLocal)) \
	X(graph_launch, hipGraphLaunch, (void *executable, void *stream), (executable, stream)) \
	X(graph_destroy, hipGraphExecDestroy, (void *executable), (executable))

#define DEFINE_WRAPPER(member, call, parameters, arguments) static int member parameters { return (int)hip.call##_ arguments; }
WRAPPED_CALLS(DEFINE_WRAPPER)

/* --- calls that take more than a line ----------------------------------------------------------------------------------- */

/* Without a device hipInit speaks of an invalid one; the count says what is the matter. */
static int init(void)
{
	hipError_t code = hip.hipInit_(0);
	return code == hipErrorInvalidDevice ? 0 : (int)code;
}

/* HIP numbers itself 10000000 * major + 100000 * minor + patch. */
static int driver_version(int *version)
{
	int value = 0;
	hipError_t code = hip.hipRuntimeGetVersion_(&value);
	*version = value / 10000000 * 1000 + value / 100000 % 100 * 10;
	return (int)code;
}

static int device_uuid(uint8_t uuid[16], int device)
{
	hipUUID value;
	hipError_t code = hip.hipDeviceGetUuid_(&value, device);
	if (!code)
		memcpy(uuid, value.bytes, 16);
	return (int)code;
}

static bool is_at_least(int major, int minor)
{
	int version = 0;
	return !driver_version(&version) && version >= 1000 * major + 10 * minor;
}

/* Before 6.2 pools answer although they are said to be unsupported, and their high mark of reserved memory is no maximum. */
static int device_attribute(int *value, enum native_attribute what, int device)
{
	static const hipDeviceAttribute_t attributes[] = {
		[NATIVE_COMPUTE_UNITS] = hipDeviceAttributeMultiprocessorCount,
		[NATIVE_POOLS_SUPPORTED] = hipDeviceAttributeMemoryPoolsSupported,
	};
	hipError_t code = hip.hipDeviceGetAttribute_(value, attributes[what], device);
	if (!code && what == NATIVE_POOLS_SUPPORTED && !is_at_least(6, 2))
		*value = 0;
	return (int)code;
}

static int architecture(char *name, int size, int device)
{
	char address[64] = "";
	int code = device_pci(address, sizeof(address), device);
	return code ? code : hip_architecture_at(address, name, (size_t)size) ? 0 : (int)hipErrorNotFound;
}

/* HIP's context is the device itself, chosen for this thread. */
static int context_open(void **context, int device)
{
	*context = &hip;
	return (int)hip.hipSetDevice_(device);
}

static int context_close(int device)
{
	(void)device;
	return 0;
}

static int plain_alloc(native_ptr *address, size_t bytes)
{
	void *p = NULL;
	hipError_t code = hip.hipMalloc_(&p, bytes);
	*address = (native_ptr)(uintptr_t)p;
	return (int)code;
}

/* Memory stays in the pool until it is trimmed: by default every synchronisation would give it back. */
static int pool_create(void **pool, int device)
{
	hipMemPoolProps props = { .allocType = hipMemAllocationTypePinned, .location = { .type = hipMemLocationTypeDevice, .id = device } };
	uint64_t keep = UINT64_MAX;
	hipMemPool_t created = NULL;
	hipError_t code = hip.hipMemPoolCreate_(&created, &props);
	if (!code)
		code = hip.hipMemPoolSetAttribute_(created, hipMemPoolAttrReleaseThreshold, &keep);
	if (code && created)
		hip.hipMemPoolDestroy_(created);
	*pool = code ? NULL : created;
	return (int)code;
}

static const hipMemPoolAttr counters[] = {
	[NATIVE_USED] = hipMemPoolAttrUsedMemCurrent, [NATIVE_USED_HIGH] = hipMemPoolAttrUsedMemHigh,
	[NATIVE_RESERVED] = hipMemPoolAttrReservedMemCurrent, [NATIVE_RESERVED_HIGH] = hipMemPoolAttrReservedMemHigh,
};

static int pool_counter(void *pool, enum native_pool_counter what, uint64_t *bytes)
{
	*bytes = 0;
	return (int)hip.hipMemPoolGetAttribute_(pool, counters[what], bytes);
}

static int pool_reset(void *pool, enum native_pool_counter high)
{
	uint64_t zero = 0;
	return (int)hip.hipMemPoolSetAttribute_(pool, counters[high], &zero);
}

static int pool_alloc(native_ptr *address, size_t bytes, void *pool, void *stream)
{
	void *p = NULL;
	hipError_t code = hip.hipMallocFromPoolAsync_(&p, bytes, pool, stream);
	*address = (native_ptr)(uintptr_t)p;
	return (int)code;
}

static int capture_end(void *stream, void **executable)
{
	hipGraph_t graph = NULL;
	hipGraphExec_t made = NULL;
	hipError_t code = hip.hipStreamEndCapture_(stream, &graph);
	if (!code)
		code = hip.hipGraphInstantiateWithFlags_(&made, graph, 0);
	if (graph)
		hip.hipGraphDestroy_(graph);
	*executable = code ? NULL : made;
	return (int)code;
}

/* --- words -------------------------------------------------------------------------------------------------------------- */

static const char *error_name(int code)
{
	const char *text = hip.hipGetErrorName_((hipError_t)code);
	return text ? text : "unknown error";
}

static const char *error_text(int code)
{
	const char *text = hip.hipGetErrorString_((hipError_t)code);      /* older releases give the name once more */
	return text && strcmp(text, error_name(code)) ? text : "the runtime has no other words for it";
}

static bool is_no_memory(int code)
{
	return code == hipErrorOutOfMemory;
}

static bool is_no_device(int code)
{
	return code == hipErrorNoDevice;
}

static const char *api_name(const char *member)
{
#define NAME_ROW(wrapper, call, parameters, arguments) { #wrapper, #call },
	static const struct { const char *member, *call; } names[] = {
		WRAPPED_CALLS(NAME_ROW)
		{ "init", "hipInit" }, { "architecture", "hsa_agent_get_info" }, { "context_open", "hipSetDevice" },
		{ "plain_alloc", "hipMalloc" }, { "pool_alloc", "hipMallocFromPoolAsync" }, { "capture_end", "hipGraphInstantiateWithFlags" },
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].member, member))
			return names[i].call;
	return member;
}

#define TABLE_ROW(wrapper, call, parameters, arguments) .wrapper = wrapper,
static const struct native_rt table = {
	WRAPPED_CALLS(TABLE_ROW)
	.init = init, .driver_version = driver_version, .device_uuid = device_uuid, .device_attribute = device_attribute,
	.architecture = architecture, .context_open = context_open, .context_close = context_close, .plain_alloc = plain_alloc,
	.pool_create = pool_create, .pool_counter = pool_counter, .pool_reset = pool_reset, .pool_alloc = pool_alloc,
	.capture_end = capture_end, .error_name = error_name, .error_text = error_text, .api_name = api_name,
	.is_no_memory = is_no_memory, .is_no_device = is_no_device,
};

/* --- loading ------------------------------------------------------------------------------------------------------------ */

static const char *const runtime_names[] = { "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL };
static struct native_library runtime = { .names = runtime_names, .folder = HIP_LIBRARY_FOLDER };

const struct native_library *hip_runtime_library(void)
{
	return &runtime;
}

int hip_series(void)
{
	int series = 0;
	return runtime.handle && sscanf(runtime.loaded, "libamdhip64.so.%d", &series) == 1 ? series : 0;
}

const char *hip_version_text(struct ilab_arena *arena)
{
	int value = 0;
	if (hip.hipRuntimeGetVersion_(&value) || value <= 0)
		return NULL;
	return ilab_arena_printf(arena, "%d.%d.%d", value / 10000000, value / 100000 % 100, value % 100000);
}

static enum ilab_status load_runtime(struct ilab_err *err)
{
	const struct native_symbol symbols[] = { RUNTIME_CALLS(SYMBOL) };
	if (native_library_load(&runtime, "no HIP runtime", "install ROCm (its package hip-runtime-amd; Debian, Ubuntu: libamdhip64-5)", err))
		return ILAB_REFUSED;
	void *fake;
	struct ilab_err not_fake = {0};
	if (!strcmp(native_backend_name, "hip") && !native_library_symbol(&runtime, "ilab_fake_library", &fake, &not_fake))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "%s is a fake, made for this program's tests", runtime.loaded);
	return native_library_symbols(&runtime, symbols, sizeof(symbols) / sizeof(symbols[0]), err);
}

const struct native_rt *hip_load(struct ilab_err *err)
{
	static bool loaded;
	if (!loaded && load_runtime(err))
		return NULL;
	loaded = true;
	return &table;
}
