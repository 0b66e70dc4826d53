#include "backend/native_session.h"

/* Known amounts of work, for ceilings. */

static enum ilab_status copy_halves(struct ilab_session *s, struct ilab_buffer *scratch, uint64_t amount, uint64_t *done, struct ilab_err *err)
{
	const uint64_t half = scratch->bytes / 2;
	const native_ptr from = native_address(scratch);
	if (half == 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the copy probe needs a scratch buffer of 2 bytes at least");
	while (*done < amount) {
		const uint64_t n = amount - *done < half ? amount - *done : half;
		if (NATIVE_CALL(s, copy_on_device, (from + half, from, n, s->stream), "queue a copy", err))
			return ILAB_FAILED;
		*done += n;
	}
	*done *= 2;                    /* read and written */
	return ILAB_OK;
}

static enum ilab_status multiply_add(struct ilab_session *s, struct ilab_buffer *scratch, uint64_t amount, uint64_t *done, struct ilab_err *err)
{
	const struct ilab_program program = ilab_program_probe(ILAB_MULTIPLY_ADD_FMA);
	native_ptr dst = native_address(scratch);
	float ratio = ILAB_PROBE_RATIO, step = ILAB_PROBE_STEP;
	struct ilab_grid grid;
	void *kernel;
	enum ilab_status status = ilab_grid_probe(scratch->bytes, s->info.device.compute_units, &grid, err);
	if (!status)
		status = native_kernel(s, &program, "probe_multiply_add", &kernel, err);
	while (!status && *done < amount) {
		uint64_t flop;
		uint32_t turns = ilab_probe_turns(&grid, amount - *done, &flop);
		status = native_launch(s, kernel, &grid, (void *[]){ &turns, &ratio, &step, &dst }, "queue the fma probe", err);
		*done += flop;
	}
	return status;
}

enum ilab_status native_probe(struct ilab_session *s, enum ilab_probe what, enum ilab_dtype dtype, struct ilab_buffer *scratch,
	uint64_t amount, uint64_t *done, struct ilab_err *err)
{
	*done = 0;
	if (what == ILAB_PROBE_COPY)
		return copy_halves(s, scratch, amount, done, err);
	if (what == ILAB_PROBE_MATRIX)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "matrix units are not supported: our kernels are portable and have no access to them");
	if (dtype != ILAB_F32)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the fma probe is float32 only, not %s", ilab_dtype_name(dtype));
	return multiply_add(s, scratch, amount, done, err);
}
