#include "backend/native_session.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The session of a native backend: opening and closing, waiting, spans, graphs, and the finished table. */

enum ilab_status native_fail(const struct native_rt *rt, int code, const char *member, const char *doing, struct ilab_err *err)
{
	const char *call = rt->api_name(member);
	if (rt->is_no_memory(code))
		return ilab_err_set(err, ILAB_FAILED, call, code, "out of device memory: cannot %s; use a smaller shape, or free memory on the device", doing);
	return ilab_err_set(err, ILAB_FAILED, call, code, "cannot %s: %s (%d): %s", doing, rt->error_name(code), code, rt->error_text(code));
}

/* --- open and close ---------------------------------------------------------------------------------------------------- */

static enum ilab_status check_device(const struct native_rt *rt, const struct ilab_open_options *options, struct ilab_err *err)
{
	int count = 0, code = rt->init();
	if (!code)
		code = rt->device_count(&count);
	if (code && !rt->is_no_device(code))
		return ilab_err_set(err, ILAB_REFUSED, rt->api_name("init"), code, "the %s driver does not start: %s (%d): %s", native_vendor.api,
			rt->error_name(code), code, rt->error_text(code));
	if (options->platform_index || options->device_index >= (uint32_t)count)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "there is no device %s:%u: the driver has %d device%s", native_backend_name,
			options->device_index, count, count == 1 ? "" : "s");
	return ILAB_OK;
}

static enum ilab_status create_events(struct ilab_session *s, struct ilab_err *err)
{
	void **events[] = { &s->event_base, &s->event_begin, &s->event_end };
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (NATIVE_CALL(s, event_create, (events[i], true), "create a timing event", err))
			return ILAB_FAILED;
	if (NATIVE_CALL(s, event_record, (s->event_base, s->stream), "record a timing event", err))
		return ILAB_FAILED;
	return native_sync(s, err);
}

static void describe(struct ilab_session *s)
{
	native_describe_device(s->rt, &s->arena, s->device, &s->info.device);
	const char **missing;
	size_t missing_count;
	native_vendor.libraries(&s->arena, &s->info.libraries, &s->info.library_count, &missing, &missing_count);
	s->info.kernel_cache = "none";     /* the run-time compiler keeps nothing */
	s->info.timer_source.value = native_vendor.timer_source;
	s->info.timer_resolution_seconds = native_vendor.timer_resolution_seconds;
}

static enum ilab_status open_session(struct ilab_session *s, const struct ilab_open_options *options, struct ilab_err *err)
{
	if (check_device(s->rt, options, err))
		return ILAB_REFUSED;
	s->device = (int)options->device_index;
	if (NATIVE_CALL(s, architecture, (s->architecture, sizeof(s->architecture), s->device), "read the architecture", err))
		return ILAB_FAILED;
	void *context;
	if (NATIVE_CALL(s, context_open, (&context, s->device), "open a context on the device", err))
		return ILAB_FAILED;
	s->context_open = true;
	if (NATIVE_CALL(s, stream_create, (&s->stream), "create a stream", err) || create_events(s, err))
		return ILAB_FAILED;
	describe(s);
	native_memory_open(s);
	return ILAB_OK;
}

static void native_close(struct ilab_session *s)
{
	if (!s)
		return;
	if (s->stream)
		s->rt->stream_sync(s->stream);
	if (s->graph)
		s->rt->graph_destroy(s->graph);
	native_vendor.gemm->close(s->gemm);
	native_kernels_close(s);
	native_staging_close(s);
	native_memory_close(s);
	void *events[] = { s->event_base, s->event_begin, s->event_end };
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i])
			s->rt->event_destroy(events[i]);
	if (s->stream)
		s->rt->stream_destroy(s->stream);
	if (s->context_open)
		s->rt->context_close(s->device);
	ilab_arena_free(&s->arena);
	free(s);
}

static enum ilab_status native_open(const struct ilab_open_options *options, struct ilab_session **out, struct ilab_err *err)
{
	const struct native_rt *rt = native_vendor.load(err);
	if (!rt)
		return ILAB_REFUSED;
	struct ilab_session *s = calloc(1, sizeof(*s));
	if (!s)
		return ilab_err_set(err, ILAB_FAILED, "calloc", 0, "out of host memory");
	s->rt = rt;
	enum ilab_status status = open_session(s, options, err);
	if (status) {
		native_close(s);
		return status;
	}
	*out = s;
	return ILAB_OK;
}

static const struct ilab_session_info *native_info(struct ilab_session *s)
{
	return &s->info;
}

/* --- waiting ----------------------------------------------------------------------------------------------------------- */

enum ilab_status native_sync(struct ilab_session *s, struct ilab_err *err)
{
	if (!s->lost.status && !NATIVE_CALL(s, stream_sync, (s->stream), "finish the queued work", &s->lost))
		return ILAB_OK;
	return ilab_err_set(err, s->lost.status, s->lost.call, s->lost.code, "%s", s->lost.text);
}

/* --- spans ------------------------------------------------------------------------------------------------------------- */

static enum ilab_status native_span_begin(struct ilab_session *s, struct ilab_err *err)
{
	return NATIVE_CALL(s, event_record, (s->event_begin, s->stream), "record a timing event", err);
}

static enum ilab_status native_span_end(struct ilab_session *s, struct ilab_err *err)
{
	return NATIVE_CALL(s, event_record, (s->event_end, s->stream), "record a timing event", err);
}

/* Events tell differences only, as float milliseconds. The stamps count from an event recorded at opening; their difference is
 * taken from the two events themselves, because a float of the long way from the base would be too coarse. */
static bool native_span_read(struct ilab_session *s, uint64_t *begin_ns, uint64_t *end_ns)
{
	float to_begin, length;
	if (s->rt->event_elapsed(&to_begin, s->event_base, s->event_begin) || s->rt->event_elapsed(&length, s->event_begin, s->event_end))
		return false;
	if (!(to_begin >= 0) || !(length >= 0))
		return false;
	*begin_ns = (uint64_t)llround((double)to_begin * 1e6);
	*end_ns = *begin_ns + (uint64_t)llround((double)length * 1e6);
	return true;
}

/* --- graphs ------------------------------------------------------------------------------------------------------------ */

static enum ilab_status native_graph_begin(struct ilab_session *s, struct ilab_err *err)
{
	assert(!s->capturing);
	if (NATIVE_CALL(s, capture_begin, (s->stream), "begin to record a graph", err))
		return ILAB_FAILED;
	s->capturing = true;
	return ILAB_OK;
}

static enum ilab_status native_graph_end(struct ilab_session *s, struct ilab_err *err)
{
	assert(s->capturing);
	s->capturing = false;
	void *graph = NULL;
	if (NATIVE_CALL(s, capture_end, (s->stream, &graph), "make an executable graph", err))
		return ILAB_FAILED;
	if (s->graph)
		s->rt->graph_destroy(s->graph);
	s->graph = graph;
	return ILAB_OK;
}

static enum ilab_status native_graph_launch(struct ilab_session *s, struct ilab_err *err)
{
	assert(s->graph);
	return NATIVE_CALL(s, graph_launch, (s->graph, s->stream), "queue the graph", err);
}

/* --- the table --------------------------------------------------------------------------------------------------------- */

const struct ilab_backend native_backend = {
	.abi = ILAB_BACKEND_ABI,
	.name = native_backend_name,
	.enumerate = native_enumerate,
	.open = native_open,
	.close = native_close,
	.info = native_info,
	.limits = native_limits,
	.plan = native_plan,
	.candidates = native_candidates,
	.alloc = native_alloc,
	.free = native_free,
	.trim = native_trim,
	.upload = native_upload,
	.download = native_download,
	.fill = native_fill,
	.checksum = native_checksum,
	.linear = native_linear,
	.probe = native_probe,
	.sync = native_sync,
	.span_begin = native_span_begin,
	.span_end = native_span_end,
	.span_read = native_span_read,
	.graph_begin = native_graph_begin,
	.graph_end = native_graph_end,
	.graph_launch = native_graph_launch,
	.memory = native_memory,
	.reset_peaks = native_reset_peaks,
};
