/* A known amount of float32 multiply-adds, for the arithmetic ceiling of a device.
 *
 * Every item walks CHAINS independent sequences v -> v * ratio + step, which end at step / (1 - ratio) wherever they begin; the sum of their
 * ends is written, so nothing can be left out. Each turn does 8 multiply-adds a chain. */

#define CHAINS 16

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void probe_multiply_add(uint turns, float ratio, float step, __global float *dst)
{
	float v[CHAINS];
	const uint item = (uint)get_global_id(0);
#pragma unroll
	for (uint c = 0; c < CHAINS; c++)
		v[c] = (float)(item % 64 + c);
	for (uint t = 0; t < turns; t++) {
#pragma unroll
		for (uint c = 0; c < CHAINS; c++) {
			v[c] = MULADD(v[c], ratio, step); v[c] = MULADD(v[c], ratio, step);
			v[c] = MULADD(v[c], ratio, step); v[c] = MULADD(v[c], ratio, step);
			v[c] = MULADD(v[c], ratio, step); v[c] = MULADD(v[c], ratio, step);
			v[c] = MULADD(v[c], ratio, step); v[c] = MULADD(v[c], ratio, step);
		}
	}
	float sum = 0.0f;
#pragma unroll
	for (uint c = 0; c < CHAINS; c++)
		sum += v[c];
	dst[item] = sum;
}
