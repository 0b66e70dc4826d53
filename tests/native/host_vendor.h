#ifndef HOST_VENDOR_H
#define HOST_VENDOR_H

/* A vendor for native*.c whose device is host memory and whose kernels are plain C over src/model: every path of the native backend
 * runs without a driver. It proves the backend's logic and the arguments of its launches, and nothing about a real driver. Its pool counts
 * as CUDA's was measured to: exact bytes used, 32 MiB steps reserved, high marks that a reset sets to the current value. */

#include "backend/native.h"

/* What the tests turn. Reset by host_vendor_reset. */
extern struct host_vendor {
	const char *no_driver;         /* reason of load; NULL: it loads */
	int init_code, device_count;   /* code 100: no device */
	bool pools;                    /* supported, and can be created */
	bool reset_to_zero;            /* high marks become 0 on reset, as on one driver */
	uint64_t room_bytes;           /* device memory */
	const char *failing;           /* table member that fails with code 700 from now on, NULL: none */
	bool library;                  /* the matrix library is there */
	bool biased;                   /* it can add the bias */
	bool nothing;                  /* it has no algorithm for anything */
	unsigned own_delay_us, candidate_delay_us;     /* a product by its own choice, or by parameters, takes that much longer */
	unsigned after_candidate_delay_us;     /* the product after one by parameters takes that much longer: as where a faster one draws more power */
	const char *wrong_bytes;       /* products with this value as parameter, or "any", are wrong in row wrong_row; NULL: none */
	uint64_t wrong_row;
	bool monitored;                /* the monitoring library answers */

	uint64_t used_bytes;           /* device memory in use, whatever the allocator */
	bool after_candidate;          /* the last product was one by parameters */
	unsigned launches, products, recorded, replays, live;    /* live: handles not yet destroyed */
} vendor;

void host_vendor_reset(void);

#endif
