/* The HIP runtime's names over the CUDA driver. HIP_ON_CUDA_VERSION: what hipRuntimeGetVersion says, 60200000 (6.2) by default. */
#include "mapping.h"

#include "../../../hip/module.h"

#include <cuda.h>
#include <hip/hip_runtime_api.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The errors that hip/ knows have the same numbers in both. */
_Static_assert((int)CUDA_ERROR_OUT_OF_MEMORY == (int)hipErrorOutOfMemory && (int)CUDA_ERROR_NO_DEVICE == (int)hipErrorNoDevice, "error numbers");

static CUdeviceptr address(void *p) { return (CUdeviceptr)(uintptr_t)p; }

/* --- device --------------------------------------------------------------------------------------------------------------- */

hipError_t hipInit(unsigned int flags) { return (hipError_t)cuInit(flags); }
hipError_t hipGetDeviceCount(int *n) { return (hipError_t)cuDeviceGetCount(n); }

hipError_t hipRuntimeGetVersion(int *version)
{
	const char *text = getenv("HIP_ON_CUDA_VERSION");
	*version = text ? atoi(text) : 60200000;
	return hipSuccess;
}

/* CUDA's device handles are its ordinals, as its documentation allows and its driver does. */
hipError_t hipDeviceGetName(char *s, int n, int d) { return (hipError_t)cuDeviceGetName(s, n, d); }
hipError_t hipDeviceTotalMem(size_t *b, int d) { return (hipError_t)cuDeviceTotalMem(b, d); }
hipError_t hipDeviceGetPCIBusId(char *s, int n, int d) { return (hipError_t)cuDeviceGetPCIBusId(s, n, d); }

/* As HIP's: the characters of a serial number. */
hipError_t hipDeviceGetUuid(hipUUID *uuid, int d)
{
	char text[17];
	snprintf(text, sizeof(text), "GPU-on-cuda-%04d", d);
	memcpy(uuid->bytes, text, 16);
	return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int *v, hipDeviceAttribute_t what, int d)
{
	return (hipError_t)cuDeviceGetAttribute(v, what == hipDeviceAttributeMemoryPoolsSupported ? CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED
		: CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, d);
}

/* In place of hip_agent.c, which asks HSA. */
bool hip_architecture_at(const char *pci_address, char *name, size_t size)
{
	CUdevice d;
	int major, minor;
	return !cuDeviceGetByPCIBusId(&d, pci_address) && !cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d) &&
		!cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, d) && (size_t)snprintf(name, size, "sm_%d%d", major, minor) < size;
}

/* HIP has no contexts to be closed: the primary one stays. */
hipError_t hipSetDevice(int d)
{
	static CUcontext contexts[64];
	CUresult code = d < 0 || d >= 64 ? CUDA_ERROR_INVALID_DEVICE : contexts[d] ? CUDA_SUCCESS : cuDevicePrimaryCtxRetain(&contexts[d], d);
	return (hipError_t)(code ? code : cuCtxSetCurrent(contexts[d]));
}

hipError_t hipMemGetInfo(size_t *f, size_t *t) { return (hipError_t)cuMemGetInfo(f, t); }

const char *hipGetErrorName(hipError_t code)
{
	const char *text = NULL;
	return cuGetErrorName((CUresult)code, &text) ? NULL : text;
}

const char *hipGetErrorString(hipError_t code)
{
	const char *text = NULL;
	return cuGetErrorString((CUresult)code, &text) ? NULL : text;
}

/* --- queue ---------------------------------------------------------------------------------------------------------------- */

hipError_t hipStreamCreateWithFlags(hipStream_t *s, unsigned int flags)
{
	return (hipError_t)cuStreamCreate((CUstream *)s, flags == hipStreamNonBlocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT);
}

hipError_t hipEventCreateWithFlags(hipEvent_t *e, unsigned flags)
{
	return (hipError_t)cuEventCreate((CUevent *)e, flags == hipEventDisableTiming ? CU_EVENT_DISABLE_TIMING : CU_EVENT_DEFAULT);
}

hipError_t hipStreamDestroy(hipStream_t s) { return (hipError_t)cuStreamDestroy((CUstream)s); }
hipError_t hipStreamSynchronize(hipStream_t s) { return (hipError_t)cuStreamSynchronize((CUstream)s); }
hipError_t hipEventDestroy(hipEvent_t e) { return (hipError_t)cuEventDestroy((CUevent)e); }
hipError_t hipEventRecord(hipEvent_t e, hipStream_t s) { return (hipError_t)cuEventRecord((CUevent)e, (CUstream)s); }
hipError_t hipEventSynchronize(hipEvent_t e) { return (hipError_t)cuEventSynchronize((CUevent)e); }
hipError_t hipEventElapsedTime(float *ms, hipEvent_t a, hipEvent_t b) { return (hipError_t)cuEventElapsedTime(ms, (CUevent)a, (CUevent)b); }

hipError_t hipModuleLoadData(hipModule_t *m, const void *image) { return (hipError_t)cuModuleLoadData((CUmodule *)m, image); }
hipError_t hipModuleUnload(hipModule_t m) { return (hipError_t)cuModuleUnload((CUmodule)m); }
hipError_t hipModuleGetFunction(hipFunction_t *f, hipModule_t m, const char *name) { return (hipError_t)cuModuleGetFunction((CUfunction *)f, (CUmodule)m, name); }

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz,
	unsigned int shared, hipStream_t s, void **arguments, void **extra)
{
	return (hipError_t)cuLaunchKernel((CUfunction)f, gx, gy, gz, bx, by, bz, shared, (CUstream)s, arguments, extra);
}

hipError_t hipStreamBeginCapture(hipStream_t s, hipStreamCaptureMode mode)
{
	return (hipError_t)cuStreamBeginCapture((CUstream)s, mode == hipStreamCaptureModeThreadLocal ? CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
		: CU_STREAM_CAPTURE_MODE_GLOBAL);
}

hipError_t hipStreamEndCapture(hipStream_t s, hipGraph_t *g) { return (hipError_t)cuStreamEndCapture((CUstream)s, (CUgraph *)g); }
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *x, hipGraph_t g, unsigned long long flags) { return (hipError_t)cuGraphInstantiate((CUgraphExec *)x, (CUgraph)g, flags); }
hipError_t hipGraphLaunch(hipGraphExec_t x, hipStream_t s) { return (hipError_t)cuGraphLaunch((CUgraphExec)x, (CUstream)s); }
hipError_t hipGraphDestroy(hipGraph_t g) { return (hipError_t)cuGraphDestroy((CUgraph)g); }
hipError_t hipGraphExecDestroy(hipGraphExec_t x) { return (hipError_t)cuGraphExecDestroy((CUgraphExec)x); }

/* --- memory --------------------------------------------------------------------------------------------------------------- */

hipError_t hipMemcpyHtoDAsync(void *d, void *p, size_t n, hipStream_t s) { return (hipError_t)cuMemcpyHtoDAsync(address(d), p, n, (CUstream)s); }
hipError_t hipMemcpyDtoHAsync(void *p, void *d, size_t n, hipStream_t s) { return (hipError_t)cuMemcpyDtoHAsync(p, address(d), n, (CUstream)s); }
hipError_t hipMemcpyDtoDAsync(void *d, void *p, size_t n, hipStream_t s) { return (hipError_t)cuMemcpyDtoDAsync(address(d), address(p), n, (CUstream)s); }
hipError_t hipMemsetD8Async(void *d, unsigned char v, size_t n, hipStream_t s) { return (hipError_t)cuMemsetD8Async(address(d), v, n, (CUstream)s); }
hipError_t hipHostMalloc(void **p, size_t n, unsigned int flags) { return (hipError_t)cuMemHostAlloc(p, n, flags); }
hipError_t hipHostFree(void *p) { return (hipError_t)cuMemFreeHost(p); }
hipError_t hipFree(void *p) { return (hipError_t)cuMemFree(address(p)); }

hipError_t hipMalloc(void **p, size_t n)
{
	CUdeviceptr made = 0;
	CUresult code = cuMemAlloc(&made, n);
	*p = (void *)(uintptr_t)made;
	return (hipError_t)code;
}

const struct mapped mapped_runtime[] = {
	MAPPED(hipInit), MAPPED(hipGetDeviceCount), MAPPED(hipRuntimeGetVersion), MAPPED(hipDeviceGetName), MAPPED(hipDeviceTotalMem),
	MAPPED(hipDeviceGetPCIBusId), MAPPED(hipDeviceGetUuid), MAPPED(hipDeviceGetAttribute), MAPPED(hipSetDevice), MAPPED(hipMemGetInfo),
	MAPPED(hipGetErrorName), MAPPED(hipGetErrorString), MAPPED(hipStreamCreateWithFlags), MAPPED(hipEventCreateWithFlags), MAPPED(hipStreamDestroy),
	MAPPED(hipStreamSynchronize), MAPPED(hipEventDestroy), MAPPED(hipEventRecord), MAPPED(hipEventSynchronize), MAPPED(hipEventElapsedTime),
	MAPPED(hipModuleLoadData), MAPPED(hipModuleUnload), MAPPED(hipModuleGetFunction), MAPPED(hipModuleLaunchKernel), MAPPED(hipStreamBeginCapture),
	MAPPED(hipStreamEndCapture), MAPPED(hipGraphInstantiateWithFlags), MAPPED(hipGraphLaunch), MAPPED(hipGraphDestroy), MAPPED(hipGraphExecDestroy),
	MAPPED(hipMemcpyHtoDAsync), MAPPED(hipMemcpyDtoHAsync), MAPPED(hipMemcpyDtoDAsync), MAPPED(hipMemsetD8Async), MAPPED(hipHostMalloc),
	MAPPED(hipHostFree), MAPPED(hipFree), MAPPED(hipMalloc), { NULL, NULL }
};
