/* Common to every kernel: storage types, the random rule's mixing function, multiply-add, GELU. See cl/README.md for the
 * dialect. Macros set by the host:
 *   STORAGE       0 float32, 1 float16, 2 bfloat16: how tensors lie in memory. All arithmetic is float32.
 *   MULTIPLY_ADD  0 a * b + c with two roundings, 1 mad, 2 fma */

#ifndef ILAB_PRELUDE                    /* OpenCL C itself; the native preludes define the words below their own way */
#pragma OPENCL FP_CONTRACT OFF
#define LPTR __local                    /* in a pointer INTO local memory */
#define make_uint4(a, b, c, d) (uint4)(a, b, c, d)      /* CUDA and HIP have functions of this name */
#define make_float4(a, b, c, d) (float4)(a, b, c, d)
#endif

#define GROUP 256

#if MULTIPLY_ADD == 2
#define MULADD(a, b, c) fma(a, b, c)
#elif MULTIPLY_ADD == 1
#define MULADD(a, b, c) mad(a, b, c)
#else
#define MULADD(a, b, c) ((a) * (b) + (c))
#endif

/* --- storage: `stored` is an element in memory ------------------------------------------------------------------------ */

#if STORAGE == 0

typedef float stored;
#define QUIET_NAN as_float(0x7fc00000u)
static inline float to_float(stored v) { return v; }
static inline stored from_float(float v) { return v; }
static inline uint to_bits(stored v) { return as_uint(v); }

#elif STORAGE == 1

/* No device needs half arithmetic for this: the conversions are core functions that work on memory. */
typedef ushort stored;
#define QUIET_NAN 0x7e00
static inline float to_float(stored v) { return vload_half(0, (__private const half *)&v); }
static inline stored from_float(float v)
{
	stored bits;
	vstore_half_rte(v, 0, (__private half *)&bits);
	return bits;
}
static inline uint to_bits(stored v) { return v; }

#else

typedef ushort stored;
#define QUIET_NAN 0x7fc0
static inline float to_float(stored v) { return as_float((uint)v << 16); }
#ifdef NATIVE_BF16                      /* a native prelude has it in one instruction */
static inline stored from_float(float v) { return native_bf16(v); }
#else
static inline stored from_float(float v)        /* to nearest, ties to even; a NaN stays one */
{
	const uint bits = v == v ? as_uint(v) : 0x7fc00000u;
	return (stored)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
#endif
static inline uint to_bits(stored v) { return v; }

#endif

/* --- chunks: 16 bytes, the widest access of every device --------------------------------------------------------------- */

#if STORAGE == 0

#define PER_CHUNK 4
static inline void chunk_unpack(uint4 c, stored *e)
{
	e[0] = as_float(c.x); e[1] = as_float(c.y); e[2] = as_float(c.z); e[3] = as_float(c.w);
}
static inline uint4 chunk_pack(const stored *e)
{
	return make_uint4(as_uint(e[0]), as_uint(e[1]), as_uint(e[2]), as_uint(e[3]));
}

#else

#define PER_CHUNK 8
static inline void chunk_unpack(uint4 c, stored *e)
{
	e[0] = (stored)c.x; e[1] = (stored)(c.x >> 16); e[2] = (stored)c.y; e[3] = (stored)(c.y >> 16);
	e[4] = (stored)c.z; e[5] = (stored)(c.z >> 16); e[6] = (stored)c.w; e[7] = (stored)(c.w >> 16);
}
static inline uint4 chunk_pack(const stored *e)
{
	return make_uint4(e[0] | (uint)e[1] << 16, e[2] | (uint)e[3] << 16, e[4] | (uint)e[5] << 16, e[6] | (uint)e[7] << 16);
}

#endif

/* --- arithmetic -------------------------------------------------------------------------------------------------------- */

static inline ulong splitmix64(ulong z)
{
	z += 0x9E3779B97F4A7C15UL;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9UL;
	z = (z ^ z >> 27) * 0x94D049BB133111EBUL;
	return z ^ z >> 31;
}

/* Exact-erf GELU, x Phi(x), as max(x, 0) - t Phi(-t) with t = |x|, which keeps its relative accuracy for negative x, where
 * 1 + erf(x) cancels to nothing. Phi(-t) = exp(-t^2 / 2) p(u), u = 1 / (1 + 0.3 t); p is the polynomial of degree 8 without
 * constant term that is nearest to erfcx(t / sqrt 2) / 2 in relative error, 1.7e-7 for t in [0, 14.5] (beyond, the product
 * vanishes in float32). Of our own, because the erfc of some compilers is 60 ulp off, that of others takes twice the time of
 * the memory access around it, and few have it for vectors. tests/conformance checks it against float64.
 * A macro, since OpenCL C knows no templates: T is float, or float16 where only OpenCL compiles the text. */
#ifndef RECIPROCAL                      /* a native prelude may have the two in one instruction each */
#define RECIPROCAL(T, v) ((T)(1.0f) / (v))
#define EXP2 exp2
#endif
#define DEFINE_GELU(name, T) \
static inline T name(T x) \
{ \
	const T t = fmin(fabs(x), (T)(20.0f)); \
	const T u = RECIPROCAL(T, MULADD(t, (T)(0.3f), (T)(1.0f))); \
	T p = (T)(0.03542374447f); \
	p = MULADD(p, u, (T)(-0.15615849197f)); \
	p = MULADD(p, u, (T)(0.20455685258f)); \
	p = MULADD(p, u, (T)(-0.05203408003f)); \
	p = MULADD(p, u, (T)(0.12769180536f)); \
	p = MULADD(p, u, (T)(0.10017593950f)); \
	p = MULADD(p, u, (T)(0.12071213871f)); \
	p = MULADD(p, u, (T)(0.11963200569f)); \
	return MULADD(-(t * (p * u)), EXP2(t * t * (T)(-0.72134752f)), x < (T)(0.0f) ? (T)(0.0f) : x); \
}
DEFINE_GELU(gelu, float)
