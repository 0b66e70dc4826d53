/* A module from another version of the program. */
#include "backend/backend.h"

__attribute__((visibility("default"))) const struct ilab_backend *ilab_module_backend(void);
const struct ilab_backend *ilab_module_backend(void)
{
	static const struct ilab_backend table = { .abi = ILAB_BACKEND_ABI + 1, .name = "cuda" };
	return &table;
}
