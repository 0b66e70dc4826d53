#include "host_vendor.h"

#include "host_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct host_vendor vendor;

enum { NO_MEMORY = 2, NO_DEVICE = 100, BROKEN = 700 };

void host_vendor_reset(void)
{
	vendor = (struct host_vendor){ .device_count = 1, .pools = true, .room_bytes = (uint64_t)4 << 30, .library = true, .biased = true,
		.monitored = true };
}

static int answer(const char *member)
{
	return vendor.failing && !strcmp(vendor.failing, member) ? BROKEN : 0;
}

/* The same for a call that makes something to be given back. */
static int make(const char *member)
{
	int code = answer(member);
	vendor.live += !code;
	return code;
}

/* --- device ------------------------------------------------------------------------------------------------------------- */

static int init(void) { return vendor.init_code; }
static int driver_version(int *v) { *v = 13000; return 0; }
static int device_count(int *n) { *n = vendor.device_count; return 0; }
static int device_name(char *s, int n, int d) { (void)d; snprintf(s, (size_t)n, " Host\tmemory \xff"); return 0; }
static int device_memory(size_t *b, int d) { (void)d; *b = vendor.room_bytes; return 0; }
static int device_pci(char *s, int n, int d) { snprintf(s, (size_t)n, "0000:AB:%02X.0", d); return 0; }
static int architecture(char *s, int n, int d) { (void)d; snprintf(s, (size_t)n, "host"); return 0; }

static int device_uuid(uint8_t u[16], int d)
{
	for (int i = 0; i < 16; i++)
		u[i] = (uint8_t)(17 * i + d);
	return 0;
}

static int device_attribute(int *v, enum native_attribute what, int d)
{
	(void)d;
	*v = what == NATIVE_POOLS_SUPPORTED ? vendor.pools : 3;
	return 0;
}

static int context_open(void **c, int d) { (void)d; *c = &vendor; return make("context_open"); }
static int context_close(int d) { (void)d; vendor.live--; return 0; }
static int memory_info(size_t *f, size_t *t) { *t = vendor.room_bytes; *f = vendor.room_bytes - vendor.used_bytes; return 0; }

/* --- queue: everything happens at once ------------------------------------------------------------------------------------ */

static bool capturing;
static float now_ms;

static int make_handle(void **h) { *h = calloc(1, sizeof(float)); vendor.live++; return 0; }
static int drop_handle(void *h) { free(h); vendor.live--; return 0; }
static int stream_create(void **s) { return make_handle(s); }
static int stream_sync(void *s) { (void)s; return answer("stream_sync"); }
static int event_create(void **e, bool timing) { (void)timing; return make_handle(e); }
static int event_record(void *e, void *s) { (void)s; *(float *)e = now_ms += 0.25f; return answer("event_record"); }
static int event_sync(void *e) { (void)e; return 0; }
static int event_elapsed(float *ms, void *a, void *b) { *ms = *(float *)b - *(float *)a; return answer("event_elapsed"); }

static int module_load(void **m, const void *image) { vendor.live++; return host_module_load(m, image); }
static int module_unload(void *m) { vendor.live--; return host_module_unload(m); }

static int launch(void *f, const unsigned blocks[3], const unsigned threads[3], void *s, void **arguments)
{
	(void)s;
	if (answer("launch") || threads[0] != 256)
		return BROKEN;
	if (capturing)
		return vendor.recorded++, 0;
	vendor.launches++;
	return host_kernel_run(f, blocks[0], arguments);
}

static int copy_to_device(native_ptr d, const void *p, size_t n, void *s) { (void)s; memcpy((void *)(uintptr_t)d, p, n); return answer("copy_to_device"); }
static int copy_to_host(void *p, native_ptr d, size_t n, void *s) { (void)s; memcpy(p, (void *)(uintptr_t)d, n); return answer("copy_to_host"); }
static int copy_on_device(native_ptr d, native_ptr p, size_t n, void *s) { (void)s; memmove((void *)(uintptr_t)d, (void *)(uintptr_t)p, n); return 0; }
static int set_bytes(native_ptr d, unsigned char v, size_t n, void *s) { (void)s; memset((void *)(uintptr_t)d, v, n); return answer("set_bytes"); }

static int capture_begin(void *s) { (void)s; capturing = true; return 0; }
static int capture_end(void *s, void **x) { (void)s; capturing = false; return make_handle(x); }
static int graph_launch(void *x, void *s) { (void)x, (void)s; vendor.replays++; return 0; }

/* --- memory --------------------------------------------------------------------------------------------------------------- */

struct block { uint64_t bytes; char padding[56]; };    /* in front of each allocation, which stays 64-byte aligned */

static int take(native_ptr *out, size_t bytes)
{
	if (bytes > vendor.room_bytes - vendor.used_bytes)
		return NO_MEMORY;
	struct block *b = aligned_alloc(64, sizeof(*b) + (bytes + 63) / 64 * 64);
	if (!b)
		return NO_MEMORY;
	b->bytes = bytes;
	vendor.used_bytes += bytes;
	vendor.live++;
	*out = (native_ptr)(uintptr_t)(b + 1);
	return 0;
}

static uint64_t give_back(native_ptr address)
{
	struct block *b = (struct block *)(uintptr_t)address - 1;
	uint64_t bytes = b->bytes;
	vendor.used_bytes -= bytes;
	vendor.live--;
	free(b);
	return bytes;
}

static int plain_alloc(native_ptr *p, size_t n) { return answer("plain_alloc") ? BROKEN : take(p, n); }
static int plain_free(native_ptr p) { give_back(p); return 0; }
static int pinned_alloc(void **p, size_t n) { int code = make("pinned_alloc"); *p = code ? NULL : malloc(n); return code; }
static int pinned_free(void *p) { free(p); vendor.live--; return 0; }

static struct { uint64_t counters[4]; } pool;
#define STEP ((uint64_t)32 << 20)

static int pool_create(void **p, int d)
{
	(void)d;
	memset(&pool, 0, sizeof(pool));
	*p = &pool;
	return make("pool_create");
}

static int pool_destroy(void *p) { (void)p; vendor.live--; return 0; }
static int pool_counter(void *p, enum native_pool_counter what, uint64_t *bytes) { (void)p; *bytes = pool.counters[what]; return 0; }

static int pool_reset(void *p, enum native_pool_counter high)
{
	(void)p;
	pool.counters[high] = vendor.reset_to_zero ? 0 : pool.counters[high - 1];
	return 0;
}

static void raise_mark(enum native_pool_counter what)
{
	if (pool.counters[what] > pool.counters[what + 1])
		pool.counters[what + 1] = pool.counters[what];
}

static int pool_trim(void *p)
{
	(void)p;
	pool.counters[NATIVE_RESERVED] = (pool.counters[NATIVE_USED] + STEP - 1) / STEP * STEP;
	return 0;
}

static int pool_alloc(native_ptr *out, size_t bytes, void *p, void *s)
{
	(void)s;
	int code = take(out, bytes);
	if (code)
		return code;
	pool.counters[NATIVE_USED] += bytes;
	const uint64_t reserved = pool.counters[NATIVE_RESERVED];
	pool_trim(p);
	if (pool.counters[NATIVE_RESERVED] < reserved)
		pool.counters[NATIVE_RESERVED] = reserved;
	raise_mark(NATIVE_USED);
	raise_mark(NATIVE_RESERVED);
	return 0;
}

static int pool_free(native_ptr p, void *s) { (void)s; pool.counters[NATIVE_USED] -= give_back(p); return 0; }

/* --- words ---------------------------------------------------------------------------------------------------------------- */

static const char *error_name(int code) { return code == NO_MEMORY ? "HOST_NO_MEMORY" : code == NO_DEVICE ? "HOST_NO_DEVICE" : "HOST_BROKEN"; }
static const char *error_text(int code) { (void)code; return "a test asked for it"; }
static const char *api_name(const char *member) { return member; }
static bool is_no_memory(int code) { return code == NO_MEMORY; }
static bool is_no_device(int code) { return code == NO_DEVICE; }

static const struct native_rt table = {
	.init = init, .driver_version = driver_version, .device_count = device_count, .device_name = device_name, .device_uuid = device_uuid,
	.device_memory = device_memory, .device_attribute = device_attribute, .device_pci = device_pci, .architecture = architecture,
	.context_open = context_open, .context_close = context_close, .memory_info = memory_info, .stream_create = stream_create,
	.stream_destroy = drop_handle, .stream_sync = stream_sync, .event_create = event_create, .event_destroy = drop_handle,
	.event_record = event_record, .event_sync = event_sync, .event_elapsed = event_elapsed, .module_load = module_load,
	.module_unload = module_unload, .module_function = host_module_function, .launch = launch, .copy_to_device = copy_to_device,
	.copy_to_host = copy_to_host, .copy_on_device = copy_on_device, .set_bytes = set_bytes, .pinned_alloc = pinned_alloc,
	.pinned_free = pinned_free, .plain_alloc = plain_alloc, .plain_free = plain_free, .pool_create = pool_create,
	.pool_destroy = pool_destroy, .pool_counter = pool_counter, .pool_reset = pool_reset, .pool_trim = pool_trim,
	.pool_alloc = pool_alloc, .pool_free = pool_free, .capture_begin = capture_begin, .capture_end = capture_end,
	.graph_launch = graph_launch, .graph_destroy = drop_handle, .error_name = error_name, .error_text = error_text,
	.api_name = api_name, .is_no_memory = is_no_memory, .is_no_device = is_no_device,
};

static const struct native_rt *load(struct ilab_err *err)
{
	if (!vendor.no_driver)
		return &table;
	ilab_err_set(err, ILAB_REFUSED, "dlopen", 0, "%s", vendor.no_driver);
	return NULL;
}

static const char *driver_release(struct ilab_arena *arena) { return ilab_arena_strdup(arena, "1.2.3"); }

static void libraries(struct ilab_arena *arena, struct ilab_library **found, size_t *found_count, const char ***missing, size_t *missing_count)
{
	*found = ilab_arena_alloc(arena, sizeof(**found));
	*missing = ilab_arena_alloc(arena, sizeof(**missing));
	*found_count = vendor.library;
	*missing_count = !vendor.library;
	**found = (struct ilab_library){ "libcublasLt of the tests", "9.9" };
	**missing = "cuda: the tests' library is not there";
}

static bool process_memory(const char *pci, uint64_t *bytes)
{
	*bytes = vendor.used_bytes + 1000;
	return vendor.monitored && !strcmp(pci, "0000:ab:00.0");
}

const char native_backend_name[] = "cuda";

const struct native_vendor native_vendor = {
	.platform = "host memory (tests)", .vendor = "none", .api = "CUDA", .prelude = NULL, .pool_source = "cuda_mempool",
	.tracked_source = "cuda_tracked", .memory_info_name = "cuMemGetInfo", .timer_source = "cuda events",
	.timer_resolution_seconds = 1e-6, .gemm = &host_gemm, .load = load, .driver_release = driver_release, .libraries = libraries,
	.compile = host_compile, .driver_figures = { { "nvml", true, process_memory } },
	.pool_reset = "the tests' pool becomes what it holds",
};
