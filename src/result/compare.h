#ifndef ILAB_RESULT_COMPARE_H
#define ILAB_RESULT_COMPARE_H

#include "base/err.h"
#include "result/ceilings.h"
#include "result/json.h"
#include "result/record.h"

/* compare/1: every view of one physical device, side by side. The runs are whole measurements; everything else follows from them. */

/* A measurement and the SHA-256 of the file that `measure` would have written. */
struct ilab_compare_run { const char *sha256; struct ilab_measure document; };

struct ilab_compare_view {
	const char *view;              /* backend/platform/provider; named twice: "VIEW#2" */
	const char *status;            /* "passed" "unverified" "failed" "crashed" "timeout" "unsupported" */
	const char *reason;            /* NULL when passed */
	struct ilab_compare_run *runs; size_t run_count;   /* in order of the rounds; all rounds when passed */
};

/* A null has a reason; one that another member of the row explains repeats it. */
struct ilab_compare_row {
	const char *phase, *view;
	struct ilab_real median_seconds, ci_low_seconds, ci_high_seconds;
	struct ilab_real ratio, ratio_low, ratio_high;     /* of times: this view's over that of `against` */
	struct ilab_text verdict;      /* "faster" "slower" "same" "ambiguous", in time, than `against` */
	struct ilab_real share_of_ceiling;                 /* of warm_forward */
	struct ilab_count suspect;     /* 0 or 1 (false, true): above the ceiling by more than 5 % */
	struct ilab_count peak_allocated_bytes;            /* the largest of the runs */
};

/* ||a - b|| / ||b|| over the sampled rows of the outputs of the first run of each. */
struct ilab_agreement { const char *view_a, *view_b; struct ilab_real relative_error; };

struct ilab_compare {
	struct ilab_header header;
	const char *case_name;         /* of a suite; NULL: none */
	const char *identity, *device_name, *device_type;
	struct {
		uint64_t batch, context, width, hidden, warmup, repeats, seed, rounds;
		const char *dtype;
	} configuration;
	const char **order; size_t order_count;            /* every run that was started */
	struct ilab_compare_view *views; size_t view_count;
	struct ilab_compare_row *rows; size_t row_count;   /* phase by phase, views in order */
	const char *against;           /* one of the views */
	struct ilab_ceilings *ceilings;                    /* NULL: not measured */
	struct ilab_agreement *agreements; size_t agreement_count;
};

cJSON *ilab_compare_to_json(const struct ilab_compare *r);
enum ilab_status ilab_compare_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_compare *out, struct ilab_err *err);
enum ilab_status ilab_compare_check(const struct ilab_compare *r, struct ilab_err *err);
/* ilab_measure_check_values of every run, after the check above. */
enum ilab_status ilab_compare_check_values(const struct ilab_compare *r, struct ilab_err *err);

/* rows[] from views, configuration, against and ceilings. */
void ilab_compare_tabulate(struct ilab_compare *r, struct ilab_arena *arena);
/* agreements[] from the samples of the runs: each pair of views that have one. */
void ilab_compare_agree(struct ilab_compare *r, struct ilab_arena *arena);

/* The view without "#2". */
const char *ilab_view_base(struct ilab_arena *arena, const char *view);
/* SHA-256, in hexadecimal, of the file that holds this document. NULL when memory runs out. */
const char *ilab_document_sha256(const cJSON *document, struct ilab_arena *arena);

/* Samples of a phase, run by run, for base/compare_stats.h. */
struct ilab_run;
struct ilab_run *ilab_compare_samples(const struct ilab_compare_view *view, const char *phase, struct ilab_arena *arena);

/* For a terminal of 80 columns, owned by `arena`. */
const char *ilab_text_compare(const struct ilab_compare *r, bool verbose, struct ilab_arena *arena);

#endif
