/* y[m, n] = epilogue(x[m, k] W^T + bias), any shape, tiled through local memory, float32 accumulation in the order of k.
 *
 * Macros set by the host, besides those of common.cl:
 *   W_COLUMNS  0: W lies as [n, k]; 1: as [k, n]
 *   EPILOGUE   0 none, 1 bias, 2 bias and GELU
 *   ITEM       4 or 8: an item computes ITEM x ITEM elements, a group of 16 x 16 items a tile of 16 ITEM squared
 *   RUNS_ALIGNED  1 when k, and n where W lies as [k, n], are multiples of 4: four neighbours are one access
 *
 * The k loop handles STEP elements a turn with everything inside unrolled by hand or by the compiler; k is at most
 * ILAB_GEMM_MAX_K (src/backend/kernels.h) because one compiler ends long loops silently. */

#define STEP 16
#define TILE (16 * ITEM)
/* Place of row kk in a tile in local memory. The odd gaps keep float4 alignment and spread the four k that a warp writes at once
 * over all banks. */
#define LINE(kk) ((kk) * (TILE + 4) + (kk) / 8 * 8)
#define BAND 8                          /* tile rows that are walked together, so that their W tiles stay in cache */

/* --- from memory to the tile ------------------------------------------------------------------------------------------- */

/* An item fetches RUNS runs of four neighbours of each matrix, and holds them in registers while the group multiplies the tiles
 * before. Outside the matrices everything is 0. */
#define RUNS (ITEM / 4)

static inline void load_run(__global const stored *p, uint inside, float *run)
{
#if RUNS_ALIGNED
#if STORAGE == 0
	const float4 v = *(__global const float4 *)p;
#else
	const ushort4 v = *(__global const ushort4 *)p;
#endif
	run[0] = to_float(v.x); run[1] = to_float(v.y); run[2] = to_float(v.z); run[3] = to_float(v.w);
#else
#pragma unroll
	for (uint t = 0; t < 4; t++)
		run[t] = t < inside ? to_float(p[t]) : 0.0f;
#endif
}

static inline void load_or_zero(__global const stored *a, ulong at, uint outside, uint inside, float *run)
{
	if (outside)
		run[0] = run[1] = run[2] = run[3] = 0.0f;
	else
		load_run(a + at, inside, run);
}

/* Matrices with rows along k: x, and W as [n, k]. Runs lie along k, so keeping them transposes. */
static inline void load_rows(__global const stored *a, uint first, uint rows, uint k, uint k0, uint item, float part[RUNS][4])
{
	const uint kk = k0 + item % 4 * 4;
#pragma unroll
	for (uint j = 0; j < RUNS; j++) {
		const uint r = first + item / 4 + j * 64;
		load_or_zero(a, (ulong)r * k + kk, r >= rows || kk >= k, k - kk, part[j]);
	}
}

static inline void keep_rows(LPTR float *tile, uint item, float part[RUNS][4])
{
#pragma unroll
	for (uint j = 0; j < RUNS; j++)
#pragma unroll
		for (uint t = 0; t < 4; t++)
			tile[LINE(item % 4 * 4 + t) + item / 4 + j * 64] = part[j][t];
}

#if W_COLUMNS
static inline void load_w(__global const stored *w, uint first, uint n, uint k, uint k0, uint item, float part[RUNS][4])
{
	const uint c = first + item % (TILE / 4) * 4;
#pragma unroll
	for (uint j = 0; j < RUNS; j++) {
		const uint kk = k0 + item / (TILE / 4) + j * (STEP / RUNS);
		load_or_zero(w, (ulong)kk * n + c, c >= n || kk >= k, n - c, part[j]);
	}
}

static inline void keep_w(LPTR float *tile, uint item, float part[RUNS][4])
{
#pragma unroll
	for (uint j = 0; j < RUNS; j++)
		*(LPTR float4 *)(tile + LINE(item / (TILE / 4) + j * (STEP / RUNS)) + item % (TILE / 4) * 4) =
			make_float4(part[j][0], part[j][1], part[j][2], part[j][3]);
}
#else
#define load_w load_rows
#define keep_w keep_rows
#endif

/* --- the product ------------------------------------------------------------------------------------------------------- */

/* ITEM floats of a tile row: runs of four, 64 apart, which neighbours read without bank conflicts. */
static inline void load_fragment(LPTR const float *row, uint place, float *f)
{
#pragma unroll
	for (uint g = 0; g < ITEM / 4; g++) {
		const float4 v = *(LPTR const float4 *)(row + g * 64 + place * 4);
		f[4 * g] = v.x; f[4 * g + 1] = v.y; f[4 * g + 2] = v.z; f[4 * g + 3] = v.w;
	}
}

static inline void multiply(LPTR const float *xs, LPTR const float *ws, uint row, uint col, float acc[ITEM][ITEM])
{
	float a[ITEM], b[ITEM];
	load_fragment(xs, row, a);
	load_fragment(ws, col, b);
#pragma unroll
	for (uint i = 0; i < ITEM; i++)
#pragma unroll
		for (uint j = 0; j < ITEM; j++)
			acc[i][j] = MULADD(a[i], b[j], acc[i][j]);
}

#define AT(kk) multiply(xs + LINE(kk), ws + LINE(kk), row, col, acc)

static inline stored epilogue(float v, __global const stored *bias, uint col)
{
#if EPILOGUE == 0
	return from_float(v);
#elif EPILOGUE == 1
	return from_float(v + to_float(bias[col]));
#else
	return from_float(gelu(v + to_float(bias[col])));
#endif
}

/* First row and column of a group's tile: bands of BAND tile rows, column by column inside a band. Remainders by hand:
 * cl/README.md. */
static inline void tile_place(uint group, uint m, uint n, uint *m0, uint *n0)
{
	const uint down = (m - 1) / TILE + 1, across = (n - 1) / TILE + 1;
	const uint band = group / (BAND * across), in_band = group - band * (BAND * across);
	const uint height = min(down - band * BAND, (uint)BAND);
	const uint column = in_band / height;
	*m0 = (band * BAND + in_band - column * height) * TILE;
	*n0 = column * TILE;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void gemm(uint m, uint n, uint k, __global const stored *x,
	__global const stored *w, __global const stored *bias, __global stored *y)
{
	__local float4 xs4[LINE(STEP) / 4];
	__local float4 ws4[LINE(STEP) / 4];
	LPTR float *xs = (LPTR float *)xs4;
	LPTR float *ws = (LPTR float *)ws4;
	const uint item = (uint)get_local_id(0), row = item / 16, col = item % 16;
	uint m0, n0;
	tile_place((uint)get_group_id(0), m, n, &m0, &n0);

	float acc[ITEM][ITEM];
#pragma unroll
	for (uint i = 0; i < ITEM; i++)
#pragma unroll
		for (uint j = 0; j < ITEM; j++)
			acc[i][j] = 0.0f;

	float next_x[RUNS][4], next_w[RUNS][4];
	load_rows(x, m0, m, k, 0, item, next_x);
	load_w(w, n0, n, k, 0, item, next_w);
	for (uint k0 = 0; k0 < k; k0 += STEP) {
		keep_rows(xs, item, next_x);
		keep_w(ws, item, next_w);
		barrier(CLK_LOCAL_MEM_FENCE);
		load_rows(x, m0, m, k, k0 + STEP, item, next_x);
		load_w(w, n0, n, k, k0 + STEP, item, next_w);
		AT(0); AT(1); AT(2); AT(3); AT(4); AT(5); AT(6); AT(7);
		AT(8); AT(9); AT(10); AT(11); AT(12); AT(13); AT(14); AT(15);
		barrier(CLK_LOCAL_MEM_FENCE);
	}

#pragma unroll
	for (uint i = 0; i < ITEM; i++) {
		const uint r = m0 + i / 4 * 64 + row * 4 + i % 4;
#pragma unroll
		for (uint j = 0; j < ITEM; j++) {
			const uint c = n0 + j / 4 * 64 + col * 4 + j % 4;
			if (r < m && c < n)
				y[(ulong)r * n + c] = epilogue(acc[i][j], bias, c);
		}
	}
}
