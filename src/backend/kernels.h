#ifndef ILAB_BACKEND_KERNELS_H
#define ILAB_BACKEND_KERNELS_H

#include "model/rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernels of cl/ as every backend launches them: which texts make a program, with which macros, which arguments in
 * which order, and over which grid. OpenCL and the native backends share this file, so the three launch the same thing.
 *
 * One program per storage type. Macros, all plain integers (some compilers crash on others):
 *   STORAGE 0 float32, 1 float16, 2 bfloat16;  MULTIPLY_ADD 0 a*b+c, 1 mad, 2 fma (see cl/common.cl) */

/* Arguments are ulong, uint, float and pointers only, in this order. `columns` = 1 when the layout is ILAB_LAYOUT_COLS. */
/*   fill      (ulong seed, ulong stream, ulong rows, ulong cols, uint columns, float bound, ptr dst)
 *   poison    (ulong count, ptr dst)
 *   checksum  (ulong stream, ulong rows, ulong cols, uint columns, ptr src, ptr partials /+ ulong, one per work-group +/)
 *   bias      (ulong rows, uint cols, ptr bias, ptr y)          y += bias, in place
 *   bias_gelu (ulong rows, uint cols, ptr bias, ptr y)          y = gelu(y + bias), in place
 *   gemm      (uint m, uint n, uint k, ptr x, ptr w, ptr bias, ptr y)   macros EPILOGUE 0 none 1 bias 2 bias_gelu; W_COLUMNS 0/1 */

struct ilab_grid { size_t global[3], local[3]; };   /* work-items, as OpenCL counts them; blocks = global / local */

/* Work-groups of the element-wise kernels hold this many items. */
#define ILAB_KERNEL_GROUP 256

/* Grid for an element-wise kernel over `count` elements: enough groups for any device, and few enough elements per item for
 * compilers that limit loops (cl/README.md). */
struct ilab_grid ilab_grid_elements(uint64_t count);
/* Work-groups of that grid: the number of partial sums that `checksum` writes. */
size_t ilab_grid_groups(const struct ilab_grid *grid);
/* Grid for the tiled gemm. */
struct ilab_grid ilab_grid_gemm(uint64_t m, uint64_t n);

#endif
