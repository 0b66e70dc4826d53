#include "backend/native_session.h"

/* Known amounts of work, for ceilings. */

/* The sum that the kernel must reach is ILAB_PROBE_CHAINS * STEP / (1 - RATIO). */
#define RATIO 0.5f
#define STEP 0.75f
#define MIN_TURNS 40
#define MAX_TURNS 50000

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

static uint64_t clamp_turns(uint64_t turns)
{
	return turns < MIN_TURNS ? MIN_TURNS : turns > MAX_TURNS ? MAX_TURNS : turns;
}

static enum ilab_status multiply_add(struct ilab_session *s, struct ilab_buffer *scratch, uint64_t amount, uint64_t *done, struct ilab_err *err)
{
	uint64_t groups = scratch->bytes / sizeof(float) / ILAB_KERNEL_GROUP, most = s->info.device.compute_units * 32;
	if (groups == 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "the fma probe needs a scratch buffer of %zu bytes at least", sizeof(float) * ILAB_KERNEL_GROUP);
	if (most && groups > most)
		groups = most;
	const struct ilab_program program = ilab_program_probe(ILAB_MULTIPLY_ADD_FMA);
	const struct ilab_grid grid = { { groups * ILAB_KERNEL_GROUP, 1, 1 }, { ILAB_KERNEL_GROUP, 1, 1 } };
	const uint64_t flop_per_turn = groups * ILAB_KERNEL_GROUP * ILAB_PROBE_FLOP_PER_TURN;
	native_ptr dst = native_address(scratch);
	float ratio = RATIO, step = STEP;
	void *kernel;
	enum ilab_status status = native_kernel(s, &program, "probe_multiply_add", &kernel, err);
	while (!status && *done < amount) {
		uint32_t turns = (uint32_t)clamp_turns((amount - *done - 1) / flop_per_turn + 1);
		status = native_launch(s, kernel, &grid, (void *[]){ &turns, &ratio, &step, &dst }, "queue the fma probe", err);
		*done += turns * flop_per_turn;
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
