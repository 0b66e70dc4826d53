/* Waiting for the device, and the stamps of markers. */
#include "backend/opencl.h"

enum ilab_status opencl_sync(struct ilab_session *s, struct ilab_err *err)
{
	if (!s->lost.status) {
		cl_int code = clFinish(s->queue);
		if (code)
			opencl_fail(&s->lost, code, "clFinish", "waiting for the device");
	}
	/* A queue that failed once stays failed on some drivers and pretends to have recovered on others. */
	if (s->lost.status)
		return ilab_err_set(err, s->lost.status, s->lost.call, s->lost.code, "%s", s->lost.text);
	return ILAB_OK;
}

static void release_event(cl_event *event)
{
	if (*event)
		clReleaseEvent(*event);
	*event = NULL;
}

void opencl_span_release(struct ilab_session *s)
{
	release_event(&s->span[0]);
	release_event(&s->span[1]);
}

static enum ilab_status mark(struct ilab_session *s, int which, struct ilab_err *err)
{
	if (!s->profiling)
		return ILAB_OK;
	release_event(&s->span[which]);
	cl_int code = clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &s->span[which]);
	return code ? opencl_fail(err, code, "clEnqueueMarkerWithWaitList", "queueing a time marker") : ILAB_OK;
}

enum ilab_status opencl_span_begin(struct ilab_session *s, struct ilab_err *err)
{
	opencl_span_release(s);
	return mark(s, 0, err);
}

enum ilab_status opencl_span_end(struct ilab_session *s, struct ilab_err *err)
{
	return mark(s, 1, err);
}

static bool stamp(cl_event event, uint64_t *out)
{
	cl_ulong ns = 0;
	if (!event || clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(ns), &ns, NULL))
		return false;
	*out = ns;
	return true;
}

bool opencl_span_read(struct ilab_session *s, uint64_t *begin_ns, uint64_t *end_ns)
{
	bool known = s->profiling && stamp(s->span[0], begin_ns) && stamp(s->span[1], end_ns);
	opencl_span_release(s);        /* thousands of live events slow some drivers down a thousandfold */
	return known;
}
