#ifndef ILAB_RESULT_TUNING_H
#define ILAB_RESULT_TUNING_H

#include "base/err.h"
#include "result/json.h"
#include "result/record.h"

/* tuning/1: parameters of products that were measured to be faster on one device than what its provider chooses by itself. */

struct ilab_tuned {                    /* one product y[m, n] = x[m, k] W^T, with its bias */
	const char *dtype;
	uint64_t m, n, k;
	struct ilab_parameter *parameters; size_t parameter_count;     /* the provider's own names */
	const char *form;              /* layout of the operands, as in measure's environment.gemm.forms */
	double median_seconds, default_median_seconds;     /* of one layer of a pass, workspace allocated and freed, host clock */
	bool verified;                 /* a whole measurement with it passed its verification */
};

struct ilab_tuning_passes {            /* whole passes, the plan with entries against the provider's own choice */
	uint64_t pairs;                /* 0: none was worth it, with the reason in each figure */
	struct ilab_real median_seconds, default_median_seconds;
	struct ilab_real ratio, ratio_low, ratio_high;     /* default over tuned, median of the pairs and its 95 % interval */
};

struct ilab_tuning_record {
	struct ilab_header header;
	const char *device_identity, *device_name;
	struct ilab_text driver_version;
	const char *provider;
	struct ilab_text provider_version;
	struct ilab_tuned *entries; size_t entry_count;    /* products without an entry are best left to the provider */
	const char *fastest;           /* "tuned"; "default": no entries; NULL: an older document, which compared no passes */
	struct ilab_tuning_passes passes;      /* without entries: of the best plan tried. Undefined when fastest is NULL */
	double search_seconds;
	uint64_t search_candidates, search_rejected;       /* tried; refused by the provider or unlike the default's result */
};

cJSON *ilab_tuning_to_json(const struct ilab_tuning_record *r);
/* As the worker hands it over: no header and no device. */
cJSON *ilab_tuning_part_to_json(const struct ilab_tuning_record *r);
enum ilab_status ilab_tuning_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_tuning_record *out, struct ilab_err *err);
enum ilab_status ilab_tuning_part_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_tuning_record *out, struct ilab_err *err);
enum ilab_status ilab_tuning_check(const struct ilab_tuning_record *r, struct ilab_err *err);

const char *ilab_text_tuning(const struct ilab_tuning_record *r, struct ilab_arena *arena);

#endif
