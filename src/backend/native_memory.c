#include "backend/native_session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* Device memory and its counters. Normally an explicit stream-ordered pool of the driver, whose Used and Reserved attributes are
 * the counters; where the driver has none, plain allocations behind our own caching pool, which counts by itself. */

/* --- plain allocations -------------------------------------------------------------------------------------------------- */

static enum ilab_status tracked_create(void *user, uint64_t bytes, void **handle, bool *no_memory, struct ilab_err *err)
{
	struct ilab_session *s = user;
	native_ptr address = 0;
	int code = s->rt->plain_alloc(&address, bytes);
	if (!code) {
		/* Drivers may allocate at the first touch: make sure that the memory is there. */
		code = s->rt->set_bytes(address, 0, bytes, s->stream);
		if (code)
			s->rt->plain_free(address);
	}
	if (code) {
		*no_memory = s->rt->is_no_memory(code);
		return native_fail(s->rt, code, "plain_alloc", "allocate device memory", err);
	}
	*handle = (void *)(uintptr_t)address;
	return ILAB_OK;
}

static void tracked_destroy(void *user, void *handle)
{
	struct ilab_session *s = user;
	s->rt->plain_free((native_ptr)(uintptr_t)handle);
}

/* --- opening ------------------------------------------------------------------------------------------------------------ */

static void describe_driver_figure(struct ilab_session *s)
{
	uint64_t bytes;
	s->driver_figure = NULL;
	for (const struct native_driver_figure *f = native_vendor.driver_figures; !s->driver_figure && f->source; f++)
		if (s->info.device.pci_address.value && f->used(s->info.device.pci_address.value, &bytes))
			s->driver_figure = f;
	s->info.driver_source.value = s->driver_figure ? s->driver_figure->source : native_vendor.memory_info_name;
	s->info.driver_scope.value = s->driver_figure && s->driver_figure->process ? "this process on this device: context, modules and library handles too"
		: "the whole device: other processes and the driver's own memory too";
}

void native_memory_open(struct ilab_session *s)
{
	int supported = 0;
	bool pools = !s->rt->device_attribute(&supported, NATIVE_POOLS_SUPPORTED, s->device) && supported > 0;
	if (!pools || s->rt->pool_create(&s->pool, s->device))
		s->pool = NULL;
	if (s->pool && native_vendor.pools_vary && !native_pool_counts_right(s->rt, s->pool)) {
		s->rt->pool_destroy(s->pool);
		s->pool = NULL;
	}
	s->tracked = (struct ilab_pool){ .create = tracked_create, .destroy = tracked_destroy, .user = s };
	s->info.counters_source = s->pool ? native_vendor.pool_source : native_vendor.tracked_source;
	s->info.counters_scope = s->pool ? "this process, this device, an explicit stream-ordered pool of the driver: allocated is what the pool has handed out, reserved what it holds"
		: "this process, this device, plain allocations kept in a cache of our own: allocated is what it has handed out, reserved what it holds";
	s->info.counters_reset = s->pool ? native_vendor.pool_reset : "both peaks are set to the current values";
	describe_driver_figure(s);
}

static void free_records(struct ilab_buffer *b)
{
	while (b) {
		struct ilab_buffer *next = b->next;
		free(b);
		b = next;
	}
}

void native_memory_close(struct ilab_session *s)
{
	for (struct ilab_buffer *b = s->buffers; b; b = b->next)
		s->rt->pool_free(native_address(b), s->stream);
	free_records(s->buffers);
	free_records(s->spare);
	ilab_pool_close(&s->tracked);
	if (s->pool) {
		s->rt->stream_sync(s->stream);
		s->rt->pool_destroy(s->pool);
	}
}

void native_limits(struct ilab_session *s, struct ilab_limits *out)
{
	*out = (struct ilab_limits){ .total_memory_bytes = s->info.device.total_memory_bytes, .max_allocation_bytes = s->info.device.max_allocation_bytes };
}

/* --- allocating --------------------------------------------------------------------------------------------------------- */

/* When more is handed out than ever since the last trim, the pool has had to get memory: touch it, so that it is there before the
 * clock of a pass runs. */
static enum ilab_status touch_new_memory(struct ilab_session *s, const struct ilab_buffer *b, struct ilab_err *err)
{
	if (s->handed_out_bytes <= s->touched_bytes)
		return ILAB_OK;
	s->touched_bytes = s->handed_out_bytes;
	return NATIVE_CALL(s, set_bytes, (native_address(b), 0, b->bytes, s->stream), "touch new device memory", err);
}

static struct ilab_buffer *take_record(struct ilab_session *s)
{
	struct ilab_buffer *b = s->spare;
	if (b)
		s->spare = b->next;
	else
		b = calloc(1, sizeof(*b));
	return b;
}

static enum ilab_status pool_alloc(struct ilab_session *s, uint64_t bytes, struct ilab_buffer **out, struct ilab_err *err)
{
	struct ilab_buffer *b = take_record(s);
	if (!b)
		return ilab_err_set(err, ILAB_FAILED, "calloc", 0, "out of host memory");
	native_ptr address = 0;
	int code = s->rt->pool_alloc(&address, bytes, s->pool, s->stream);
	*b = (struct ilab_buffer){ .handle = (void *)(uintptr_t)address, .bytes = bytes, .in_use = !code, .next = code ? s->spare : s->buffers };
	if (code) {
		s->spare = b;
		char doing[64];
		snprintf(doing, sizeof(doing), "allocate %llu bytes", (unsigned long long)bytes);
		return native_fail(s->rt, code, "pool_alloc", doing, err);
	}
	s->buffers = b;
	s->handed_out_bytes += bytes;
	if (touch_new_memory(s, b, err)) {
		native_free(s, b);
		return ILAB_FAILED;
	}
	*out = b;
	return ILAB_OK;
}

enum ilab_status native_alloc(struct ilab_session *s, uint64_t bytes, struct ilab_buffer **out, struct ilab_err *err)
{
	assert(!s->capturing);
	if (!s->pool)
		return ilab_pool_alloc(&s->tracked, bytes, out, err);
	if (bytes == 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "a device allocation of 0 bytes was asked for");
	return pool_alloc(s, bytes, out, err);
}

void native_free(struct ilab_session *s, struct ilab_buffer *b)
{
	if (!b)
		return;
	assert(!s->capturing);
	if (!s->pool) {
		ilab_pool_free(&s->tracked, b);
		return;
	}
	struct ilab_buffer **at = &s->buffers;
	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	s->rt->pool_free(native_address(b), s->stream);
	s->handed_out_bytes -= b->bytes;
	b->in_use = false;
	b->next = s->spare;
	s->spare = b;
}

enum ilab_status native_trim(struct ilab_session *s, struct ilab_err *err)
{
	enum ilab_status status = native_sync(s, err);     /* the driver gives back only what no queued work needs */
	if (status)
		return status;
	if (!s->pool) {
		ilab_pool_trim(&s->tracked);
		return ILAB_OK;
	}
	s->touched_bytes = s->handed_out_bytes;
	return NATIVE_CALL(s, pool_trim, (s->pool), "return cached memory to the driver", err);
}

/* --- counters ----------------------------------------------------------------------------------------------------------- */

static uint64_t counter(const struct ilab_session *s, enum native_pool_counter what)
{
	uint64_t bytes = 0;
	return s->rt->pool_counter(s->pool, what, &bytes) ? 0 : bytes;
}

/* A reset may leave a mark at 0 until the next allocation. What was there at the reset and what is there now count in any case. */
static uint64_t high_mark(const struct ilab_session *s, enum native_pool_counter what, uint64_t current)
{
	uint64_t high = counter(s, what), at_reset = s->marks_at_reset[what == NATIVE_RESERVED_HIGH];
	high = at_reset > high ? at_reset : high;
	return high > current ? high : current;
}

static struct ilab_count driver_used(struct ilab_session *s)
{
	uint64_t bytes;
	size_t free_bytes, total_bytes;
	if (s->driver_figure) {
		if (s->driver_figure->used(s->info.device.pci_address.value, &bytes))
			return (struct ilab_count){ .value = bytes };
		return (struct ilab_count){ .reason = "unavailable: its source did not answer this time." };
	}
	if (s->rt->memory_info(&free_bytes, &total_bytes) || free_bytes > total_bytes)
		return (struct ilab_count){ .reason = "unavailable: the driver gave no usable figure." };
	return (struct ilab_count){ .value = total_bytes - free_bytes };
}

void native_memory(struct ilab_session *s, struct ilab_memory *out)
{
	if (s->pool) {
		out->allocated_bytes = counter(s, NATIVE_USED);
		out->reserved_bytes = counter(s, NATIVE_RESERVED);
		out->peak_allocated_bytes = high_mark(s, NATIVE_USED_HIGH, out->allocated_bytes);
		out->peak_reserved_bytes = high_mark(s, NATIVE_RESERVED_HIGH, out->reserved_bytes);
	} else {
		out->allocated_bytes = s->tracked.allocated_bytes;
		out->reserved_bytes = s->tracked.reserved_bytes;
		out->peak_allocated_bytes = s->tracked.peak_allocated_bytes;
		out->peak_reserved_bytes = s->tracked.peak_reserved_bytes;
	}
	out->driver_used_bytes = driver_used(s);
}

void native_reset_peaks(struct ilab_session *s)
{
	if (!s->pool) {
		ilab_pool_reset_peaks(&s->tracked);
		return;
	}
	s->marks_at_reset[0] = counter(s, NATIVE_USED);
	s->marks_at_reset[1] = counter(s, NATIVE_RESERVED);
	s->rt->pool_reset(s->pool, NATIVE_USED_HIGH);
	s->rt->pool_reset(s->pool, NATIVE_RESERVED_HIGH);
}
