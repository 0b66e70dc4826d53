/* Transfers through pinned staging memory. */
#include "backend/opencl.h"

static void wait_for_area(struct opencl_staging *st, int area, cl_int *code)
{
	if (st->busy[area]) {
		*code = clWaitForEvents(1, &st->busy[area]);
		clReleaseEvent(st->busy[area]);
		st->busy[area] = NULL;
	}
}

void opencl_staging_close(struct ilab_session *s)
{
	struct opencl_staging *st = &s->staging;
	for (int i = 0; i < 2; i++) {
		cl_int ignored;
		wait_for_area(st, i, &ignored);
		if (st->host[i])
			clEnqueueUnmapMemObject(s->queue, st->pinned[i], st->host[i], 0, NULL, NULL);
	}
	if (s->queue)
		clFinish(s->queue);
	for (int i = 0; i < 2; i++) {
		if (st->pinned[i])
			clReleaseMemObject(st->pinned[i]);
	}
	*st = (struct opencl_staging){0};
}

static enum ilab_status open_areas(struct ilab_session *s, size_t bytes, struct ilab_err *err)
{
	struct opencl_staging *st = &s->staging;
	for (int i = 0; i < 2; i++) {
		cl_int code;
		st->pinned[i] = clCreateBuffer(s->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
		if (code)
			return opencl_fail(err, code, "clCreateBuffer", "making the staging memory");
		st->host[i] = clEnqueueMapBuffer(s->queue, st->pinned[i], CL_TRUE, CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
		if (code)
			return opencl_fail(err, code, "clEnqueueMapBuffer", "mapping the staging memory");
	}
	st->bytes = bytes;
	return ILAB_OK;
}

enum ilab_status opencl_staging_need(struct ilab_session *s, uint64_t bytes, struct ilab_err *err)
{
	const size_t wanted = bytes < OPENCL_STAGING_BYTES ? (size_t)bytes : OPENCL_STAGING_BYTES;
	if (wanted <= s->staging.bytes)
		return ILAB_OK;
	opencl_staging_close(s);
	return open_areas(s, wanted, err);
}

/* While one area travels, all cores make the values of the next in the other. */
enum ilab_status opencl_upload(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, struct ilab_err *err)
{
	struct opencl_staging *st = &s->staging;
	uint64_t element = ilab_dtype_bytes(t->dtype), count = t->rows * t->cols;
	if (count > b->bytes / element)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "an upload passes the end of its buffer");
	enum ilab_status status = opencl_staging_need(s, count * element, err);
	if (status)
		return status;
	const uint64_t chunk = st->bytes / element;
	int area = 0;
	for (uint64_t first = 0; first < count; first += chunk, area = !area) {
		uint64_t n = count - first < chunk ? count - first : chunk;
		cl_int code = CL_SUCCESS;
		wait_for_area(st, area, &code);
		if (code)
			return opencl_fail(err, code, "clWaitForEvents", "uploading");
		ilab_rule_fill(t, first, n, st->host[area]);
		code = clEnqueueWriteBuffer(s->queue, opencl_mem(b), CL_FALSE, first * element, n * element, st->host[area], 0, NULL, &st->busy[area]);
		if (!code)
			code = clFlush(s->queue);
		if (code)
			return opencl_fail(err, code, "clEnqueueWriteBuffer", "uploading");
	}
	return ILAB_OK;
}

enum ilab_status opencl_download(struct ilab_session *s, struct ilab_buffer *b, uint64_t offset_bytes, uint64_t bytes, void *dst,
	struct ilab_err *err)
{
	if (offset_bytes > b->bytes || bytes > b->bytes - offset_bytes)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "a download passes the end of its buffer");
	if (bytes == 0)
		return ILAB_OK;
	cl_int code = clEnqueueReadBuffer(s->queue, opencl_mem(b), CL_TRUE, offset_bytes, bytes, dst, 0, NULL, NULL);
	return code ? opencl_fail(err, code, "clEnqueueReadBuffer", "downloading") : ILAB_OK;
}
