#include "result/compare.h"

#include "result/document.h"
#include "result/fields.h"

#include <math.h>
#include <string.h>

const char *ilab_view_base(struct ilab_arena *arena, const char *view)
{
	const char *mark = strrchr(view, '#');

	return mark == NULL || mark == view ? view : ilab_arena_printf(arena, "%.*s", (int)(mark - view), view);
}

/* --- a run against its view and the configuration -------------------------------------------------------------------------- */

static bool same_configuration(const struct ilab_compare *r, const struct ilab_measure *m)
{
	return m->configuration.batch == r->configuration.batch && m->configuration.context == r->configuration.context
		&& m->configuration.width == r->configuration.width && m->configuration.hidden == r->configuration.hidden
		&& m->configuration.warmup == r->configuration.warmup && m->configuration.repeats == r->configuration.repeats
		&& m->configuration.seed == r->configuration.seed && strcmp(m->configuration.dtype, r->configuration.dtype) == 0;
}

static bool is_device(const struct ilab_compare *r, const struct ilab_device *d)
{
	if (strcmp(r->identity, "cpu") == 0 || strcmp(d->type, "cpu") == 0)
		return strcmp(r->identity, "cpu") == 0 && strcmp(d->type, "cpu") == 0;
	if (strncmp(r->identity, "pci:", 4) == 0 && d->pci_address.reason == NULL)
		return strcmp(r->identity + 4, d->pci_address.value) == 0;
	return true;
}

static enum ilab_status check_run(const struct ilab_compare *r, size_t view, size_t run, struct ilab_err *err)
{
	struct ilab_arena arena = { 0 };
	const struct ilab_compare_view *v = &r->views[view];
	const struct ilab_measure *m = &v->runs[run].document;
	const char *fault = NULL;

	if (strcmp(ilab_view_base(&arena, v->view), m->configuration.view) != 0)
		fault = "is of another view";
	else if (!same_configuration(r, m))
		fault = "contradicts configuration";
	else if (!is_device(r, &m->device))
		fault = "is of another device";
	else if (strcmp(v->status, "passed") == 0 && strcmp(m->verification.status, "passed") != 0)
		fault = "did not pass";
	ilab_arena_free(&arena);
	return fault == NULL ? ILAB_OK : ilab_err_set(err, ILAB_IO, NULL, 0, "views[%zu].runs[%zu].document: %s", view, run, fault);
}

static size_t times_in_order(const struct ilab_compare *r, const char *view)
{
	size_t n = 0;

	for (size_t i = 0; i < r->order_count; i++)
		n += strcmp(r->order[i], view) == 0;
	return n;
}

static enum ilab_status check_view(const struct ilab_compare *r, size_t i, struct ilab_err *err)
{
	const struct ilab_compare_view *v = &r->views[i];
	const bool passed = strcmp(v->status, "passed") == 0;
	enum ilab_status status = ILAB_OK;

	if (passed != (v->reason == NULL))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "views[%zu].reason: contradicts status %s", i, v->status);
	if (passed && v->run_count != r->configuration.rounds)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "views[%zu].runs: %zu, but there were %llu rounds", i, v->run_count,
			(unsigned long long)r->configuration.rounds);
	if (times_in_order(r, v->view) < v->run_count)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "order: has %s less often than it has runs", v->view);
	for (size_t k = 0; k < i; k++)
		if (strcmp(r->views[k].view, v->view) == 0)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "views[%zu].view: stands twice", i);
	for (size_t k = 0; k < v->run_count && status == ILAB_OK; k++)
		status = check_run(r, i, k, err);
	return status;
}

static bool has_view(const struct ilab_compare *r, const char *view)
{
	for (size_t i = 0; i < r->view_count; i++)
		if (strcmp(r->views[i].view, view) == 0)
			return true;
	return false;
}

/* --- rows against runs ------------------------------------------------------------------------------------------------------- */

/* Equal but for the last digits, which another processor's logarithm may have rounded. */
static bool same_real(const struct ilab_real *a, const struct ilab_real *b)
{
	if ((a->reason == NULL) != (b->reason == NULL))
		return false;
	return a->reason != NULL || fabs(a->value - b->value) <= 1e-9 * fmax(fabs(a->value), fabs(b->value));
}

static bool same_count(const struct ilab_count *a, const struct ilab_count *b)
{
	return (a->reason == NULL) == (b->reason == NULL) && (a->reason != NULL || a->value == b->value);
}

static const char *difference(const struct ilab_compare_row *said, const struct ilab_compare_row *is)
{
	const struct { const char *name; const struct ilab_real *said, *is; } reals[] = {
		{ "median_seconds", &said->median_seconds, &is->median_seconds }, { "ci_low_seconds", &said->ci_low_seconds, &is->ci_low_seconds },
		{ "ci_high_seconds", &said->ci_high_seconds, &is->ci_high_seconds }, { "ratio", &said->ratio, &is->ratio },
		{ "ratio_low", &said->ratio_low, &is->ratio_low }, { "ratio_high", &said->ratio_high, &is->ratio_high },
		{ "share_of_ceiling", &said->share_of_ceiling, &is->share_of_ceiling },
	};

	if (strcmp(said->phase, is->phase) != 0)
		return "phase";
	if (strcmp(said->view, is->view) != 0)
		return "view";
	for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
		if (!same_real(reals[i].said, reals[i].is))
			return reals[i].name;
	if ((said->verdict.value == NULL) != (is->verdict.value == NULL)
		|| (said->verdict.value != NULL && strcmp(said->verdict.value, is->verdict.value) != 0))
		return "verdict";
	if (!same_count(&said->suspect, &is->suspect))
		return "suspect";
	return same_count(&said->peak_allocated_bytes, &is->peak_allocated_bytes) ? NULL : "peak_allocated_bytes";
}

static enum ilab_status check_rows(const struct ilab_compare *r, struct ilab_err *err)
{
	struct ilab_arena arena = { 0 };
	struct ilab_compare again = *r;
	enum ilab_status status = ILAB_OK;

	ilab_compare_tabulate(&again, &arena);
	if (r->row_count != again.row_count)
		status = ilab_err_set(err, ILAB_IO, NULL, 0, "table: %zu rows, but phases and views give %zu", r->row_count, again.row_count);
	for (size_t i = 0; i < r->row_count && status == ILAB_OK; i++) {
		const char *name = difference(&r->rows[i], &again.rows[i]);
		if (name != NULL)
			status = ilab_err_set(err, ILAB_IO, NULL, 0, "table[%zu].%s: contradicts the runs", i, name);
	}
	ilab_arena_free(&arena);
	return status;
}

enum ilab_status ilab_compare_check(const struct ilab_compare *r, struct ilab_err *err)
{
	enum ilab_status status = ilab_header_check(&r->header, err);

	if (status == ILAB_OK && (r->view_count == 0 || r->configuration.rounds == 0 || r->configuration.repeats == 0))
		status = ilab_err_set(err, ILAB_IO, NULL, 0, "views, rounds and repeats: there must be one at least of each");
	for (size_t i = 0; i < r->order_count && status == ILAB_OK; i++)
		if (!has_view(r, r->order[i]))
			status = ilab_err_set(err, ILAB_IO, NULL, 0, "order[%zu]: is none of views", i);
	for (size_t i = 0; i < r->view_count && status == ILAB_OK; i++)
		status = check_view(r, i, err);
	if (status == ILAB_OK && !has_view(r, r->against))
		status = ilab_err_set(err, ILAB_IO, NULL, 0, "against: is none of views");
	for (size_t i = 0; i < r->agreement_count && status == ILAB_OK; i++)
		if (!has_view(r, r->agreements[i].view_a) || !has_view(r, r->agreements[i].view_b))
			status = ilab_err_set(err, ILAB_IO, NULL, 0, "agreement[%zu]: speaks of none of views", i);
	return status == ILAB_OK ? check_rows(r, err) : status;
}
