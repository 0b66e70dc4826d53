#include "result/compare_parts.h"

#include "result/command_check.h"
#include "result/document.h"
#include "result/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of sums of rounded seconds. */
#define SUM_SECONDS 1e-6

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

/* The program runs itself. */
static bool same_tool(const struct ilab_header *a, const struct ilab_header *b)
{
	return strcmp(a->tool_version, b->tool_version) == 0 && strcmp(a->build_compiler, b->build_compiler) == 0;
}

/* Do two records say the same, member by member? */
static bool same_members(const struct ilab_field *table, const void *a, const void *b)
{
	cJSON *x = ilab_fields_object(table, a), *y = ilab_fields_object(table, b);
	char *s = x != NULL ? ilab_json_line(x) : NULL, *t = y != NULL ? ilab_json_line(y) : NULL;
	const bool same = s != NULL && t != NULL && strcmp(s, t) == 0;

	free(s);
	free(t);
	cJSON_Delete(x);
	cJSON_Delete(y);
	return same;
}

/* One device is behind all runs of a view, one machine too; the cores that it lends may change. */
static bool same_place(const struct ilab_measure *first, const struct ilab_measure *m)
{
	struct ilab_host host = m->host;

	host.logical_cores = first->host.logical_cores;
	return same_members(ilab_device_fields, &first->device, &m->device) && same_members(ilab_host_fields, &first->host, &host);
}

/* A view's runs end with the first that does not pass. One whose output is wrong is a document, the others leave none. */
static enum ilab_status check_run(const struct ilab_compare *r, size_t view, size_t run, struct ilab_err *err)
{
	struct ilab_arena arena = { 0 };
	const struct ilab_compare_view *v = &r->views[view];
	const struct ilab_measure *m = &v->runs[run].document;
	const bool is_end = strcmp(v->status, "unverified") == 0 && run + 1 == v->run_count;
	const char *fault = NULL;

	if (strcmp(ilab_view_base(&arena, v->view), m->configuration.view) != 0)
		fault = "is of another view";
	else if (!same_tool(&r->header, &m->header))
		fault = "is of another version of the program";
	else if (!same_configuration(r, m))
		fault = "contradicts configuration";
	else if (!is_device(r, &m->device))
		fault = "is of another device";
	else if (run > 0 && !same_place(&v->runs[0].document, m))
		fault = "is of another device or machine than the view's first run";
	else if ((strcmp(m->verification.status, "passed") == 0) == is_end)
		fault = is_end ? "passed, but the view is unverified" : "did not pass";
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
	const bool passed = strcmp(v->status, "passed") == 0, without_document = !passed && strcmp(v->status, "unverified") != 0;
	const size_t times = times_in_order(r, v->view);
	enum ilab_status status = ILAB_OK;

	if (passed != (v->reason == NULL))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "views[%zu].reason: contradicts status %s", i, v->status);
	if (passed && v->run_count != r->configuration.rounds)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "views[%zu].runs: %zu, but there were %llu rounds", i, v->run_count,
			(unsigned long long)r->configuration.rounds);
	if (strcmp(v->status, "unverified") == 0 && v->run_count == 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "views[%zu].runs: none, but the view is unverified", i);
	if (times != v->run_count + without_document || times > r->configuration.rounds)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "order: has %.150s %zu times, which contradicts its %zu runs and status %s", v->view, times,
			v->run_count, v->status);
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

/* --- the whole --------------------------------------------------------------------------------------------------------------- */

static enum ilab_status check_command(const struct ilab_compare *r, struct ilab_err *err)
{
	const bool own = ilab_command_is(&r->header, "compare");       /* that of a suite states no shape */
	const struct ilab_stated options[] = {
		{ "--batch", "configuration.batch", .number = &r->configuration.batch, .needed = own },
		{ "--context", "configuration.context", .number = &r->configuration.context, .needed = own },
		{ "--width", "configuration.width", .number = &r->configuration.width, .needed = own },
		{ "--hidden", "configuration.hidden", .number = &r->configuration.hidden },
		{ "--dtype", "configuration.dtype", .word = r->configuration.dtype },
		{ "--warmup", "configuration.warmup", .number = &r->configuration.warmup },
		{ "--repeats", "configuration.repeats", .number = &r->configuration.repeats },
		{ "--rounds", "configuration.rounds", .number = &r->configuration.rounds },
		{ "--seed", "configuration.seed", .number = &r->configuration.seed },
		{ "--against", "against", .word = r->against },
		{ "--device", .any = true, .needed = true },
		{ "--no-ceilings", "ceilings", .any = r->ceilings == NULL, .needed = r->ceilings == NULL },
	};

	if (own && r->case_name != NULL)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "case: only a suite has cases");
	return ilab_command_check(&r->header, options, sizeof options / sizeof *options, err);
}

/* Name and type are those that the first view's driver tells. */
static enum ilab_status check_device(const struct ilab_compare *r, struct ilab_err *err)
{
	const struct ilab_device *first = r->views[0].run_count > 0 ? &r->views[0].runs[0].document.device : NULL;

	if (!ilab_identity_fits(r->identity, r->device_type))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "device.identity: %.100s is none of a device of type %s", r->identity, r->device_type);
	if (first != NULL && strcmp(first->name, r->device_name) != 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "device.name: contradicts the first view's runs, which are of %.100s", first->name);
	if (first != NULL && strcmp(first->type, r->device_type) != 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "device.type: contradicts the first view's runs, which are of type %s", first->type);
	if (r->ceilings != NULL && strcmp(r->ceilings->identity, r->identity) != 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "ceilings.device.identity: %.100s is another device", r->ceilings->identity);
	return ILAB_OK;
}

/* The modules that the views' first runs loaded, each once. */
static enum ilab_status check_modules(const struct ilab_compare *r, struct ilab_err *err)
{
	const struct ilab_header *whole = &r->header;
	size_t n = 0;

	for (size_t i = 0; i < r->view_count; i++) {
		const struct ilab_header *h = r->views[i].run_count > 0 ? &r->views[i].runs[0].document.header : NULL;
		bool known = h == NULL || h->tool_module_count == 0;
		for (size_t k = 0; k < n && !known; k++)
			known = strcmp(whole->tool_modules[k], h->tool_modules[0]) == 0;
		if (!known && (n >= whole->tool_module_count || strcmp(whole->tool_modules[n++], h->tool_modules[0]) != 0))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "tool.modules: contradicts views[%zu].runs, which loaded %.100s", i, h->tool_modules[0]);
	}
	return n == whole->tool_module_count ? ILAB_OK
		: ilab_err_set(err, ILAB_IO, NULL, 0, "tool.modules: no view's first run loaded %.100s", whole->tool_modules[n]);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One run follows the other, each with an identity of its own. */
static enum ilab_status check_runs_together(const struct ilab_compare *r, struct ilab_err *err)
{
	struct ilab_arena arena = { 0 };
	const char **ids = ilab_arena_alloc(&arena, (r->order_count + 1) * sizeof *ids);
	size_t n = 0;
	double sum = 0;
	enum ilab_status status = ILAB_OK;

	ids[n++] = r->header.run_id;
	for (size_t i = 0; i < r->view_count; i++)
		for (size_t k = 0; k < r->views[i].run_count; k++) {
			const struct ilab_header *h = &r->views[i].runs[k].document.header;
			ids[n++] = h->run_id;
			sum += h->total_seconds;
		}
	qsort(ids, n, sizeof *ids, compare_texts);
	for (size_t i = 1; i < n && status == ILAB_OK; i++)
		if (strcmp(ids[i - 1], ids[i]) == 0)
			status = ilab_err_set(err, ILAB_IO, NULL, 0, "run_id: %s stands twice, here or in views", ids[i]);
	if (status == ILAB_OK && sum > r->header.total_seconds + SUM_SECONDS)
		status = ilab_err_set(err, ILAB_IO, NULL, 0, "total_seconds: less than the runs took together");
	ilab_arena_free(&arena);
	return status;
}

static enum ilab_status check_views(const struct ilab_compare *r, struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;

	if (r->view_count == 0 || r->configuration.rounds == 0 || r->configuration.repeats == 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "views, rounds and repeats: there must be one at least of each");
	for (size_t i = 0; i < r->order_count; i++)
		if (!has_view(r, r->order[i]))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "order[%zu]: is none of views", i);
	for (size_t i = 0; i < r->view_count && status == ILAB_OK; i++)
		status = check_view(r, i, err);
	if (status == ILAB_OK && !has_view(r, r->against))
		status = ilab_err_set(err, ILAB_IO, NULL, 0, "against: is none of views");
	return status;
}

enum ilab_status ilab_compare_check(const struct ilab_compare *r, struct ilab_err *err)
{
	static enum ilab_status (*const checks[])(const struct ilab_compare *, struct ilab_err *) = {
		check_views, check_command, check_device, check_modules, check_runs_together, ilab_compare_check_agreement, check_rows,
	};
	enum ilab_status status = ilab_header_check(&r->header, err);

	for (size_t i = 0; i < sizeof checks / sizeof *checks && status == ILAB_OK; i++)
		status = checks[i](r, err);
	return status;
}

/* Every run is of the same network: the first one's checksums are computed. */
enum ilab_status ilab_compare_check_values(const struct ilab_compare *r, struct ilab_err *err)
{
	const struct ilab_measure *known = NULL;
	struct ilab_err why = { 0 };

	for (size_t v = 0; v < r->view_count; v++)
		for (size_t i = 0; i < r->views[v].run_count; i++) {
			const struct ilab_measure *m = &r->views[v].runs[i].document;
			if (ilab_measure_check_values(m, known, &why) != ILAB_OK)
				return ilab_err_set(err, ILAB_IO, NULL, 0, "views[%zu].runs[%zu].document: %s", v, i, why.text);
			if (strcmp(m->verification.status, "passed") == 0)
				known = m;
		}
	return ILAB_OK;
}
