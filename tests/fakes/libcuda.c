/* A fake of libcuda.so.1: it answers as a driver does that is too old, has no device or does not start, so that the module's reasons are
 * tested where there is no driver. It computes nothing. FAKE_VERSION, FAKE_INIT, FAKE_COUNT, FAKE_POOLS and FAKE_CAPABILITY in the
 * environment say how; built with -DFAKE_WITHOUT_POOLS it lacks the symbols that came with memory pools. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static int setting(const char *name, int otherwise)
{
	const char *text = getenv(name);
	return text ? atoi(text) : otherwise;
}

/* Calls that succeed and do nothing. */
#define NOTHING(X) X(cuCtxSetCurrent) X(cuDevicePrimaryCtxRelease_v2) X(cuStreamDestroy_v2) X(cuStreamSynchronize) X(cuEventDestroy_v2) \
	X(cuEventRecord) X(cuEventSynchronize) X(cuEventElapsedTime) X(cuModuleUnload) X(cuLaunchKernel) X(cuMemcpyHtoDAsync_v2) \
	X(cuMemcpyDtoHAsync_v2) X(cuMemcpyDtoDAsync_v2) X(cuMemsetD8Async) X(cuMemFreeHost) X(cuMemFree_v2) X(cuStreamBeginCapture_v2) \
	X(cuStreamEndCapture) X(cuGraphInstantiateWithFlags) X(cuGraphLaunch) X(cuGraphDestroy) X(cuGraphExecDestroy)
#define DEFINE_NOTHING(name) EXPORT int name(void); EXPORT int name(void) { return 0; }
NOTHING(DEFINE_NOTHING)

/* Calls that make a handle of no use. */
#define HANDLES(X) X(cuDevicePrimaryCtxRetain) X(cuStreamCreate) X(cuEventCreate) X(cuModuleLoadData) X(cuModuleGetFunction) X(cuMemAlloc_v2)
#define DEFINE_HANDLE(name) EXPORT int name(void **out); EXPORT int name(void **out) { static int h; *out = &h; return 0; }
HANDLES(DEFINE_HANDLE)

#ifndef FAKE_WITHOUT_POOLS
#define POOL_NOTHING(X) X(cuMemPoolDestroy) X(cuMemPoolGetAttribute) X(cuMemPoolSetAttribute) X(cuMemPoolTrimTo) X(cuMemAllocFromPoolAsync) X(cuMemFreeAsync)
POOL_NOTHING(DEFINE_NOTHING)
EXPORT int cuMemPoolCreate(void **out, const void *props);
EXPORT int cuMemPoolCreate(void **out, const void *props)
{
	static int pool;
	(void)props;
	*out = &pool;
	return setting("FAKE_POOLS", 1) == 1 ? 0 : 801;
}
#endif

EXPORT int cuInit(unsigned flags);
EXPORT int cuInit(unsigned flags) { (void)flags; return setting("FAKE_INIT", 0); }
EXPORT int cuDriverGetVersion(int *v);
EXPORT int cuDriverGetVersion(int *v) { *v = setting("FAKE_VERSION", 13000); return 0; }
EXPORT int cuDeviceGetCount(int *n);
EXPORT int cuDeviceGetCount(int *n) { *n = setting("FAKE_COUNT", 1); return 0; }
EXPORT int cuDeviceGet(int *d, int i);
EXPORT int cuDeviceGet(int *d, int i) { *d = i; return 0; }
EXPORT int cuDeviceGetName(char *s, int n, int d);
EXPORT int cuDeviceGetName(char *s, int n, int d) { (void)d; snprintf(s, (size_t)n, "Fake of a device"); return 0; }
EXPORT int cuDeviceGetUuid_v2(unsigned char *u, int d);
EXPORT int cuDeviceGetUuid_v2(unsigned char *u, int d) { memset(u, 0xa0 + d, 16); return 0; }
EXPORT int cuDeviceTotalMem_v2(size_t *b, int d);
EXPORT int cuDeviceTotalMem_v2(size_t *b, int d) { (void)d; *b = (size_t)1 << 30; return 0; }
EXPORT int cuDeviceGetPCIBusId(char *s, int n, int d);
EXPORT int cuDeviceGetPCIBusId(char *s, int n, int d) { snprintf(s, (size_t)n, "0000:0C:%02X.0", d); return 0; }
EXPORT int cuMemGetInfo_v2(size_t *f, size_t *t);
EXPORT int cuMemGetInfo_v2(size_t *f, size_t *t) { *f = (size_t)1 << 29; *t = (size_t)1 << 30; return 0; }
EXPORT int cuMemHostAlloc(void **p, size_t n, unsigned flags);
EXPORT int cuMemHostAlloc(void **p, size_t n, unsigned flags) { (void)flags; *p = calloc(1, n); return 0; }

EXPORT int cuDeviceGetAttribute(int *v, int what, int d);
EXPORT int cuDeviceGetAttribute(int *v, int what, int d)
{
	enum { MULTIPROCESSORS = 16, MAJOR = 75, MINOR = 76, POOLS = 115 };
	const int capability = setting("FAKE_CAPABILITY", 90);
	(void)d;
	*v = what == MULTIPROCESSORS ? 7 : what == MAJOR ? capability / 10 : what == MINOR ? capability % 10 : what == POOLS ? setting("FAKE_POOLS", 1) != 0 : 0;
	return 0;
}

/* NVRTC looks for a driver by itself, asks it for a table of inner functions and trusts the answer. This one is empty. */
EXPORT int cuGetExportTable(const void **table, const void *id);
EXPORT int cuGetExportTable(const void **table, const void *id)
{
	static const size_t empty[8] = { sizeof(size_t) };
	(void)id;
	*table = empty;
	return 0;
}

EXPORT int cuGetErrorName(int code, const char **text);
EXPORT int cuGetErrorName(int code, const char **text)
{
	*text = code == 100 ? "CUDA_ERROR_NO_DEVICE" : code == 803 ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" : NULL;
	return *text ? 0 : 1;
}

EXPORT int cuGetErrorString(int code, const char **text);
EXPORT int cuGetErrorString(int code, const char **text)
{
	*text = "words of the fake driver";
	return code == 1 ? 1 : 0;
}
