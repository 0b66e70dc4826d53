#include "backend/native_session.h"

#include <assert.h>

/* Between host and device. Values are made straight into pinned memory, a few chunks in turn: while all cores fill one, the device
 * reads another. */

static enum ilab_status make_area(struct ilab_session *s, struct native_staging *area, size_t bytes, struct ilab_err *err)
{
	if (area->bytes >= bytes)
		return ILAB_OK;
	if (area->busy && NATIVE_CALL(s, event_sync, (area->event), "wait for a transfer", err))
		return ILAB_FAILED;
	area->busy = false;
	if (area->host)
		s->rt->pinned_free(area->host);
	area->host = NULL;
	area->bytes = 0;
	if (!area->event && NATIVE_CALL(s, event_create, (&area->event, false), "create an event", err))
		return ILAB_FAILED;
	if (NATIVE_CALL(s, pinned_alloc, (&area->host, bytes), "allocate pinned host memory", err))
		return ILAB_FAILED;
	area->bytes = bytes;
	return ILAB_OK;
}

enum ilab_status native_staging_open(struct ilab_session *s, uint64_t bytes, struct ilab_err *err)
{
	/* Pinning takes time: no more of it than a small network needs. */
	size_t size = 4096;
	while (size < bytes && size < NATIVE_STAGING_BYTES)
		size *= 2;
	for (unsigned i = 0; i < NATIVE_STAGING_COUNT; i++)
		if (make_area(s, &s->staging[i], size, err))
			return ILAB_FAILED;
	return ILAB_OK;
}

void native_staging_close(struct ilab_session *s)
{
	for (unsigned i = 0; i < NATIVE_STAGING_COUNT; i++) {
		if (s->staging[i].host)
			s->rt->pinned_free(s->staging[i].host);
		if (s->staging[i].event)
			s->rt->event_destroy(s->staging[i].event);
	}
}

static enum ilab_status send_chunk(struct ilab_session *s, const struct ilab_buffer *b, const struct ilab_tensor *t, uint64_t first, size_t count,
	struct ilab_err *err)
{
	const size_t element_bytes = ilab_dtype_bytes(t->dtype);
	struct native_staging *area = &s->staging[s->staging_next];
	s->staging_next = (s->staging_next + 1) % NATIVE_STAGING_COUNT;
	if (area->busy && NATIVE_CALL(s, event_sync, (area->event), "wait for a transfer", err))
		return ILAB_FAILED;
	area->busy = false;
	ilab_rule_fill(t, first, count, area->host);
	if (NATIVE_CALL(s, copy_to_device, (native_address(b) + first * element_bytes, area->host, count * element_bytes, s->stream), "queue a transfer", err))
		return ILAB_FAILED;
	area->busy = true;
	return NATIVE_CALL(s, event_record, (area->event, s->stream), "record an event", err);
}

enum ilab_status native_upload(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, struct ilab_err *err)
{
	const size_t element_bytes = ilab_dtype_bytes(t->dtype);
	const uint64_t count = t->rows * t->cols;
	assert(count * element_bytes <= b->bytes);
	if (native_staging_open(s, count * element_bytes, err))
		return ILAB_FAILED;
	uint64_t chunk = s->staging[0].bytes / element_bytes;
	for (uint64_t first = 0; first < count; first += chunk)
		if (send_chunk(s, b, t, first, (size_t)(count - first < chunk ? count - first : chunk), err))
			return ILAB_FAILED;
	return ILAB_OK;
}

enum ilab_status native_download(struct ilab_session *s, struct ilab_buffer *b, uint64_t offset_bytes, uint64_t bytes, void *dst, struct ilab_err *err)
{
	if (offset_bytes > b->bytes || bytes > b->bytes - offset_bytes)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "a transfer of %llu bytes from %llu passes the end of a buffer of %llu bytes",
			(unsigned long long)bytes, (unsigned long long)offset_bytes, (unsigned long long)b->bytes);
	if (bytes == 0)
		return native_sync(s, err);
	if (NATIVE_CALL(s, copy_to_host, (dst, native_address(b) + offset_bytes, bytes, s->stream), "queue a transfer to the host", err))
		return ILAB_FAILED;
	return native_sync(s, err);
}
