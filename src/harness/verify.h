#ifndef ILAB_HARNESS_VERIFY_H
#define ILAB_HARNESS_VERIFY_H

#include "backend/backend.h"

/* Proof that the device computed the network (docs/methodology.md). Sampled rows and hidden columns against the float64 reference,
 * a random projection of the second layer over all rows, and the checksum of every pass against a pass that was checked. */

struct ilab_verifier;

/* Prepares the reference. Cost O(rows * width * hidden) on all cores. */
enum ilab_status ilab_verifier_new(const struct ilab_shape *shape, enum ilab_dtype dtype, uint64_t seed, uint64_t rows,
	bool half_accumulation, struct ilab_verifier **out, struct ilab_err *err);
void ilab_verifier_free(struct ilab_verifier *v);

/* Bound on ||y - ref|| / ||ref||. */
double ilab_verify_bound(enum ilab_dtype dtype, const struct ilab_shape *shape, bool half_accumulation);

#endif
