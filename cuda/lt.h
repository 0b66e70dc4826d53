#ifndef ILAB_CUDA_LT_H
#define ILAB_CUDA_LT_H

/* What cuda_gemm.c (handles, descriptions, running) and cuda_algo.c (choosing an algorithm) share. */

#include "module.h"

#include <cublasLt.h>

#define LT_CALLS(X) X(cublasLtCreate) X(cublasLtDestroy) X(cublasLtGetVersion) X(cublasLtGetStatusName) X(cublasLtMatmul) \
	X(cublasLtMatmulDescCreate) X(cublasLtMatmulDescDestroy) X(cublasLtMatmulDescSetAttribute) X(cublasLtMatrixLayoutCreate) \
	X(cublasLtMatrixLayoutDestroy) X(cublasLtMatmulPreferenceCreate) X(cublasLtMatmulPreferenceDestroy) \
	X(cublasLtMatmulPreferenceSetAttribute) X(cublasLtMatmulAlgoGetHeuristic) X(cublasLtMatmulAlgoInit) X(cublasLtMatmulAlgoCheck) \
	X(cublasLtMatmulAlgoCapGetAttribute) X(cublasLtMatmulAlgoConfigGetAttribute) X(cublasLtMatmulAlgoConfigSetAttribute)
#define LT_MEMBER(call) __typeof__(&call) call##_;

extern struct lt_api { LT_CALLS(LT_MEMBER) } lt;

struct lt_types { cudaDataType_t storage; cublasComputeType_t compute; };
struct lt_types lt_types_of(enum ilab_dtype dtype);

/* One product: the library's description of it and the algorithm. */
struct lt_product {
	struct lt_product *next;
	cublasLtMatmulDesc_t desc;
	cublasLtMatrixLayout_t w, x, y;        /* the library's A, B and C = D */
	cublasLtMatmulAlgo_t algo;
	bool biased;
	native_ptr bias;                       /* that `desc` holds now */
};

struct lt_library {
	cublasLtHandle_t handle;
	uint64_t max_temporary_bytes;
	struct lt_product *products;
};

/* ILAB_FAILED with "cuBLASLt cannot DOING ...", or out of device memory for that code. */
enum ilab_status lt_fail(cublasStatus_t code, const char *call, const char *doing, struct ilab_err *err);
/* Described, without an algorithm. Freed with the library, or by lt_product_drop when it is the latest. */
enum ilab_status lt_product_new(struct lt_library *l, struct ilab_arena *arena, const struct native_gemm_request *request, struct lt_product **out,
	struct ilab_err *err);
void lt_product_drop(struct lt_library *l, struct lt_product *p);

/* cuda_algo.c: members of struct native_gemm; `state` is the struct lt_library. */
enum ilab_status lt_plan(void *state, struct ilab_arena *arena, const struct native_gemm_request *request, struct native_gemm_choice *out,
	struct ilab_err *err);
enum ilab_status lt_candidates(void *state, struct ilab_arena *arena, const struct native_gemm_request *request, struct ilab_tuning_entry **out,
	size_t *count, struct ilab_err *err);

#endif
