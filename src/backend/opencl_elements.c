/* The element-wise kernels: fill, poison, checksum, bias. */
#include "backend/opencl.h"

#include <stdlib.h>

static enum ilab_status element_kernel(struct ilab_session *s, enum ilab_dtype dtype, const char *name, cl_kernel *out, struct ilab_err *err)
{
	struct ilab_program program = ilab_program_elements(dtype, s->multiply_add);
	return opencl_kernel(s, &program, name, out, err);
}

static enum ilab_status check_room(const struct ilab_buffer *b, const struct ilab_tensor *t, struct ilab_err *err)
{
	if (t->rows * t->cols > b->bytes / ilab_dtype_bytes(t->dtype))
		return ilab_err_set(err, ILAB_FAILED, "", 0, "a tensor is larger than its buffer");
	return ILAB_OK;
}

static enum ilab_status launch_rule(struct ilab_session *s, cl_mem dst, const struct ilab_tensor *t, struct ilab_err *err)
{
	cl_kernel kernel;
	enum ilab_status status = element_kernel(s, t->dtype, "fill", &kernel, err);
	if (status)
		return status;
	cl_ulong stream = t->stream;
	cl_uint columns = t->layout == ILAB_LAYOUT_COLS;
	struct ilab_grid grid = ilab_grid_elements(t->rows * t->cols);
	const struct opencl_argument arguments[] = { OPENCL_ARGUMENT(t->seed), OPENCL_ARGUMENT(stream), OPENCL_ARGUMENT(t->rows),
		OPENCL_ARGUMENT(t->cols), OPENCL_ARGUMENT(columns), OPENCL_ARGUMENT(t->bound), OPENCL_ARGUMENT(dst) };
	return opencl_launch(s, kernel, "fill", &grid, arguments, 7, err);
}

static enum ilab_status launch_poison(struct ilab_session *s, cl_mem dst, const struct ilab_tensor *t, struct ilab_err *err)
{
	cl_kernel kernel;
	enum ilab_status status = element_kernel(s, t->dtype, "poison", &kernel, err);
	if (status)
		return status;
	cl_ulong count = t->rows * t->cols;
	struct ilab_grid grid = ilab_grid_elements(count);
	const struct opencl_argument arguments[] = { OPENCL_ARGUMENT(count), OPENCL_ARGUMENT(dst) };
	return opencl_launch(s, kernel, "poison", &grid, arguments, 2, err);
}

enum ilab_status opencl_fill(struct ilab_session *s, struct ilab_buffer *b, enum ilab_fill what, const struct ilab_tensor *t,
	struct ilab_err *err)
{
	enum ilab_status status = check_room(b, t, err);
	if (status)
		return status;
	return what == ILAB_FILL_RULE ? launch_rule(s, opencl_mem(b), t, err) : launch_poison(s, opencl_mem(b), t, err);
}

enum ilab_status opencl_need_scratch(struct ilab_session *s, size_t bytes, struct ilab_err *err)
{
	if (bytes <= s->scratch_bytes)
		return ILAB_OK;
	void *zeros = calloc(1, bytes);
	if (!zeros)
		return ilab_err_set(err, ILAB_FAILED, "calloc", 0, "out of host memory");
	cl_int code = CL_SUCCESS;
	for (int i = 0; i < OPENCL_SCRATCH && !code; i++) {
		cl_mem larger = clCreateBuffer(s->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, zeros, &code);
		if (code)
			break;
		if (s->scratch[i])
			clReleaseMemObject(s->scratch[i]);
		s->scratch[i] = larger;
	}
	free(zeros);
	if (code)
		return opencl_fail(err, code, "clCreateBuffer", "making a scratch buffer");
	s->scratch_bytes = bytes;
	return ILAB_OK;
}

/* Partial sums of the work-groups go to `partials` + 0. */
static enum ilab_status launch_checksum(struct ilab_session *s, cl_mem src, cl_mem partials, const struct ilab_tensor *t,
	const struct ilab_grid *grid, struct ilab_err *err)
{
	cl_kernel kernel;
	enum ilab_status status = element_kernel(s, t->dtype, "checksum", &kernel, err);
	if (status)
		return status;
	cl_ulong stream = t->stream;
	cl_uint columns = t->layout == ILAB_LAYOUT_COLS;
	const struct opencl_argument arguments[] = { OPENCL_ARGUMENT(stream), OPENCL_ARGUMENT(t->rows), OPENCL_ARGUMENT(t->cols),
		OPENCL_ARGUMENT(columns), OPENCL_ARGUMENT(src), OPENCL_ARGUMENT(partials) };
	return opencl_launch(s, kernel, "checksum", grid, arguments, 6, err);
}

enum ilab_status opencl_checksum(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, uint64_t *out,
	struct ilab_err *err)
{
	enum ilab_status status = check_room(b, t, err);
	if (status)
		return status;
	struct ilab_grid grid = ilab_grid_elements(t->rows * t->cols);
	size_t groups = ilab_grid_groups(&grid), bytes = groups * sizeof(cl_ulong);
	cl_ulong *sums = malloc(bytes);
	if (!sums)
		return ilab_err_set(err, ILAB_FAILED, "malloc", 0, "out of host memory");
	status = opencl_need_scratch(s, bytes, err);
	if (!status)
		status = launch_checksum(s, opencl_mem(b), s->scratch[0], t, &grid, err);
	if (!status) {
		cl_int code = clEnqueueReadBuffer(s->queue, s->scratch[0], CL_TRUE, 0, bytes, sums, 0, NULL, NULL);
		if (code)
			status = opencl_fail(err, code, "clEnqueueReadBuffer", "reading a checksum");
	}
	uint64_t sum = 0;
	for (size_t i = 0; !status && i < groups; i++)
		sum += sums[i];
	free(sums);
	if (!status)
		*out = sum;
	return status;
}

static enum ilab_status launch_bias(struct ilab_session *s, enum ilab_dtype dtype, bool gelu, uint64_t rows, uint32_t cols, cl_mem bias,
	cl_mem y, struct ilab_err *err)
{
	const char *name = gelu ? "bias_gelu" : "bias";
	cl_kernel kernel;
	enum ilab_status status = element_kernel(s, dtype, name, &kernel, err);
	if (status)
		return status;
	struct ilab_grid grid = ilab_grid_elements(rows * cols);
	const struct opencl_argument arguments[] = { OPENCL_ARGUMENT(rows), OPENCL_ARGUMENT(cols), OPENCL_ARGUMENT(bias), OPENCL_ARGUMENT(y) };
	return opencl_launch(s, kernel, name, &grid, arguments, 4, err);
}

enum ilab_status opencl_add_bias(struct ilab_session *s, enum ilab_dtype dtype, bool gelu, uint64_t rows, uint32_t cols,
	struct ilab_buffer *bias, struct ilab_buffer *y, struct ilab_err *err)
{
	return launch_bias(s, dtype, gelu, rows, cols, opencl_mem(bias), opencl_mem(y), err);
}

enum ilab_status opencl_prepare_elements(struct ilab_session *s, enum ilab_dtype dtype, struct ilab_err *err)
{
	const struct ilab_tensor t = { .dtype = dtype, .rows = 2, .cols = 3, .bound = 1.0f };
	const struct ilab_grid grid = ilab_grid_elements(t.rows * t.cols);
	enum ilab_status status = opencl_need_scratch(s, 4096, err);
	if (!status)
		status = launch_poison(s, s->scratch[0], &t, err);
	if (!status)
		status = launch_rule(s, s->scratch[0], &t, err);
	for (int gelu = 0; gelu < 2 && !status; gelu++)
		status = launch_bias(s, dtype, gelu, 1, 2, s->scratch[0], s->scratch[1], err);
	if (!status)
		status = launch_checksum(s, s->scratch[0], s->scratch[1], &t, &grid, err);
	return status ? status : opencl_sync(s, err);
}
