/* A fake of librocblas: one call, rocblas_gemm_ex, in plain loops over host memory, for float32, column-major as the library documents it. It checks
 * what a caller must have done before (atomics off, a workspace of its own, a stream) and refuses otherwise, so that the order of our arguments and
 * of our calls is tested. FAKE_ROCBLAS_CODE: status of the product. Built with -DFAKE_WITHOUT_GEMM_EX it lacks that symbol. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#pragma GCC visibility push(default)

typedef struct fake_handle { void *stream, *workspace; size_t bytes; int atomics; } *handle;
enum { SUCCESS = 0, NOT_IMPLEMENTED = 2, INVALID_VALUE = 11, NONE = 111, TRANSPOSE = 112, F32 = 151 };

int rocblas_create_handle(handle *h);
int rocblas_destroy_handle(handle h);
int rocblas_set_stream(handle h, void *stream);
int rocblas_set_workspace(handle h, void *address, size_t bytes);
int rocblas_set_atomics_mode(handle h, int mode);
int rocblas_set_pointer_mode(handle h, int mode);
const char *rocblas_status_to_string(int status);
int rocblas_get_version_string(char *text, size_t size);

int rocblas_create_handle(handle *h) { *h = calloc(1, sizeof(**h)); (*h)->atomics = 1; return SUCCESS; }
int rocblas_destroy_handle(handle h) { free(h); return SUCCESS; }
int rocblas_set_stream(handle h, void *stream) { h->stream = stream; return SUCCESS; }
int rocblas_set_workspace(handle h, void *address, size_t bytes) { h->workspace = address; h->bytes = bytes; return SUCCESS; }
int rocblas_set_atomics_mode(handle h, int mode) { h->atomics = mode; return SUCCESS; }
int rocblas_set_pointer_mode(handle h, int mode) { (void)h; return mode ? INVALID_VALUE : SUCCESS; }
const char *rocblas_status_to_string(int status) { (void)status; return "words of the fake library"; }
int rocblas_get_version_string(char *text, size_t size) { snprintf(text, size, "4.1.0.fake"); return SUCCESS; }

#ifndef FAKE_WITHOUT_GEMM_EX
int rocblas_gemm_ex(handle h, int trans_a, int trans_b, int32_t m, int32_t n, int32_t k, const void *alpha, const void *a, int a_type, int32_t lda,
	const void *b, int b_type, int32_t ldb, const void *beta, const void *c, int c_type, int32_t ldc, void *d, int d_type, int32_t ldd,
	int compute_type, int algo, int32_t solution_index, uint32_t flags);
int rocblas_gemm_ex(handle h, int trans_a, int trans_b, int32_t m, int32_t n, int32_t k, const void *alpha, const void *a, int a_type, int32_t lda,
	const void *b, int b_type, int32_t ldb, const void *beta, const void *c, int c_type, int32_t ldc, void *d, int d_type, int32_t ldd,
	int compute_type, int algo, int32_t solution_index, uint32_t flags)
{
	const char *code = getenv("FAKE_ROCBLAS_CODE");
	const float *fa = a, *fb = b;
	if (code && atoi(code) != 7)               /* 7: slower than it could be, and done */
		return atoi(code);
	if (h->atomics || !h->stream || !h->workspace || h->bytes != (size_t)32 << 20 || compute_type != F32 || algo || solution_index || flags)
		return INVALID_VALUE;
	if (a_type != F32 || b_type != F32 || c_type != F32 || d_type != F32 || trans_b != NONE || *(const float *)alpha != 1 || *(const float *)beta != 0)
		return NOT_IMPLEMENTED;
	if (c != d || ldc != ldd || lda < (trans_a == TRANSPOSE ? k : m) || ldb < k || ldd < m)
		return INVALID_VALUE;
	for (int32_t j = 0; j < n; j++) {
		for (int32_t i = 0; i < m; i++) {
			double sum = 0;
			for (int32_t l = 0; l < k; l++)
				sum += (double)(trans_a == TRANSPOSE ? fa[l + (size_t)i * lda] : fa[i + (size_t)l * lda]) * fb[l + (size_t)j * ldb];
			((float *)d)[i + (size_t)j * ldd] = (float)sum;
		}
	}
	return code ? atoi(code) : SUCCESS;
}
#endif
