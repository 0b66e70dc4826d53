#ifndef ILAB_HARNESS_VERIFY_H
#define ILAB_HARNESS_VERIFY_H

#include "backend/backend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Proof that the device computed the network (docs/methodology.md). Sampled rows and hidden columns against the float64 reference,
 * a random projection of the second layer over all rows, and the checksum of every pass against a pass that was checked.
 *
 * The verifier never sees a device: whoever holds one reads outputs and hidden units back and hands them over in chunks of whole
 * rows, in order, as they are stored:
 *
 *   pass_begin, output (all rows), pass_end      for every pass that is checked in full;
 *   hidden (all rows), projection_end            once, after the output of the pass that those hidden units belong to. */

struct ilab_verifier;

/* Prepares the reference. Cost O((rows + 4 M / hidden) * width * hidden + width * hidden) on all cores; memory
 * O(rows * width + M * (4 + 3 width / 1024) + hidden * width / 1024) doubles. ILAB_FAILED when host memory runs out. */
enum ilab_status ilab_verifier_new(const struct ilab_shape *shape, enum ilab_dtype dtype, uint64_t seed, uint64_t rows,
	bool half_accumulation, struct ilab_verifier **out, struct ilab_err *err);
void ilab_verifier_free(struct ilab_verifier *v);

/* One pass, checked in full. `pass` names it in messages ("cold_forward", "warm_forward 3"). */
void ilab_verifier_pass_begin(struct ilab_verifier *v, const char *pass);
/* `count` rows of the output from `first_row` on, row-major, in the network's type. */
void ilab_verifier_output(struct ilab_verifier *v, uint64_t first_row, uint64_t count, const void *data);
void ilab_verifier_pass_end(struct ilab_verifier *v);

/* `count` rows of hidden units, as above. */
void ilab_verifier_hidden(struct ilab_verifier *v, uint64_t first_row, uint64_t count, const void *data);
/* Every output seen so far against the projection of these hidden units. */
void ilab_verifier_projection_end(struct ilab_verifier *v);

/* Record a failure found elsewhere (a checksum of the weights). The first failure wins. */
void ilab_verifier_fail(struct ilab_verifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The sampled rows, [*rows][*width], as the pass checked last gave them; they live as long as the verifier. Runs of one shape and the
 * same number of rows to check sample the same rows. */
void ilab_verifier_sample(const struct ilab_verifier *v, uint64_t *rows, uint64_t *width, const float **values);

/* Figures are the worst over all passes checked; `failure` is NULL when all is well and lives as long as the verifier. */
struct ilab_verify_report {
	double bound;                  /* on relative_error, factor for few elements included */
	struct ilab_real relative_error, max_abs_error;    /* over the sampled rows */
	struct ilab_real projection_error;                 /* largest |y.r - (h.v + c)| over the norm of its part of the row */
	double projection_bound;
	uint64_t rows_checked;         /* sampled rows, compared element by element */
	uint64_t elements_checked;     /* elements of the output, all read back, found finite and projected */
	const char *failure;           /* the first part that failed; NULL: none so far */
};
void ilab_verifier_report(const struct ilab_verifier *v, struct ilab_verify_report *out);

#endif
