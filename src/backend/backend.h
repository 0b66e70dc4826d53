#ifndef ILAB_BACKEND_BACKEND_H
#define ILAB_BACKEND_BACKEND_H

#include "base/err.h"
#include "model/rule.h"
#include "result/record.h"

#include <stdbool.h>
#include <stdint.h>

/* THE interface between the harness and a vendor's API: a table of operations, one row in registry.c for each backend.
 *
 * Rules for an implementer
 * - Backends never read a clock, repeat, print, exit, or look at the environment.
 * - One thread calls them. One device is open at a time in a process; all work goes through one in-order queue.
 * - QUEUES: returns once the work is queued; never waits for the device. BLOCKS: may wait for the device.
 * - An error that a queued operation causes may be reported by a later operation, at the latest by `sync`.
 * - "Not supported" is an answer, not a failure: ILAB_REFUSED with a reason in err->text.
 * - Out of device memory is ILAB_FAILED with err->text beginning "out of device memory". */

#define ILAB_BACKEND_ABI 1

struct ilab_session;               /* an open device; defined by each backend */
struct ilab_buffer;                /* a device allocation; defined by each backend */

enum ilab_gemm { ILAB_GEMM_AUTO, ILAB_GEMM_CLBLAST, ILAB_GEMM_BUILTIN, ILAB_GEMM_CUBLASLT, ILAB_GEMM_ROCBLAS };
enum ilab_epilogue { ILAB_EPILOGUE_NONE, ILAB_EPILOGUE_BIAS, ILAB_EPILOGUE_BIAS_GELU };
enum ilab_fill { ILAB_FILL_RULE, ILAB_FILL_POISON };
enum ilab_probe { ILAB_PROBE_COPY, ILAB_PROBE_FMA, ILAB_PROBE_MATRIX };

/* A tuning document's parameters for this device, as read by the caller (NULL: none). */
struct ilab_tuning_entry {             /* one product y[m, n] = x[m, k] W^T */
	enum ilab_dtype dtype;
	uint64_t m, n, k;
	const char *form;
	const struct ilab_parameter *parameters; size_t parameter_count;
};
struct ilab_tuning {
	const char *provider;
	const struct ilab_tuning_entry *entries; size_t entry_count;
	const char *provider_version;  /* that the entries were found with; NULL: not known. The harness compares it, backends need not */
};

/* The folder of OpenCL driver files (.icd) unless OCL_ICD_VENDORS names another place. */
#define ILAB_OPENCL_VENDORS "/etc/OpenCL/vendors"

/* Facts about drivers' surroundings that a backend may not read from the environment itself. Every member may be NULL: not known. */
struct ilab_surroundings {
	const char *opencl_vendors;    /* where the ICD loader was told to look (OCL_ICD_VENDORS); NULL: its default folder */
	const char *pocl_cache, *mesa_cache, *nvidia_cache, *intel_cache;   /* folders where drivers keep compiled kernels */
	const char *opencl_vendors_shown;      /* what to call that place in a listing, which holds no value of a variable; NULL: after its source */
};

struct ilab_open_options {
	uint32_t platform_index, device_index;
	const struct ilab_surroundings *surroundings;   /* NULL: nothing is known */
	bool graph;                    /* replay passes from a captured graph where the backend can (refused elsewhere) */
};

struct ilab_limits {
	uint64_t total_memory_bytes, max_allocation_bytes;
};

/* What will run, decided without running a product of this shape. A plain value; `state` belongs to the session and lives until close. */
struct ilab_plan {
	struct ilab_shape shape;
	enum ilab_dtype dtype;
	enum ilab_gemm provider;       /* never AUTO */
	enum ilab_layout weight_layout[2];
	uint64_t temporary_bytes;      /* for `temporary` of linear: the larger of the two layers'; 0 = none needed */
	struct ilab_gemm_record record;    /* for the document; strings live until close */
	void *state;
};

/* The allocator's own counters, in bytes asked for. */
struct ilab_memory {
	uint64_t allocated_bytes, reserved_bytes, peak_allocated_bytes, peak_reserved_bytes;
	struct ilab_count driver_used_bytes;   /* the driver's figure for this process or device, where there is one */
};

/* What a session is, for the document. Strings live until close. */
struct ilab_session_info {
	struct ilab_device device;     /* identity read from the opened device itself */
	struct ilab_library *libraries; size_t library_count;
	const char *kernel_cache;      /* "cold" "warm" "none" "unknown": did opening find our kernels compiled? */
	const char *counters_source;   /* "opencl_pool" "cuda_mempool" ... */
	const char *counters_scope;    /* one sentence */
	const char *counters_reset;    /* how peaks are reset, one sentence */
	struct ilab_text driver_source, driver_scope;  /* of driver_used_bytes */
	struct ilab_text timer_source; /* of spans: "opencl markers" "cuda events"; a reason where there are none */
	double timer_resolution_seconds;
};

/* What a probe's arithmetic must come to: 16 chains that end at 0.75 / (1 - 0.5) each. */
#define ILAB_PROBE_RESULT 24.0f

struct ilab_backend {
	uint32_t abi;                  /* ILAB_BACKEND_ABI */
	const char *name;              /* "opencl" "cuda" "hip" */

	/* BLOCKS. List platforms and devices without making a context. A missing driver is a listing with state and reason, not an
	 * error. Strings go into `arena`. `surroundings` may be NULL. */
	enum ilab_status (*enumerate)(const struct ilab_surroundings *surroundings, struct ilab_arena *arena, struct ilab_listing *out,
		struct ilab_err *err);

	/* BLOCKS. Context, queue, our kernels compiled, library handles. *out is freed by close. */
	enum ilab_status (*open)(const struct ilab_open_options *options, struct ilab_session **out, struct ilab_err *err);
	/* BLOCKS. Frees everything that the session handed out, buffers too. NULL is allowed. */
	void (*close)(struct ilab_session *s);
	const struct ilab_session_info *(*info)(struct ilab_session *s);
	void (*limits)(struct ilab_session *s, struct ilab_limits *out);

	/* BLOCKS, runs no product of this shape (a tiny one may prove a kernel). ILAB_REFUSED when type, provider or shape (32-bit indices ...)
	 * cannot be had. An explicit `gemm` never falls back; AUTO records its reason. */
	enum ilab_status (*plan)(struct ilab_session *s, const struct ilab_shape *shape, enum ilab_dtype dtype, enum ilab_gemm gemm,
		const struct ilab_tuning *tuning, struct ilab_plan *out, struct ilab_err *err);

	/* BLOCKS, runs no product. For `tune`: parameter sets worth timing for one layer's product, best guess first, each an entry that
	 * `plan` accepts. Rows go into `arena`. May be NULL: nothing to tune. */
	enum ilab_status (*candidates)(struct ilab_session *s, const struct ilab_shape *shape, enum ilab_dtype dtype, enum ilab_gemm gemm,
		int layer, struct ilab_arena *arena, struct ilab_tuning_entry **out, size_t *count, struct ilab_err *err);

	/* QUEUES, or BLOCKS when a new block must be made (it is touched, so that memory is there). `bytes` > 0 is counted exactly. */
	enum ilab_status (*alloc)(struct ilab_session *s, uint64_t bytes, struct ilab_buffer **out, struct ilab_err *err);
	/* QUEUES. Gives the buffer back to the allocator's cache: later allocations may reuse it at once, since one in-order queue
	 * orders their work after this buffer's. NULL is allowed. */
	void (*free)(struct ilab_session *s, struct ilab_buffer *b);
	/* BLOCKS. Returns cached blocks to the driver. */
	enum ilab_status (*trim)(struct ilab_session *s, struct ilab_err *err);

	/* BLOCKS until the host data is no longer needed; the transfer may go on. The values are made by ilab_rule_fill straight into the
	 * backend's staging memory, chunk by chunk, while the chunk before travels. */
	enum ilab_status (*upload)(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, struct ilab_err *err);
	/* BLOCKS. */
	enum ilab_status (*download)(struct ilab_session *s, struct ilab_buffer *b, uint64_t offset_bytes, uint64_t bytes, void *dst, struct ilab_err *err);

	/* QUEUES. RULE: the tensor's values, bit-identical to ilab_rule_fill. POISON: every element of t a quiet NaN. */
	enum ilab_status (*fill)(struct ilab_session *s, struct ilab_buffer *b, enum ilab_fill what, const struct ilab_tensor *t, struct ilab_err *err);
	/* BLOCKS. ilab_checksum_data of the whole buffer, computed on the device. */
	enum ilab_status (*checksum)(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, uint64_t *out, struct ilab_err *err);

	/* QUEUES (a library may compile on first use). y[M, out] = epilogue(x[M, in] W^T + b), layer 0 or 1 of the plan, W in the
	 * plan's layout. `temporary` holds plan->temporary_bytes, NULL when that is 0. y overlaps nothing. Whether bias or GELU
	 * is fused is the backend's affair. */
	enum ilab_status (*linear)(struct ilab_session *s, const struct ilab_plan *plan, int layer, struct ilab_buffer *x,
		struct ilab_buffer *w, struct ilab_buffer *b, struct ilab_buffer *y, struct ilab_buffer *temporary,
		enum ilab_epilogue epilogue, struct ilab_err *err);

	/* QUEUES a known amount of work for `ceilings`: COPY moves `amount` bytes from the first half of `scratch` to the second; FMA and
	 * MATRIX do `amount` FLOP at least and write float32 from the start of `scratch` on, each ILAB_PROBE_RESULT. *done: bytes read + written,
	 * or FLOP. */
	enum ilab_status (*probe)(struct ilab_session *s, enum ilab_probe what, enum ilab_dtype dtype, struct ilab_buffer *scratch,
		uint64_t amount, uint64_t *done, struct ilab_err *err);

	/* BLOCKS until everything queued is finished; reports late errors. */
	enum ilab_status (*sync)(struct ilab_session *s, struct ilab_err *err);

	/* QUEUE. Markers around the work between them; span_read after a sync gives the raw device stamps of the last span, in ns:
	 * END of the first marker and END of the second. False where the device gives none. Judging them is the harness's work. */
	enum ilab_status (*span_begin)(struct ilab_session *s, struct ilab_err *err);
	enum ilab_status (*span_end)(struct ilab_session *s, struct ilab_err *err);
	bool (*span_read)(struct ilab_session *s, uint64_t *begin_ns, uint64_t *end_ns);

	/* A pass as a graph that is replayed; all three NULL where a backend has none. What is queued between begin and end is recorded and not
	 * run; only linear and spans may be called there, on buffers allocated before (alloc and free are refused by assertion). end
	 * BLOCKS and replaces the session's graph; launch QUEUES it, and its buffers must still be alive. */
	enum ilab_status (*graph_begin)(struct ilab_session *s, struct ilab_err *err);
	enum ilab_status (*graph_end)(struct ilab_session *s, struct ilab_err *err);
	enum ilab_status (*graph_launch)(struct ilab_session *s, struct ilab_err *err);

	void (*memory)(struct ilab_session *s, struct ilab_memory *out);
	void (*reset_peaks)(struct ilab_session *s);   /* both peaks become the current values */
};

/* provider.c */
const char *ilab_gemm_name(enum ilab_gemm gemm);                       /* "auto" "clblast" ... */
bool ilab_gemm_from_name(const char *name, enum ilab_gemm *out);

/* registry.c */
/* Names of the backends this program knows, in listing order, NULL-terminated: "opencl" "cuda" "hip". */
extern const char *const ilab_backend_names[];
/* The table of a backend; loads its module where it is one. NULL with the reason in `err` (ILAB_REFUSED) when it cannot be had:
 * "no module", "does not load", "wrong ABI". `module_dir` (NULL: the default places) is the only place searched when given.
 * On success `*file` (`file` may be NULL) is the module's base name, or "built-in". Called in the worker only: it may load a driver. */
const struct ilab_backend *ilab_backend_load(const char *name, const char *module_dir, const char **file, struct ilab_err *err);

/* The one exported symbol of a module. */
#define ILAB_MODULE_SYMBOL "ilab_module_backend"
typedef const struct ilab_backend *ilab_module_fn(void);

#endif
