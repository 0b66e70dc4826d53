#ifndef TEST_DEVICE_LISTINGS_H
#define TEST_DEVICE_LISTINGS_H

#include "device/device.h"

/* Made-up listings for tests of pairing and selecting. */

#define UUID_A "11111111-2222-3333-4444-555555555555"
#define UUID_B "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"

/* NULL pci or uuid: unknown. */
struct ilab_device made_device(const char *selector, const char *backend, const char *platform, uint32_t p, uint32_t d,
	const char *name, const char *type, const char *pci, const char *uuid);
struct ilab_listing made_listing(const char *backend, struct ilab_device *devices, size_t count);
/* A backend that is not there. */
struct ilab_listing absent_listing(const char *backend, const char *reason);

#endif
