#ifndef ILAB_RESULT_CEILINGS_H
#define ILAB_RESULT_CEILINGS_H

#include "base/err.h"
#include "result/json.h"
#include "result/record.h"

/* ceilings/1: what one physical device reaches when nothing else is in the way, the best of all its views. */

struct ilab_ceiling {
	const char *dtype;             /* "float32" "tf32" "float16" "bfloat16" */
	const char *unit;              /* "fma": vector units; "matrix": matrix units; "gemm": a verified pass of the network */
	double flop_per_second;
	const char *kernel;            /* "probe" or the provider of the products */
	const char *view;              /* backend/platform for a probe, backend/platform/provider for a product */
};

struct ilab_copy_ceiling { const char *view; double bytes_per_second; };

struct ilab_ceilings {
	struct ilab_header header;
	const char *identity, *device_name, *device_type;
	struct ilab_real copy_bytes_per_second;            /* read and written, the best of copies[] */
	struct ilab_copy_ceiling *copies; size_t copy_count;
	struct ilab_ceiling *arithmetic; size_t arithmetic_count;
	const char **unmeasured; size_t unmeasured_count;  /* what could not be measured, and why, one sentence each */
	size_t timed_out_count, failed_count;              /* of the unmeasured: ended by the time limit; by a crash or another failure. Not in the document */
};

/* No rate of a device is above this, by far. */
#define ILAB_CEILING_MOST 1e18
/* Above a ceiling by more than this, a rate is suspect. */
#define ILAB_CEILING_EXCESS 1.05

cJSON *ilab_ceilings_to_json(const struct ilab_ceilings *r);
enum ilab_status ilab_ceilings_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_ceilings *out, struct ilab_err *err);
enum ilab_status ilab_ceilings_check(const struct ilab_ceilings *r, struct ilab_err *err);

/* The highest rate of a type over all units and views; NULL: none measured. */
const struct ilab_ceiling *ilab_ceilings_best(const struct ilab_ceilings *r, const char *dtype);

const char *ilab_text_ceilings(const struct ilab_ceilings *r, bool verbose, struct ilab_arena *arena);

#endif
