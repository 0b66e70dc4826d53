/* A fake of libamdhip64.so: memory is the host's, kernels do nothing. It answers as AMD's runtime does, or as it does when it errs, so that the
 * module's decisions are tested where there is no AMD GPU; it proves nothing about a real runtime. The environment says how:
 *   FAKE_HIP_VERSION  10000000 * major + 100000 * minor + patch
 *   FAKE_HIP_INIT, FAKE_HIP_COUNT    code of hipInit; number of devices (0: hipErrorNoDevice)
 *   FAKE_HIP_POOLS    0: attribute 0 and no pools; 1: pools; 2: attribute 1, and hipMemPoolCreate refuses
 *   FAKE_HIP_FAULT    of pools: "sum" "forgets" "rounds" "stuck", see below
 *   FAKE_HIP_FAIL, FAKE_HIP_CODE     name of a call that fails, and its code (2: out of memory)
 *   FAKE_HIP_FREE     above: more memory is free than there is
 * Built with -DFAKE_WITHOUT_GRAPHS it lacks a symbol. */
#pragma GCC visibility push(default)
#include <hip/hip_runtime_api.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ilab_fake_library(void);               /* by which the module for use knows it, and refuses it */
int ilab_fake_library(void) { return 1; }

static int setting(const char *name, int otherwise)
{
	const char *text = getenv(name);
	return text ? atoi(text) : otherwise;
}

static bool says(const char *name, const char *value)
{
	const char *text = getenv(name);
	return text && !strcmp(text, value);
}

static hipError_t answer(const char *call)
{
	return says("FAKE_HIP_FAIL", call) ? (hipError_t)setting("FAKE_HIP_CODE", hipErrorOutOfMemory) : hipSuccess;
}

/* --- device --------------------------------------------------------------------------------------------------------------- */

#define ROOM ((size_t)1 << 30)

hipError_t hipInit(unsigned int flags) { (void)flags; return (hipError_t)setting("FAKE_HIP_INIT", 0); }
hipError_t hipRuntimeGetVersion(int *v) { *v = setting("FAKE_HIP_VERSION", 60200123); return hipSuccess; }
hipError_t hipGetDeviceCount(int *n) { *n = setting("FAKE_HIP_COUNT", 1); return *n ? answer(__func__) : hipErrorNoDevice; }
hipError_t hipDeviceGetName(char *s, int n, int d) { snprintf(s, (size_t)n, "Fake of a card %d", d); return hipSuccess; }
hipError_t hipDeviceGetUuid(hipUUID *u, int d) { memcpy(u->bytes, "0123456789abcdef", 16); u->bytes[15] = (char)('a' + d); return hipSuccess; }
hipError_t hipDeviceTotalMem(size_t *b, int d) { (void)d; *b = ROOM; return hipSuccess; }
hipError_t hipDeviceGetPCIBusId(char *s, int n, int d) { snprintf(s, (size_t)n, "0000:C%d:00.0", d); return answer(__func__); }
hipError_t hipSetDevice(int d) { (void)d; return answer(__func__); }

hipError_t hipDeviceGetAttribute(int *v, hipDeviceAttribute_t what, int d)
{
	(void)d;
	*v = what == hipDeviceAttributeMemoryPoolsSupported ? setting("FAKE_HIP_POOLS", 1) != 0 : 104;
	return hipSuccess;
}

hipError_t hipMemGetInfo(size_t *f, size_t *t)
{
	*t = ROOM;
	*f = says("FAKE_HIP_FREE", "above") ? ROOM + 4096 : ROOM / 2;
	return hipSuccess;
}

/* --- queue: everything happens at once, kernels do nothing ---------------------------------------------------------------------- */

static void *handle(void)
{
	static int something;
	return &something;
}

hipError_t hipStreamCreateWithFlags(hipStream_t *s, unsigned int flags) { *s = handle(); return flags == hipStreamNonBlocking ? answer(__func__) : hipErrorInvalidValue; }
hipError_t hipStreamDestroy(hipStream_t s) { (void)s; return hipSuccess; }
hipError_t hipEventCreateWithFlags(hipEvent_t *e, unsigned flags) { (void)flags; *e = handle(); return hipSuccess; }
hipError_t hipEventDestroy(hipEvent_t e) { (void)e; return hipSuccess; }
hipError_t hipEventRecord(hipEvent_t e, hipStream_t s) { (void)e, (void)s; return hipSuccess; }
hipError_t hipEventSynchronize(hipEvent_t e) { (void)e; return hipSuccess; }
hipError_t hipEventElapsedTime(float *ms, hipEvent_t a, hipEvent_t b) { (void)a, (void)b; *ms = 0.5f; return hipSuccess; }
hipError_t hipModuleLoadData(hipModule_t *m, const void *image) { (void)image; *m = handle(); return answer(__func__); }
hipError_t hipModuleUnload(hipModule_t m) { (void)m; return hipSuccess; }
hipError_t hipModuleGetFunction(hipFunction_t *f, hipModule_t m, const char *name) { (void)m, (void)name; *f = handle(); return hipSuccess; }
hipError_t hipMemcpyHtoDAsync(void *d, void *p, size_t n, hipStream_t s) { (void)s; memcpy(d, p, n); return hipSuccess; }
hipError_t hipMemcpyDtoHAsync(void *p, void *d, size_t n, hipStream_t s) { (void)s; memcpy(p, d, n); return hipSuccess; }
hipError_t hipMemcpyDtoDAsync(void *d, void *p, size_t n, hipStream_t s) { (void)s; memmove(d, p, n); return hipSuccess; }
hipError_t hipMemsetD8Async(void *d, unsigned char v, size_t n, hipStream_t s) { (void)s; memset(d, v, n); return answer(__func__); }

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz,
	unsigned int shared, hipStream_t s, void **arguments, void **extra)
{
	(void)f, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)s, (void)arguments, (void)extra;
	return answer(__func__);
}

hipError_t hipStreamBeginCapture(hipStream_t s, hipStreamCaptureMode mode) { (void)s, (void)mode; return hipSuccess; }
hipError_t hipStreamEndCapture(hipStream_t s, hipGraph_t *g) { (void)s; *g = handle(); return hipSuccess; }
hipError_t hipGraphLaunch(hipGraphExec_t x, hipStream_t s) { (void)x, (void)s; return hipSuccess; }
hipError_t hipGraphDestroy(hipGraph_t g) { (void)g; return hipSuccess; }
hipError_t hipGraphExecDestroy(hipGraphExec_t x) { (void)x; return hipSuccess; }
#ifndef FAKE_WITHOUT_GRAPHS
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *x, hipGraph_t g, unsigned long long flags) { (void)g, (void)flags; *x = handle(); return hipSuccess; }
#endif

/* --- plain memory ------------------------------------------------------------------------------------------------------------ */

hipError_t hipHostMalloc(void **p, size_t n, unsigned int flags) { (void)flags; *p = calloc(1, n); return hipSuccess; }
hipError_t hipHostFree(void *p) { free(p); return hipSuccess; }
hipError_t hipFree(void *p) { free(p); return hipSuccess; }

hipError_t hipMalloc(void **p, size_t n)
{
	hipError_t code = n > ROOM ? hipErrorOutOfMemory : answer(__func__);
	*p = code ? NULL : calloc(1, n);
	return code;
}

/* --- pools, as AMD's runtime keeps them: a heap of blocks in use and one of free blocks, a high mark of each, and a reset to 0 ------------ */

struct block { void *data; size_t bytes; bool busy; };
static struct {
	struct block blocks[256];
	uint64_t used, used_high, held, held_high, idle_high;
	bool fault_sum, fault_forgets, fault_rounds, fault_stuck;
} pool;

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

hipError_t hipMemPoolCreate(hipMemPool_t *out, const hipMemPoolProps *props)
{
	memset(&pool, 0, sizeof(pool));
	pool.fault_sum = says("FAKE_HIP_FAULT", "sum");            /* high mark of reserved memory: used now + most ever free */
	pool.fault_forgets = says("FAKE_HIP_FAULT", "forgets");    /* gives free memory back at each wait, whatever the threshold */
	pool.fault_rounds = says("FAKE_HIP_FAULT", "rounds");      /* counts whole pages */
	pool.fault_stuck = says("FAKE_HIP_FAULT", "stuck");        /* high marks stay at 0 */
	*out = (hipMemPool_t)&pool;
	if (props->allocType != hipMemAllocationTypePinned || props->location.type != hipMemLocationTypeDevice)
		return hipErrorInvalidValue;
	return setting("FAKE_HIP_POOLS", 1) == 1 ? answer(__func__) : hipErrorNotSupported;
}

static hipError_t release_free_blocks(void)
{
	for (struct block *b = pool.blocks; b < pool.blocks + 256; b++) {
		if (!b->data || b->busy)
			continue;
		pool.held -= b->bytes;
		free(b->data);
		*b = (struct block){0};
	}
	return hipSuccess;
}

hipError_t hipMemPoolTrimTo(hipMemPool_t p, size_t keep) { (void)p, (void)keep; return release_free_blocks(); }
hipError_t hipStreamSynchronize(hipStream_t s) { (void)s; if (pool.fault_forgets) release_free_blocks(); return answer(__func__); }

hipError_t hipMemPoolDestroy(hipMemPool_t p)
{
	(void)p;
	for (struct block *b = pool.blocks; b < pool.blocks + 256; b++)
		b->busy = false;
	return release_free_blocks();
}

static struct block *find_block(size_t bytes)
{
	struct block *empty = NULL;
	for (struct block *b = pool.blocks; b < pool.blocks + 256; b++) {
		if (b->data && !b->busy && b->bytes >= bytes && b->bytes <= bytes / 8.0 * 9)
			return b;
		if (!b->data && !empty)
			empty = b;
	}
	return empty;
}

hipError_t hipMallocFromPoolAsync(void **out, size_t bytes, hipMemPool_t p, hipStream_t s)
{
	(void)p, (void)s;
	struct block *b = find_block(bytes);
	hipError_t code = answer(__func__);
	*out = NULL;
	if (code || !b || (!b->data && pool.held + bytes > ROOM))
		return code ? code : hipErrorOutOfMemory;
	if (!b->data) {
		size_t size = pool.fault_rounds ? (bytes + 4095) / 4096 * 4096 : bytes;
		*b = (struct block){ calloc(1, size), size, false };
		pool.held += size;
	}
	b->busy = true;
	pool.used += b->bytes;
	pool.used_high = larger(pool.used_high, pool.used);
	pool.held_high = larger(pool.held_high, pool.held);
	*out = b->data;
	return hipSuccess;
}

hipError_t hipFreeAsync(void *address, hipStream_t s)
{
	(void)s;
	for (struct block *b = pool.blocks; b < pool.blocks + 256; b++) {
		if (b->data != address || !b->busy)
			continue;
		b->busy = false;
		pool.used -= b->bytes;
		pool.idle_high = larger(pool.idle_high, pool.held - pool.used);
		return hipSuccess;
	}
	return hipErrorInvalidValue;
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t p, hipMemPoolAttr what, void *value)
{
	(void)p;
	uint64_t *out = value;
	switch (what) {
	case hipMemPoolAttrUsedMemCurrent: *out = pool.used; return hipSuccess;
	case hipMemPoolAttrUsedMemHigh: *out = pool.fault_stuck ? 0 : pool.used_high; return hipSuccess;
	case hipMemPoolAttrReservedMemCurrent: *out = pool.held; return hipSuccess;
	case hipMemPoolAttrReservedMemHigh: *out = pool.fault_stuck ? 0 : pool.fault_sum ? pool.used + pool.idle_high : pool.held_high; return hipSuccess;
	default: return hipErrorInvalidValue;
	}
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t p, hipMemPoolAttr what, void *value)
{
	(void)p;
	if (what == hipMemPoolAttrReleaseThreshold)
		return *(uint64_t *)value == UINT64_MAX ? hipSuccess : hipErrorInvalidValue;
	if ((what != hipMemPoolAttrUsedMemHigh && what != hipMemPoolAttrReservedMemHigh) || *(uint64_t *)value)
		return hipErrorInvalidValue;
	*(what == hipMemPoolAttrUsedMemHigh ? &pool.used_high : pool.fault_sum ? &pool.idle_high : &pool.held_high) = 0;
	return hipSuccess;
}

/* --- words ------------------------------------------------------------------------------------------------------------------- */

const char *hipGetErrorName(hipError_t code)
{
	return code == hipErrorOutOfMemory ? "hipErrorOutOfMemory" : code == hipErrorNoDevice ? "hipErrorNoDevice" : "hipErrorUnknown";
}

const char *hipGetErrorString(hipError_t code) { return code == hipErrorNoDevice ? "hipErrorNoDevice" : "words of the fake runtime"; }
