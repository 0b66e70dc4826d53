#ifndef ILAB_RESULT_SUITE_H
#define ILAB_RESULT_SUITE_H

#include "result/compare.h"

/* suite/1: a fixed, versioned set of comparisons, for putting devices beside each other. */

/* One device of a suite over several whose time is not that of most; ratio: its median over the median of all devices' medians. */
struct ilab_odd { const char *identity, *name, *view; double ratio; };

struct ilab_suite {
	struct ilab_header header;
	uint64_t suite_version;
	struct ilab_compare *cases; size_t case_count;     /* each a compare document, with its `case` */
	struct ilab_odd *odd; size_t odd_count;
};

/* The only version of the set that there is: suite_cases.h has its cases. */
#define ILAB_SUITE_VERSION 1

/* A device is odd in a case when its warm_forward median differs by more than this from what is usual among all. */
#define ILAB_SUITE_ODD 1.05
/* The end of a case's name when all devices ran it at the same time. */
#define ILAB_SUITE_TOGETHER ", all at once"

cJSON *ilab_suite_to_json(const struct ilab_suite *r);
enum ilab_status ilab_suite_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_suite *out, struct ilab_err *err);
enum ilab_status ilab_suite_check(const struct ilab_suite *r, struct ilab_err *err);
/* The same, but of any version: what its cases mean is not known then. */
enum ilab_status ilab_suite_check_any_version(const struct ilab_suite *r, struct ilab_err *err);
/* ilab_measure_check_values of every run, after one of the checks above. */
enum ilab_status ilab_suite_check_values(const struct ilab_suite *r, struct ilab_err *err);
/* Median of a view's warm_forward in seconds; 0: it has none. */
double ilab_suite_seconds(const struct ilab_compare *c, const char *view);
/* odd[] from cases; needs three devices to tell one from the others. */
void ilab_suite_find_odd(struct ilab_suite *r, struct ilab_arena *arena);

const char *ilab_text_suite(const struct ilab_suite *r, struct ilab_arena *arena);

#endif
