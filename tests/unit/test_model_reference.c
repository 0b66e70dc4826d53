/* model/reference, against tiny networks worked out with 80 decimal digits (erf by its series), and against plain triple loops. */
#include "model/reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double got, double expected, double relative)
{
	if (!(fabs(got - expected) <= relative * fabs(expected)))
		fail_msg("%.17g instead of %.17g", got, expected);
}

static void gelu_known_answers(void **state)
{
	(void)state;
	static const double rows[][2] = {
		{ -8, -4.97676845941742729881e-15 }, { -5.5, -1.04442593562382456611e-7 }, { -3, -4.04969409489028357996e-3 },
		{ -1, -1.58655253931457051415e-1 }, { -0.5, -1.54268769362993448181e-1 }, { 0.001, 5.00398942213911062585e-4 },
		{ 0.5, 3.45731230637006551819e-1 }, { 1, 8.41344746068542948585e-1 }, { 2.6987, 2.68930705370053254079e+0 },
		{ 8, 7.99999999999999502323e+0 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_near(ilab_gelu(rows[i][0]), rows[i][1], 2e-14);
	assert_true(ilab_gelu(0) == 0);
}

/* batch 1, context 1, width 1, hidden 1, seed 42: four numbers and one GELU. */
static void one_by_one(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 1, 1, 1, 1 };
	static const struct { enum ilab_dtype dtype; double y, h; } rows[] = {
		{ ILAB_F32, -1.06200007414480029205e-02, -1.52404431593693184821e-01 },
		{ ILAB_TF32, -1.06200007414480029205e-02, -1.52404431593693184821e-01 },
		{ ILAB_F16, -1.06530089077181266272e-02, -1.52392937293069741234e-01 },
		{ ILAB_BF16, -1.04459507421937568272e-02, -1.52269105584422526078e-01 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t first = 0;
		double y, h, v, c, r = 1;
		assert_int_equal(ilab_reference_rows(&shape, rows[i].dtype, 42, &first, 1, &y, NULL), ILAB_OK);
		assert_near(y, rows[i].y, 1e-14);
		assert_int_equal(ilab_reference_hidden_columns(&shape, rows[i].dtype, 42, &first, 1, &h, NULL), ILAB_OK);
		assert_near(h, rows[i].h, 1e-14);
		assert_int_equal(ilab_reference_projection(&shape, rows[i].dtype, 42, &r, &v, &c, NULL), ILAB_OK);
		assert_near(h * v + c, rows[i].y, 1e-13);
	}
}

/* batch 1, context 2, width 2, hidden 3, seed 2^64-1. Rows and columns are asked for in reverse order. */
static void two_by_three(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 1, 2, 2, 3 };
	static const struct { enum ilab_dtype dtype; double y[4], h[6]; } rows[] = {
		{ ILAB_F32, { -2.887800653706178444e-01, 3.542273439578590977e-01, -1.229049021993106477e-01, 1.556648788485228974e-01 },
			{ 4.317532067202450863e-01, -6.441418957914388232e-02, -3.220178421796859175e-02,
			-2.494388511397558489e-02, 7.099169773534921291e-01, -1.523625224762384378e-01 } },
		{ ILAB_F16, { -2.888475246364787807e-01, 3.543564597872894684e-01, -1.228801311026442439e-01, 1.557151942608344108e-01 },
			{ 4.319737883273847001e-01, -6.447737997914521069e-02, -3.222555537774889761e-02,
			-2.489809683593284181e-02, 7.097297475904698061e-01, -1.523642021458973261e-01 } },
		{ ILAB_BF16, { -2.881929044308719767e-01, 3.538695965126683607e-01, -1.226426911913884588e-01, 1.556698479400795976e-01 },
			{ 4.309421222861863354e-01, -6.398298637035811087e-02, -3.233982315089783260e-02,
			-2.474416161444834700e-02, 7.104752766068210823e-01, -1.524079213696597490e-01 } },
	};
	const uint64_t backward[] = { 2, 1, 0 };
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double y[4], h[6];
		assert_int_equal(ilab_reference_rows(&shape, rows[i].dtype, UINT64_MAX, backward + 1, 2, y, NULL), ILAB_OK);
		for (size_t m = 0; m < 2; m++)
			for (size_t o = 0; o < 2; o++)
				assert_near(y[(1 - m) * 2 + o], rows[i].y[m * 2 + o], 2e-14);
		assert_int_equal(ilab_reference_hidden_columns(&shape, rows[i].dtype, UINT64_MAX, backward, 3, h, NULL), ILAB_OK);
		for (size_t m = 0; m < 2; m++)
			for (size_t j = 0; j < 3; j++)
				assert_near(h[(2 - j) * 2 + m], rows[i].h[m * 3 + j], 2e-14);
	}

	const double r[] = { 2, -3 }, v[] = { -2.366352915763854980e+00, 1.164772734045982361e-01, 2.026125669479370117e+00 };
	double got[3], c;
	assert_int_equal(ilab_reference_projection(&shape, ILAB_F32, UINT64_MAX, r, got, &c, NULL), ILAB_OK);
	for (size_t j = 0; j < 3; j++)
		assert_near(got[j], v[j], 1e-15);
	assert_near(c, -5.458140522241592407e-01, 1e-15);
}

/* The definition, element by element, in long double. */
static double stored(enum ilab_stream stream, const struct ilab_shape *shape, enum ilab_dtype dtype, uint64_t index)
{
	const struct ilab_tensor t = ilab_rule_tensor(stream, shape, dtype, ILAB_LAYOUT_ROWS, 77);
	return (double)ilab_dtype_decode(dtype, ilab_dtype_encode(dtype, ilab_rule_value(&t, index)));
}

static void plain_row(const struct ilab_shape *s, enum ilab_dtype dtype, uint64_t row, double *h, double *y)
{
	for (uint64_t j = 0; j < s->hidden; j++) {
		long double sum = stored(ILAB_STREAM_B1, s, dtype, j);
		for (uint64_t k = 0; k < s->width; k++)
			sum += (long double)stored(ILAB_STREAM_X, s, dtype, row * s->width + k) * stored(ILAB_STREAM_W1, s, dtype, j * s->width + k);
		h[j] = (double)(sum / 2 * (1 + erfl(sum / sqrtl(2))));
	}
	for (uint64_t o = 0; o < s->width; o++) {
		long double sum = stored(ILAB_STREAM_B2, s, dtype, o);
		for (uint64_t j = 0; j < s->hidden; j++)
			sum += (long double)h[j] * stored(ILAB_STREAM_W2, s, dtype, o * s->hidden + j);
		y[o] = (double)sum;
	}
}

/* Sizes around the length of a chunk, and odd ones; sampled rows first, last and repeated. */
static void agrees_with_plain_loops(void **state)
{
	(void)state;
	static const struct ilab_shape shapes[] = { { 1, 3, 5, 7 }, { 2, 2, 33, 130 }, { 3, 1, 511, 513 }, { 1, 2, 520, 1025 } };
	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
		const struct ilab_shape *shape = &shapes[s];
		const enum ilab_dtype dtype = (enum ilab_dtype)(s % ILAB_DTYPE_COUNT);
		const uint64_t m = shape->batch * shape->context, rows[] = { m - 1, 0, m - 1 };
		const uint64_t columns[] = { 0, shape->hidden - 1, 3 };
		double *y = malloc(3 * shape->width * sizeof(*y)), *h = malloc(3 * m * sizeof(*h)), *v = malloc(shape->hidden * sizeof(*v));
		double *plain_y = malloc(shape->width * sizeof(*y)), *plain_h = malloc(shape->hidden * sizeof(*h)), *r = malloc(shape->width * sizeof(*r));
		assert_true(y && h && v && plain_y && plain_h && r);
		assert_int_equal(ilab_reference_rows(shape, dtype, 77, rows, 3, y, NULL), ILAB_OK);
		assert_int_equal(ilab_reference_hidden_columns(shape, dtype, 77, columns, 3, h, NULL), ILAB_OK);
		for (uint64_t o = 0; o < shape->width; o++)
			r[o] = (double)(o * 37 % 11) - 5;
		double c;
		assert_int_equal(ilab_reference_projection(shape, dtype, 77, r, v, &c, NULL), ILAB_OK);

		for (size_t i = 0; i < 3; i++) {
			plain_row(shape, dtype, rows[i], plain_h, plain_y);
			double projected = 0, scale = 0, through = c;
			for (uint64_t o = 0; o < shape->width; o++) {
				assert_true(fabs(y[i * shape->width + o] - plain_y[o]) < 1e-13);
				projected += plain_y[o] * r[o];
				scale += fabs(plain_y[o] * r[o]);
			}
			for (uint64_t j = 0; j < shape->hidden; j++)
				through += plain_h[j] * v[j];
			assert_true(fabs(projected - through) < 1e-12 * (1 + scale));
			for (size_t k = 0; k < 3; k++)
				assert_true(fabs(h[k * m + rows[i]] - plain_h[columns[k]]) < 1e-14);
		}
		free(r), free(plain_h), free(plain_y), free(v), free(h), free(y);
	}
}

static void the_same_twice(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 1, 4, 300, 1200 };
	const uint64_t rows[] = { 0, 3 };
	double y[2][600], r[300], v[2][1200], c[2];
	for (size_t i = 0; i < 300; i++)
		r[i] = 1.0 / (double)(i + 1);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(ilab_reference_rows(&shape, ILAB_F16, 1, rows, 2, y[i], NULL), ILAB_OK);
		assert_int_equal(ilab_reference_projection(&shape, ILAB_F16, 1, r, v[i], &c[i], NULL), ILAB_OK);
	}
	assert_memory_equal(y[0], y[1], sizeof(y[0]));
	assert_memory_equal(v[0], v[1], sizeof(v[0]));
	assert_true(c[0] == c[1]);
}

/* AddressSanitizer would end the process where malloc returns NULL. */
const char *__asan_default_options(void) __attribute__((visibility("default")));
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void no_memory_is_an_error(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 1, 1, 1ull << 40, 1ull << 20 };
	struct ilab_err err = {0};
	const uint64_t row = 0;
	double y, c;
	assert_int_equal(ilab_reference_rows(&shape, ILAB_F32, 0, &row, SIZE_MAX / 16, &y, &err), ILAB_FAILED);
	assert_non_null(strstr(err.text, "memory"));
	memset(&err, 0, sizeof(err));
	assert_int_equal(ilab_reference_hidden_columns(&shape, ILAB_F32, 0, &row, SIZE_MAX / 16, &y, &err), ILAB_FAILED);
	const struct ilab_shape wide = { 1, 1, 1ull << 62, 1 };
	memset(&err, 0, sizeof(err));
	assert_int_equal(ilab_reference_projection(&wide, ILAB_F32, 0, &y, &y, &c, &err), ILAB_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gelu_known_answers),
		cmocka_unit_test(one_by_one),
		cmocka_unit_test(two_by_three),
		cmocka_unit_test(agrees_with_plain_loops),
		cmocka_unit_test(the_same_twice),
		cmocka_unit_test(no_memory_is_an_error),
	};
	return cmocka_run_group_tests_name("model/reference", tests, NULL, NULL);
}
