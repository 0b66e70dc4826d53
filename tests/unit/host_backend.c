#include "host_session.h"

#include "base/clock.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct host_state host;

static const struct host_place nowhere = { HOST_OFF, HOST_OFF, 0, 0 };

void host_reset(void)
{
	host = (struct host_state){
		.limits = { (uint64_t)1 << 32, (uint64_t)1 << 30 },
		.fail_status = ILAB_FAILED, .fail_text = "the device does not answer",
		.drop = nowhere, .corrupt = nowhere, .nan = nowhere, .swap = nowhere,
		.half_k_layer = HOST_OFF, .no_bias_layer = HOST_OFF, .short_upload = ILAB_STREAM_Y,
	};
}

enum ilab_status host_count(enum host_op op, struct ilab_err *err)
{
	host.calls[op]++;
	if (host.fail_op == op && host.fail_at == host.calls[op])
		return ilab_err_set(err, host.fail_status, "hostCall", -5, "%s", host.fail_text);
	return ILAB_OK;
}

/* --- session ---------------------------------------------------------------------------------------------------------- */

static enum ilab_status host_enumerate(const struct ilab_surroundings *surroundings, struct ilab_arena *arena, struct ilab_listing *out,
	struct ilab_err *err)
{
	(void)surroundings, (void)arena, (void)err;
	*out = (struct ilab_listing){ .backend = "host", .state = "no-device", .reason = "unavailable: a test double" };
	return ILAB_OK;
}

static enum ilab_status host_open(const struct ilab_open_options *options, struct ilab_session **out, struct ilab_err *err)
{
	static struct ilab_library libraries[] = { { "hostlib", "1" } };
	(void)options;
	enum ilab_status status = host_count(HOST_OPEN, err);
	if (status)
		return status;
	struct ilab_session *s = calloc(1, sizeof(*s));
	assert(s && host.open_sessions == 0);
	host.open_sessions++;
	host.pass = 0;
	s->memory.driver_used_bytes.reason = "unavailable: host memory";
	s->info = (struct ilab_session_info){
		.device = { .selector = "host:0", .backend = "host", .platform = "Host", .name = "host memory", .vendor = "none", .type = "cpu",
			.pci_address = { NULL, "unavailable: no bus" }, .uuid = { NULL, "unavailable: no identity" },
			.driver_version = { "1", NULL }, .api_version = { "1", NULL }, .runtime_version = { NULL, "unavailable: none" },
			.total_memory_bytes = host.limits.total_memory_bytes, .max_allocation_bytes = host.limits.max_allocation_bytes,
			.compute_units = 1 },
		.libraries = libraries, .library_count = 1, .kernel_cache = "none",
		.counters_source = "host_pool", .counters_scope = "the test double's pool", .counters_reset = "peaks become the current values",
		.driver_source = { NULL, "unavailable: no driver" }, .driver_scope = { NULL, "unavailable: no driver" },
		.timer_source = { "host clock", NULL }, .timer_resolution_seconds = 1e-9,
	};
	if (host.stamps == HOST_STAMPS_REFUSED)
		s->info.timer_source = (struct ilab_text){ NULL, "unsupported: the queue was refused profiling" };
	*out = s;
	return ILAB_OK;
}

static void host_close(struct ilab_session *s)
{
	if (!s)
		return;
	host.buffers_left = 0;
	for (struct ilab_buffer *b = s->buffers, *next; b; b = next) {
		next = b->next;
		host.buffers_left += b->used;
		free(b->data);
		free(b);
	}
	host.open_sessions--;
	free(s);
}

static const struct ilab_session_info *host_info(struct ilab_session *s)
{
	return &s->info;
}

static void host_limits(struct ilab_session *s, struct ilab_limits *out)
{
	(void)s;
	*out = host.limits;
}

static enum ilab_status host_plan(struct ilab_session *s, const struct ilab_shape *shape, enum ilab_dtype dtype, enum ilab_gemm gemm,
	const struct ilab_tuning *tuning, struct ilab_plan *out, struct ilab_err *err)
{
	static struct ilab_parameter parameters[] = { { "TILE", "16" }, { "UNROLL", "4" } };
	static const char *forms[] = { "plain", "plain" };
	(void)s, (void)gemm, (void)tuning;
	*out = (struct ilab_plan){
		.shape = *shape, .dtype = dtype, .provider = ILAB_GEMM_BUILTIN,
		.weight_layout = { host.weight_layout[0], host.weight_layout[1] }, .temporary_bytes = host.temporary_bytes,
		.record = { .provider = "builtin", .version = { "7", NULL }, .parameters = parameters, .parameter_count = LENGTH(parameters),
			.accumulation = host.half_accumulation ? "float16" : "float32", .forms = forms, .form_count = 2,
			.temporary_bytes = host.temporary_bytes, .launches_per_pass = 2 },
	};
	return host_count(HOST_PLAN, err);
}

/* --- memory ----------------------------------------------------------------------------------------------------------- */

static void raise_peaks(struct ilab_memory *m)
{
	if (m->peak_allocated_bytes < m->allocated_bytes)
		m->peak_allocated_bytes = m->allocated_bytes;
	if (m->peak_reserved_bytes < m->reserved_bytes)
		m->peak_reserved_bytes = m->reserved_bytes;
}

/* Take a cached block of exactly this size out of the list. */
static struct ilab_buffer *take_cached(struct ilab_session *s, uint64_t bytes)
{
	for (struct ilab_buffer *b = s->buffers; b; b = b->next)
		if (!b->used && b->bytes == bytes)
			return b;
	return NULL;
}

static struct ilab_buffer *new_block(struct ilab_session *s, uint64_t bytes)
{
	struct ilab_buffer *b = calloc(1, sizeof(*b));
	assert(b);
	b->data = calloc(1, bytes);
	assert(b->data);
	b->bytes = bytes;
	b->next = s->buffers;
	s->buffers = b;
	s->memory.reserved_bytes += bytes;
	return b;
}

static enum ilab_status host_alloc(struct ilab_session *s, uint64_t bytes, struct ilab_buffer **out, struct ilab_err *err)
{
	assert(bytes > 0 && !s->recording);
	enum ilab_status status = host_count(HOST_ALLOC, err);
	if (status)
		return status;
	struct ilab_buffer *b = take_cached(s, bytes);
	if (!b && s->memory.reserved_bytes + bytes > host.limits.total_memory_bytes)
		return ilab_err_set(err, ILAB_FAILED, "hostAlloc", -4, "out of device memory: %llu bytes asked for", (unsigned long long)bytes);
	if (!b)
		b = new_block(s, bytes);
	b->used = true;
	s->memory.allocated_bytes += bytes;
	raise_peaks(&s->memory);
	*out = b;
	return ILAB_OK;
}

static void host_free(struct ilab_session *s, struct ilab_buffer *b)
{
	if (!b)
		return;
	assert(b->used);
	b->used = false;
	s->memory.allocated_bytes -= b->bytes;
}

static enum ilab_status host_trim(struct ilab_session *s, struct ilab_err *err)
{
	for (struct ilab_buffer **at = &s->buffers; *at;) {
		struct ilab_buffer *b = *at;
		if (b->used) {
			at = &b->next;
			continue;
		}
		*at = b->next;
		s->memory.reserved_bytes -= b->bytes;
		free(b->data);
		free(b);
	}
	host.trims++;
	return host_count(HOST_TRIM, err);
}

static void host_memory(struct ilab_session *s, struct ilab_memory *out)
{
	*out = s->memory;
}

static void host_reset_peaks(struct ilab_session *s)
{
	s->memory.peak_allocated_bytes = s->memory.allocated_bytes;
	s->memory.peak_reserved_bytes = s->memory.reserved_bytes;
}

/* --- transfers and fills ---------------------------------------------------------------------------------------------- */

static uint64_t tensor_bytes(const struct ilab_tensor *t)
{
	return t->rows * t->cols * ilab_dtype_bytes(t->dtype);
}

static enum ilab_status host_upload(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, struct ilab_err *err)
{
	(void)s;
	assert(b->used && tensor_bytes(t) == b->bytes);
	uint64_t elements = t->rows * t->cols;
	if (host.short_upload == t->stream)
		elements -= elements / 4 ? elements / 4 : 1;
	ilab_rule_fill(t, 0, elements, b->data);
	return host_count(HOST_UPLOAD, err);
}

static enum ilab_status host_download(struct ilab_session *s, struct ilab_buffer *b, uint64_t offset_bytes, uint64_t bytes, void *dst,
	struct ilab_err *err)
{
	(void)s;
	assert(b->used && offset_bytes + bytes <= b->bytes);
	memcpy(dst, b->data + offset_bytes, bytes);
	return host_count(HOST_DOWNLOAD, err);
}

void host_store(enum ilab_dtype dtype, void *array, uint64_t i, float v)
{
	uint32_t bits = ilab_dtype_encode(dtype, v);
	uint16_t half = (uint16_t)bits;
	if (ilab_dtype_bytes(dtype) == 2)
		memcpy((char *)array + 2 * i, &half, 2);
	else
		memcpy((char *)array + 4 * i, &bits, 4);
}

static enum ilab_status host_fill(struct ilab_session *s, struct ilab_buffer *b, enum ilab_fill what, const struct ilab_tensor *t,
	struct ilab_err *err)
{
	(void)s;
	struct ilab_tensor used = *t;
	assert(b->used && tensor_bytes(t) <= b->bytes);
	if (what == ILAB_FILL_POISON) {
		for (uint64_t i = 0; i < t->rows * t->cols; i++)
			host_store(t->dtype, b->data, i, NAN);
		host.poisoned = true;
		return host_count(HOST_FILL, err);
	}
	if (host.wrong_inputs)
		used.seed++;
	ilab_rule_fill(&used, 0, used.rows * used.cols, b->data);
	return host_count(HOST_FILL, err);
}

static enum ilab_status host_checksum(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, uint64_t *out,
	struct ilab_err *err)
{
	(void)s;
	assert(b->used && tensor_bytes(t) == b->bytes);
	*out = ilab_checksum_data(t, 0, t->rows * t->cols, b->data);
	return host_count(HOST_CHECKSUM, err);
}

static enum ilab_status host_probe(struct ilab_session *s, enum ilab_probe what, enum ilab_dtype dtype, struct ilab_buffer *scratch,
	uint64_t amount, uint64_t *done, struct ilab_err *err)
{
	(void)s, (void)what, (void)dtype, (void)scratch, (void)amount, (void)done;
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "unsupported: a test double");
}

/* --- time ------------------------------------------------------------------------------------------------------------- */

static enum ilab_status host_sync(struct ilab_session *s, struct ilab_err *err)
{
	(void)s;
	return host_count(HOST_SYNC, err);
}

static enum ilab_status host_span_begin(struct ilab_session *s, struct ilab_err *err)
{
	assert(!s->span_open);
	s->span_open = true;
	s->begin_ns = ilab_clock_ns();
	return host_count(HOST_SPAN_BEGIN, err);
}

static enum ilab_status host_span_end(struct ilab_session *s, struct ilab_err *err)
{
	assert(s->span_open);
	s->span_open = false;
	s->end_ns = ilab_clock_ns();
	return host_count(HOST_SPAN_END, err);
}

static bool host_span_read(struct ilab_session *s, uint64_t *begin_ns, uint64_t *end_ns)
{
	uint64_t begin = s->begin_ns, end = s->end_ns;
	switch (host.stamps) {
	case HOST_STAMPS_TRUE: break;
	case HOST_STAMPS_REFUSED:
	case HOST_STAMPS_NONE: return false;
	case HOST_STAMPS_TWO_THREE: begin = 2, end = 3; break;
	case HOST_STAMPS_ZERO: begin = end = 0; break;
	case HOST_STAMPS_REVERSED: begin = s->end_ns, end = s->begin_ns; break;
	case HOST_STAMPS_SHORT: end = begin + (end - begin) / 116; break;
	case HOST_STAMPS_FAST: begin = begin * 3 / 2, end = end * 3 / 2; break;
	case HOST_STAMPS_STALE:
		if (host.pass == 0) {
			s->first_begin_ns = begin;
			s->first_end_ns = end;
		}
		begin = s->first_begin_ns, end = s->first_end_ns;
		break;
	}
	*begin_ns = begin;
	*end_ns = end;
	return true;
}

const struct ilab_backend host_backend = {
	.abi = ILAB_BACKEND_ABI, .name = "host",
	.enumerate = host_enumerate, .open = host_open, .close = host_close, .info = host_info, .limits = host_limits, .plan = host_plan,
	.alloc = host_alloc, .free = host_free, .trim = host_trim, .upload = host_upload, .download = host_download, .fill = host_fill,
	.checksum = host_checksum, .linear = host_linear, .probe = host_probe, .sync = host_sync,
	.span_begin = host_span_begin, .span_end = host_span_end, .span_read = host_span_read,
	.graph_begin = host_graph_begin, .graph_end = host_graph_end, .graph_launch = host_graph_launch,
	.memory = host_memory, .reset_peaks = host_reset_peaks,
};
