#include "result/suite.h"

#include "result/fields.h"
#include "result/suite_cases.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static enum ilab_status fault(size_t i, const char *what, struct ilab_err *err)
{
	return ilab_err_set(err, ILAB_IO, NULL, 0, "cases[%zu]%s", i, what);
}

/* --- each case against the fixed set ------------------------------------------------------------------------------------------ */

/* Is `said` the name, with or without what says that several devices ran it at the same time? */
static bool is_name(const char *said, const char *name)
{
	const size_t n = strlen(name);

	return strncmp(said, name, n) == 0 && (said[n] == '\0' || strcmp(said + n, ILAB_SUITE_TOGETHER) == 0);
}

static const struct ilab_suite_case *case_of(const struct ilab_compare *c)
{
	size_t count;
	const struct ilab_suite_case *cases = ilab_suite_cases(strcmp(c->device_type, "cpu") == 0, &count);

	for (size_t i = 0; i < count; i++)
		if (is_name(c->case_name, cases[i].name))
			return &cases[i];
	return NULL;
}

static bool is_configuration(const struct ilab_compare *c, const struct ilab_suite_case *is)
{
	return c->configuration.batch == is->shape.batch && c->configuration.context == is->shape.context && c->configuration.width == is->shape.width
		&& c->configuration.hidden == is->shape.hidden && c->configuration.warmup == is->warmup && c->configuration.repeats == is->repeats
		&& c->configuration.rounds == ILAB_SUITE_ROUNDS && strcmp(c->configuration.dtype, ilab_dtype_name(is->dtype)) == 0;
}

static enum ilab_status check_set(const struct ilab_suite *r, struct ilab_err *err)
{
	for (size_t i = 0; i < r->case_count; i++) {
		const struct ilab_suite_case *is = case_of(&r->cases[i]);
		if (is == NULL)
			return fault(i, ".case: is none of the set for this type of device", err);
		if (!is_configuration(&r->cases[i], is))
			return fault(i, ".configuration: is not that of the case in this suite_version", err);
	}
	return ILAB_OK;
}

/* --- the cases together ---------------------------------------------------------------------------------------------------- */

static enum ilab_status check_case(const struct ilab_suite *r, size_t i, struct ilab_err *err)
{
	const struct ilab_compare *c = &r->cases[i];

	if (c->case_name == NULL)
		return fault(i, ".case: missing", err);
	if (strcmp(c->header.tool_version, r->header.tool_version) != 0 || strcmp(c->header.build_compiler, r->header.build_compiler) != 0)
		return fault(i, ".tool: is another version of the program", err);
	/* From the start of the program, here as there. */
	if (c->header.total_seconds > r->header.total_seconds)
		return fault(i, ".total_seconds: above that of the suite", err);
	if (strcmp(c->header.run_id, r->header.run_id) == 0)
		return fault(i, ".run_id: is that of the suite", err);
	for (size_t k = 0; k < i; k++)
		if (strcmp(c->header.run_id, r->cases[k].header.run_id) == 0)
			return fault(i, ".run_id: stands twice", err);
	return ILAB_OK;
}

static enum ilab_status check_odd(const struct ilab_suite *r, struct ilab_err *err)
{
	struct ilab_arena arena = { 0 };
	struct ilab_suite again = *r;
	enum ilab_status status = ILAB_OK;

	ilab_suite_find_odd(&again, &arena);
	if (again.odd_count != r->odd_count)
		status = ilab_err_set(err, ILAB_IO, NULL, 0, "odd: contradicts cases");
	for (size_t i = 0; i < r->odd_count && status == ILAB_OK; i++) {
		const struct ilab_odd *said = &r->odd[i], *is = &again.odd[i];
		const char *member = strcmp(said->identity, is->identity) != 0 ? "device" : strcmp(said->name, is->name) != 0 ? "case"
			: strcmp(said->view, is->view) != 0 ? "view" : !(fabs(said->ratio - is->ratio) <= 1e-9 * is->ratio) ? "ratio" : NULL;
		if (member != NULL)
			status = ilab_err_set(err, ILAB_IO, NULL, 0, "odd[%zu].%s: contradicts cases", i, member);
	}
	ilab_arena_free(&arena);
	return status;
}

enum ilab_status ilab_suite_check_any_version(const struct ilab_suite *r, struct ilab_err *err)
{
	enum ilab_status status = ilab_header_check(&r->header, err);

	if (status == ILAB_OK && (r->suite_version == 0 || r->case_count == 0))
		status = ilab_err_set(err, ILAB_IO, NULL, 0, "suite_version and cases: there must be one at least of each");
	for (size_t i = 0; i < r->case_count && status == ILAB_OK; i++)
		status = check_case(r, i, err);
	return status == ILAB_OK ? check_odd(r, err) : status;
}

enum ilab_status ilab_suite_check(const struct ilab_suite *r, struct ilab_err *err)
{
	if (r->suite_version != ILAB_SUITE_VERSION)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "suite_version: %" PRIu64 " is not known, only %d", r->suite_version, ILAB_SUITE_VERSION);
	enum ilab_status status = ilab_suite_check_any_version(r, err);
	return status == ILAB_OK ? check_set(r, err) : status;
}

enum ilab_status ilab_suite_check_values(const struct ilab_suite *r, struct ilab_err *err)
{
	for (size_t i = 0; i < r->case_count; i++) {
		struct ilab_err why = { 0 };
		if (ilab_compare_check_values(&r->cases[i], &why) != ILAB_OK)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "cases[%zu].%s", i, why.text);
	}
	return ILAB_OK;
}
