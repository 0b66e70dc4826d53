/* plan and linear: every provider, type, layout and epilogue against float64, element by element. */
#include "conformance.h"

#include <math.h>

/* The ways to put a product to a provider, by the names its plans record; tried through a tuning entry. A provider that knows none
 * of these runs in the form of its own choice only. */
static const char *const forms[] = {
	NULL,
	"column-major, y^T = W x^T, W stored [in, out]", "column-major, y^T = W x^T, W stored [out, in]",
	"row-major, y = x W^T, W stored [in, out]", "row-major, y = x W^T, W stored [out, in]",
	"y = x W^T, W stored [in, out]", "y = x W^T, W stored [out, in]",
};
#define FORM_COUNT (sizeof(forms) / sizeof(forms[0]))

static const enum ilab_epilogue epilogues[] = { ILAB_EPILOGUE_NONE, ILAB_EPILOGUE_BIAS, ILAB_EPILOGUE_BIAS_GELU };

/* --- reference --------------------------------------------------------------------------------------------------------- */

struct product {
	enum ilab_dtype dtype;
	uint64_t m, n, k;
	struct ilab_tensor x, w, b;
	double *z, *magnitude;         /* x W^T and the sum of the absolute values of its terms, [m, n] */
	float *bias;                   /* [n] */
};

static float *stored_values(struct ilab_tensor t)
{
	uint64_t count = t.rows * t.cols;
	t.layout = ILAB_LAYOUT_ROWS;
	void *raw = malloc(count * ilab_dtype_bytes(t.dtype));
	float *values = malloc(count * sizeof(*values));
	assert_true(raw && values);
	ilab_rule_fill(&t, 0, count, raw);
	for (uint64_t i = 0; i < count; i++)
		values[i] = ilab_dtype_load(t.dtype, raw, i);
	free(raw);
	return values;
}

static struct product make_product(enum ilab_dtype dtype, uint64_t m, uint64_t n, uint64_t k)
{
	struct product p = { .dtype = dtype, .m = m, .n = n, .k = k };
	p.x = (struct ilab_tensor){ 11, ILAB_STREAM_X, dtype, ILAB_LAYOUT_ROWS, m, k, 1.0f };
	p.w = (struct ilab_tensor){ 11, ILAB_STREAM_W1, dtype, ILAB_LAYOUT_ROWS, n, k, 1.0f };
	p.b = (struct ilab_tensor){ 11, ILAB_STREAM_B1, dtype, ILAB_LAYOUT_ROWS, 1, n, 1.0f };
	float *x = stored_values(p.x), *w = stored_values(p.w);
	p.bias = stored_values(p.b);
	p.z = malloc(m * n * sizeof(double));
	p.magnitude = malloc(m * n * sizeof(double));
	assert_true(p.z && p.magnitude);
#pragma omp parallel for
	for (uint64_t i = 0; i < m * n; i++) {
		double sum = 0, size = 0;
		for (uint64_t j = 0; j < k; j++) {
			double term = (double)x[i / n * k + j] * w[i % n * k + j];
			sum += term;
			size += fabs(term);
		}
		p.z[i] = sum;
		p.magnitude[i] = size;
	}
	free(x);
	free(w);
	return p;
}

static void free_product(struct product *p)
{
	free(p->z);
	free(p->magnitude);
	free(p->bias);
}

static double gelu(double v)
{
	return 0.5 * v * erfc(-v / sqrt(2.0));
}

/* Largest error a correct implementation may make in element i: k roundings of the sum (of float32, or of float16 where the provider
 * says so), those of bias and GELU, and the one of the storage type. Twice what rounding theory gives. */
static double allowed(const struct product *p, uint64_t i, bool half_sums, enum ilab_epilogue epilogue, double want)
{
	double unit = half_sums ? 0x1p-11 : 0x1p-24, storage = p->dtype == ILAB_F16 ? 0x1p-11 : p->dtype == ILAB_BF16 ? 0x1p-8 : 0x1p-24;
	double size = p->magnitude[i] + (epilogue == ILAB_EPILOGUE_NONE ? 0 : fabs(p->bias[i % p->n]));
	if (p->dtype == ILAB_TF32)
		size *= 1 + 0x1p-9 / unit / (double)(p->k + 4);      /* both operands lose 13 bits */
	/* Unfused, z is stored once before the bias is added, or their sum before GELU (whose slope is at most 1.13). */
	double biased = p->z[i] + (epilogue == ILAB_EPILOGUE_NONE ? 0 : p->bias[i % p->n]);
	return 2 * unit * (double)(p->k + 4) * size + 1.2 * storage * (fabs(want) + fmax(fabs(p->z[i]), fabs(biased))) + 1e-6 +
		(storage > unit ? 0x1p-24 : 0);
}

static void compare(const struct product *p, const void *y, bool half_sums, enum ilab_epilogue epilogue, const char *what)
{
	for (uint64_t i = 0; i < p->m * p->n; i++) {
		double z = p->z[i] + (epilogue == ILAB_EPILOGUE_NONE ? 0 : p->bias[i % p->n]);
		double want = epilogue == ILAB_EPILOGUE_BIAS_GELU ? gelu(z) : z, got = ilab_dtype_load(p->dtype, y, i);
		double bound = allowed(p, i, half_sums, epilogue, want);
		if (!(fabs(got - want) <= bound))
			fail_msg("%s %s %llu x %llu x %llu epilogue %d: element %llu is %.9g, not %.9g (+- %.2g)", what, ilab_dtype_name(p->dtype),
				(unsigned long long)p->m, (unsigned long long)p->n, (unsigned long long)p->k, (int)epilogue, (unsigned long long)i,
				got, want, bound);
	}
}

/* --- running ------------------------------------------------------------------------------------------------------------ */

/* Elements after the end of y that no kernel may touch. */
#define GUARD 40

static void run_layer(const struct ilab_plan *plan, int layer, const struct product *p, enum ilab_epilogue epilogue, const char *what)
{
	struct ilab_tensor w = p->w, y = { 5, ILAB_STREAM_Y, p->dtype, ILAB_LAYOUT_ROWS, p->m, p->n, 1 }, guarded = y;
	w.layout = plan->weight_layout[layer];
	guarded.rows = 1;
	guarded.cols = p->m * p->n + GUARD;
	struct ilab_buffer *bx = filled(&p->x, 0), *bw = filled(&w, 0), *bb = filled(&p->b, 0), *by = filled(&guarded, 0);
	struct ilab_buffer *temporary = plan->temporary_bytes ? take(plan->temporary_bytes) : NULL;
	/* NaN everywhere: an element that nobody wrote, or a product that reads its output, shows. */
	MUST(suite.api->fill(suite.session, by, ILAB_FILL_POISON, &y, &err));
	MUST(suite.api->linear(suite.session, plan, layer, bx, bw, bb, by, temporary, epilogue, &err));
	unsigned char *got = fetch(by, tensor_bytes(&guarded)), guard[GUARD * 4];
	compare(p, got, !strcmp(plan->record.accumulation, "float16"), epilogue, what);
	ilab_rule_fill(&guarded, p->m * p->n, GUARD, guard);
	assert_memory_equal(got + tensor_bytes(&y), guard, tensor_bytes(&guarded) - tensor_bytes(&y));
	free(got);
	give(bx);
	give(bw);
	give(bb);
	give(by);
	give(temporary);
}

/* Both layers of a plan: [m, width] x [hidden, width] and [m, hidden] x [width, hidden]. An interpreter gets one epilogue of the first. */
static void run_plan(const struct ilab_plan *plan, const char *what)
{
	uint64_t m = plan->shape.batch * plan->shape.context;
	struct product first = make_product(plan->dtype, m, plan->shape.hidden, plan->shape.width);
	struct product second = make_product(plan->dtype, m, plan->shape.width, plan->shape.hidden);
	static size_t turn;
	turn++;
	for (size_t e = 0; e < 3; e++)
		if (!suite.small || e == turn % 3)
			run_layer(plan, 0, &first, epilogues[e], what);
	run_layer(plan, 1, &second, ILAB_EPILOGUE_BIAS, what);
	free_product(&first);
	free_product(&second);
}

static const struct { struct ilab_shape shape; bool large; } shapes[] = {
	{ { 1, 1, 1, 1 }, false }, { { 7, 1, 5, 3 }, false }, { { 1, 33, 65, 31 }, false }, { { 1, 64, 64, 64 }, false },
	{ { 1, 1, 200, 77 }, false }, { { 1, 13, 1, 200 }, false }, { { 2, 8, 16, 64 }, false }, { { 5, 1, 4, 1000 }, false },
	{ { 3, 50, 149, 147 }, true }, { { 1, 129, 257, 31 }, true }, { { 2, 128, 128, 512 }, true }, { { 4, 300, 33, 300 }, true },
};
#define SHAPE_COUNT (sizeof(shapes) / sizeof(shapes[0]))

/* NULL-form: the provider's own choice. False when refused. */
static bool plan_with_form(const struct ilab_shape *shape, enum ilab_dtype dtype, enum ilab_gemm gemm, const char *form, struct ilab_plan *plan,
	struct ilab_err *err)
{
	uint64_t m = shape->batch * shape->context;
	const struct ilab_tuning_entry entries[] = {
		{ dtype, m, shape->hidden, shape->width, form, NULL, 0 }, { dtype, m, shape->width, shape->hidden, form, NULL, 0 },
	};
	const struct ilab_tuning tuning = { .provider = ilab_gemm_name(gemm), .entries = entries, .entry_count = 2 };
	enum ilab_status status = suite.api->plan(suite.session, shape, dtype, gemm, form ? &tuning : NULL, plan, err);
	if (!status && form)
		for (int layer = 0; layer < 2; layer++)
			assert_string_equal(plan->record.forms[layer], form);
	assert_true(status == ILAB_OK || status == ILAB_REFUSED);
	return status == ILAB_OK;
}

/* What an interpreter runs: the first shapes, the forms other than the provider's own at one odd shape, `auto` once. */
static bool small_has(size_t form, size_t shape, enum ilab_gemm gemm)
{
	return gemm == ILAB_GEMM_AUTO ? shape == 1 : form ? shape == 2 : shape < 4;
}

static unsigned run_provider(enum ilab_gemm gemm, enum ilab_dtype dtype)
{
	unsigned plans = 0;
	for (size_t f = 0; f < (gemm == ILAB_GEMM_AUTO ? 1 : FORM_COUNT); f++) {
		for (size_t i = 0; i < SHAPE_COUNT; i++) {
			struct ilab_plan plan;
			struct ilab_err why = {0};
			if (suite.small && !small_has(f, i, gemm))
				continue;
			if (!plan_with_form(&shapes[i].shape, dtype, gemm, forms[f], &plan, &why)) {
				if (f == 0 && i == 0)
					printf("#   skipped: %s\n", why.text);
				break;
			}
			run_plan(&plan, ilab_gemm_name(gemm));
			plans++;
		}
	}
	return plans;
}

static void test_provider(enum ilab_gemm gemm)
{
	unsigned plans = 0;
	for (int d = 0; d < ILAB_DTYPE_COUNT; d++) {
		unsigned n = run_provider(gemm, (enum ilab_dtype)d);
		if (n)
			printf("#   %s %s: %u plans right in every element\n", ilab_gemm_name(gemm), ilab_dtype_name((enum ilab_dtype)d), n);
		plans += n;
	}
	if (plans == 0)
		skip();
}

static void auto_is_right(void **state) { (void)state; test_provider(ILAB_GEMM_AUTO); }
static void clblast_is_right(void **state) { (void)state; test_provider(ILAB_GEMM_CLBLAST); }
static void builtin_is_right(void **state) { (void)state; test_provider(ILAB_GEMM_BUILTIN); }
static void cublaslt_is_right(void **state) { (void)state; test_provider(ILAB_GEMM_CUBLASLT); }
static void rocblas_is_right(void **state) { (void)state; test_provider(ILAB_GEMM_ROCBLAS); }

/* 16-bit storage needs no half arithmetic, so `auto` never refuses it. */
static void auto_has_every_stored_type(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 1, 4, 8, 16 };
	const enum ilab_dtype dtypes[] = { ILAB_F32, ILAB_F16, ILAB_BF16 };
	for (size_t i = 0; i < 3; i++) {
		struct ilab_plan p;
		MUST(suite.api->plan(suite.session, &shape, dtypes[i], ILAB_GEMM_AUTO, NULL, &p, &err));
		assert_string_equal(p.record.accumulation, "float32");
	}
}

static void same_plan_same_bits(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 1, 33, 65, 31 };
	struct ilab_plan plan;
	uint64_t sums[2];
	MUST(suite.api->plan(suite.session, &shape, ILAB_F32, ILAB_GEMM_AUTO, NULL, &plan, &err));
	struct ilab_tensor x = { 1, ILAB_STREAM_X, ILAB_F32, ILAB_LAYOUT_ROWS, 33, 65, 1 }, w = { 1, ILAB_STREAM_W1, ILAB_F32, plan.weight_layout[0], 31, 65, 1 };
	struct ilab_tensor b = { 1, ILAB_STREAM_B1, ILAB_F32, ILAB_LAYOUT_ROWS, 1, 31, 1 }, y = { 1, ILAB_STREAM_Y, ILAB_F32, ILAB_LAYOUT_ROWS, 33, 31, 1 };
	struct ilab_buffer *bx = filled(&x, 0), *bw = filled(&w, 0), *bb = filled(&b, 0);
	struct ilab_buffer *by = take(tensor_bytes(&y)), *temporary = plan.temporary_bytes ? take(plan.temporary_bytes) : NULL;
	for (int i = 0; i < 2; i++) {
		MUST(suite.api->linear(suite.session, &plan, 0, bx, bw, bb, by, temporary, ILAB_EPILOGUE_BIAS_GELU, &err));
		MUST(suite.api->checksum(suite.session, by, &y, &sums[i], &err));
	}
	assert_int_equal(sums[0], sums[1]);
	give(bx); give(bw); give(bb); give(by); give(temporary);
}

/* --- exact erf ----------------------------------------------------------------------------------------------------------- */

/* y = gelu(x w) with one weight, x such that x w sweeps [-8, 8]. The tanh form is off by 4.7e-4 near 2.7; without erfc nothing is left
 * of the values below -5, where the relative error is checked too. */
static void gelu_is_the_exact_one(void **state)
{
	(void)state;
	const uint64_t m = suite.small ? 4096 : 65536;
	const struct ilab_shape shape = { 1, m, 1, 1 };
	const enum ilab_gemm gemms[] = { ILAB_GEMM_AUTO, ILAB_GEMM_BUILTIN };
	for (size_t g = 0; g < 2; g++) {
		struct ilab_plan plan;
		MUST(suite.api->plan(suite.session, &shape, ILAB_F32, gemms[g], NULL, &plan, &err));
		struct ilab_tensor w = { 3, ILAB_STREAM_W1, ILAB_F32, plan.weight_layout[0], 1, 1, 1 }, b = { 3, ILAB_STREAM_B1, ILAB_F32, ILAB_LAYOUT_ROWS, 1, 1, 0 };
		const float weight = ilab_rule_value(&w, 0);
		struct ilab_tensor x = { 3, ILAB_STREAM_X, ILAB_F32, ILAB_LAYOUT_ROWS, m, 1, 8.0f / fabsf(weight) };
		struct ilab_buffer *bx = filled(&x, 0), *bw = filled(&w, 0), *bb = filled(&b, 0), *by = take(m * 4);
		struct ilab_buffer *temporary = plan.temporary_bytes ? take(plan.temporary_bytes) : NULL;
		MUST(suite.api->linear(suite.session, &plan, 0, bx, bw, bb, by, temporary, ILAB_EPILOGUE_BIAS_GELU, &err));
		float *y = fetch(by, m * 4);
		double low = 0, high = 0, worst = 0;
		for (uint64_t i = 0; i < m; i++) {
			double z = (double)(ilab_rule_value(&x, i) * weight), want = gelu(z), error = fabs(y[i] - want);
			low = fmin(low, z);
			high = fmax(high, z);
			worst = fmax(worst, error);
			if (!(error <= 1.2e-6) || !(error <= 5e-5 * fabs(want) + 1e-38))
				fail_msg("gelu(%.9g) is %.9g, not %.9g", z, (double)y[i], want);
		}
		assert_true(low < -7.9 && high > 7.9);
		printf("#   %s: largest error of GELU over [-8, 8] %.2g\n", plan.record.provider, worst);
		free(y);
		give(bx); give(bw); give(bb); give(by); give(temporary);
	}
}

/* --- tuning -------------------------------------------------------------------------------------------------------------- */

static const struct ilab_parameter always_indirect[] = { { "XGEMM_MIN_INDIRECT_SIZE", "1" } };

/* CLBlast's other path, with copies through temporary memory in every layout form, at shapes that would otherwise be too small. Last in
 * the suite: the override holds for the process. */
static void tuned_clblast_uses_temporary_memory(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 1, 33, 65, 31 };
	bool temporary_seen = false;
	for (size_t f = 1; f < 5; f++) {
		const struct ilab_tuning_entry entries[] = { { ILAB_F32, 33, 31, 65, forms[f], always_indirect, 1 }, { ILAB_F32, 33, 65, 31, forms[f], always_indirect, 1 } };
		const struct ilab_tuning tuning = { .provider = "clblast", .entries = entries, .entry_count = 2 };
		struct ilab_plan plan;
		struct ilab_err why = {0};
		if (suite.api->plan(suite.session, &shape, ILAB_F32, ILAB_GEMM_CLBLAST, &tuning, &plan, &why)) {
			printf("#   skipped: %s\n", why.text);
			skip();
		}
		assert_true(plan.record.tuned);
		bool recorded = false;
		for (size_t i = 0; i < plan.record.parameter_count; i++)
			recorded = recorded || !strcmp(plan.record.parameters[i].name, "XGEMM_MIN_INDIRECT_SIZE");
		assert_true(recorded);
		temporary_seen = temporary_seen || plan.temporary_bytes;
		run_plan(&plan, "clblast tuned");
	}
	assert_true(temporary_seen);
}

static void bad_tuning_is_refused(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 1, 33, 65, 31 };
	static const struct ilab_parameter unknown[] = { { "NO_SUCH_NAME", "1" } }, partial[] = { { "COPY_DIMX", "8" } }, word[] = { { "XGEMM_MIN_INDIRECT_SIZE", "many" } };
	const struct { const char *form; const struct ilab_parameter *p; } bad[] = { { NULL, unknown }, { NULL, partial }, { NULL, word }, { "sideways", NULL } };
	struct ilab_plan plan;
	struct ilab_err why = {0};
	if (suite.api->plan(suite.session, &shape, ILAB_F32, ILAB_GEMM_CLBLAST, NULL, &plan, &why)) {
		printf("#   skipped: %s\n", why.text);
		skip();
	}
	for (size_t i = 0; i < 4; i++) {
		const struct ilab_tuning_entry entry = { ILAB_F32, 33, 31, 65, bad[i].form, bad[i].p, bad[i].p ? 1 : 0 };
		const struct ilab_tuning tuning = { .provider = "clblast", .entries = &entry, .entry_count = 1 };
		ilab_err_clear(&why);
		assert_int_equal(suite.api->plan(suite.session, &shape, ILAB_F32, ILAB_GEMM_CLBLAST, &tuning, &plan, &why), ILAB_REFUSED);
		assert_true(strlen(why.text) > 10);
	}
}

int run_products(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(auto_has_every_stored_type),
		cmocka_unit_test(auto_is_right),
		cmocka_unit_test(clblast_is_right),
		cmocka_unit_test(builtin_is_right),
		cmocka_unit_test(cublaslt_is_right),
		cmocka_unit_test(rocblas_is_right),
		cmocka_unit_test(same_plan_same_bits),
		cmocka_unit_test(gelu_is_the_exact_one),
		cmocka_unit_test(bad_tuning_is_refused),
		cmocka_unit_test(tuned_clblast_uses_temporary_memory),
	};
	return cmocka_run_group_tests_name("products", tests, NULL, NULL);
}
