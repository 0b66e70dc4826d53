#ifndef ILAB_BACKEND_NATIVE_H
#define ILAB_BACKEND_NATIVE_H

#include "backend/backend.h"

#include <stddef.h>

/* What a vendor folder (cuda/, hip/) gives to native*.c, which implement every backend operation once for both: a table of
 * driver-level functions, the vendor's matrix library, and some words. native*.c know no vendor header, so that they are
 * also driven by a table of the unit tests, without a driver. They are linked into the modules only. */

typedef uint64_t native_ptr;           /* an address in device memory */

enum native_attribute { NATIVE_COMPUTE_UNITS, NATIVE_POOLS_SUPPORTED };
enum native_pool_counter { NATIVE_USED, NATIVE_USED_HIGH, NATIVE_RESERVED, NATIVE_RESERVED_HIGH };

/* Driver-level functions. Each `int` is the vendor's own result code, 0 for success. Handles are the vendor's pointers. The
 * members are named after what they do; `api_name` gives the vendor's name of the call for messages. */
struct native_rt {
	int (*init)(void);
	int (*driver_version)(int *version);                             /* 1000 * major + 10 * minor */
	int (*device_count)(int *count);
	int (*device_name)(char *name, int size, int device);
	int (*device_uuid)(uint8_t uuid[16], int device);
	int (*device_memory)(size_t *bytes, int device);
	int (*device_attribute)(int *value, enum native_attribute what, int device);
	int (*device_pci)(char *address, int size, int device);          /* "0000:01:00.0" */
	int (*architecture)(char *name, int size, int device);           /* "sm_90" "gfx90a" */

	int (*context_open)(void **context, int device);                 /* the device's primary context, made current */
	int (*context_close)(int device);
	int (*memory_info)(size_t *free_bytes, size_t *total_bytes);

	int (*stream_create)(void **stream);                             /* does not wait for the default stream */
	int (*stream_destroy)(void *stream);
	int (*stream_sync)(void *stream);
	int (*event_create)(void **event, bool timing);
	int (*event_destroy)(void *event);
	int (*event_record)(void *event, void *stream);
	int (*event_sync)(void *event);
	int (*event_elapsed)(float *ms, void *begin, void *end);

	int (*module_load)(void **module, const void *image);
	int (*module_unload)(void *module);
	int (*module_function)(void **function, void *module, const char *name);
	int (*launch)(void *function, const unsigned blocks[3], const unsigned threads[3], void *stream, void **arguments);

	int (*copy_to_device)(native_ptr dst, const void *src, size_t bytes, void *stream);
	int (*copy_to_host)(void *dst, native_ptr src, size_t bytes, void *stream);
	int (*copy_on_device)(native_ptr dst, native_ptr src, size_t bytes, void *stream);
	int (*set_bytes)(native_ptr dst, unsigned char value, size_t bytes, void *stream);

	int (*pinned_alloc)(void **host, size_t bytes);
	int (*pinned_free)(void *host);
	int (*plain_alloc)(native_ptr *address, size_t bytes);
	int (*plain_free)(native_ptr address);                           /* waits for the device */

	int (*pool_create)(void **pool, int device);                     /* keeps what it has until trimmed */
	int (*pool_destroy)(void *pool);
	int (*pool_counter)(void *pool, enum native_pool_counter what, uint64_t *bytes);
	int (*pool_reset)(void *pool, enum native_pool_counter high);    /* the high mark becomes the current value; HIP's becomes 0 */
	int (*pool_trim)(void *pool);
	int (*pool_alloc)(native_ptr *address, size_t bytes, void *pool, void *stream);
	int (*pool_free)(native_ptr address, void *stream);

	int (*capture_begin)(void *stream);
	int (*capture_end)(void *stream, void **executable);             /* NULL when nothing was recorded */
	int (*graph_launch)(void *executable, void *stream);
	int (*graph_destroy)(void *executable);

	const char *(*error_name)(int code);                             /* never NULL */
	const char *(*error_text)(int code);                             /* never NULL */
	const char *(*api_name)(const char *member);                     /* "launch" -> "cuLaunchKernel" */
	bool (*is_no_memory)(int code);
	bool (*is_no_device)(int code);                                  /* answers of init and device_count that mean "none here" */
};

/* --- the vendor's matrix library --------------------------------------------------------------------------------------- */

/* y[m, n] = x[m, k] W^T, W as [n, k] (ILAB_LAYOUT_ROWS) or [k, n] (COLS), row-major, with `biased` y += bias. float32
 * accumulation always. */
struct native_gemm_request {
	uint64_t m, n, k;
	enum ilab_dtype dtype;
	enum ilab_layout weight_layout;
	bool biased;
	uint64_t max_temporary_bytes;  /* UINT64_MAX: what the library is recommended to have on this device */
	const struct ilab_tuning_entry *entry;     /* parameters to use, NULL: the library's first choice */
};

/* How such a product will run. Owned by the library's state until close. */
struct native_gemm_choice {
	uint64_t temporary_bytes;
	struct ilab_parameter *parameters; size_t parameter_count;
	void *state;
};

struct native_gemm {
	enum ilab_gemm provider;
	bool tf32;                     /* it has this type, which our own product has not */
	/* BLOCKS. Loads the library and makes a handle in the current context. ILAB_REFUSED names the library that is missing. */
	enum ilab_status (*open)(struct ilab_arena *arena, int device, void **library, struct ilab_err *err);
	void (*close)(void *library);  /* NULL is allowed */
	/* Runs nothing. ILAB_REFUSED when the library has nothing for this request. */
	enum ilab_status (*plan)(void *library, struct ilab_arena *arena, const struct native_gemm_request *request,
		struct native_gemm_choice *out, struct ilab_err *err);
	/* Runs nothing. Parameter sets worth timing for this request, best guess first. */
	enum ilab_status (*candidates)(void *library, struct ilab_arena *arena, const struct native_gemm_request *request,
		struct ilab_tuning_entry **out, size_t *count, struct ilab_err *err);
	/* QUEUES. `bias` is 0 unless the request was biased. */
	enum ilab_status (*run)(void *library, const struct native_gemm_choice *choice, native_ptr x, native_ptr w, native_ptr bias,
		native_ptr y, native_ptr temporary, void *stream, struct ilab_err *err);
};

/* What a document calls the form of a library's product and of our own (native_plan.c). */
const char *native_form_name(bool own, enum ilab_layout weight_layout);

/* --- the vendor -------------------------------------------------------------------------------------------------------- */

struct native_vendor {
	const char *platform;          /* "NVIDIA" */
	const char *vendor;            /* "NVIDIA Corporation" */
	const char *api;               /* "CUDA" */
	const char *prelude;           /* name of the embedded text that maps the kernels' words, "cuda/prelude.h" */
	const char *pool_source, *tracked_source;    /* of the counters: "cuda_mempool" "cuda_tracked" */
	bool pools_vary;               /* between releases, in what they count and keep: each is tried at opening before it is used */
	const char *pool_reset;        /* what resetting the pool's high marks does, one sentence */
	const char *memory_info_name;  /* "cuMemGetInfo" */
	const char *timer_source;      /* "cuda events" */
	double timer_resolution_seconds;
	const struct native_gemm *gemm;

	/* The function table, or NULL with the reason: library or symbol missing, driver too old. Loads once. */
	const struct native_rt *(*load)(struct ilab_err *err);
	/* Version of the kernel driver; NULL when unknown. */
	const char *(*driver_release)(struct ilab_arena *arena);
	/* Libraries that answer besides the driver, and a sentence for each that is missing. Rows go into the arena. */
	void (*libraries)(struct ilab_arena *arena, struct ilab_library **found, size_t *found_count,
		const char ***missing, size_t *missing_count);
	/* Machine code for one text, malloc'ed. ILAB_REFUSED: no compiler, or one that does not know the architecture. */
	enum ilab_status (*compile)(const char *text, const char *label, const char *architecture, void **image, struct ilab_err *err);
	/* What the driver says of memory in use, for the optional block of a document; tried in order at opening, the first that answers is kept.
	 * Ended by a row without a source; memory_info, of the whole device, comes after them. */
	struct native_driver_figure {
		const char *source;    /* "nvml" */
		bool process;          /* of this process; else of the whole device */
		bool (*used)(const char *pci_address, uint64_t *bytes);    /* false where it does not say */
	} driver_figures[4];
};

extern const struct native_vendor native_vendor;       /* defined by the vendor folder */
extern const char native_backend_name[];               /* "cuda" */

/* The finished table (native.c). */
extern const struct ilab_backend native_backend;

#endif
