/* The words of cl/ for hipRTC, in front of the texts; hipRTC itself brings uint, ulong and the vector types.
 * What each word must mean is said in cl/README.md. */
#define ILAB_PRELUDE

#define __kernel extern "C" __global__
#define __global
#define __private
#define __local __shared__
#define LPTR
#define restrict __restrict__
#define reqd_work_group_size(x, y, z) amdgpu_flat_work_group_size((x) * (y) * (z), (x) * (y) * (z))
#define inline __inline__ __device__

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

static inline float as_float(uint v) { return __builtin_bit_cast(float, v); }
static inline uint as_uint(float v) { return __builtin_bit_cast(uint, v); }
static inline float mad(float a, float b, float c) { return a * b + c; }

/* Half precision is a storage format: a macro, so that it also hides the class of that name. The hardware rounds to nearest
 * even: that is the rounding mode kernels start with. */
#define half ushort
static inline float vload_half(size_t i, const half *p) { return (float)__builtin_bit_cast(_Float16, p[i]); }
static inline void vstore_half_rte(float v, size_t i, half *p) { p[i] = __builtin_bit_cast(ushort, (_Float16)v); }
