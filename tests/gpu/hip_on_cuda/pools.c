/* HIP's memory pools over CUDA's. Current values are CUDA's; high marks follow AMD's rule instead: raised by an allocation only, and set to 0, not to
 * the current value, by a reset. */
#include "mapping.h"

#include <cuda.h>
#include <hip/hip_runtime_api.h>

#include <stdint.h>

static struct { CUmemoryPool pool; uint64_t used_high, reserved_high; } marks[16];

static uint64_t read_value(CUmemoryPool pool, CUmemPool_attribute what)
{
	cuuint64_t value = 0;
	return cuMemPoolGetAttribute(pool, what, &value) ? 0 : value;
}

static int place_of(CUmemoryPool pool)
{
	for (int i = 0; i < 16; i++)
		if (marks[i].pool == pool)
			return i;
	return -1;
}

hipError_t hipMemPoolCreate(hipMemPool_t *out, const hipMemPoolProps *props)
{
	const CUmemPoolProps mapped = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = props->location.id } };
	const int place = place_of(NULL);
	if (props->allocType != hipMemAllocationTypePinned || props->location.type != hipMemLocationTypeDevice || place < 0)
		return hipErrorInvalidValue;
	CUresult code = cuMemPoolCreate((CUmemoryPool *)out, &mapped);
	if (!code) {
		marks[place].pool = (CUmemoryPool)*out;
		marks[place].used_high = marks[place].reserved_high = 0;
	}
	return (hipError_t)code;
}

hipError_t hipMemPoolDestroy(hipMemPool_t p)
{
	const int place = place_of((CUmemoryPool)p);
	if (place < 0)
		return hipErrorInvalidValue;
	marks[place].pool = NULL;
	return (hipError_t)cuMemPoolDestroy((CUmemoryPool)p);
}

hipError_t hipMallocFromPoolAsync(void **out, size_t bytes, hipMemPool_t p, hipStream_t s)
{
	CUdeviceptr made = 0;
	const int place = place_of((CUmemoryPool)p);
	CUresult code = place < 0 ? CUDA_ERROR_INVALID_VALUE : cuMemAllocFromPoolAsync(&made, bytes, (CUmemoryPool)p, (CUstream)s);
	*out = (void *)(uintptr_t)made;
	if (code)
		return (hipError_t)code;
	uint64_t used = read_value((CUmemoryPool)p, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), reserved = read_value((CUmemoryPool)p, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
	if (used > marks[place].used_high)
		marks[place].used_high = used;
	if (reserved > marks[place].reserved_high)
		marks[place].reserved_high = reserved;
	return hipSuccess;
}

hipError_t hipFreeAsync(void *p, hipStream_t s) { return (hipError_t)cuMemFreeAsync((CUdeviceptr)(uintptr_t)p, (CUstream)s); }
hipError_t hipMemPoolTrimTo(hipMemPool_t p, size_t keep) { return (hipError_t)cuMemPoolTrimTo((CUmemoryPool)p, keep); }

static uint64_t *mark(hipMemPool_t p, hipMemPoolAttr what)
{
	const int place = place_of((CUmemoryPool)p);
	return place < 0 ? NULL : what == hipMemPoolAttrUsedMemHigh ? &marks[place].used_high : what == hipMemPoolAttrReservedMemHigh ? &marks[place].reserved_high : NULL;
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t p, hipMemPoolAttr what, void *value)
{
	const uint64_t *high = mark(p, what);
	if (what != hipMemPoolAttrUsedMemCurrent && what != hipMemPoolAttrReservedMemCurrent && !high)
		return hipErrorInvalidValue;
	*(uint64_t *)value = high ? *high : read_value((CUmemoryPool)p,
		what == hipMemPoolAttrUsedMemCurrent ? CU_MEMPOOL_ATTR_USED_MEM_CURRENT : CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
	return hipSuccess;
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t p, hipMemPoolAttr what, void *value)
{
	uint64_t *high = mark(p, what);
	if (what == hipMemPoolAttrReleaseThreshold)
		return (hipError_t)cuMemPoolSetAttribute((CUmemoryPool)p, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, value);
	if (!high || *(uint64_t *)value)
		return hipErrorInvalidValue;
	*high = 0;
	return hipSuccess;
}

const struct mapped mapped_pools[] = {
	MAPPED(hipMemPoolCreate), MAPPED(hipMemPoolDestroy), MAPPED(hipMallocFromPoolAsync), MAPPED(hipFreeAsync), MAPPED(hipMemPoolTrimTo),
	MAPPED(hipMemPoolGetAttribute), MAPPED(hipMemPoolSetAttribute), { NULL, NULL }
};
