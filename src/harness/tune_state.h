#ifndef ILAB_HARNESS_TUNE_STATE_H
#define ILAB_HARNESS_TUNE_STATE_H

#include "harness/tune.h"
#include "harness/workload.h"

/* What the files tune*.c share: one search in progress. Everything is run on a workload, the same that a measurement runs on. */

#define TUNE_PASS_PAIRS 41             /* of passes, for one plan against the provider's own choice */
#define TUNE_PASS_WARMUP 2             /* pairs before them that do not count */
#define TUNE_PLANS 3                   /* both layers' entries, the first's, the second's */

/* The candidates of one layer, before anything has run. */
struct tune_field { struct ilab_tuning_entry *entries; size_t count; };

struct tuner {
	struct ilab_measure_request request;   /* that was asked for, for the workload: no tuning, no graph, room for all passes */
	struct ilab_measure rows;              /* of the workload; nobody reads them */
	struct ilab_workload work;             /* its plan is the one at hand */
	struct ilab_plan own;                  /* the provider's own choice */
	enum ilab_layout layout[2];            /* that the weights lie in */
	struct ilab_arena scratch;             /* of the search */
	struct tune_field fields[2];
	struct ilab_arena *arena;              /* of the record */
	struct ilab_tuning_record *out;
};

/* tune.c: what runs from here on is `plan`; the weights are made anew where it wants them in another layout. */
enum ilab_status ilab_tuner_use(struct tuner *t, const struct ilab_plan *plan, struct ilab_err *err);
/* A plan with these entries. */
enum ilab_status ilab_tuner_plan(struct tuner *t, const struct ilab_tuning_entry *entries, size_t count, struct ilab_plan *plan, struct ilab_err *err);
/* Those of the record's entries whose bit is set in `which`, as a plan takes them; how many. */
size_t ilab_tuner_entries(const struct tuner *t, unsigned which, struct ilab_tuning_entry out[2]);

/* tune_layer.c: the contest of one layer's candidates; a winner becomes an entry of the record. */
enum ilab_status ilab_tuner_layer(struct tuner *t, int layer, struct ilab_err *err);

/* tune_pass.c: whole passes decide which entries stay in the record. */
enum ilab_status ilab_tuner_passes(struct tuner *t, struct ilab_err *err);

#endif
