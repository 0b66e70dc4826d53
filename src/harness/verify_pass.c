#include "harness/verify_state.h"

#include "model/reference.h"

#include <assert.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/* Outputs and hidden units, row by row: all cores, each row by one thread, sums in a fixed order, so the figures do not depend on
 * the number of threads. */

/* A stored row as doubles in this thread's scratch. *bad: column of the first element that is not finite, or `n`. */
static double *load_row(struct ilab_verifier *v, const void *data, uint64_t row, uint64_t n, uint64_t *bad, uint64_t *bad_count)
{
	const uint64_t longest = v->shape.width > v->shape.hidden ? v->shape.width : v->shape.hidden;
	double *values = v->scratch + (uint64_t)omp_get_thread_num() * longest;
	*bad = n;
	*bad_count = 0;
	for (uint64_t i = 0; i < n; i++) {
		values[i] = ilab_dtype_load(v->dtype, data, (size_t)(row * n + i));
		if (isfinite(values[i]))
			continue;
		++*bad_count;
		*bad = *bad < i ? *bad : i;
	}
	return values;
}

/* --- outputs ---------------------------------------------------------------------------------------------------------- */

void ilab_verifier_pass_begin(struct ilab_verifier *v, const char *pass)
{
	snprintf(v->pass, sizeof(v->pass), "%s", pass);
	v->rows_seen = v->bad_count = 0;
	v->bad_first = UINT64_MAX;
}

static int compare_rows(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Element by element, when the row is one of the sampled ones. */
static void compare_sample(struct ilab_verifier *v, uint64_t row, const double *y)
{
	const uint64_t *found = bsearch(&row, v->rows, v->row_count, sizeof(row), compare_rows);
	if (!found)
		return;
	const size_t sample = (size_t)(found - v->rows), width = (size_t)v->shape.width;
	const double *reference = v->rows_reference + sample * width;
	double error2 = 0, worst = 0;
	for (size_t j = 0; j < width; j++) {
		v->rows_seen_values[sample * width + j] = (float)y[j];
		double e = fabs(y[j] - reference[j]);
		error2 += e * e;
		worst = ilab_verify_worse(worst, e);
	}
	v->rows_error2[sample] = error2;
	v->rows_max[sample] = worst;
}

/* Keep the extremes of y.r over the passes: a target that fits the lowest and the highest fits every pass in between, so one
 * comparison at the end, against one pass's hidden units, judges them all. */
static void keep_projection(struct ilab_verifier *v, uint64_t row, const double *y)
{
	for (size_t b = 0; b < v->block_count; b++) {
		const uint64_t start = ilab_verify_block_start(v, b);
		const size_t n = (size_t)(ilab_verify_block_start(v, b + 1) - start);
		const double seen = ilab_dot(y + start, v->r + start, n), norm = sqrt(ilab_dot(y + start, y + start, n));
		const uint64_t i = row * v->block_count + b;
		v->low[i] = fmin(v->low[i], seen);
		v->high[i] = fmax(v->high[i], seen);
		v->norm[i] = fmin(v->norm[i], norm);
	}
}

void ilab_verifier_output(struct ilab_verifier *v, uint64_t first_row, uint64_t count, const void *data)
{
	const uint64_t width = v->shape.width;
	uint64_t bad_count = 0, bad_first = UINT64_MAX;
	assert(first_row == v->rows_seen && count <= v->sizes.rows - first_row);
	#pragma omp parallel for schedule(static) num_threads(v->threads) if (count * width >= ILAB_PARALLEL_LEAST) \
		reduction(+ : bad_count) reduction(min : bad_first)
	for (uint64_t i = 0; i < count; i++) {
		uint64_t bad, n;
		const double *y = load_row(v, data, i, width, &bad, &n);
		compare_sample(v, first_row + i, y);
		if (n == 0) {
			keep_projection(v, first_row + i, y);
			continue;
		}
		bad_count += n;
		bad_first = bad_first < (first_row + i) * width + bad ? bad_first : (first_row + i) * width + bad;
	}
	v->rows_seen += count;
	v->bad_count += bad_count;
	v->bad_first = v->bad_first < bad_first ? v->bad_first : bad_first;
}

/* One bad row of many cannot hide in the norm of all. */
static void judge_rows(struct ilab_verifier *v)
{
	const double bound = ilab_verify_row_bound(v);
	for (size_t i = 0; i < v->row_count; i++) {
		double e = sqrt(v->rows_error2[i]) / ilab_bound_scale(sqrt(v->rows_norm2[i]), v->shape.width);
		if (!(e <= bound))
			ilab_verifier_fail(v, "sampled rows: %s: row %llu has a relative error of %.3g, limit %.3g", v->pass,
				(unsigned long long)v->rows[i], e, bound);
	}
}

void ilab_verifier_pass_end(struct ilab_verifier *v)
{
	const uint64_t elements = v->row_count * v->shape.width;
	const double bound = v->base_bound * ilab_bound_few(elements);
	double error2 = 0, norm2 = 0;
	assert(v->rows_seen == v->sizes.rows);
	if (v->bad_count) {
		v->nonfinite = true;
		ilab_verifier_fail(v, "finite elements: %s: %llu of %llu elements of the output are not finite, the first in row %llu, column %llu",
			v->pass, (unsigned long long)v->bad_count, (unsigned long long)(v->sizes.rows * v->shape.width),
			(unsigned long long)(v->bad_first / v->shape.width), (unsigned long long)(v->bad_first % v->shape.width));
	}
	for (size_t i = 0; i < v->row_count; i++) {
		error2 += v->rows_error2[i];
		norm2 += v->rows_norm2[i];
		v->max_abs_error = ilab_verify_worse(v->max_abs_error, v->rows_max[i]);
	}
	double error = sqrt(error2) / ilab_bound_scale(sqrt(norm2), elements);
	v->relative_error = ilab_verify_worse(v->relative_error, error);
	if (!(error <= bound))
		ilab_verifier_fail(v, "sampled rows: %s: the relative error over %zu sampled row%s is %.3g, limit %.3g", v->pass, v->row_count,
			v->row_count == 1 ? "" : "s", error, bound);
	judge_rows(v);
}

/* --- hidden units ----------------------------------------------------------------------------------------------------- */

static void keep_worst(struct ilab_worst *a, const struct ilab_worst *b)
{
	if (b->ratio > a->ratio || (b->ratio == a->ratio && b->row < a->row))
		*a = *b;
}

/* How far the outputs seen are from where this row's hidden units put them. */
static void project_hidden(const struct ilab_verifier *v, uint64_t row, const double *h, struct ilab_worst *worst)
{
	for (size_t b = 0; b < v->block_count; b++) {
		const uint64_t i = row * v->block_count + b, start = ilab_verify_block_start(v, b);
		const uint64_t n = ilab_verify_block_start(v, b + 1) - start;
		const double target = ilab_dot(h, v->v + b * v->shape.hidden, (size_t)v->shape.hidden) + v->c[b];
		const bool above = v->high[i] - target > target - v->low[i];
		const double off = above ? v->high[i] - target : target - v->low[i];
		if (v->high[i] < v->low[i])
			continue;              /* no pass gave finite values here, which is a failure of its own */
		keep_worst(worst, &(struct ilab_worst){ off / ilab_bound_scale(v->norm[i], n), row, start,
			above ? v->high[i] : v->low[i], target });
	}
}

static void compare_columns(const struct ilab_verifier *v, uint64_t row, const double *h, struct ilab_worst *worst)
{
	for (size_t c = 0; c < v->column_count; c++) {
		const double reference = v->columns_reference[c * v->sizes.rows + row], found = h[v->columns[c]];
		keep_worst(worst, &(struct ilab_worst){ fabs(found - reference) / fmax(fabs(reference), ILAB_VERIFY_HIDDEN_RMS),
			row, v->columns[c], found, reference });
	}
}

void ilab_verifier_hidden(struct ilab_verifier *v, uint64_t first_row, uint64_t count, const void *data)
{
	uint64_t bad_count = 0, bad_first = UINT64_MAX;
	#pragma omp parallel num_threads(v->threads) if (count * v->shape.hidden >= ILAB_PARALLEL_LEAST) \
		reduction(+ : bad_count) reduction(min : bad_first)
	{
		struct ilab_worst columns = { 0 }, projection = { 0 };
		#pragma omp for schedule(static)
		for (uint64_t i = 0; i < count; i++) {
			uint64_t bad, n;
			const double *h = load_row(v, data, i, v->shape.hidden, &bad, &n);
			if (n == 0) {
				compare_columns(v, first_row + i, h, &columns);
				project_hidden(v, first_row + i, h, &projection);
				continue;
			}
			bad_count += n;
			bad_first = bad_first < first_row + i ? bad_first : first_row + i;
		}
		#pragma omp critical(ilab_verify_worst)
		{
			keep_worst(&v->column_worst, &columns);
			keep_worst(&v->projection_worst, &projection);
		}
	}
	if (bad_count && v->hidden_bad_count == 0)
		v->hidden_bad_first = bad_first;
	v->hidden_bad_count += bad_count;
}

void ilab_verifier_projection_end(struct ilab_verifier *v)
{
	const struct ilab_worst *c = &v->column_worst, *p = &v->projection_worst;
	const double hidden_bound = ilab_verify_hidden_bound(v), bound = ilab_bound_projection(v->dtype, &v->shape, v->half_accumulation);
	v->projected = true;
	v->projection_error = p->ratio;
	if (v->hidden_bad_count) {
		v->nonfinite = true;
		ilab_verifier_fail(v, "hidden units: %llu are not finite, the first in row %llu", (unsigned long long)v->hidden_bad_count,
			(unsigned long long)v->hidden_bad_first);
	}
	if (!(c->ratio <= hidden_bound))
		ilab_verifier_fail(v, "hidden units: unit %llu of row %llu is %.9g and not %.9g, off by %.3g, limit %.3g",
			(unsigned long long)c->item, (unsigned long long)c->row, c->found, c->expected, c->ratio, hidden_bound);
	if (!(p->ratio <= bound))
		ilab_verifier_fail(v, "projection: the output of row %llu, from column %llu on, sums up to %.9g and not %.9g, off by %.3g of its norm, limit %.3g",
			(unsigned long long)p->row, (unsigned long long)p->item, p->found, p->expected, p->ratio, bound);
}
