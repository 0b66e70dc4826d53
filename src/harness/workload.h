#ifndef ILAB_HARNESS_WORKLOAD_H
#define ILAB_HARNESS_WORKLOAD_H

#include "harness/measure.h"
#include "harness/phase.h"
#include "harness/verify.h"
#include "model/shape.h"

/* What the files workload*.c share: one measurement in progress. */

struct ilab_workload {
	const struct ilab_backend *backend;
	const struct ilab_measure_request *request;
	const struct ilab_observer *observer;
	struct ilab_arena *arena;          /* of the record */
	struct ilab_measure *out;

	struct ilab_session *session;
	struct ilab_sizes sizes;
	struct ilab_plan plan;
	struct ilab_timer timer;

	struct ilab_buffer *weight[2], *bias[2], *input, *hidden, *temporary, *output;
	bool recorded;                     /* the session holds a graph of the pass on hidden, temporary and output, which stay allocated */

	struct ilab_verifier *verifier;
	uint64_t *checked; size_t checked_count;   /* checksums of outputs that were checked in full; room for every pass */
	void *staging;                     /* host memory that rows are read back through */
	uint64_t staging_bytes;
};

/* workload.c: a measurement row by row, for whoever decides between rows what runs next (`tune` exchanges w->plan). The caller fills in
 * backend, request, observer, arena and out; `release` gives everything back, also after an error. */

/* After ilab_workload_setup: the reference, and the rows up to cold_forward. */
enum ilab_status ilab_workload_start(struct ilab_workload *w, struct ilab_err *err);
/* Row `i` (from 0) of `total` of warm_forward, with all that ilab_measure_run does before and after it: poison, pass, check. At most
 * request->repeats rows in all. */
enum ilab_status ilab_workload_warm_row(struct ilab_workload *w, uint64_t i, uint64_t total, struct ilab_phase *row, struct ilab_err *err);
/* End the host threads that would compete with a measured step; to be called right before the clock. */
void ilab_workload_rest_threads(void);
void ilab_workload_release(struct ilab_workload *w);

/* workload_setup.c: open the device, check the limits, plan, calibrate, trim. Runs no product. */
enum ilab_status ilab_workload_setup(struct ilab_workload *w, struct ilab_err *err);

/* workload_pass.c: one pass of the network and what surrounds it. */

/* Allocate hidden and temporary, queue layer 1, allocate output, queue layer 2; or, once a graph is recorded, replay it. The three stay allocated. */
enum ilab_status ilab_workload_forward(struct ilab_workload *w, struct ilab_err *err);
/* Queue one layer as a pass does, on the buffers at hand: hidden, temporary and, for layer 1, output must be there. */
enum ilab_status ilab_workload_layer(struct ilab_workload *w, int layer, struct ilab_err *err);
/* A pass as it is measured: at its end the output alone is alive beside parameters and inputs. With a graph asked for, the first is queued
 * like any other, since libraries do things on first use that cannot be recorded; then it is recorded, and the three buffers stay. */
enum ilab_status ilab_workload_pass(struct ilab_workload *w, struct ilab_err *err);
/* Give a buffer back and forget it. */
void ilab_workload_drop(struct ilab_workload *w, struct ilab_buffer **b);
/* Before a pass: give the last output back and fill the blocks that the pass will get with NaN, by the same allocations in the same
 * order, poisoned and given back. With a graph the blocks are the pass's own: hidden, temporary and output, where they lie. */
enum ilab_status ilab_workload_poison(struct ilab_workload *w, struct ilab_err *err);

/* workload_check.c: from device memory to the verifier. A fault found there is the verifier's failure, not an error. */

/* Reference and staging memory. */
enum ilab_status ilab_workload_check_prepare(struct ilab_workload *w, struct ilab_err *err);
void ilab_workload_check_free(struct ilab_workload *w);
/* Checksums on the device against those of the input rule. */
enum ilab_status ilab_workload_check_parameters(struct ilab_workload *w, struct ilab_err *err);
enum ilab_status ilab_workload_check_inputs(struct ilab_workload *w, struct ilab_err *err);
/* Checksum of the output, nothing more. */
enum ilab_status ilab_workload_checksum(struct ilab_workload *w, uint64_t *checksum, struct ilab_err *err);
/* Checksum of the output, into `text` (16 hex digits, owned by the arena); and the output itself when `in_full` or when no output
 * with this checksum was checked before. `pass` names it. */
enum ilab_status ilab_workload_check_output(struct ilab_workload *w, const char *pass, bool in_full, const char **text, struct ilab_err *err);
/* One more pass, untimed, whose hidden units are kept and read back. */
enum ilab_status ilab_workload_check_projection(struct ilab_workload *w, struct ilab_err *err);

/* workload_record.c: everything of the record that is no phase, copied out of the session. */
void ilab_workload_record_setup(struct ilab_workload *w);
void ilab_workload_record_verification(struct ilab_workload *w);

#endif
