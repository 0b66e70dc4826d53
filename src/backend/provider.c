#include "backend/backend.h"

#include <string.h>

/* Names of the GEMM providers. A file of its own, because modules need it and not the list of backends. */

static const char *const gemm_names[] = {
	[ILAB_GEMM_AUTO] = "auto", [ILAB_GEMM_CLBLAST] = "clblast", [ILAB_GEMM_BUILTIN] = "builtin",
	[ILAB_GEMM_CUBLASLT] = "cublaslt", [ILAB_GEMM_ROCBLAS] = "rocblas",
};
#define GEMM_COUNT (sizeof(gemm_names) / sizeof(gemm_names[0]))

const char *ilab_gemm_name(enum ilab_gemm gemm)
{
	return gemm_names[gemm];
}

bool ilab_gemm_from_name(const char *name, enum ilab_gemm *out)
{
	for (size_t i = 0; i < GEMM_COUNT; i++) {
		if (!strcmp(gemm_names[i], name)) {
			*out = (enum ilab_gemm)i;
			return true;
		}
	}
	return false;
}
