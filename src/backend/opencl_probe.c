/* Known amounts of work for `ceilings`. */
#include "backend/opencl.h"

static enum ilab_status copy_halves(struct ilab_session *s, struct ilab_buffer *scratch, uint64_t amount, uint64_t *done, struct ilab_err *err)
{
	const uint64_t half = scratch->bytes / 2;
	if (half == 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the copy probe needs a scratch buffer of 2 bytes at least");
	while (*done < amount) {
		const uint64_t n = amount - *done < half ? amount - *done : half;
		cl_int code = clEnqueueCopyBuffer(s->queue, opencl_mem(scratch), opencl_mem(scratch), 0, half, n, 0, NULL, NULL);
		if (code)
			return opencl_fail(err, code, "clEnqueueCopyBuffer", "copying");
		*done += n;
	}
	*done *= 2;                    /* read and written */
	return ILAB_OK;
}

static enum ilab_status multiply_add(struct ilab_session *s, struct ilab_buffer *scratch, uint64_t amount, uint64_t *done, struct ilab_err *err)
{
	const struct ilab_program program = ilab_program_probe(s->multiply_add);
	struct ilab_grid grid;
	cl_kernel kernel;
	enum ilab_status status = ilab_grid_probe(scratch->bytes, s->info.device.compute_units, &grid, err);
	if (!status)
		status = opencl_kernel(s, &program, "probe_multiply_add", &kernel, err);
	while (!status && *done < amount) {
		uint64_t flop;
		cl_uint turns = ilab_probe_turns(&grid, amount - *done, &flop);
		cl_float ratio = ILAB_PROBE_RATIO, step = ILAB_PROBE_STEP;
		cl_mem dst = opencl_mem(scratch);
		const struct opencl_argument arguments[] = { OPENCL_ARGUMENT(turns), OPENCL_ARGUMENT(ratio), OPENCL_ARGUMENT(step), OPENCL_ARGUMENT(dst) };
		status = opencl_launch(s, kernel, "probe_multiply_add", &grid, arguments, 4, err);
		*done += flop;
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
