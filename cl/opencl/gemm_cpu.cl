/* y[m, n] = epilogue(x[m, k] W^T + bias) for CPU devices of OpenCL: one item a group, float16 vectors, float32 accumulation
 * in the order of k. A tile of ROWS x COLS sums stays in registers (24 of the 32 of AVX-512) over the whole of k.
 *
 *   large shapes: pack_x and pack_w copy the matrices, as float32, into panels that gemm_packed reads front to back
 *   small shapes: gemm_direct does all in one launch, with its W panel in private memory
 *   vectors:      gemm_dot, where m or n is 1 and both operands lie along k; its sums are split in 16
 *                 gemm_row, where m is 1 and W lies across k
 *
 * Macros set by the host: those of common.cl, W_COLUMNS and EPILOGUE as in gemm.cl, and one set of these, which says which
 * kernels the program holds:
 *   BAND   row panels (of ROWS) that one item multiplies with its W panel
 *   SLICE  k that one item of a packing kernel copies, a multiple of 16     (with BAND: pack_x, pack_w, gemm_packed)
 *   BLOCK  k of a private W panel, a multiple of 16                         (with BAND: gemm_direct)
 *   DOTS   sums that one item makes, a multiple of 4                        (gemm_dot)
 *   WIDE   columns that one item makes: 128                                 (gemm_row) */

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

#if EPILOGUE == 2
DEFINE_GELU(gelu16, float16)
#endif

static inline float16 epilogue16(float16 v, __global const stored *bias, uint count)
{
#if EPILOGUE != 0
	v += load_part(bias, count);
#endif
#if EPILOGUE == 2
	v = gelu16(v);
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

static inline void tile_half_end(float16 sums, uint count, __global const stored *bias, __global stored *y)
{
	store_part(epilogue16(sums, bias, count), y, count);
}

static inline void tile_row_end(float16 left, float16 right, uint row, uint col, uint m, uint n, __global const stored *bias,
	__global stored *y)
{
	if (row >= m)
		return;
	const uint count = n - col;
	y += (ulong)row * n + col;
	tile_half_end(left, count, bias + col, y);
	if (count > 16)
		tile_half_end(right, count - 16, bias + col + 16, y + 16);
}

/* In a loop, so that the epilogue is compiled once and not for every row: some drivers take minutes for the latter. */
#define TILE_ROW_KEEP(i) tile[2 * i] = l##i; tile[2 * i + 1] = r##i;
#define TILE_END { \
	float16 tile[2 * ROWS]; \
	EACH_ROW(TILE_ROW_KEEP) \
	for (uint i = 0; i < ROWS; i++) \
		tile_row_end(tile[2 * i], tile[2 * i + 1], row + i, col, m, n, bias, y); \
}

/* --- packing ---------------------------------------------------------------------------------------------------------- */

#define EACH_16(DO) EACH_ROW(DO) DO(12) DO(13) DO(14) DO(15)

#define LOW_HALVES(a, b) (float16)((a).s0, (b).s0, (a).s1, (b).s1, (a).s2, (b).s2, (a).s3, (b).s3, \
	(a).s4, (b).s4, (a).s5, (b).s5, (a).s6, (b).s6, (a).s7, (b).s7)
#define HIGH_HALVES(a, b) (float16)((a).s8, (b).s8, (a).s9, (b).s9, (a).sa, (b).sa, (a).sb, (b).sb, \
	(a).sc, (b).sc, (a).sd, (b).sd, (a).se, (b).se, (a).sf, (b).sf)
#define PAIR(i) to[2 * (i)] = LOW_HALVES(from[i], from[(i) + 8]); to[2 * (i) + 1] = HIGH_HALVES(from[i], from[(i) + 8]);

/* Interleaves the first half of 256 floats with the second. Four times that is a transposition: each turn rotates the eight
 * bits of an element's place by one. */
static inline void interleave(const float16 *from, float16 *to)
{
	PAIR(0) PAIR(1) PAIR(2) PAIR(3) PAIR(4) PAIR(5) PAIR(6) PAIR(7)
}

/* Up to 16 rows of up to 16 elements, transposed: v[c] holds element c of each row; what is missing is 0. */
static inline void load_transposed(__global const stored *from, ulong pitch, uint rows, uint count, float16 *v)
{
	float16 w[16];
#define LOAD_ROW(j) v[j] = j < rows ? load_part(from + j * pitch, count) : (float16)(0.0f);
	EACH_16(LOAD_ROW)
	interleave(v, w);
	interleave(w, v);
	interleave(v, w);
	interleave(w, v);
}

/* Copies W's part of a panel, k from first to last, to `to`: COLS floats for each k, 0 for columns past n. A macro, since the
 * destination lies in either of two address spaces. */
#if W_COLUMNS
#define PACK_W(to, first, last) \
	for (uint kk = first; kk < last; kk++) { \
		__global const stored *from = w + (ulong)kk * n + col; \
		vstore16(load_part(from, n - col), 2 * (ulong)(kk - first), to); \
		vstore16(n - col > 16 ? load_part(from + 16, n - col - 16) : (float16)(0.0f), 2 * (ulong)(kk - first) + 1, to); \
	}
#else
#define STORE_COLS(c) if (c < left) vstore16(v[c], 2 * c, line);
#define PACK_HALF(rows) load_transposed(from, k, rows, left, v); EACH_16(STORE_COLS)
#define PACK_W(to, first, last) \
	for (uint kk = first; kk < last; kk += 16) { \
		__global const stored *from = w + (ulong)col * k + kk; \
		const uint left = last - kk; \
		TO_SPACE float *line = (to) + (ulong)(kk - first) * COLS; \
		float16 v[16]; \
		PACK_HALF(n - col) \
		from += 16 * (ulong)k; \
		line += 16; \
		PACK_HALF(n - col > 16 ? n - col - 16 : 0) \
	}
#endif

/* --- large shapes: packed panels -------------------------------------------------------------------------------------- */

#ifdef SLICE

/* panels[m / ROWS][k][ROWS], rows past m are 0. */
CPU_KERNEL pack_x(uint m, uint k, __global const stored *x, __global float *panels)
{
	const uint row = (uint)get_group_id(0) * ROWS, first = (uint)get_group_id(1) * SLICE, last = min(first + SLICE, k);
	__global float *to = panels + (ulong)row * k + (ulong)first * ROWS;
	for (uint kk = first; kk < last; kk += 16) {
		float16 v[16];
		load_transposed(x + (ulong)row * k + kk, k, min(m - row, (uint)ROWS), last - kk, v);
#define STORE_ROWS(c) if (kk + c < last) { vstore8(v[c].lo, 0, to); vstore4(v[c].hi.lo, 2, to); to += ROWS; }
		EACH_16(STORE_ROWS)
	}
}

/* panels[offset + ...]: [n / COLS][k][COLS] */
CPU_KERNEL pack_w(uint n, uint k, __global const stored *w, ulong offset, __global float *panels)
{
	const uint col = (uint)get_group_id(0) * COLS, first = (uint)get_group_id(1) * SLICE, last = min(first + SLICE, k);
	__global float *to = panels + offset + (ulong)col * k + (ulong)first * COLS;
#define TO_SPACE __global
	PACK_W(to, first, last)
#undef TO_SPACE
}

CPU_KERNEL gemm_packed(uint m, uint n, uint k, ulong offset, __global const float *panels, __global const stored *bias,
	__global stored *y)
{
	const uint col = (uint)get_group_id(0) * COLS, first = (uint)get_group_id(1) * BAND * ROWS, last = min(first + BAND * ROWS, m);
	for (uint row = first; row < last; row += ROWS) {
		__global const float *a = panels + (ulong)row * k, *b = panels + offset + (ulong)col * k;
		TILE_BEGIN
#define X_AT(i) a[i]
#define STEP TILE_ADD(b) a += ROWS; b += COLS;
		uint kk = 0;
		for (; kk + 8 <= k; kk += 8) {
			STEP STEP STEP STEP STEP STEP STEP STEP
		}
		for (; kk < k; kk++) {
			STEP
		}
#undef X_AT
		TILE_END
	}
}

#endif

/* --- small shapes: one launch ----------------------------------------------------------------------------------------- */

#ifdef BLOCK

#define LOAD_X(i) vstore16(load_part(x + (ulong)min(row + i, m - 1) * k + kk, count), i, xs);
#define STEP_AT(at) { const uint c = at; TILE_ADD(line + at * COLS) }

CPU_KERNEL gemm_direct(uint m, uint n, uint k, __global const stored *x, __global const stored *w, __global const stored *bias,
	__global stored *y)
{
	float panel[BLOCK * COLS], xs[ROWS * 16];
	const uint col = (uint)get_group_id(0) * COLS, first = (uint)get_group_id(1) * BAND * ROWS, last = min(first + BAND * ROWS, m);
	for (uint row = first; row < last; row += ROWS) {
		TILE_BEGIN
		for (uint k0 = 0; k0 < k; k0 += BLOCK) {
			const uint k1 = min(k0 + BLOCK, k);
#define TO_SPACE __private
			if (row == first || k > BLOCK)
				PACK_W(panel, k0, k1)
#undef TO_SPACE
			/* 16 k of the x rows at a time, as float32. Rows past m repeat the last one; their sums are not stored. */
			for (uint kk = k0; kk < k1; kk += 16) {
				__private const float *line = panel + (kk - k0) * COLS;
				const uint count = min(k1 - kk, 16u);
				EACH_ROW(LOAD_X)
#define X_AT(i) xs[16 * i + c]
				if (count == 16) {
					STEP_AT(0) STEP_AT(1) STEP_AT(2) STEP_AT(3) STEP_AT(4) STEP_AT(5) STEP_AT(6) STEP_AT(7)
					STEP_AT(8) STEP_AT(9) STEP_AT(10) STEP_AT(11) STEP_AT(12) STEP_AT(13) STEP_AT(14) STEP_AT(15)
				} else {
					for (uint c = 0; c < count; c++)
						TILE_ADD(line + c * COLS)
				}
#undef X_AT
			}
		}
		TILE_END
	}
}

#endif

/* --- matrix times vector ---------------------------------------------------------------------------------------------- */

#ifdef DOTS

static inline float sum16(float16 v)
{
	const float8 a = v.lo + v.hi;
	const float4 b = a.lo + a.hi;
	return (b.x + b.z) + (b.y + b.w);
}

static inline void dot_end(float16 sum, uint row, uint rows, uint bias_step, __global const stored *bias, __global stored *y)
{
	if (row >= rows)
		return;
	const float v = sum16(sum);
#if EPILOGUE == 0
	y[row] = from_float(v);
#elif EPILOGUE == 1
	y[row] = from_float(v + to_float(bias[row * bias_step]));
#else
	y[row] = from_float(gelu(v + to_float(bias[row * bias_step])));
#endif
}

/* m = 1: W's rows [n, k] times x; n = 1: x's rows [m, k] times W, which is one row in either layout. */
CPU_KERNEL gemm_dot(uint m, uint n, uint k, __global const stored *x, __global const stored *w, __global const stored *bias,
	__global stored *y)
{
	const uint rows = n == 1 ? m : n, bias_step = n == 1 ? 0 : 1;
	__global const stored *matrix = n == 1 ? x : w, *vector = n == 1 ? w : x;
	const uint first = (uint)get_group_id(0) * DOTS, last = min(first + DOTS, rows);
	for (uint row = first; row < last; row += 4) {
		float16 s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
		/* Rows past the last repeat it; their sums are not stored. */
#define MATRIX_ROW(i) (matrix + (ulong)min(row + i, rows - 1) * k)
		__global const stored *r0 = MATRIX_ROW(0), *r1 = MATRIX_ROW(1), *r2 = MATRIX_ROW(2), *r3 = MATRIX_ROW(3);
		for (uint kk = 0; kk < k; kk += 16) {
			const float16 v = load_part(vector + kk, k - kk);
			s0 = MULADD16(load_part(r0 + kk, k - kk), v, s0);
			s1 = MULADD16(load_part(r1 + kk, k - kk), v, s1);
			s2 = MULADD16(load_part(r2 + kk, k - kk), v, s2);
			s3 = MULADD16(load_part(r3 + kk, k - kk), v, s3);
		}
		dot_end(s0, row, rows, bias_step, bias, y);
		dot_end(s1, row + 1, rows, bias_step, bias, y);
		dot_end(s2, row + 2, rows, bias_step, bias, y);
		dot_end(s3, row + 3, rows, bias_step, bias, y);
	}
}

#endif

#ifdef WIDE

#define EACH_8(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

/* m = 1, W as [k, n]: long pieces of its rows, which the hardware fetches ahead, where a tile's COLS would miss for each k. */
CPU_KERNEL gemm_row(uint m, uint n, uint k, __global const stored *x, __global const stored *w, __global const stored *bias,
	__global stored *y)
{
	const uint col = (uint)get_group_id(0) * WIDE, left = n - col;
#define ROW_BEGIN(i) float16 s##i = 0.0f;
	EACH_8(ROW_BEGIN)
	w += col;
	if (left >= WIDE) {
		for (uint kk = 0; kk < k; kk++, w += n) {
			const float16 v = (float16)(to_float(x[kk]));
#define ROW_ADD(i) s##i = MULADD16(v, load16(w + 16 * i), s##i);
			EACH_8(ROW_ADD)
		}
	} else {
		for (uint kk = 0; kk < k; kk++, w += n) {
			const float16 v = (float16)(to_float(x[kk]));
#define ROW_ADD_PART(i) if (left > 16 * i) s##i = MULADD16(v, load_part(w + 16 * i, left - 16 * i), s##i);
			EACH_8(ROW_ADD_PART)
		}
	}
#define ROW_END(i) if (left > 16 * i) tile_half_end(s##i, left - 16 * i, bias + col + 16 * i, y + col + 16 * i);
	EACH_8(ROW_END)
}

#endif
