#include "result/tuning.h"

#include "base/checked.h"
#include "base/numtext.h"
#include "result/command_check.h"
#include "result/fields.h"

#include <string.h>

static enum ilab_status fault(struct ilab_err *err, size_t i, const char *what)
{
	return ilab_err_set(err, ILAB_IO, NULL, 0, "entries[%zu].%s", i, what);
}

static bool same_product(const struct ilab_tuned *a, const struct ilab_tuned *b)
{
	return strcmp(a->dtype, b->dtype) == 0 && a->m == b->m && a->n == b->n && a->k == b->k;
}

static enum ilab_status check_entry(const struct ilab_tuning_record *r, size_t i, struct ilab_err *err)
{
	const struct ilab_tuned *e = &r->entries[i];

	if (e->m == 0 || e->n == 0 || e->k == 0)
		return fault(err, i, "m, n and k must not be 0");
	if (!(e->median_seconds > 0) || !(e->default_median_seconds > e->median_seconds))
		return fault(err, i, "median_seconds: must be above 0 and below default_median_seconds");
	if (!e->verified)
		return fault(err, i, "verified: is false, and only what was verified may be used");
	if (e->default_median_seconds > r->header.total_seconds)
		return fault(err, i, "default_median_seconds: above total_seconds");
	for (size_t j = 0; j < i; j++)
		if (same_product(e, &r->entries[j]))
			return fault(err, i, "m, n, k: this product has two entries");
		else if (e->n != r->entries[j].k || e->k != r->entries[j].n)
			return fault(err, i, "n, k: are not those of the network's other layer");
	return ILAB_OK;
}

/* A number that the command needs; 0, which is none, where it is not stated or something else. */
static uint64_t stated_number(const struct ilab_tuning_record *r, const char *option)
{
	const char *value = ilab_command_value(&r->header, option);
	uint64_t n;

	return value != NULL && ilab_parse_u64(value, &n) == ILAB_PARSE_OK ? n : 0;
}

/* The products are those of one network: rows are batch x context, and one of the other sizes is the width. */
static enum ilab_status check_command(const struct ilab_tuning_record *r, struct ilab_err *err)
{
	const char *dtype = ilab_command_value(&r->header, "--dtype"), *gemm = ilab_command_value(&r->header, "--gemm");
	const uint64_t batch = stated_number(r, "--batch"), context = stated_number(r, "--context"), width = stated_number(r, "--width");
	const struct ilab_stated options[] = {
		{ "--device", .any = true, .needed = true }, { "--batch", .any = true, .needed = true },
		{ "--context", .any = true, .needed = true }, { "--width", .any = true, .needed = true },
	};
	uint64_t rows;
	enum ilab_status status = ilab_command_check(&r->header, options, sizeof options / sizeof *options, err);

	if (status != ILAB_OK)
		return status;
	if (!ilab_checked_mul(batch, context, &rows) || rows == 0 || width == 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "command: --batch, --context and --width are no sizes");
	if (gemm != NULL && strcmp(gemm, "auto") != 0 && strcmp(gemm, r->provider) != 0)
		return ilab_command_fault("--gemm", gemm, "provider", err);
	for (size_t i = 0; i < r->entry_count; i++) {
		const struct ilab_tuned *e = &r->entries[i];
		if (e->m != rows)
			return fault(err, i, "m: is not batch x context of command");
		if (e->n != width && e->k != width)
			return fault(err, i, "n, k: neither is width of command");
		if (dtype != NULL && strcmp(dtype, e->dtype) != 0)
			return fault(err, i, "dtype: is not that of command");
	}
	return ILAB_OK;
}

static enum ilab_status passes_fault(struct ilab_err *err, const char *what)
{
	return ilab_err_set(err, ILAB_IO, NULL, 0, "%s", what);
}

/* Of something that took place while the program ran. */
static bool is_time(const struct ilab_real *seconds, const struct ilab_tuning_record *r)
{
	return seconds->value > 0 && seconds->value <= r->header.total_seconds;
}

/* Entries are there exactly when passes with them were faster. */
static enum ilab_status check_passes(const struct ilab_tuning_record *r, struct ilab_err *err)
{
	const struct ilab_tuning_passes *p = &r->passes;
	const bool tuned = r->fastest && strcmp(r->fastest, "tuned") == 0;

	if (!r->fastest)
		return ILAB_OK;
	if (!tuned && strcmp(r->fastest, "default") != 0)
		return passes_fault(err, "fastest: neither tuned nor default");
	if (tuned != (r->entry_count > 0))
		return passes_fault(err, "fastest: tuned needs entries, and default has none");
	if ((p->pairs == 0) != (p->median_seconds.reason != NULL) || (p->pairs == 0) != (p->default_median_seconds.reason != NULL)
		|| (p->pairs == 0) != (p->ratio.reason != NULL) || (p->pairs == 0) != (p->ratio_low.reason != NULL)
		|| (p->pairs == 0) != (p->ratio_high.reason != NULL))
		return passes_fault(err, "passes: figures need pairs, and pairs give figures");
	if (p->pairs && (!is_time(&p->median_seconds, r) || !is_time(&p->default_median_seconds, r)))
		return passes_fault(err, "passes: medians must be above 0 and at most total_seconds");
	if (p->pairs && !(p->ratio_low.value > 0))
		return passes_fault(err, "passes.ratio_low: must be above 0");
	if (p->pairs && (!(p->ratio_low.value <= p->ratio.value) || !(p->ratio.value <= p->ratio_high.value)))
		return passes_fault(err, "passes.ratio: outside its interval");
	if (tuned && (p->pairs == 0 || !(p->ratio_low.value > 1)))
		return passes_fault(err, "passes.ratio_low: must be above 1 where entries are kept");
	if (!tuned && p->pairs && p->ratio_low.value > 1)
		return passes_fault(err, "fastest: default, but passes with the best plan tried were faster by more than noise");
	return ILAB_OK;
}

enum ilab_status ilab_tuning_check(const struct ilab_tuning_record *r, struct ilab_err *err)
{
	enum ilab_status status = ilab_header_check(&r->header, err);

	for (size_t i = 0; i < r->entry_count && status == ILAB_OK; i++)
		status = check_entry(r, i, err);
	if (status != ILAB_OK)
		return status;
	if ((status = check_command(r, err)) != ILAB_OK || (status = check_passes(r, err)) != ILAB_OK)
		return status;
	if (!(r->search_seconds >= 0) || r->search_seconds > r->header.total_seconds + 1e-6)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "search.seconds: negative, or more than total_seconds");
	if (r->search_rejected > r->search_candidates || r->entry_count > r->search_candidates - r->search_rejected)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "search.candidates: fewer than those rejected and those chosen");
	return ILAB_OK;
}

