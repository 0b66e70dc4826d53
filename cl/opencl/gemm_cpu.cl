/* y[m, n] = epilogue(x[m, k] W^T + bias) for CPU devices of OpenCL: one item a group, float16 vectors, float32 accumulation
 * in the order of k. A tile of ROWS x COLS sums stays in registers (24 of the 32 of AVX-512) over the whole of k.
 *
 *   large shapes: pack_x and pack_w copy the matrices, as float32, into panels that gemm_packed reads front to back
 *   small shapes: gemm_direct does all in one launch, with its W panel in private memory
 *   vectors:      gemm_dot, where m or n is 1 and both operands lie along k
 *
 * Macros set by the host: those of common.cl, W_COLUMNS and EPILOGUE as in gemm.cl, and
 *   BAND   row panels (of ROWS) that one item multiplies with its W panel
 *   BLOCK  k of a private W panel; gemm_direct wants k <= BLOCK unless m <= ROWS
 *   SLICE  k that one item of a packing kernel copies */

#define ROWS 12
#define COLS 32
#define CPU_KERNEL __kernel __attribute__((reqd_work_group_size(1, 1, 1))) void

#if MULTIPLY_ADD == 0
#define MULADD16(a, b, c) ((a) * (b) + (c))
#else
#define MULADD16(a, b, c) MULADD(a, b, c)
#endif

/* --- vectors of stored elements --------------------------------------------------------------------------------------- */

static inline float16 load16(__global const stored *p)
{
#if STORAGE == 0
	return vload16(0, p);
#elif STORAGE == 1
	return vload_half16(0, (__global const half *)p);
#else
	return as_float16(convert_uint16(vload16(0, p)) << 16);
#endif
}

/* The first `count` of 16; the others are 0 and not touched. */
static inline float16 load_part(__global const stored *p, uint count)
{
	float v[16];
	if (count >= 16)
		return load16(p);
	for (uint j = 0; j < 16; j++)
		v[j] = j < count ? to_float(p[j]) : 0.0f;
	return vload16(0, v);
}

static inline void store16(float16 v, __global stored *p)
{
#if STORAGE == 0
	vstore16(v, 0, p);
#elif STORAGE == 1
	vstore_half16_rte(v, 0, (__global half *)p);
#else
	const uint16 bits = as_uint16(v);
	const uint16 rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
	const uint16 quiet = bits >> 16 | 0x40u;
	vstore16(convert_ushort16(select(rounded, quiet, (bits & 0x7fffffffu) > 0x7f800000u)), 0, p);
#endif
}

static inline void store_part(float16 v, __global stored *p, uint count)
{
	float e[16];
	if (count >= 16) {
		store16(v, p);
		return;
	}
	vstore16(v, 0, e);
	for (uint j = 0; j < count; j++)
		p[j] = from_float(e[j]);
}

static inline float16 epilogue16(float16 v, __global const stored *bias, uint count)
{
#if EPILOGUE != 0
	v += load_part(bias, count);
#endif
#if EPILOGUE == 2
	v = 0.5f * v * erfc(-0.70710678f * v);
#endif
	return v;
}

/* --- the tile --------------------------------------------------------------------------------------------------------- */

#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)

/* Variables, not an array: every compiler keeps them in registers. */
#define TILE_ROW_BEGIN(i) float16 l##i = 0.0f, r##i = 0.0f;
#define TILE_BEGIN EACH_ROW(TILE_ROW_BEGIN)

/* Adds column kk of x times row kk of W; X_AT(i) is the x element of row i, w points to COLS floats. */
#define TILE_ROW_ADD(i) { const float16 s = (float16)(X_AT(i)); l##i = MULADD16(s, wl, l##i); r##i = MULADD16(s, wr, r##i); }
#define TILE_ADD(w) { const float16 wl = vload16(0, w), wr = vload16(1, w); EACH_ROW(TILE_ROW_ADD) }

static inline void tile_row_end(float16 left, float16 right, uint row, uint col, uint m, uint n, __global const stored *bias,
	__global stored *y)
{
	if (row >= m)
		return;
	const uint count = n - col;
	y += (ulong)row * n + col;
	store_part(epilogue16(left, bias + col, count), y, count);
	if (count > 16)
		store_part(epilogue16(right, bias + col + 16, count - 16), y + 16, count - 16);
}

#define TILE_ROW_END(i) tile_row_end(l##i, r##i, row + i, col, m, n, bias, y);
#define TILE_END EACH_ROW(TILE_ROW_END)

/* --- packed panels ---------------------------------------------------------------------------------------------------- */

/* panels[m / ROWS][k][ROWS], rows past m are 0. */
CPU_KERNEL pack_x(uint m, uint k, __global const stored *x, __global float *panels)
{
	const uint row = (uint)get_group_id(0) * ROWS, first = (uint)get_group_id(1) * SLICE, last = min(first + SLICE, k);
	panels += (ulong)row * k;
	for (uint kk = first; kk < last; kk++)
#pragma unroll
		for (uint i = 0; i < ROWS; i++)
			panels[(ulong)kk * ROWS + i] = row + i < m ? to_float(x[(ulong)(row + i) * k + kk]) : 0.0f;
}

/* Copies rows first..last of a W panel to `to`, which holds COLS floats for each k; columns past n are 0. A macro, since the
 * destination lies in either of two address spaces. */
#if W_COLUMNS
#define PACK_W(to, first, last) \
	for (uint kk = first; kk < last; kk++) { \
		__global const stored *from = w + (ulong)kk * n + col; \
		vstore16(load_part(from, n - col), 2 * (ulong)(kk - first), to); \
		vstore16(n - col > 16 ? load_part(from + 16, n - col - 16) : (float16)(0.0f), 2 * (ulong)(kk - first) + 1, to); \
	}
#else
#define PACK_W(to, first, last) \
	for (uint kk = first; kk < last; kk++) \
		for (uint j = 0; j < COLS; j++) \
			(to)[(ulong)(kk - first) * COLS + j] = col + j < n ? to_float(w[(ulong)(col + j) * k + kk]) : 0.0f;
#endif

/* panels[offset + ...]: [n / COLS][k][COLS] */
CPU_KERNEL pack_w(uint n, uint k, __global const stored *w, ulong offset, __global float *panels)
{
	const uint col = (uint)get_group_id(0) * COLS, first = (uint)get_group_id(1) * SLICE, last = min(first + SLICE, k);
	__global float *to = panels + offset + (ulong)col * k + (ulong)first * COLS;
	PACK_W(to, first, last)
}

CPU_KERNEL gemm_packed(uint m, uint n, uint k, ulong offset, __global const float *panels, __global const stored *bias,
	__global stored *y)
{
	const uint col = (uint)get_group_id(0) * COLS, first = (uint)get_group_id(1) * BAND * ROWS, last = min(first + BAND * ROWS, m);
	for (uint row = first; row < last; row += ROWS) {
		__global const float *a = panels + (ulong)row * k, *b = panels + offset + (ulong)col * k;
		TILE_BEGIN
#define X_AT(i) a[i]
		uint kk = 0;
		for (; kk + 4 <= k; kk += 4) {
			TILE_ADD(b) a += ROWS; b += COLS;
			TILE_ADD(b) a += ROWS; b += COLS;
			TILE_ADD(b) a += ROWS; b += COLS;
			TILE_ADD(b) a += ROWS; b += COLS;
		}
		for (; kk < k; kk++) {
			TILE_ADD(b) a += ROWS; b += COLS;
		}
#undef X_AT
		TILE_END
	}
}

/* --- one launch ------------------------------------------------------------------------------------------------------- */

CPU_KERNEL gemm_direct(uint m, uint n, uint k, __global const stored *x, __global const stored *w, __global const stored *bias,
	__global stored *y)
{
	float panel[BLOCK * COLS];
	const uint col = (uint)get_group_id(0) * COLS, first = (uint)get_group_id(1) * BAND * ROWS, last = min(first + BAND * ROWS, m);
	for (uint row = first; row < last; row += ROWS) {
		TILE_BEGIN
		for (uint k0 = 0; k0 < k; k0 += BLOCK) {
			const uint k1 = min(k0 + BLOCK, k);
			if (row == first || k > BLOCK)
				PACK_W(panel, k0, k1)
			/* Rows past m repeat the last one; their sums are not stored. */
#define X_AT(i) to_float(x[(ulong)min(row + i, m - 1) * k + kk])
			for (uint kk = k0; kk < k1; kk++)
				TILE_ADD(panel + (kk - k0) * COLS)
#undef X_AT
		}
		TILE_END
	}
}
