#include "host_vendor.h"

/* The host vendor as a module, so that the conformance suite runs over the native backend without a driver. */
__attribute__((visibility("default"))) const struct ilab_backend *ilab_module_backend(void);
const struct ilab_backend *ilab_module_backend(void)
{
	host_vendor_reset();
	vendor.own_delay_us = 100;     /* for tests of `tune`: its candidates are better */
	return &native_backend;
}
