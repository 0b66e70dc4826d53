#include "module.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Products by rocBLAS. Row-major y[m, n] = x[m, k] W^T is, column by column, y^T[n, m] = op(W) x^T: no transposition or copy is needed.
 *
 * Distributions that have HIP need not have rocBLAS or its header, so the calls are declared here, after library/include/rocblas-types.h,
 * rocblas-auxiliary.h and rocblas-functions.h of rocBLAS (commit 01f9ab79). Its enums are ints in the ABI. */

typedef struct rocblas_handle_ *rocblas_handle;
typedef int rocblas_status;

enum { ROCBLAS_SUCCESS = 0, ROCBLAS_NOT_IMPLEMENTED = 2, ROCBLAS_MEMORY_ERROR = 5, ROCBLAS_PERF_DEGRADED = 7 };
enum { ROCBLAS_NONE = 111, ROCBLAS_TRANSPOSE = 112 };                      /* rocblas_operation */
enum { ROCBLAS_F16 = 150, ROCBLAS_F32 = 151, ROCBLAS_BF16 = 168 };         /* rocblas_datatype */
enum { ROCBLAS_ATOMICS_NOT_ALLOWED = 0, ROCBLAS_POINTERS_HOST = 0, ROCBLAS_ALGO_STANDARD = 0, ROCBLAS_FLAGS_NONE = 0 };

static struct {
	rocblas_status (*create_handle)(rocblas_handle *handle);
	rocblas_status (*destroy_handle)(rocblas_handle handle);
	rocblas_status (*set_stream)(rocblas_handle handle, void *stream);
	rocblas_status (*set_workspace)(rocblas_handle handle, void *address, size_t bytes);
	rocblas_status (*set_atomics_mode)(rocblas_handle handle, int mode);
	rocblas_status (*set_pointer_mode)(rocblas_handle handle, int mode);
	rocblas_status (*gemm_ex)(rocblas_handle handle, int trans_a, int trans_b, int32_t m, int32_t n, int32_t k, const void *alpha,
		const void *a, int a_type, int32_t lda, const void *b, int b_type, int32_t ldb, const void *beta,
		const void *c, int c_type, int32_t ldc, void *d, int d_type, int32_t ldd, int compute_type, int algo, int32_t solution_index, uint32_t flags);
	const char *(*status_to_string)(rocblas_status status);
	rocblas_status (*get_version_string)(char *text, size_t size);
} rocblas;

/* One release of ROCm brings one series of each: another rocBLAS would bring another HIP with it. */
static const char *const names_7[] = { "librocblas.so.5", NULL }, *const names_6[] = { "librocblas.so.4", NULL },
	*const names_5[] = { "librocblas.so.3", "librocblas.so.0", NULL };
static struct native_library library = { .folder = HIP_LIBRARY_FOLDER };

static enum ilab_status load(struct ilab_err *err)
{
	static bool loaded;
	const struct native_symbol symbols[] = {
		{ "rocblas_create_handle", (void **)&rocblas.create_handle }, { "rocblas_destroy_handle", (void **)&rocblas.destroy_handle },
		{ "rocblas_set_stream", (void **)&rocblas.set_stream }, { "rocblas_set_workspace", (void **)&rocblas.set_workspace },
		{ "rocblas_set_atomics_mode", (void **)&rocblas.set_atomics_mode }, { "rocblas_set_pointer_mode", (void **)&rocblas.set_pointer_mode },
		{ "rocblas_gemm_ex", (void **)&rocblas.gemm_ex }, { "rocblas_status_to_string", (void **)&rocblas.status_to_string },
		{ "rocblas_get_version_string", (void **)&rocblas.get_version_string },
	};
	if (loaded)
		return ILAB_OK;
	library.names = hip_series() >= 7 ? names_7 : hip_series() == 6 ? names_6 : names_5;
	if (native_library_load(&library, "rocBLAS, the vendor's matrix products", "install it from the ROCm packages that the HIP runtime is of "
		"(rocblas; Debian 13, Ubuntu 24.04: librocblas0); without it the built-in product is used", err) ||
		native_library_symbols(&library, symbols, sizeof(symbols) / sizeof(symbols[0]), err))
		return ILAB_REFUSED;
	loaded = true;
	return ILAB_OK;
}

bool hip_gemm_describe(struct ilab_arena *arena, struct ilab_library *out, struct ilab_err *err)
{
	char text[64] = "";
	if (load(err))
		return false;
	if (rocblas.get_version_string(text, sizeof(text)))
		text[0] = '\0';
	text[sizeof(text) - 1] = '\0';
	*out = (struct ilab_library){ library.loaded, *text ? ilab_arena_strdup(arena, text) : NULL };
	return true;
}

static enum ilab_status fail(rocblas_status code, const char *call, const char *doing, struct ilab_err *err)
{
	if (code == ROCBLAS_MEMORY_ERROR)
		return ilab_err_set(err, ILAB_FAILED, call, code, "out of device memory: rocBLAS cannot %s", doing);
	const char *text = rocblas.status_to_string(code);
	return ilab_err_set(err, code == ROCBLAS_NOT_IMPLEMENTED ? ILAB_REFUSED : ILAB_FAILED, call, code, "rocBLAS cannot %s: %s (%d)", doing,
		text ? text : "unknown status", code);
}

/* --- handle ------------------------------------------------------------------------------------------------------------- */

struct state {
	rocblas_handle handle;
	uint64_t workspace_bytes;
	void *stream;                          /* that the handle holds now */
	native_ptr workspace;
	uint64_t set_bytes;
};

/* The library's own default would be allocated outside our counters. As much as PyTorch gives it. */
static uint64_t workspace_for(int device)
{
	char architecture[32] = "";
	hip_load(NULL)->architecture(architecture, sizeof(architecture), device);
	return (uint64_t)(!strncmp(architecture, "gfx94", 5) || !strncmp(architecture, "gfx95", 5) ? 128 : 32) << 20;
}

/* Sums by atomic additions come in any order: two runs would differ in their last bits. */
static enum ilab_status gemm_open(struct ilab_arena *arena, int device, void **out, struct ilab_err *err)
{
	if (load(err))
		return ILAB_REFUSED;
	struct state *s = ilab_arena_alloc(arena, sizeof(*s));
	rocblas_status code = rocblas.create_handle(&s->handle);
	if (code)
		return fail(code, "rocblas_create_handle", "start", err);
	code = rocblas.set_atomics_mode(s->handle, ROCBLAS_ATOMICS_NOT_ALLOWED);
	if (!code)
		code = rocblas.set_pointer_mode(s->handle, ROCBLAS_POINTERS_HOST);
	if (code) {
		rocblas.destroy_handle(s->handle);
		return fail(code, "rocblas_set_atomics_mode", "switch atomic additions off", err);
	}
	s->workspace_bytes = workspace_for(device);
	*out = s;
	return ILAB_OK;
}

static void gemm_close(void *state)
{
	struct state *s = state;
	if (s)
		rocblas.destroy_handle(s->handle);
}

/* --- products ----------------------------------------------------------------------------------------------------------- */

struct product { int32_t m, n, k; int type, op_w; int32_t ld_w; };

static int type_of(enum ilab_dtype dtype)
{
	return dtype == ILAB_F16 ? ROCBLAS_F16 : dtype == ILAB_BF16 ? ROCBLAS_BF16 : ROCBLAS_F32;
}

static enum ilab_status gemm_plan(void *state, struct ilab_arena *arena, const struct native_gemm_request *r, struct native_gemm_choice *out,
	struct ilab_err *err)
{
	const struct state *s = state;
	const bool columns = r->weight_layout == ILAB_LAYOUT_COLS;
	if (r->biased)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "unsupported: rocBLAS adds no bias");
	if (r->entry)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "unsupported: rocBLAS is not tuned here; measure without --tuning");
	if (r->m > INT32_MAX || r->n > INT32_MAX || r->k > INT32_MAX)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "rocBLAS takes sizes up to %d, not %" PRIu64 " x %" PRIu64 " x %" PRIu64 "; use --gemm builtin",
			INT32_MAX, r->m, r->n, r->k);
	struct product *p = ilab_arena_alloc(arena, sizeof(*p));
	*p = (struct product){ (int32_t)r->m, (int32_t)r->n, (int32_t)r->k, type_of(r->dtype), columns ? ROCBLAS_NONE : ROCBLAS_TRANSPOSE,
		(int32_t)(columns ? r->n : r->k) };
	*out = (struct native_gemm_choice){ .state = p,
		.temporary_bytes = s->workspace_bytes < r->max_temporary_bytes ? s->workspace_bytes : r->max_temporary_bytes };
	out->parameters = ilab_arena_alloc(arena, 2 * sizeof(*out->parameters));
	out->parameters[out->parameter_count++] = (struct ilab_parameter){ "workspace_bytes", ilab_arena_printf(arena, "%" PRIu64, out->temporary_bytes) };
	out->parameters[out->parameter_count++] = (struct ilab_parameter){ "atomics", "not_allowed" };
	return ILAB_OK;
}

static enum ilab_status gemm_candidates(void *state, struct ilab_arena *arena, const struct native_gemm_request *request,
	struct ilab_tuning_entry **out, size_t *count, struct ilab_err *err)
{
	(void)state, (void)arena, (void)request, (void)out, (void)count;
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "unsupported: rocBLAS chooses its kernels by itself; there is nothing to tune");
}

/* With a workspace of the caller's the library neither resizes nor waits. The allocator gives the same addresses in each pass. */
static rocblas_status prepare(struct state *s, native_ptr workspace, uint64_t bytes, void *stream)
{
	rocblas_status code = 0;
	if (stream != s->stream)
		code = rocblas.set_stream(s->handle, stream);
	if (!code && (workspace != s->workspace || bytes != s->set_bytes))
		code = rocblas.set_workspace(s->handle, (void *)(uintptr_t)workspace, bytes);
	if (code)
		return code;
	s->stream = stream;
	s->workspace = workspace;
	s->set_bytes = bytes;
	return code;
}

static enum ilab_status gemm_run(void *state, const struct native_gemm_choice *choice, native_ptr x, native_ptr w, native_ptr bias, native_ptr y,
	native_ptr temporary, void *stream, struct ilab_err *err)
{
	static const float one = 1, zero = 0;
	struct state *s = state;
	const struct product *p = choice->state;
	void *result = (void *)(uintptr_t)y;
	assert(bias == 0);
	(void)bias;
	rocblas_status code = prepare(s, temporary, choice->temporary_bytes, stream);
	if (code)
		return fail(code, "rocblas_set_workspace", "take its workspace", err);
	code = rocblas.gemm_ex(s->handle, p->op_w, ROCBLAS_NONE, p->n, p->m, p->k, &one, (void *)(uintptr_t)w, p->type, p->ld_w,
		(void *)(uintptr_t)x, p->type, p->k, &zero, result, p->type, p->n, result, p->type, p->n, ROCBLAS_F32, ROCBLAS_ALGO_STANDARD, 0,
		ROCBLAS_FLAGS_NONE);
	return code && code != ROCBLAS_PERF_DEGRADED ? fail(code, "rocblas_gemm_ex", "queue the product", err) : ILAB_OK;
}

const struct native_gemm hip_gemm = {
	.provider = ILAB_GEMM_ROCBLAS,
	.open = gemm_open,
	.close = gemm_close,
	.plan = gemm_plan,
	.candidates = gemm_candidates,
	.run = gemm_run,
};
