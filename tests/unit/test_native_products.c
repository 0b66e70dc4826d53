/* Plans, products and graphs of the native backend over the tests' own vendor (tests/native). */
#include "native_case.h"

#include "model/reference.h"

#include <math.h>
#include <string.h>

static const struct ilab_shape shape = { .batch = 2, .context = 3, .width = 5, .hidden = 7 };

static struct ilab_plan plan(enum ilab_dtype dtype, enum ilab_gemm gemm, const struct ilab_tuning *tuning)
{
	struct ilab_plan p;
	struct ilab_err err = {0};
	if (api->plan(session, &shape, dtype, gemm, tuning, &p, &err))
		fail_msg("%s", err.text);
	return p;
}

static void assert_refused(enum ilab_dtype dtype, enum ilab_gemm gemm, const char *words)
{
	struct ilab_plan p;
	struct ilab_err err = {0};
	assert_int_equal(api->plan(session, &shape, dtype, gemm, NULL, &p, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, words));
}

static void a_plan_says_what_will_run(void **state)
{
	(void)state;
	open_session();
	const struct ilab_plan p = plan(ILAB_F16, ILAB_GEMM_AUTO, NULL);
	assert_int_equal(p.provider, ILAB_GEMM_CUBLASLT);
	assert_int_equal(p.temporary_bytes, 64 * 7);       /* the larger of the two layers' */
	assert_int_equal(p.record.temporary_bytes, 64 * 7);
	assert_int_equal(p.record.launches_per_pass, 3);   /* product, bias and GELU, product with its bias */
	assert_non_null(p.record.reason);
	assert_string_equal(p.record.version.value, "9.9");
	assert_false(p.record.tuned);
	assert_int_equal(p.record.parameter_count, 2);
	assert_string_equal(p.record.parameters[1].name, "layer2_bytes");
	assert_string_equal(p.record.parameters[1].value, "320");
	assert_null(plan(ILAB_F16, ILAB_GEMM_CUBLASLT, NULL).record.reason);
	assert_int_equal(plan(ILAB_BF16, ILAB_GEMM_BUILTIN, NULL).record.launches_per_pass, 2);
	assert_int_equal(vendor.products, 0);
	assert_refused(ILAB_F32, ILAB_GEMM_CLBLAST, "not clblast");
	assert_refused(ILAB_TF32, ILAB_GEMM_BUILTIN, "tf32");
	vendor.biased = false;
	assert_int_equal(plan(ILAB_F32, ILAB_GEMM_CUBLASLT, NULL).record.launches_per_pass, 4);
}

static void an_explicit_provider_never_falls_back(void **state)
{
	(void)state;
	vendor.library = false;
	open_session();
	assert_refused(ILAB_F32, ILAB_GEMM_CUBLASLT, "library is not there");
	assert_refused(ILAB_TF32, ILAB_GEMM_AUTO, "library is not there");
	const struct ilab_plan p = plan(ILAB_F32, ILAB_GEMM_AUTO, NULL);
	assert_int_equal(p.provider, ILAB_GEMM_BUILTIN);
	assert_non_null(strstr(p.record.reason, "library is not there"));
}

static void what_the_library_lacks_is_ours(void **state)
{
	(void)state;
	vendor.nothing = true;
	open_session();
	const struct ilab_plan p = plan(ILAB_F16, ILAB_GEMM_AUTO, NULL);
	assert_int_equal(p.provider, ILAB_GEMM_BUILTIN);
	assert_int_equal(p.record.launches_per_pass, 2);
	assert_non_null(strstr(p.record.reason, "no algorithm"));
	assert_refused(ILAB_F16, ILAB_GEMM_CUBLASLT, "no algorithm");
	assert_refused(ILAB_TF32, ILAB_GEMM_AUTO, "no algorithm");
}

static struct ilab_buffer *tensor_of(enum ilab_stream stream, const struct ilab_plan *p, int layer)
{
	const struct ilab_tensor t = ilab_rule_tensor(stream, &shape, p->dtype, stream == ILAB_STREAM_W1 || stream == ILAB_STREAM_W2 ?
		p->weight_layout[layer] : ILAB_LAYOUT_ROWS, 3);
	struct ilab_buffer *b = take(t.rows * t.cols * ilab_dtype_bytes(t.dtype));
	struct ilab_err err = {0};
	assert_int_equal(api->fill(session, b, ILAB_FILL_RULE, &t, &err), ILAB_OK);
	return b;
}

/* The whole network in the plan's way, against the float64 reference. */
static void assert_network(const struct ilab_plan *p)
{
	enum { M = 6, WIDTH = 5, HIDDEN = 7 };
	const size_t bytes = ilab_dtype_bytes(p->dtype);
	const uint64_t rows[M] = { 0, 1, 2, 3, 4, 5 };
	double expected[M * WIDTH];
	float got[M * WIDTH];
	struct ilab_err err = {0};
	struct ilab_buffer *x = tensor_of(ILAB_STREAM_X, p, 0), *w1 = tensor_of(ILAB_STREAM_W1, p, 0), *b1 = tensor_of(ILAB_STREAM_B1, p, 0),
		*w2 = tensor_of(ILAB_STREAM_W2, p, 1), *b2 = tensor_of(ILAB_STREAM_B2, p, 1), *h = take(M * HIDDEN * bytes), *y = take(M * WIDTH * bytes),
		*temporary = p->temporary_bytes ? take(p->temporary_bytes) : NULL;
	if (api->linear(session, p, 0, x, w1, b1, h, temporary, ILAB_EPILOGUE_BIAS_GELU, &err) ||
		api->linear(session, p, 1, h, w2, b2, y, temporary, ILAB_EPILOGUE_BIAS, &err) ||
		api->download(session, y, 0, sizeof(got), got, &err) || ilab_reference_rows(&shape, p->dtype, 3, rows, M, expected, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < M * WIDTH; i++)
		assert_true(fabs((double)got[i] - expected[i]) < 1e-6);
	struct ilab_buffer *all[] = { x, w1, b1, w2, b2, h, y, temporary };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		api->free(session, all[i]);
}

static void every_provider_computes_the_network(void **state)
{
	(void)state;
	open_session();
	struct ilab_plan p = plan(ILAB_F32, ILAB_GEMM_CUBLASLT, NULL);
	assert_network(&p);
	assert_int_equal(vendor.products, 2);
	vendor.biased = false;
	p = plan(ILAB_F32, ILAB_GEMM_CUBLASLT, NULL);
	assert_network(&p);
	p = plan(ILAB_F32, ILAB_GEMM_BUILTIN, NULL);
	assert_network(&p);
	assert_int_equal(vendor.products, 4);
}

static void candidates_are_plans(void **state)
{
	(void)state;
	open_session();
	struct ilab_arena arena = {0};
	struct ilab_tuning_entry *layers[2];
	size_t count;
	struct ilab_err err = {0};
	for (int i = 0; i < 2; i++)
		assert_int_equal(api->candidates(session, &shape, ILAB_F32, ILAB_GEMM_AUTO, i, &arena, &layers[i], &count, &err), ILAB_OK);
	for (size_t i = 0; i < count; i++) {
		const struct ilab_tuning_entry entries[] = { layers[0][i], layers[1][i] };
		const struct ilab_plan p = plan(ILAB_F32, ILAB_GEMM_AUTO, &(struct ilab_tuning){ "cublaslt", entries, 2, NULL });
		assert_true(p.record.tuned);
		assert_string_equal(p.record.forms[1], native_form_name(false, i ? ILAB_LAYOUT_COLS : ILAB_LAYOUT_ROWS));
		assert_int_equal(p.temporary_bytes, i ? 4096 : 0);
		assert_network(&p);
	}
	layers[0][0].form = "sideways";
	struct ilab_plan refused;
	assert_int_equal(api->plan(session, &shape, ILAB_F32, ILAB_GEMM_AUTO, &(struct ilab_tuning){ "cublaslt", layers[0], 1, NULL }, &refused, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "sideways"));
	assert_false(plan(ILAB_F32, ILAB_GEMM_AUTO, &(struct ilab_tuning){ "clblast", layers[0], 1, NULL }).record.tuned);
	assert_false(plan(ILAB_F16, ILAB_GEMM_AUTO, &(struct ilab_tuning){ "cublaslt", layers[0], 1, NULL }).record.tuned);
	ilab_arena_free(&arena);
}

static void a_graph_is_recorded_and_replayed(void **state)
{
	(void)state;
	open_session();
	const struct ilab_plan p = plan(ILAB_F32, ILAB_GEMM_BUILTIN, NULL);
	struct ilab_buffer *x = take(1000), *y = take(1000);
	struct ilab_err err = {0};
	for (int i = 0; i < 2; i++) {          /* the second graph replaces the first */
		assert_int_equal(api->graph_begin(session, &err), ILAB_OK);
		assert_int_equal(api->linear(session, &p, 0, x, x, x, y, NULL, ILAB_EPILOGUE_BIAS_GELU, &err), ILAB_OK);
		assert_int_equal(api->graph_end(session, &err), ILAB_OK);
		assert_int_equal(api->graph_launch(session, &err), ILAB_OK);
	}
	assert_int_equal(vendor.recorded, 2);
	assert_int_equal(vendor.launches, 0);
	assert_int_equal(vendor.replays, 2);
}

static void a_launch_that_fails_is_named(void **state)
{
	(void)state;
	open_session();
	const struct ilab_plan p = plan(ILAB_F32, ILAB_GEMM_AUTO, NULL);
	struct ilab_buffer *b = take(4096);
	struct ilab_err err = {0};
	vendor.failing = "launch";
	assert_int_equal(api->linear(session, &p, 0, b, b, b, b, b, ILAB_EPILOGUE_BIAS_GELU, &err), ILAB_FAILED);
	assert_string_equal(err.call, "launch");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_plan_says_what_will_run), TEST(an_explicit_provider_never_falls_back), TEST(what_the_library_lacks_is_ours),
		TEST(every_provider_computes_the_network), TEST(candidates_are_plans), TEST(a_graph_is_recorded_and_replayed),
		TEST(a_launch_that_fails_is_named),
	};
	return cmocka_run_group_tests_name("native products", tests, NULL, NULL);
}
