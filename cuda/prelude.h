/* The words of cl/ for NVRTC, in front of the texts. No header of the toolkit is included: none is at hand at run time.
 * What each word must mean is said in cl/README.md. */
#define ILAB_PRELUDE
#pragma nv_diag_suppress 177            /* a text uses some of the helpers in common.cl, seldom all */

#define __kernel extern "C" __global__
#define __global
#define __private
#define __local __shared__
#define LPTR
#define restrict __restrict__
#define reqd_work_group_size(x, y, z) launch_bounds((x) * (y) * (z))
#define inline __inline__ __device__

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
static_assert(sizeof(ulong) == 8, "ulong has 64 bits in OpenCL");

/* Only the first dimension: the kernels use no other. */
static inline size_t get_local_id(uint) { return threadIdx.x; }
static inline size_t get_group_id(uint) { return blockIdx.x; }
static inline size_t get_local_size(uint) { return blockDim.x; }
static inline size_t get_num_groups(uint) { return gridDim.x; }
static inline size_t get_global_id(uint) { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }
static inline size_t get_global_size(uint) { return (size_t)gridDim.x * blockDim.x; }

#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
static inline void barrier(uint) { __syncthreads(); }

static inline float as_float(uint v) { return __uint_as_float(v); }
static inline uint as_uint(float v) { return __float_as_uint(v); }
static inline float mad(float a, float b, float c) { return a * b + c; }

/* Half precision is a storage format: a macro, since the texts write `half *` for the pointer type of the two conversions. */
#define half ushort
static inline float vload_half(size_t i, const half *p)
{
	float v;
	asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(p[i]));
	return v;
}
static inline void vstore_half_rte(float v, size_t i, half *p)
{
	ushort bits;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(v));
	p[i] = bits;
}

/* For GELU: one instruction each, as exact as the functions they stand for. The functions look after subnormal numbers besides, at three
 * instructions more; the quotient has none, and an exponential below 2^-126 adds nothing to a float32 that is not itself that small. */
#define RECIPROCAL(T, v) native_reciprocal(v)
#define EXP2 native_exp2
static inline float native_reciprocal(float v)
{
	float r;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
	return r;
}
static inline float native_exp2(float v)
{
	float r;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
	return r;
}

/* bfloat16 to nearest even, in hardware since Ampere; the seven integer instructions otherwise cost what the memory access around them does. */
#if __CUDA_ARCH__ >= 800
#define NATIVE_BF16
static inline ushort native_bf16(float v)
{
	ushort bits;
	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(v));
	return bits;
}
#endif
