#include "cli/ceiling.h"

#include "base/message.h"
#include "harness/measure.h"
#include "result/document.h"

#include <stdio.h>
#include <string.h>

/* Large enough for products to be bound by arithmetic, small enough for the host to verify: 4 * rows * width * 4 width FLOP. */
static const struct ilab_shape gpu_shape = { 8, 512, 4096, 16384 }, cpu_shape = { 1, 512, 512, 2048 };

struct measuring {
	const struct ilab_ceiling_request *q;
	struct ilab_ceilings *out;
	struct ilab_arena *arena;
};

static bool ends_it_all(enum ilab_status status)
{
	return status == ILAB_INTERRUPTED || status == ILAB_TERMINATED;
}

static void add_unmeasured(struct measuring *m, const char *sentence)
{
	m->out->unmeasured[m->out->unmeasured_count++] = sentence;
}

/* How the worker ended tells what could not be had from what went wrong. Before it is stopped; NULL: it did not start. */
static void count_end(struct measuring *m, enum ilab_status status, const struct ilab_worker *worker)
{
	if (worker && ilab_worker_ended(worker) == ILAB_WORKER_TIMED_OUT)
		m->out->timed_out_count++;
	else if (status != ILAB_OK && status != ILAB_REFUSED)
		m->out->failed_count++;
}

static void add_ceiling(struct measuring *m, const char *dtype, const char *unit, double rate, const char *kernel, const char *view)
{
	m->out->arithmetic[m->out->arithmetic_count++] = (struct ilab_ceiling){ dtype, unit, rate, kernel, view };
}

/* --- probes of a device ---------------------------------------------------------------------------------------------------- */

static bool wanted(const struct measuring *m, const char *dtype)
{
	enum ilab_dtype d;
	return ilab_dtype_from_name(dtype, &d) && (m->q->dtypes & 1u << d);
}

static void add_probe(struct measuring *m, const char *view, const struct ilab_probe_item *item)
{
	const bool copy = !strcmp(item->probe, "copy");
	if (!copy && !wanted(m, item->dtype))
		return;
	if (item->per_second.reason) {
		add_unmeasured(m, ilab_arena_printf(m->arena, "%s: %s%s%s: %s", view, item->probe, copy ? "" : " of ", copy ? "" : item->dtype,
			item->per_second.reason));
		return;
	}
	if (!copy) {
		add_ceiling(m, item->dtype, item->probe, item->per_second.value, "probe", view);
		return;
	}
	m->out->copies[m->out->copy_count++] = (struct ilab_copy_ceiling){ view, item->per_second.value };
	if (m->out->copy_bytes_per_second.reason || item->per_second.value > m->out->copy_bytes_per_second.value)
		m->out->copy_bytes_per_second = (struct ilab_real){ .value = item->per_second.value };
}

static enum ilab_status probe(struct measuring *m, const struct ilab_device *device, struct ilab_err *err)
{
	const struct ilab_open_options open = { .platform_index = device->platform_index, .device_index = device->device_index };
	const char *view = ilab_arena_printf(m->arena, "%s/%s", device->backend, device->platform);
	struct ilab_worker *worker = NULL;
	struct ilab_probes probes = { 0 };
	struct ilab_err why = { 0 };
	snprintf(m->q->progress->what, sizeof(m->q->progress->what), _("probing %.60s"), view);
	enum ilab_status status = ilab_survey_fresh(m->q->survey, device->backend, m->q->timeout_seconds, &worker, &why);
	if (status == ILAB_OK)
		status = ilab_worker_probe(worker, &open, m->arena, &probes, &why);
	count_end(m, status, worker);
	ilab_worker_stop(worker);
	if (ends_it_all(status))
		return ilab_err_pass(err, status, &why);
	if (status != ILAB_OK)
		add_unmeasured(m, ilab_arena_printf(m->arena, "%s: probes: %s", view, why.text));
	for (size_t i = 0; status == ILAB_OK && i < probes.count; i++)
		add_probe(m, view, &probes.items[i]);
	return ILAB_OK;
}

static bool seen_before(const struct ilab_views *views, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(views->views[k].told.selector, views->views[i].told.selector))
			return true;
	return false;
}

/* --- products through a view ------------------------------------------------------------------------------------------------- */

static enum ilab_status multiply(struct measuring *m, const struct ilab_view *view, enum ilab_dtype dtype, struct ilab_err *err)
{
	const bool cpu = !strcmp(view->told.type, "cpu");
	const struct ilab_measure_request request = {
		.open = { .platform_index = view->told.platform_index, .device_index = view->told.device_index },
		.shape = cpu ? cpu_shape : gpu_shape, .dtype = dtype, .gemm = view->gemm, .warmup = cpu ? 1 : 3, .repeats = cpu ? 5 : 20,
		.verify_rows = 8,
	};
	struct ilab_observer observer = ilab_progress_observer(m->q->progress);
	struct ilab_worker *worker = NULL;
	struct ilab_measure record = { 0 };
	struct ilab_err why = { 0 };
	snprintf(m->q->progress->part, sizeof(m->q->progress->part), _("ceiling of %s, "), ilab_dtype_name(dtype));
	enum ilab_status status = ilab_survey_fresh(m->q->survey, view->told.backend, m->q->timeout_seconds, &worker, &why);
	if (status == ILAB_OK)
		status = ilab_worker_measure(worker, &request, &observer, m->arena, &record, &why);
	count_end(m, status, worker);
	ilab_worker_stop(worker);
	m->q->progress->part[0] = '\0';
	if (ends_it_all(status))
		return ilab_err_pass(err, status, &why);
	if (status != ILAB_OK || record.summary.flop_per_second.reason)
		add_unmeasured(m, ilab_arena_printf(m->arena, "%s: products of %s: %s", view->name, ilab_dtype_name(dtype),
			status != ILAB_OK ? why.text : record.summary.flop_per_second.reason));
	else
		add_ceiling(m, ilab_dtype_name(dtype), "gemm", (double)record.model.flop_per_forward / record.summary.min_seconds.value, record.gemm.provider, view->name);
	return ILAB_OK;
}

static enum ilab_status measure_all(struct measuring *m, struct ilab_err *err)
{
	const struct ilab_views *views = m->q->views;
	enum ilab_status status = ILAB_OK;
	for (size_t i = 0; i < views->count && status == ILAB_OK; i++)
		if (!seen_before(views, i))
			status = probe(m, &views->views[i].told, err);
	for (int dtype = 0; dtype < ILAB_DTYPE_COUNT; dtype++)
		for (size_t i = 0; i < views->count && status == ILAB_OK; i++)
			if (m->q->dtypes & 1u << dtype && !strchr(views->views[i].name, '#'))
				status = multiply(m, &views->views[i], (enum ilab_dtype)dtype, err);
	return status;
}

enum ilab_status ilab_ceiling_measure(const struct ilab_ceiling_request *q, struct ilab_ceilings *out, struct ilab_err *err)
{
	struct ilab_arena *arena = q->context->arena;
	struct measuring m = { q, out, arena };
	struct ilab_err why = { 0 };
	const size_t most = (3 * ILAB_DTYPE_COUNT + 2) * q->views->count;
	*out = (struct ilab_ceilings){
		.identity = q->physical->identity, .device_name = q->views->views[0].device->name, .device_type = q->views->views[0].device->type,
		.copy_bytes_per_second = { .reason = "unavailable: no view could copy" },
		.copies = ilab_arena_alloc(arena, most * sizeof(*out->copies)), .arithmetic = ilab_arena_alloc(arena, most * sizeof(*out->arithmetic)),
		.unmeasured = ilab_arena_alloc(arena, most * sizeof(*out->unmeasured)),
	};
	enum ilab_status status = measure_all(&m, err);
	ilab_progress_clear(q->progress);
	if (status != ILAB_OK)
		return status;
	ilab_header_fill(q->context, q->options, "iteragpu-lab/ceilings/1", NULL, 0, &out->header);
	if (ilab_ceilings_check(out, &why) != ILAB_OK)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "the ceilings contradict themselves: %s", why.text);
	return ILAB_OK;
}

/* A physical device has a name from each of its drivers. */
static bool has_name(const struct ilab_survey *survey, const struct ilab_physical *physical, const char *name)
{
	size_t count;
	const struct ilab_device **devices = ilab_survey_devices(survey, physical - survey->physical, &count);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(devices[i]->name, name))
			return true;
	return false;
}

enum ilab_status ilab_ceiling_read(const char *path, const struct ilab_survey *survey, const struct ilab_physical *physical, struct ilab_arena *arena,
	struct ilab_ceilings *out, struct ilab_err *err)
{
	struct ilab_err why = { 0 };
	cJSON *json;
	enum ilab_status status = ilab_document_load(path, arena, &json, NULL, &why, err);
	if (status == ILAB_OK)
		status = ilab_ceilings_from_json(json, arena, out, &why);
	if (status == ILAB_OK)
		status = ilab_ceilings_check(out, &why);
	cJSON_Delete(json);
	if (status != ILAB_OK)
		return ilab_err_set(err, status, why.call, why.code, "%s: no valid ceilings: %s", path, why.text);
	if (strcmp(out->identity, physical->identity) != 0)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "%s: ceilings of another device, %.100s, not of %.100s", path, out->identity, physical->identity);
	if (!has_name(survey, physical, out->device_name))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "%s: ceilings of another device, %.100s, a name that none here has", path, out->device_name);
	if (!out->arithmetic_count)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "%s: no arithmetic rate in it, so nothing to compare with", path);
	return ILAB_OK;
}
