/* rocBLAS's names over cuBLAS, whose cublasGemmEx means the same: what is tested is the order of our arguments and calls, in all types and layouts. */
#include "mapping.h"

#include <cublas_v2.h>

#include <stdint.h>
#include <stdio.h>

enum { SUCCESS = 0, NOT_IMPLEMENTED = 2, MEMORY_ERROR = 5, INTERNAL_ERROR = 6, INVALID_VALUE = 11 };       /* rocblas_status */

static int status_of(cublasStatus_t code)
{
	switch (code) {
	case CUBLAS_STATUS_SUCCESS: return SUCCESS;
	case CUBLAS_STATUS_NOT_SUPPORTED: return NOT_IMPLEMENTED;
	case CUBLAS_STATUS_ALLOC_FAILED: return MEMORY_ERROR;
	case CUBLAS_STATUS_INVALID_VALUE: return INVALID_VALUE;
	default: return INTERNAL_ERROR;
	}
}

/* rocBLAS keeps partial sums of a 16-bit product in float32; cuBLAS must be told. */
static int rocblas_create_handle(cublasHandle_t *h)
{
	cublasStatus_t code = cublasCreate(h);
	return status_of(code ? code : cublasSetMathMode(*h, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
}

static int rocblas_destroy_handle(cublasHandle_t h) { return status_of(cublasDestroy(h)); }
static int rocblas_set_stream(cublasHandle_t h, void *s) { return status_of(cublasSetStream(h, s)); }
static int rocblas_set_workspace(cublasHandle_t h, void *p, size_t n) { return status_of(cublasSetWorkspace(h, p, n)); }
static int rocblas_set_atomics_mode(cublasHandle_t h, int mode) { return status_of(cublasSetAtomicsMode(h, mode ? CUBLAS_ATOMICS_ALLOWED : CUBLAS_ATOMICS_NOT_ALLOWED)); }
static int rocblas_set_pointer_mode(cublasHandle_t h, int mode) { return status_of(cublasSetPointerMode(h, mode ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST)); }
static const char *rocblas_status_to_string(int code) { return code == NOT_IMPLEMENTED ? "not implemented" : code == INVALID_VALUE ? "invalid value" : "internal error"; }

static int rocblas_get_version_string(char *text, size_t size)
{
	size_t v = cublasGetCudartVersion();
	snprintf(text, size, "none: cuBLAS of CUDA %zu.%zu", v / 1000, v % 1000 / 10);
	return SUCCESS;
}

static int type_of(int type, cudaDataType_t *out)
{
	*out = type == 150 ? CUDA_R_16F : type == 151 ? CUDA_R_32F : CUDA_R_16BF;
	return type == 150 || type == 151 || type == 168;
}

static int rocblas_gemm_ex(cublasHandle_t h, int trans_a, int trans_b, int32_t m, int32_t n, int32_t k, const void *alpha, const void *a, int a_type,
	int32_t lda, const void *b, int b_type, int32_t ldb, const void *beta, const void *c, int c_type, int32_t ldc, void *d, int d_type, int32_t ldd,
	int compute_type, int algo, int32_t solution_index, uint32_t flags)
{
	cudaDataType_t ta, tb, td;
	if (!type_of(a_type, &ta) || !type_of(b_type, &tb) || !type_of(d_type, &td) || c_type != d_type || c != d || ldc != ldd || compute_type != 151 ||
		algo || solution_index || flags || trans_a < 111 || trans_a > 112 || trans_b < 111 || trans_b > 112)
		return INVALID_VALUE;
	return status_of(cublasGemmEx(h, trans_a == 112 ? CUBLAS_OP_T : CUBLAS_OP_N, trans_b == 112 ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, alpha, a, ta, lda,
		b, tb, ldb, beta, d, td, ldd, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

const struct mapped mapped_products[] = {
	MAPPED(rocblas_create_handle), MAPPED(rocblas_destroy_handle), MAPPED(rocblas_set_stream), MAPPED(rocblas_set_workspace),
	MAPPED(rocblas_set_atomics_mode), MAPPED(rocblas_set_pointer_mode), MAPPED(rocblas_status_to_string), MAPPED(rocblas_get_version_string),
	MAPPED(rocblas_gemm_ex), { NULL, NULL }
};
