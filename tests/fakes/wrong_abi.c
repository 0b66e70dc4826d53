/* A module from another version of the program; with -DFAKE_NAME, one of this version under the file name of another backend. */
#include "backend/backend.h"

__attribute__((visibility("default"))) const struct ilab_backend *ilab_module_backend(void);
const struct ilab_backend *ilab_module_backend(void)
{
#ifdef FAKE_NAME
	static const struct ilab_backend table = { .abi = ILAB_BACKEND_ABI, .name = FAKE_NAME };
#else
	static const struct ilab_backend table = { .abi = ILAB_BACKEND_ABI + 1, .name = "cuda" };
#endif
	return &table;
}
