/* Kernels that make or read tensors element by element, 16 bytes at a time: fill, poison, checksum, bias, bias_gelu,
 * gelu_in_place.
 *
 * Every buffer begins on a 16-byte boundary, so chunk c holds the elements from c * PER_CHUNK on whatever the shape; the
 * few elements after the last whole chunk are taken one by one. Items stride over the chunks by the size of the grid. */

#define ELEMENTS_KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
#define STREAM_STEP 0xD1342543DE82EF95UL

/* Row-major index of the element at `position` in memory. The remainder by hand: cl/README.md. */
static inline ulong logical_index(ulong position, ulong rows, ulong cols, uint columns)
{
	if (!columns)
		return position;
	const ulong col = position / rows, row = position - col * rows;
	return row * cols + col;
}

/* The input rule, src/model/rule.h. The integer fits 24 bits and the scale is a power of two, so that only the last
 * multiplication rounds. */
static inline stored rule_value(ulong seed, ulong stream, ulong index, float bound)
{
	ulong h = splitmix64(seed ^ splitmix64(stream * STREAM_STEP + index));
	return from_float((float)((int)(h >> 40) - 8388608) * 1.1920928955078125e-7f * bound);
}

ELEMENTS_KERNEL fill(ulong seed, ulong stream, ulong rows, ulong cols, uint columns, float bound, __global stored *dst)
{
	const ulong count = rows * cols, chunks = count / PER_CHUNK;
	for (ulong c = get_global_id(0); c < chunks; c += get_global_size(0)) {
		stored e[PER_CHUNK];
#pragma unroll
		for (uint j = 0; j < PER_CHUNK; j++)
			e[j] = rule_value(seed, stream, logical_index(c * PER_CHUNK + j, rows, cols, columns), bound);
		((__global uint4 *)dst)[c] = chunk_pack(e);
	}
	const ulong last = chunks * PER_CHUNK + get_global_id(0);
	if (last < count)
		dst[last] = rule_value(seed, stream, logical_index(last, rows, cols, columns), bound);
}

ELEMENTS_KERNEL poison(ulong count, __global stored *dst)
{
	const ulong chunks = count / PER_CHUNK;
	stored e[PER_CHUNK];
#pragma unroll
	for (uint j = 0; j < PER_CHUNK; j++)
		e[j] = QUIET_NAN;
	for (ulong c = get_global_id(0); c < chunks; c += get_global_size(0))
		((__global uint4 *)dst)[c] = chunk_pack(e);
	const ulong last = chunks * PER_CHUNK + get_global_id(0);
	if (last < count)
		dst[last] = QUIET_NAN;
}

/* --- checksum ---------------------------------------------------------------------------------------------------------- */

static inline ulong checksum_term(ulong stream, ulong index, uint bits)
{
	return splitmix64((stream * STREAM_STEP + index) * 0x9E3779B97F4A7C15UL + bits);
}

/* partials[group] = sum of the terms of the group's elements; the host adds the partial sums up. */
ELEMENTS_KERNEL checksum(ulong stream, ulong rows, ulong cols, uint columns, __global const stored *src, __global ulong *partials)
{
	__local ulong sums[GROUP];
	const ulong count = rows * cols, chunks = count / PER_CHUNK;
	ulong sum = 0;
	for (ulong c = get_global_id(0); c < chunks; c += get_global_size(0)) {
		stored e[PER_CHUNK];
		chunk_unpack(((__global const uint4 *)src)[c], e);
#pragma unroll
		for (uint j = 0; j < PER_CHUNK; j++)
			sum += checksum_term(stream, logical_index(c * PER_CHUNK + j, rows, cols, columns), to_bits(e[j]));
	}
	const ulong last = chunks * PER_CHUNK + get_global_id(0);
	if (last < count)
		sum += checksum_term(stream, logical_index(last, rows, cols, columns), to_bits(src[last]));

	const uint item = (uint)get_local_id(0);
	sums[item] = sum;
	for (uint width = GROUP / 2; width > 0; width >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (item < width)
			sums[item] += sums[item + width];
	}
	if (item == 0)
		partials[get_group_id(0)] = sums[0];
}

/* --- bias -------------------------------------------------------------------------------------------------------------- */

static inline stored activate(stored y, stored bias, int with_gelu)
{
	const float sum = to_float(y) + to_float(bias);
	return from_float(with_gelu ? gelu(sum) : sum);
}

/* y = y + bias, then GELU if asked for; float32 between the load and the one rounding of the store. The column of a
 * chunk's first element is carried along: one division per item, none in the loop. */
static inline void add_bias(ulong rows, uint cols, __global const stored *bias, __global stored *y, int with_gelu)
{
	const ulong count = rows * cols, chunks = count / PER_CHUNK;
	const ulong step = (ulong)get_global_size(0) * PER_CHUNK % cols;
	ulong col = (ulong)get_global_id(0) * PER_CHUNK % cols;
	for (ulong c = get_global_id(0); c < chunks; c += get_global_size(0)) {
		stored e[PER_CHUNK], b[PER_CHUNK];
		chunk_unpack(((__global const uint4 *)y)[c], e);
		if (cols % PER_CHUNK == 0) {
			chunk_unpack(((__global const uint4 *)bias)[col / PER_CHUNK], b);
		} else {
			uint at = (uint)col;
#pragma unroll
			for (uint j = 0; j < PER_CHUNK; j++) {
				b[j] = bias[at];
				at = at + 1 == cols ? 0 : at + 1;
			}
		}
#pragma unroll
		for (uint j = 0; j < PER_CHUNK; j++)
			e[j] = activate(e[j], b[j], with_gelu);
		((__global uint4 *)y)[c] = chunk_pack(e);
		col += step;
		if (col >= cols)
			col -= cols;
	}
	const ulong last = chunks * PER_CHUNK + get_global_id(0);
	if (last < count)
		y[last] = activate(y[last], bias[last % cols], with_gelu);
}

ELEMENTS_KERNEL bias(ulong rows, uint cols, __global const stored *b, __global stored *y)
{
	add_bias(rows, cols, b, y, 0);
}

/* y = gelu(y) over `count` elements, for products that add the bias themselves. It stands between two products, so it must run at the
 * speed of memory: an item asks for several chunks before it works on the first, and the chunks of a group lie together. */
#define IN_FLIGHT (16 / PER_CHUNK)
ELEMENTS_KERNEL gelu_in_place(ulong count, __global stored *y)
{
	const ulong chunks = count / PER_CHUNK;
	for (ulong first = get_group_id(0) * (ulong)(GROUP * IN_FLIGHT) + get_local_id(0); first < chunks;
		first += get_num_groups(0) * (ulong)(GROUP * IN_FLIGHT)) {
		__global uint4 *at = (__global uint4 *)y + first;
		uint4 c[IN_FLIGHT];
#pragma unroll
		for (uint i = 0; i < IN_FLIGHT; i++)
			if (first + i * GROUP < chunks)
				c[i] = at[i * GROUP];
#pragma unroll
		for (uint i = 0; i < IN_FLIGHT; i++) {
			if (first + i * GROUP < chunks) {
				stored e[PER_CHUNK];
				chunk_unpack(c[i], e);
#pragma unroll
				for (uint j = 0; j < PER_CHUNK; j++)
					e[j] = from_float(gelu(to_float(e[j])));
				at[i * GROUP] = chunk_pack(e);
			}
		}
	}
	const ulong last = chunks * PER_CHUNK + get_global_id(0);
	if (last < count)
		y[last] = from_float(gelu(to_float(y[last])));
}

ELEMENTS_KERNEL bias_gelu(ulong rows, uint cols, __global const stored *b, __global stored *y)
{
	add_bias(rows, cols, b, y, 1);
}
