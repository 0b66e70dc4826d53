#ifndef ILAB_RESULT_DIFF_H
#define ILAB_RESULT_DIFF_H

#include "result/compare.h"
#include "result/saved.h"

/* diff/1: saved documents side by side. Runs of different documents are not paired: they were made at other times, perhaps on other
 * machines, so a ratio's interval is that of two independent groups of runs. */

struct ilab_diff_document { const char *file, *sha256, *kind, *run_id, *started_utc; };

/* A value of environment or configuration that is not the same: as JSON text; NULL where it is not there. */
struct ilab_difference { const char *path, *base, *other; };
struct ilab_unmatched { const char *what, *reason; };

struct ilab_diff_row {
	uint64_t document;             /* index into others[] */
	const char *what;              /* "float32 1x16x64, hidden 256" */
	const char *base_view, *base_device, *device;
	struct ilab_real base_median_seconds;
	struct ilab_compare_row row;   /* of the other document; verdict "not-comparable" too, then with `not_comparable` */
	const char *not_comparable;    /* why; NULL */
};

struct ilab_diff {
	struct ilab_header header;
	struct ilab_diff_document base, *others; size_t other_count;
	struct ilab_difference *differences; size_t difference_count;
	struct ilab_diff_row *rows; size_t row_count;
	struct ilab_unmatched *unmatched; size_t unmatched_count;
	size_t base_unmatched_count;   /* how many of them are of the base; not in the document */
	struct ilab_real worst_loss_percent;               /* of verdicts "slower"; 0: none */
};

/* Compare what is comparable: same view, else the same role on another device; same shape, type and seed. Fills in all but the header. */
void ilab_diff_make(const struct ilab_saved *base, const struct ilab_saved *others, size_t other_count, struct ilab_arena *arena,
	struct ilab_diff *out);
/* The largest loss among verdicts "slower", in percent; null when no row has a verdict. */
struct ilab_real ilab_diff_worst(const struct ilab_diff *r);

cJSON *ilab_diff_to_json(const struct ilab_diff *r);
enum ilab_status ilab_diff_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_diff *out, struct ilab_err *err);
enum ilab_status ilab_diff_check(const struct ilab_diff *r, struct ilab_err *err);

const char *ilab_text_diff(const struct ilab_diff *r, bool verbose, struct ilab_arena *arena);

#endif
