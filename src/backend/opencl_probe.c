/* Known amounts of work for `ceilings`. */
#include "backend/opencl.h"

/* With ratio 1/2 a chain's distance from its end halves at every step: 8 a turn leave nothing of it after 40. */
#define RATIO 0.5f
#define STEP 0.75f
#define MIN_TURNS 40u
#define MAX_TURNS 50000u

static enum ilab_status copy_halves(struct ilab_session *s, struct ilab_buffer *scratch, uint64_t amount, uint64_t *done, struct ilab_err *err)
{
	uint64_t half = scratch->bytes / 2;
	if (half == 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the copy probe needs a scratch buffer of 2 bytes at least");
	for (*done = 0; *done < amount;) {
		uint64_t n = amount - *done < half ? amount - *done : half;
		cl_int code = clEnqueueCopyBuffer(s->queue, opencl_mem(scratch), opencl_mem(scratch), 0, half, n, 0, NULL, NULL);
		if (code)
			return opencl_fail(err, code, "clEnqueueCopyBuffer", "copying");
		*done += n;
	}
	*done *= 2;                    /* read and written */
	return ILAB_OK;
}

static uint64_t clamp_turns(uint64_t turns)
{
	return turns < MIN_TURNS ? MIN_TURNS : turns > MAX_TURNS ? MAX_TURNS : turns;
}

/* As many items as the scratch buffer holds floats, to a limit that fills any GPU; then turns, then launches. */
static enum ilab_status multiply_add(struct ilab_session *s, struct ilab_buffer *scratch, uint64_t amount, uint64_t *done, struct ilab_err *err)
{
	uint64_t groups = scratch->bytes / sizeof(float) / ILAB_KERNEL_GROUP, most = s->info.device.compute_units * 32;
	if (groups == 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the fma probe needs a scratch buffer of %zu bytes at least", sizeof(float) * ILAB_KERNEL_GROUP);
	if (most && groups > most)
		groups = most;
	const struct ilab_program program = ilab_program_probe(s->multiply_add);
	const struct ilab_grid grid = { { groups * ILAB_KERNEL_GROUP, 1, 1 }, { ILAB_KERNEL_GROUP, 1, 1 } };
	const uint64_t flop_per_turn = groups * ILAB_KERNEL_GROUP * ILAB_PROBE_FLOP_PER_TURN;
	cl_kernel kernel;
	enum ilab_status status = opencl_kernel(s, &program, "probe_multiply_add", &kernel, err);
	for (*done = 0; !status && *done < amount;) {
		cl_uint turns = (cl_uint)clamp_turns((amount - *done - 1) / flop_per_turn + 1);
		cl_float ratio = RATIO, step = STEP;
		cl_mem dst = opencl_mem(scratch);
		const struct opencl_argument arguments[] = { OPENCL_ARGUMENT(turns), OPENCL_ARGUMENT(ratio), OPENCL_ARGUMENT(step), OPENCL_ARGUMENT(dst) };
		status = opencl_launch(s, kernel, "probe_multiply_add", &grid, arguments, 4, err);
		*done += turns * flop_per_turn;
	}
	return status;
}

enum ilab_status opencl_probe(struct ilab_session *s, enum ilab_probe what, enum ilab_dtype dtype, struct ilab_buffer *scratch,
	uint64_t amount, uint64_t *done, struct ilab_err *err)
{
	*done = 0;
	if (what == ILAB_PROBE_COPY)
		return copy_halves(s, scratch, amount, done, err);
	if (what == ILAB_PROBE_MATRIX)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "matrix units are not supported: portable OpenCL has no access to them");
	if (dtype != ILAB_F32)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the fma probe of OpenCL is float32 only, not %s", ilab_dtype_name(dtype));
	return multiply_add(s, scratch, amount, done, err);
}
