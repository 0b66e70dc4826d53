#ifndef ILAB_HARNESS_PROBE_H
#define ILAB_HARNESS_PROBE_H

#include "backend/backend.h"

/* What an open device reaches with known work and nothing in the way: copies, multiply-adds, matrix units. Runs in the worker. */

struct ilab_probe_item {
	const char *probe;             /* "copy" "fma" "matrix" */
	const char *dtype;             /* of fma and matrix; "float32" for copy, where it means nothing */
	struct ilab_real per_second;   /* bytes read and written, or FLOP; the best of several rounds, each of which was checked */
};
struct ilab_probes { struct ilab_probe_item *items; size_t count; };

/* Every probe and type; what the backend refuses, or what wrote a wrong result, is an item with its reason. ILAB_FAILED when the device
 * fails. Strings go into `arena`. */
enum ilab_status ilab_probe_run(const struct ilab_backend *backend, const struct ilab_open_options *open, struct ilab_arena *arena,
	struct ilab_probes *out, struct ilab_err *err);

#endif
