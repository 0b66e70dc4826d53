#ifndef ILAB_BACKEND_KERNELS_H
#define ILAB_BACKEND_KERNELS_H

#include "backend/backend.h"
#include "model/rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernels of cl/ as every backend launches them: which texts make a program, with which macros, which arguments in
 * which order, and over which grid. OpenCL and the native backends share this file, so that all launch the same thing.
 * Pure functions: no driver is called. */

/* How a * b + c is computed in sums of products. FMA: one rounding, for devices that have it in hardware (CL_FP_FMA among
 * CL_DEVICE_SINGLE_FP_CONFIG; CUDA, HIP). MAD: as the compiler likes, for the others: two roundings where fma would be emulated (rusticl
 * on llvmpipe is 16 times slower with it), one where it is there but not reported (Intel's runtime on AMD's CPUs, twice as fast as
 * SEPARATE). SEPARATE: two roundings, the same bits everywhere. */
enum ilab_multiply_add { ILAB_MULTIPLY_ADD_SEPARATE, ILAB_MULTIPLY_ADD_MAD, ILAB_MULTIPLY_ADD_FMA };

/* --- programs --------------------------------------------------------------------------------------------------------- */

/* What one compilation takes: texts in order, macros before them. A plain value. */
#define ILAB_PROGRAM_TEXTS 4
#define ILAB_PROGRAM_MACROS 10
struct ilab_program {
	const char *texts[ILAB_PROGRAM_TEXTS];         /* names in the tree, "cl/common.cl"; ended by NULL */
	struct ilab_macro { const char *name; unsigned value; } macros[ILAB_PROGRAM_MACROS];   /* ended by a NULL name */
};

/* The whole source text: macros as #define lines, then `prelude` (name of an embedded text, NULL for OpenCL), then the texts, each
 * after a #line with its name. To be freed by the caller; NULL when memory runs out. Options of the compilers hold no macros:
 * one of them crashes on some. */
char *ilab_program_text(const struct ilab_program *program, const char *prelude);
/* For messages and as a key of a cache: "cl/gemm.cl STORAGE=1 W_COLUMNS=0 ...". Always terminated; ILAB_PROGRAM_LABEL_SIZE is enough. */
#define ILAB_PROGRAM_LABEL_SIZE 256
void ilab_program_label(const struct ilab_program *program, char *buf, size_t size);

/* Options for clBuildProgram. Nothing that lets a compiler change arithmetic. */
#define ILAB_OPENCL_OPTIONS "-cl-std=CL1.2"
/* The same for NVRTC behind "cuda/prelude.h" and hipRTC behind "hip/prelude.h", besides the architecture; lists of strings. The last
 * of each turns a vector literal of OpenCL, which C++ reads as a comma expression, into an error. A quotient, which only GELU has, may be
 * a unit off, as in OpenCL: the exact one is a loop with a branch. */
#define ILAB_NVRTC_OPTIONS "--fmad=false", "--prec-div=false", "-diag-error=174"
#define ILAB_HIPRTC_OPTIONS "-O3", "-ffp-contract=off", "-Werror=unused-value"

/* The element-wise kernels for one storage type. Buffers begin on 16-byte boundaries. `rows`, `cols` are the tensor's logical
 * ones, `columns` = 1 when its layout is ILAB_LAYOUT_COLS.
 *   fill      (ulong seed, ulong stream, ulong rows, ulong cols, uint columns, float bound, ptr dst)
 *   poison    (ulong count, ptr dst)
 *   checksum  (ulong stream, ulong rows, ulong cols, uint columns, ptr src, ptr partials)     ulong partials[one per work-group]
 *   bias      (ulong rows, uint cols, ptr bias, ptr y)          y += bias, in place, y [rows, cols] row-major
 *   bias_gelu (ulong rows, uint cols, ptr bias, ptr y)          y = gelu(y + bias), in place
 *   gelu_in_place (ulong count, ptr y)                       y = gelu(y), over ilab_grid_gelu(count) */
struct ilab_program ilab_program_elements(enum ilab_dtype dtype, enum ilab_multiply_add multiply_add);

/* The arithmetic ceiling in float32: every item of an element-wise group does ILAB_PROBE_FLOP_PER_TURN a turn and writes one float that
 * must be ILAB_PROBE_CHAINS * step / (1 - ratio), whatever the turns (40 at least, 50,000 at most: cl/probe.cl).
 *   probe_multiply_add  (uint turns, float ratio, float step, ptr dst)        dst[items] */
#define ILAB_PROBE_CHAINS 16
#define ILAB_PROBE_FLOP_PER_TURN (2 * 8 * ILAB_PROBE_CHAINS)
/* The values that every backend gives it, for ILAB_PROBE_RESULT. */
#define ILAB_PROBE_RATIO 0.5f
#define ILAB_PROBE_STEP 0.75f
struct ilab_program ilab_program_probe(enum ilab_multiply_add multiply_add);

/* --- grids ------------------------------------------------------------------------------------------------------------ */

struct ilab_grid { size_t global[3], local[3]; };   /* work-items, as OpenCL counts them; blocks = global / local */

/* Work-groups of the element-wise kernels hold this many items. */
#define ILAB_KERNEL_GROUP 256

/* Grid for an element-wise kernel over `count` >= 1 elements: enough groups for any device, and few enough elements per item for
 * compilers that limit loops (cl/README.md). */
struct ilab_grid ilab_grid_elements(uint64_t count);
/* Grid for gelu_in_place: 16 elements an item, so that groups are many and none is left with much more than the others. */
struct ilab_grid ilab_grid_gelu(uint64_t count);
/* Grid for probe_multiply_add: as many items as the scratch buffer holds floats, to a limit that fills any device of so many compute units
 * (0: not known, no limit). ILAB_REFUSED when the buffer holds no group. */
enum ilab_status ilab_grid_probe(uint64_t scratch_bytes, uint64_t compute_units, struct ilab_grid *out, struct ilab_err *err);
/* Turns of one launch over that grid towards `flop` >= 1 more, and the FLOP that it does. */
uint32_t ilab_probe_turns(const struct ilab_grid *grid, uint64_t flop, uint64_t *done_flop);
/* Work-groups of a grid; for an element-wise one, the number of partial sums that `checksum` writes. */
size_t ilab_grid_groups(const struct ilab_grid *grid);

/* --- matrix products -------------------------------------------------------------------------------------------------- */

/* Our own product, y[m, n] = epilogue(x[m, k] W^T + bias): programs and launches, in order, on one in-order queue.
 *   TILED  cl/gemm.cl, every compiler, one launch, no temporary memory. For GPUs.
 *   CPU    cl/opencl/gemm_cpu.cl, OpenCL only, float16 vectors, one item a group. For CPU devices whose compiler makes
 *          vector code of it: CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT above 1 (PoCL, Intel). Elsewhere (rusticl on llvmpipe, Oclgrind) it is
 *          right, but TILED is faster and compiles in a fraction of the time.
 *          temporary_bytes: 4 k (ceil(m / 12) 12 + ceil(n / 32) 32), or 0 for small shapes and vectors. */
enum ilab_gemm_kernel { ILAB_GEMM_KERNEL_TILED, ILAB_GEMM_KERNEL_CPU };

/* An argument of a launch. M, N, K: uint. OFFSET: ulong, `offset` of the product. The others are pointers. BIAS is not read
 * without an epilogue: pass any buffer. */
enum ilab_argument {
	ILAB_ARGUMENT_END, ILAB_ARGUMENT_M, ILAB_ARGUMENT_N, ILAB_ARGUMENT_K, ILAB_ARGUMENT_OFFSET,
	ILAB_ARGUMENT_X, ILAB_ARGUMENT_W, ILAB_ARGUMENT_BIAS, ILAB_ARGUMENT_Y, ILAB_ARGUMENT_TEMPORARY,
};

#define ILAB_LAUNCH_ARGUMENTS 8
struct ilab_launch {
	const char *kernel;
	enum ilab_argument arguments[ILAB_LAUNCH_ARGUMENTS];   /* in order, ended by END unless all are used */
	struct ilab_grid grid;
};

/* All launches of a product come from one program. A plain value. */
#define ILAB_PRODUCT_LAUNCHES 3
struct ilab_product {
	uint32_t m, n, k;
	uint64_t offset;               /* value of ILAB_ARGUMENT_OFFSET */
	uint64_t temporary_bytes;      /* buffer for ILAB_ARGUMENT_TEMPORARY; 0 = none needed */
	struct ilab_program program;
	struct ilab_launch launches[ILAB_PRODUCT_LAUNCHES];
	size_t launch_count;
};

/* Largest k: one compiler ends loops silently at 65,535 turns (cl/README.md). */
#define ILAB_GEMM_MAX_K 480000u

/* ILAB_REFUSED when m or n passes 2^31-1, y has over 2^24-1 tiles of 64 x 64 (6.9e10 elements), or k passes ILAB_GEMM_MAX_K.
 * m, n, k >= 1. */
enum ilab_status ilab_product_plan(enum ilab_gemm_kernel kernel, enum ilab_dtype dtype, enum ilab_layout weight_layout,
	enum ilab_epilogue epilogue, enum ilab_multiply_add multiply_add, uint64_t m, uint64_t n, uint64_t k,
	struct ilab_product *out, struct ilab_err *err);

#endif
