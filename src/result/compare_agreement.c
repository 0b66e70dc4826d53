#include "result/compare_parts.h"

#include <math.h>
#include <string.h>

/* Two outputs that are near the reference are near each other. By this factor more, since the figure is of some of the rows that were
 * verified, whose norm may be less than that of the rest. */
#define SLACK 4
/* Fewer sampled elements than this may happen to be near zero, all of them. */
#define FEWEST_ELEMENTS 256

static enum ilab_status fault(size_t i, const char *what, struct ilab_err *err)
{
	return ilab_err_set(err, ILAB_IO, NULL, 0, "agreement[%zu].relative_error: %s", i, what);
}

static bool same_bits(const struct ilab_measure *a, const struct ilab_measure *b)
{
	return a->verification.outputs_checked == 1 && b->verification.outputs_checked == 1
		&& strcmp(a->verification.output_checksum, b->verification.output_checksum) == 0;
}

static bool both_passed(const struct ilab_measure *a, const struct ilab_measure *b)
{
	return strcmp(a->verification.status, "passed") == 0 && strcmp(b->verification.status, "passed") == 0;
}

/* The most that two verified outputs can be apart; infinity where nothing is known. */
static double most(const struct ilab_measure *a, const struct ilab_measure *b)
{
	const uint64_t rows = a->verification.rows_checked, sampled = rows < ILAB_SAMPLE_ROWS_MAX ? rows : ILAB_SAMPLE_ROWS_MAX;

	if (!both_passed(a, b) || b->verification.rows_checked != rows || sampled * a->configuration.width < FEWEST_ELEMENTS)
		return INFINITY;
	return SLACK * sqrt((double)rows / (double)sampled) * (a->verification.relative_error.value + b->verification.relative_error.value);
}

static enum ilab_status check_figure(const struct ilab_compare_view *a, const struct ilab_compare_view *b, const struct ilab_agreement *said, size_t i,
	struct ilab_err *err)
{
	const struct ilab_measure *x = &a->runs[0].document, *y = &b->runs[0].document;
	const double error = said->relative_error.value;

	if (said->relative_error.reason != NULL)
		return both_passed(x, y) ? fault(i, "null, but both views passed", err) : ILAB_OK;
	if (!(error >= 0))
		return fault(i, "negative", err);
	if (error > 0 && same_bits(x, y))
		return fault(i, "not 0, but the outputs have the same bits", err);
	return error <= most(x, y) ? ILAB_OK : fault(i, "above what the errors of both views allow", err);
}

enum ilab_status ilab_compare_check_agreement(const struct ilab_compare *r, struct ilab_err *err)
{
	size_t n = 0;

	for (size_t b = 0; b < r->view_count; b++)
		for (size_t a = b + 1; a < r->view_count; a++) {
			const struct ilab_compare_view *x = &r->views[a], *y = &r->views[b];
			const struct ilab_agreement *said = n < r->agreement_count ? &r->agreements[n] : NULL;
			if (x->run_count == 0 || y->run_count == 0)
				continue;
			if (said == NULL || strcmp(said->view_a, x->view) != 0 || strcmp(said->view_b, y->view) != 0)
				return ilab_err_set(err, ILAB_IO, NULL, 0, "agreement[%zu]: is not %.150s with %.150s, as the order of views gives", n, x->view, y->view);
			enum ilab_status status = check_figure(x, y, said, n++, err);
			if (status != ILAB_OK)
				return status;
		}
	return n == r->agreement_count ? ILAB_OK : ilab_err_set(err, ILAB_IO, NULL, 0, "agreement[%zu]: is of no pair of views", n);
}
