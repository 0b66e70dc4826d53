#include "host_vendor.h"

/* The host vendor as a module, so that the conformance suite runs over the native backend without a driver. */
__attribute__((visibility("default"))) const struct ilab_backend *ilab_module_backend(void);
const struct ilab_backend *ilab_module_backend(void)
{
	host_vendor_reset();
	return &native_backend;
}
