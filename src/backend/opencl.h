#ifndef ILAB_BACKEND_OPENCL_H
#define ILAB_BACKEND_OPENCL_H

/* What the files opencl_*.c share. Nothing outside them includes this. */

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS      /* clCreateCommandQueue: the only one that every driver has */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS      /* clGetExtensionFunctionAddress: asked of the loader, not of a platform */
#include "backend/backend.h"
#include "backend/kernels.h"
#include "backend/pool.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>

/* --- errors (opencl_error.c) ----------------------------------------------------------------------------------------- */

const char *opencl_error_name(cl_int code);    /* "CL_OUT_OF_RESOURCES"; CLBlast's own codes too */
bool opencl_is_no_memory(cl_int code);         /* the codes by which drivers say that memory ran out */
/* ILAB_FAILED with "DOING: NAME (CODE)", or "out of device memory ..." for those codes. */
enum ilab_status opencl_fail(struct ilab_err *err, cl_int code, const char *call, const char *doing);

/* --- facts about platforms and devices ------------------------------------------------------------------------------- */

/* opencl_query.c. Texts are cleaned: valid UTF-8, no control characters, trimmed. NULL or `fallback` where the driver has no answer. */
char *opencl_clean_text(struct ilab_arena *arena, const char *raw, size_t bytes);
char *opencl_platform_text(struct ilab_arena *arena, cl_platform_id platform, cl_platform_info what);
char *opencl_device_text(struct ilab_arena *arena, cl_device_id device, cl_device_info what);
/* An integer property of any width to 8 bytes. */
uint64_t opencl_device_number(cl_device_id device, cl_device_info what, uint64_t fallback);
bool opencl_device_has_extension(cl_device_id device, const char *name);

/* opencl_device.c. The record of a device; every query may fail without harm. */
void opencl_describe_device(struct ilab_arena *arena, cl_platform_id platform, cl_device_id device, uint32_t platform_index,
	uint32_t device_index, struct ilab_device *out);

/* opencl_loader.c. Which ICD loader answers, which libraries serve, and what is wrong with the driver files. */
void opencl_describe_loader(struct ilab_arena *arena, struct ilab_listing *out);
void opencl_describe_libraries(struct ilab_arena *arena, struct ilab_library **out, size_t *count);
const char *opencl_vendor_place(const struct ilab_surroundings *surroundings);
/* Advice on each driver file that registers no usable driver; how many files (or libraries) are registered there. No library is loaded for
 * it that the loader has not loaded. */
size_t opencl_advise_on_driver_files(struct ilab_arena *arena, const char *place, struct ilab_listing *out);
void opencl_advise(struct ilab_arena *arena, struct ilab_listing *out, const char *sentence);   /* sentence lives in the arena */

/* opencl_enumerate.c. The devices of a platform in index order; malloc'ed, NULL with *count 0 where there are none. */
cl_device_id *opencl_devices(cl_platform_id platform, cl_uint *count, cl_int *code);
cl_platform_id *opencl_platforms(cl_uint *count, cl_int *code);
enum ilab_status opencl_enumerate(const struct ilab_surroundings *surroundings, struct ilab_arena *arena, struct ilab_listing *out,
	struct ilab_err *err);

/* --- an open device -------------------------------------------------------------------------------------------------- */

#define OPENCL_STAGING_BYTES ((size_t)32 << 20)        /* at most */

/* Two pinned host areas, filled in turn: one travels while the other is made. */
struct opencl_staging {
	cl_mem pinned[2];
	void *host[2];
	size_t bytes;                  /* of each */
	cl_event busy[2];              /* transfer that still reads the area, NULL: free */
};

enum { OPENCL_SCRATCH = 3 };

struct opencl_program;             /* opencl_program.c: one built text with one set of macros */

struct ilab_session {
	struct ilab_arena arena;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;        /* in order */
	struct ilab_session_info info;
	bool is_cpu, profiling;
	bool intel_relaxed;            /* Intel GPU: buffers above 4 GiB need a flag and a build option */
	uint32_t multiply_add;         /* MULTIPLY_ADD for programs: what is exact and fast here */
	struct ilab_pool pool;
	struct opencl_program *programs;
	bool without_std;              /* the compiler knows no -cl-std=CL1.2: programs are built without */
	const char *cache_folder;      /* of this device's driver, NULL: not known */
	uint64_t cache_entries;        /* that it held before our first build */
	struct opencl_staging staging;
	cl_mem scratch[OPENCL_SCRATCH];        /* small and ours, outside the pool: checksum sums of work-groups, first launches */
	size_t scratch_bytes;          /* of each */
	size_t active_tuning;          /* 1 + index of the tuning entry that CLBlast works with now, 0: none */
	cl_event span[2];
	struct ilab_err lost;          /* first error of a finish: the driver's later answers are only echoes of it */
};

/* opencl_cache.c. "cold" "warm" "none" "unknown" from what the driver's cache folder gained since opening. */
void opencl_cache_watch(struct ilab_session *s, const struct ilab_surroundings *surroundings);
const char *opencl_cache_state(const struct ilab_session *s);

/* --- programs (opencl_program.c) --------------------------------------------------------------------------------------- */

/* A kernel of a program. The program is built at first use; both are kept until close and belong to the session. */
enum ilab_status opencl_kernel(struct ilab_session *s, const struct ilab_program *program, const char *name, cl_kernel *out,
	struct ilab_err *err);
void opencl_programs_release(struct ilab_session *s);

struct opencl_argument { size_t size; const void *value; };
#define OPENCL_ARGUMENT(variable) { sizeof(variable), &(variable) }
/* QUEUES. Copies the arguments. */
enum ilab_status opencl_launch(struct ilab_session *s, cl_kernel kernel, const char *name, const struct ilab_grid *grid,
	const struct opencl_argument *arguments, size_t count, struct ilab_err *err);

/* --- memory and transfers ---------------------------------------------------------------------------------------------- */

/* opencl_memory.c */
void opencl_memory_open(struct ilab_session *s);
void opencl_limits(struct ilab_session *s, struct ilab_limits *out);
enum ilab_status opencl_alloc(struct ilab_session *s, uint64_t bytes, struct ilab_buffer **out, struct ilab_err *err);
void opencl_free(struct ilab_session *s, struct ilab_buffer *b);
enum ilab_status opencl_trim(struct ilab_session *s, struct ilab_err *err);
void opencl_memory(struct ilab_session *s, struct ilab_memory *out);
void opencl_reset_peaks(struct ilab_session *s);
static inline cl_mem opencl_mem(const struct ilab_buffer *b) { return b->handle; }

/* opencl_transfer.c */
/* Areas for transfers of `bytes` at once, to a limit. */
enum ilab_status opencl_staging_need(struct ilab_session *s, uint64_t bytes, struct ilab_err *err);
void opencl_staging_close(struct ilab_session *s);
enum ilab_status opencl_upload(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, struct ilab_err *err);
enum ilab_status opencl_download(struct ilab_session *s, struct ilab_buffer *b, uint64_t offset_bytes, uint64_t bytes, void *dst,
	struct ilab_err *err);

/* --- work -------------------------------------------------------------------------------------------------------------- */

/* opencl_elements.c */
enum ilab_status opencl_fill(struct ilab_session *s, struct ilab_buffer *b, enum ilab_fill what, const struct ilab_tensor *t,
	struct ilab_err *err);
enum ilab_status opencl_checksum(struct ilab_session *s, struct ilab_buffer *b, const struct ilab_tensor *t, uint64_t *out,
	struct ilab_err *err);

/* Builds the element-wise kernels of a type and runs each once on a few elements: some drivers compile at the first launch. */
enum ilab_status opencl_prepare_elements(struct ilab_session *s, enum ilab_dtype dtype, struct ilab_err *err);
/* y = y + bias, then GELU when `gelu`; y [rows, cols]. QUEUES. */
enum ilab_status opencl_add_bias(struct ilab_session *s, enum ilab_dtype dtype, bool gelu, uint64_t rows, uint32_t cols,
	struct ilab_buffer *bias, struct ilab_buffer *y, struct ilab_err *err);
/* The scratch buffers hold `bytes` each, zeros when new. */
enum ilab_status opencl_need_scratch(struct ilab_session *s, size_t bytes, struct ilab_err *err);

/* opencl_probe.c */
enum ilab_status opencl_probe(struct ilab_session *s, enum ilab_probe what, enum ilab_dtype dtype, struct ilab_buffer *scratch,
	uint64_t amount, uint64_t *done, struct ilab_err *err);

/* opencl_timing.c */
enum ilab_status opencl_sync(struct ilab_session *s, struct ilab_err *err);
enum ilab_status opencl_span_begin(struct ilab_session *s, struct ilab_err *err);
enum ilab_status opencl_span_end(struct ilab_session *s, struct ilab_err *err);
bool opencl_span_read(struct ilab_session *s, uint64_t *begin_ns, uint64_t *end_ns);
void opencl_span_release(struct ilab_session *s);

/* --- matrix products --------------------------------------------------------------------------------------------------- */

/* One layer as a product: y[m, n] = x[m, k] W^T. */
struct opencl_layer { uint64_t m, n, k; };

struct opencl_form;                /* opencl_clblast.c: how a layer is put to CLBlast */

/* What ilab_plan.state points to; of the session's arena. */
struct opencl_plan {
	struct opencl_layer layers[2];
	/* builtin */
	struct ilab_product products[2][3];            /* layer, epilogue */
	/* clblast */
	const struct opencl_form *forms[2];
	uint64_t temporary_bytes[2];
	const struct ilab_tuning *tuning;              /* a copy of ours */
	size_t tuned_by[2];                            /* 1 + index of the entry for this layer, 0: none */
};

/* opencl_gemm.c */
enum ilab_status opencl_plan(struct ilab_session *s, const struct ilab_shape *shape, enum ilab_dtype dtype, enum ilab_gemm gemm,
	const struct ilab_tuning *tuning, struct ilab_plan *out, struct ilab_err *err);
enum ilab_status opencl_linear(struct ilab_session *s, const struct ilab_plan *plan, int layer, struct ilab_buffer *x,
	struct ilab_buffer *w, struct ilab_buffer *b, struct ilab_buffer *y, struct ilab_buffer *temporary, enum ilab_epilogue epilogue,
	struct ilab_err *err);
/* The tuning entry for this provider, type and layer: 1 + index, 0 when there is none. */
size_t opencl_tuning_entry(const struct ilab_tuning *tuning, const char *provider, enum ilab_dtype dtype, const struct opencl_layer *layer);
void opencl_record_parameter(struct ilab_session *s, struct ilab_gemm_record *record, const char *name, const char *value);

/* opencl_builtin.c and opencl_clblast.c, one set each. `layers` are two. `supported` answers ILAB_REFUSED with the reason. */
enum ilab_status opencl_builtin_supported(struct ilab_session *s, enum ilab_dtype dtype, const struct opencl_layer *layers,
	struct ilab_err *err);
enum ilab_status opencl_builtin_plan(struct ilab_session *s, struct ilab_plan *plan, struct ilab_err *err);
enum ilab_status opencl_builtin_linear(struct ilab_session *s, const struct ilab_plan *plan, int layer, cl_mem x, cl_mem w, cl_mem b,
	cl_mem y, cl_mem temporary, enum ilab_epilogue epilogue, struct ilab_err *err);
enum ilab_status opencl_clblast_supported(struct ilab_session *s, enum ilab_dtype dtype, const struct opencl_layer *layers,
	struct ilab_err *err);
enum ilab_status opencl_clblast_plan(struct ilab_session *s, struct ilab_plan *plan, struct ilab_err *err);
enum ilab_status opencl_clblast_product(struct ilab_session *s, const struct ilab_plan *plan, int layer, cl_mem x, cl_mem w, cl_mem y,
	cl_mem temporary, struct ilab_err *err);

#endif
