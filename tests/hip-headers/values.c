/* Compiled with the headers beside this file, and with AMD's own where HIP=1: the same numbers in both, or it does not compile. */
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#define SAME(name, value) _Static_assert((int)(name) == (value), #name)

SAME(hipSuccess, 0);
SAME(hipErrorInvalidValue, 1);
SAME(hipErrorOutOfMemory, 2);
SAME(hipErrorNoDevice, 100);
SAME(hipErrorInvalidDevice, 101);
SAME(hipErrorNotFound, 500);
SAME(hipErrorNotSupported, 801);
SAME(hipErrorUnknown, 999);
SAME(hipDeviceAttributeMultiprocessorCount, 63);
SAME(hipDeviceAttributeMemoryPoolsSupported, 88);
SAME(hipMemPoolAttrReleaseThreshold, 4);
SAME(hipMemPoolAttrReservedMemCurrent, 5);
SAME(hipMemPoolAttrReservedMemHigh, 6);
SAME(hipMemPoolAttrUsedMemCurrent, 7);
SAME(hipMemPoolAttrUsedMemHigh, 8);
SAME(hipMemAllocationTypePinned, 1);
SAME(hipMemLocationTypeDevice, 1);
SAME(hipStreamCaptureModeThreadLocal, 1);
SAME(hipStreamNonBlocking, 1);
SAME(hipEventDefault, 0);
SAME(hipEventDisableTiming, 2);
SAME(hipHostMallocDefault, 0);
SAME(HIPRTC_ERROR_COMPILATION, 6);
SAME(sizeof(hipMemPoolProps), 88);
SAME(offsetof(hipMemPoolProps, location), 8);
SAME(sizeof(hipUUID), 16);

const int hip_headers_agree = 1;
