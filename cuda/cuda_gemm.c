#include "lt.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Products by cuBLASLt. Row-major y[m, n] = x[m, k] W^T is, column by column, y^T[n, m] = op(W) x^T: no transposition or copy is needed, and
 * the library's bias, one value per row of its result, is the bias of our columns. Its GELU is the tanh form and not used. */

struct lt_api lt;

#define SYMBOL(call) { #call, (void **)&lt.call##_ },

static const char *const names_13[] = { "libcublasLt.so.13", "libcublasLt.so.12", NULL };
static const char *const names_12[] = { "libcublasLt.so.12", NULL };
static struct native_library library = { .folder = CUDA_LIBRARY_FOLDER };

static enum ilab_status load(struct ilab_err *err)
{
	static bool loaded;
	if (loaded)
		return ILAB_OK;
	library.names = cuda_driver_is_at_least(13000) ? names_13 : names_12;
	const struct native_symbol symbols[] = { LT_CALLS(SYMBOL) };
	if (native_library_load(&library, "cuBLASLt, the vendor's matrix products", "install it from NVIDIA's CUDA packages (libcublas) for this driver", err) ||
		native_library_symbols(&library, symbols, sizeof(symbols) / sizeof(symbols[0]), err))
		return ILAB_REFUSED;
	loaded = true;
	return ILAB_OK;
}

bool cuda_gemm_describe(struct ilab_arena *arena, struct ilab_library *out, struct ilab_err *err)
{
	if (load(err))
		return false;
	size_t v = lt.cublasLtGetVersion_();     /* 10000 * major + 100 * minor + patch since version 12 */
	*out = (struct ilab_library){ library.loaded, ilab_arena_printf(arena, "%zu.%zu.%zu", v / 10000, v % 10000 / 100, v % 100) };
	return true;
}

enum ilab_status lt_fail(cublasStatus_t code, const char *call, const char *doing, struct ilab_err *err)
{
	if (code == CUBLAS_STATUS_ALLOC_FAILED)
		return ilab_err_set(err, ILAB_FAILED, call, code, "out of device memory: cuBLASLt cannot %s", doing);
	return ilab_err_set(err, ILAB_FAILED, call, code, "cuBLASLt cannot %s: %s (%d)", doing, lt.cublasLtGetStatusName_(code), (int)code);
}

/* --- handle ------------------------------------------------------------------------------------------------------------- */

static enum ilab_status lt_open(struct ilab_arena *arena, int device, void **out, struct ilab_err *err)
{
	if (load(err))
		return ILAB_REFUSED;
	struct lt_library *l = ilab_arena_alloc(arena, sizeof(*l));
	cublasStatus_t code = lt.cublasLtCreate_(&l->handle);
	if (code)
		return lt_fail(code, "cublasLtCreate", "start", err);
	char architecture[32] = "";
	unsigned capability = 0;
	cuda_load(NULL)->architecture(architecture, sizeof(architecture), device);
	if (sscanf(architecture, "sm_%u", &capability) != 1)
		capability = 0;
	/* What NVIDIA recommends for each generation. */
	l->max_temporary_bytes = capability >= 90 ? (uint64_t)32 << 20 : (uint64_t)4 << 20;
	*out = l;
	return ILAB_OK;
}

static void destroy_product(struct lt_product *p)
{
	if (p->desc)
		lt.cublasLtMatmulDescDestroy_(p->desc);
	cublasLtMatrixLayout_t layouts[] = { p->w, p->x, p->y };
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i])
			lt.cublasLtMatrixLayoutDestroy_(layouts[i]);
}

static void lt_close(void *state)
{
	struct lt_library *l = state;
	if (!l)
		return;
	for (struct lt_product *p = l->products; p; p = p->next)
		destroy_product(p);
	lt.cublasLtDestroy_(l->handle);
}

/* --- products ----------------------------------------------------------------------------------------------------------- */

struct lt_types lt_types_of(enum ilab_dtype dtype)
{
	switch (dtype) {
	case ILAB_TF32: return (struct lt_types){ CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32 };
	case ILAB_F16: return (struct lt_types){ CUDA_R_16F, CUBLAS_COMPUTE_32F };
	case ILAB_BF16: return (struct lt_types){ CUDA_R_16BF, CUBLAS_COMPUTE_32F };
	case ILAB_F32: break;
	}
	return (struct lt_types){ CUDA_R_32F, CUBLAS_COMPUTE_32F };
}

/* Heuristics judge alignment by the pointer, which they do not read. */
#define ALIGNED_POINTER ((void *)(uintptr_t)4096)

static cublasStatus_t set_operation(struct lt_product *p, const struct native_gemm_request *r)
{
	const int32_t transpose = CUBLAS_OP_T, keep = CUBLAS_OP_N;
	const uint32_t epilogue = r->biased ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
	const int32_t *op_w = r->weight_layout == ILAB_LAYOUT_COLS ? &keep : &transpose;
	void *bias = ALIGNED_POINTER;
	cublasStatus_t code = lt.cublasLtMatmulDescSetAttribute_(p->desc, CUBLASLT_MATMUL_DESC_TRANSA, op_w, sizeof(*op_w));
	if (!code)
		code = lt.cublasLtMatmulDescSetAttribute_(p->desc, CUBLASLT_MATMUL_DESC_TRANSB, &keep, sizeof(keep));
	if (!code)
		code = lt.cublasLtMatmulDescSetAttribute_(p->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
	if (!code && r->biased)
		code = lt.cublasLtMatmulDescSetAttribute_(p->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
	p->bias = (native_ptr)(uintptr_t)bias;
	p->biased = r->biased;
	return code;
}

static cublasStatus_t create_layouts(struct lt_product *p, const struct native_gemm_request *r, cudaDataType_t type)
{
	const bool columns = r->weight_layout == ILAB_LAYOUT_COLS;
	const uint64_t w_rows = columns ? r->n : r->k, w_cols = columns ? r->k : r->n;
	cublasStatus_t code = lt.cublasLtMatrixLayoutCreate_(&p->w, type, w_rows, w_cols, (int64_t)w_rows);
	if (!code)
		code = lt.cublasLtMatrixLayoutCreate_(&p->x, type, r->k, r->m, (int64_t)r->k);
	if (!code)
		code = lt.cublasLtMatrixLayoutCreate_(&p->y, type, r->n, r->m, (int64_t)r->n);
	return code;
}

enum ilab_status lt_product_new(struct lt_library *l, struct ilab_arena *arena, const struct native_gemm_request *request, struct lt_product **out,
	struct ilab_err *err)
{
	struct lt_product *p = ilab_arena_alloc(arena, sizeof(*p));
	const struct lt_types types = lt_types_of(request->dtype);
	p->next = l->products;
	l->products = p;                       /* closed with the library, whatever follows */
	cublasStatus_t code = lt.cublasLtMatmulDescCreate_(&p->desc, types.compute, CUDA_R_32F);
	if (!code)
		code = set_operation(p, request);
	if (!code)
		code = create_layouts(p, request, types.storage);
	if (code)
		return lt_fail(code, "cublasLtMatmulDescCreate", "describe the product", err);
	*out = p;
	return ILAB_OK;
}

void lt_product_drop(struct lt_library *l, struct lt_product *p)
{
	assert(l->products == p);
	l->products = p->next;
	destroy_product(p);
}

/* --- running ------------------------------------------------------------------------------------------------------------ */

static enum ilab_status lt_run(void *state, const struct native_gemm_choice *choice, native_ptr x, native_ptr w, native_ptr bias, native_ptr y,
	native_ptr temporary, void *stream, struct ilab_err *err)
{
	static const float one = 1, zero = 0;
	struct lt_library *l = state;
	struct lt_product *p = choice->state;
	assert(p->biased == (bias != 0));
	if (bias && bias != p->bias) {
		cublasStatus_t code = lt.cublasLtMatmulDescSetAttribute_(p->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
		if (code)
			return lt_fail(code, "cublasLtMatmulDescSetAttribute", "take the bias", err);
		p->bias = bias;
	}
	cublasStatus_t code = lt.cublasLtMatmul_(l->handle, p->desc, &one, (void *)(uintptr_t)w, p->w, (void *)(uintptr_t)x, p->x, &zero,
		(void *)(uintptr_t)y, p->y, (void *)(uintptr_t)y, p->y, &p->algo, (void *)(uintptr_t)temporary, choice->temporary_bytes, stream);
	return code ? lt_fail(code, "cublasLtMatmul", "queue the product", err) : ILAB_OK;
}

const struct native_gemm cuda_gemm = {
	.provider = ILAB_GEMM_CUBLASLT,
	.tf32 = true,
	.open = lt_open,
	.close = lt_close,
	.plan = lt_plan,
	.candidates = lt_candidates,
	.run = lt_run,
};
