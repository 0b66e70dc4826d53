#ifndef ILAB_BACKEND_NATIVE_SESSION_H
#define ILAB_BACKEND_NATIVE_SESSION_H

/* What the files native*.c share. Nothing outside them includes this. */

#include "backend/kernels.h"
#include "backend/native.h"
#include "backend/pool.h"

#define NATIVE_STAGING_COUNT 3
#define NATIVE_STAGING_BYTES ((size_t)16 << 20)
#define NATIVE_STORAGES 3              /* float32 (tf32 too), float16, bfloat16 */

/* The element-wise kernels for one storage type; NULL until the first use. */
struct native_elements { void *fill, *poison, *checksum, *bias, *bias_gelu, *gelu; };

struct native_program;                 /* native_kernels.c */

struct ilab_session {
	struct ilab_arena arena;
	const struct native_rt *rt;
	int device;
	char architecture[32];
	bool context_open;
	void *stream;
	struct ilab_session_info info;

	void *pool;                        /* the driver's pool; NULL: `tracked` serves */
	struct ilab_buffer *buffers;       /* of `pool`, handed out */
	struct ilab_buffer *spare;         /* records without memory, for reuse */
	uint64_t handed_out_bytes, touched_bytes;      /* of `pool`: now, and the most since the last trim */
	struct ilab_pool tracked;
	uint64_t marks_at_reset[2];        /* of `pool`: bytes used and reserved at the last reset of its high marks */
	const struct native_driver_figure *driver_figure;      /* the one that answers, NULL: memory_info */

	struct native_staging {
		void *host;                    /* pinned */
		size_t bytes;
		void *event;                   /* recorded after the last copy from it */
		bool busy;
	} staging[NATIVE_STAGING_COUNT];
	unsigned staging_next;

	struct native_program *programs;
	struct native_elements elements[NATIVE_STORAGES];
	native_ptr partials;               /* checksum sums of the work-groups; outside the counters */
	uint64_t *partials_host;           /* pinned */
	size_t partials_capacity;

	void *gemm;                        /* the vendor's library, opened by the first plan that wants it */
	bool gemm_tried;
	struct ilab_err gemm_error;        /* why it is not there */

	void *event_base, *event_begin, *event_end;
	void *graph;
	bool capturing;
	struct ilab_err lost;              /* first error of a wait: what the driver says afterwards only echoes it */
};

/* --- native.c ---------------------------------------------------------------------------------------------------------- */

/* Record the failure of a table call. `doing` says what it was for. Out of memory and lost devices get their own words. */
enum ilab_status native_fail(const struct native_rt *rt, int code, const char *member, const char *doing, struct ilab_err *err);

/* NATIVE_CALL(s, launch, (fn, ...), "queue bias", err): the table call, and its failure recorded. */
#define NATIVE_CALL(s, member, arguments, doing, err) native_check((s), (s)->rt->member arguments, #member, (doing), (err))
static inline enum ilab_status native_check(const struct ilab_session *s, int code, const char *member, const char *doing, struct ilab_err *err)
{
	return code ? native_fail(s->rt, code, member, doing, err) : ILAB_OK;
}

static inline native_ptr native_address(const struct ilab_buffer *b)
{
	return b ? (native_ptr)(uintptr_t)b->handle : 0;
}

enum ilab_status native_sync(struct ilab_session *s, struct ilab_err *err);

/* --- native_list.c ----------------------------------------------------------------------------------------------------- */

void native_describe_device(const struct native_rt *rt, struct ilab_arena *arena, int device, struct ilab_device *out);
enum ilab_status native_enumerate(const struct ilab_surroundings *surroundings, struct ilab_arena *arena, struct ilab_listing *out,
	struct ilab_err *err);

/* --- native_memory.c --------------------------------------------------------------------------------------------------- */

void native_memory_open(struct ilab_session *s);
/* native_pool_check.c: whether a pool counts a small sequence of allocations as it should. */
bool native_pool_counts_right(const struct native_rt *rt, void *pool);
void native_memory_close(struct ilab_session *s);
void native_limits(struct ilab_session *s, struct ilab_limits *out);
enum ilab_status native_alloc(struct ilab_session *s, uint64_t bytes, struct ilab_buffer **out, struct ilab_err *err);
void native_free(struct ilab_session *s, struct ilab_buffer *b);
enum ilab_status native_trim(struct ilab_session *s, struct ilab_err *err);
void native_memory(struct ilab_session *s, struct ilab_memory *out);
void native_reset_peaks(struct ilab_session *s);

/* --- native_transfer.c ------------------------------------------------------------------------------------------------- */

/* Pinned areas for uploads of up to `bytes`: made once, outside the measured phases. */
enum ilab_status native_staging_open(struct ilab_session *s, uint64_t bytes, struct ilab_err *err);
void native_staging_close(struct ilab_session *s);
enum ilab_status native_upload(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, struct ilab_err *err);
enum ilab_status native_download(struct ilab_session *s, struct ilab_buffer *b, uint64_t offset_bytes, uint64_t bytes, void *dst,
	struct ilab_err *err);

/* --- native_kernels.c -------------------------------------------------------------------------------------------------- */

/* A kernel of a program, compiled at first use and kept until close. */
enum ilab_status native_kernel(struct ilab_session *s, const struct ilab_program *program, const char *name, void **out, struct ilab_err *err);
enum ilab_status native_elements(struct ilab_session *s, enum ilab_dtype dtype, const struct native_elements **out, struct ilab_err *err);
enum ilab_status native_launch(struct ilab_session *s, void *kernel, const struct ilab_grid *grid, void **arguments, const char *doing,
	struct ilab_err *err);
void native_kernels_close(struct ilab_session *s);
enum ilab_status native_fill(struct ilab_session *s, struct ilab_buffer *b, enum ilab_fill what, const struct ilab_tensor *t, struct ilab_err *err);
enum ilab_status native_checksum(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, uint64_t *out, struct ilab_err *err);

/* native_probe.c */
enum ilab_status native_probe(struct ilab_session *s, enum ilab_probe what, enum ilab_dtype dtype, struct ilab_buffer *scratch,
	uint64_t amount, uint64_t *done, struct ilab_err *err);

/* --- native_plan.c, native_linear.c ------------------------------------------------------------------------------------ */

/* One layer of a plan. Library products come in two forms, without and with the bias inside; our own product in three, one for
 * each epilogue. A form that the network does not use is prepared when somebody asks for it. No library has the exact GELU. */
struct native_layer {
	uint64_t m, n, k;
	bool biased;                       /* the network's form has the bias inside */
	struct { bool ready; struct native_gemm_choice choice; } forms[2];
	struct { bool ready; struct ilab_product product; void *kernels[ILAB_PRODUCT_LAUNCHES]; } own[3];
	struct ilab_grid elements_grid, gelu_grid;     /* over y */
};

struct native_plan {
	struct native_layer layers[2];
	const struct native_elements *elements;
};

enum ilab_status native_plan(struct ilab_session *s, const struct ilab_shape *shape, enum ilab_dtype dtype, enum ilab_gemm gemm,
	const struct ilab_tuning *tuning, struct ilab_plan *out, struct ilab_err *err);
enum ilab_status native_candidates(struct ilab_session *s, const struct ilab_shape *shape, enum ilab_dtype dtype, enum ilab_gemm gemm,
	int layer, struct ilab_arena *arena, struct ilab_tuning_entry **out, size_t *count, struct ilab_err *err);
/* Make sure that a form can run; no more than the plan's temporary memory once that is fixed. */
enum ilab_status native_prepare_own(struct ilab_session *s, const struct ilab_plan *plan, int layer, enum ilab_epilogue epilogue, struct ilab_err *err);
enum ilab_status native_prepare_form(struct ilab_session *s, const struct ilab_plan *plan, int layer, bool biased, struct ilab_err *err);
enum ilab_status native_linear(struct ilab_session *s, const struct ilab_plan *plan, int layer, struct ilab_buffer *x,
	struct ilab_buffer *w, struct ilab_buffer *b, struct ilab_buffer *y, struct ilab_buffer *temporary, enum ilab_epilogue epilogue,
	struct ilab_err *err);

#endif
