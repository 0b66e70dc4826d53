/* Products by our own kernels: the tiled one, or on CPU devices the one on float16 vectors where it proves itself. */
#include "backend/opencl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One of the two ways weights can lie, by the words of the document. */
static const char *const form_names[] = {
	[ILAB_LAYOUT_ROWS] = "y = x W^T, W stored [out, in]",
	[ILAB_LAYOUT_COLS] = "y = x W^T, W stored [in, out]",
};

struct operands { cl_mem x, w, bias, y, temporary; };

static enum ilab_status launch_product(struct ilab_session *s, const struct ilab_product *p, const struct operands *o, struct ilab_err *err)
{
	for (size_t i = 0; i < p->launch_count; i++) {
		const struct ilab_launch *l = &p->launches[i];
		const struct opencl_argument by_word[] = {
			[ILAB_ARGUMENT_M] = OPENCL_ARGUMENT(p->m), [ILAB_ARGUMENT_N] = OPENCL_ARGUMENT(p->n), [ILAB_ARGUMENT_K] = OPENCL_ARGUMENT(p->k),
			[ILAB_ARGUMENT_OFFSET] = OPENCL_ARGUMENT(p->offset), [ILAB_ARGUMENT_X] = OPENCL_ARGUMENT(o->x),
			[ILAB_ARGUMENT_W] = OPENCL_ARGUMENT(o->w), [ILAB_ARGUMENT_BIAS] = OPENCL_ARGUMENT(o->bias),
			[ILAB_ARGUMENT_Y] = OPENCL_ARGUMENT(o->y), [ILAB_ARGUMENT_TEMPORARY] = OPENCL_ARGUMENT(o->temporary),
		};
		struct opencl_argument arguments[ILAB_LAUNCH_ARGUMENTS];
		size_t count = 0;
		for (; count < ILAB_LAUNCH_ARGUMENTS && l->arguments[count] != ILAB_ARGUMENT_END; count++)
			arguments[count] = by_word[l->arguments[count]];
		cl_kernel kernel;
		enum ilab_status status = opencl_kernel(s, &p->program, l->kernel, &kernel, err);
		if (!status)
			status = opencl_launch(s, kernel, l->kernel, &l->grid, arguments, count, err);
		if (status)
			return status;
	}
	return ILAB_OK;
}

/* --- proof of the CPU kernel -------------------------------------------------------------------------------------------- */

/* Sizes that no tile divides. */
enum { PROOF_M = 13, PROOF_N = 35, PROOF_K = 17 };

static double proof_reference(enum ilab_dtype dtype, enum ilab_layout layout, const void *x, const void *w, const void *bias, size_t r, size_t c)
{
	double sum = ilab_dtype_load(dtype, bias, c);
	for (size_t i = 0; i < PROOF_K; i++)
		sum += (double)ilab_dtype_load(dtype, x, r * PROOF_K + i)
			* ilab_dtype_load(dtype, w, layout == ILAB_LAYOUT_ROWS ? c * PROOF_K + i : i * PROOF_N + c);
	return sum;
}

static bool proof_holds(enum ilab_dtype dtype, enum ilab_layout layout, const void *x, const void *w, const void *bias, const void *y)
{
	/* Half an ulp of the storage type, and some for the order of a float32 sum. */
	const double bound = dtype == ILAB_F32 ? 1e-5 : dtype == ILAB_F16 ? 1e-3 : 8e-3;
	for (size_t r = 0; r < PROOF_M; r++) {
		for (size_t c = 0; c < PROOF_N; c++) {
			double want = proof_reference(dtype, layout, x, w, bias, r, c);
			if (!(fabs(ilab_dtype_load(dtype, y, r * PROOF_N + c) - want) <= bound * (1.0 + fabs(want))))
				return false;
		}
	}
	return true;
}

static cl_mem copied(struct ilab_session *s, size_t bytes, void *data, cl_int *code)
{
	return *code ? NULL : clCreateBuffer(s->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, data, code);
}

/* A small product with bias on the device against float64. ILAB_REFUSED: the kernel does not compile here or computes something else. */
static enum ilab_status prove(struct ilab_session *s, enum ilab_dtype dtype, enum ilab_layout layout, struct ilab_err *err)
{
	const struct ilab_tensor tx = { .stream = ILAB_STREAM_X, .dtype = dtype, .rows = PROOF_M, .cols = PROOF_K, .bound = 1 };
	const struct ilab_tensor tw = { .stream = ILAB_STREAM_W1, .dtype = dtype, .layout = layout, .rows = PROOF_N, .cols = PROOF_K, .bound = 1 };
	const struct ilab_tensor tb = { .stream = ILAB_STREAM_B1, .dtype = dtype, .rows = 1, .cols = PROOF_N, .bound = 1 };
	float x[PROOF_M * PROOF_K], w[PROOF_N * PROOF_K], bias[PROOF_N], y[PROOF_M * PROOF_N];
	struct ilab_product product;
	enum ilab_status status = ilab_product_plan(ILAB_GEMM_KERNEL_CPU, dtype, layout, ILAB_EPILOGUE_BIAS, s->multiply_add,
		PROOF_M, PROOF_N, PROOF_K, &product, err);
	if (status)
		return status;
	ilab_rule_fill(&tx, 0, PROOF_M * PROOF_K, x);
	ilab_rule_fill(&tw, 0, PROOF_N * PROOF_K, w);
	ilab_rule_fill(&tb, 0, PROOF_N, bias);
	memset(y, 0xff, sizeof(y));
	size_t temporary_bytes = product.temporary_bytes ? product.temporary_bytes : 4;
	void *zeros = calloc(1, temporary_bytes);
	cl_int code = zeros ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	struct operands o = { copied(s, sizeof(x), x, &code), copied(s, sizeof(w), w, &code), copied(s, sizeof(bias), bias, &code),
		copied(s, sizeof(y), y, &code), copied(s, temporary_bytes, zeros, &code) };
	if (code)
		status = opencl_fail(err, code, "clCreateBuffer", "proving the CPU kernel");
	else
		status = launch_product(s, &product, &o, err);
	if (!status && (code = clEnqueueReadBuffer(s->queue, o.y, CL_TRUE, 0, sizeof(y), y, 0, NULL, NULL)))
		status = opencl_fail(err, code, "clEnqueueReadBuffer", "proving the CPU kernel");
	if (!status && !proof_holds(dtype, layout, x, w, bias, y))
		status = ilab_err_set(err, ILAB_REFUSED, "", 0, "the CPU kernel computes a wrong product with this driver");
	const cl_mem all[] = { o.x, o.w, o.bias, o.y, o.temporary };
	for (size_t i = 0; i < 5; i++)
		if (all[i])
			clReleaseMemObject(all[i]);
	free(zeros);
	return status;
}

/* --- the plan ----------------------------------------------------------------------------------------------------------- */

enum ilab_status opencl_builtin_supported(struct ilab_session *s, enum ilab_dtype dtype, const struct opencl_layer *layers,
	struct ilab_err *err)
{
	enum ilab_status status = ILAB_OK;
	struct ilab_product ignored;
	for (int i = 0; i < 2 && !status; i++)
		status = ilab_product_plan(ILAB_GEMM_KERNEL_TILED, dtype, ILAB_LAYOUT_COLS, ILAB_EPILOGUE_BIAS, s->multiply_add,
			layers[i].m, layers[i].n, layers[i].k, &ignored, err);
	return status;
}

/* Launch every kernel of a product once with sizes of 1 in the scratch buffers: some drivers compile at the first launch, and that
 * belongs into setup. What comes out means nothing. */
static enum ilab_status launch_once(struct ilab_session *s, const struct ilab_product *product, struct ilab_err *err)
{
	struct ilab_product tiny = *product;
	tiny.m = tiny.n = tiny.k = 1;
	tiny.offset = 1024;
	for (size_t i = 0; i < tiny.launch_count; i++)
		memcpy(tiny.launches[i].grid.global, tiny.launches[i].grid.local, sizeof(tiny.launches[i].grid.global));
	const struct operands o = { s->scratch[0], s->scratch[0], s->scratch[0], s->scratch[1], s->scratch[2] };
	return launch_product(s, &tiny, &o, err);
}

/* [in, out] unless a tuning entry says otherwise: it is read in whole rows of a tile. Not for bfloat16 on GPUs (8192 x 4096 x 16384 on one
 * H200: 45.2 TFLOP/s against 41.7; float32 33.0 against 38.4, float16 45.3 against 48.5). */
static enum ilab_status choose_layout(struct ilab_session *s, const struct opencl_plan *state, struct ilab_plan *plan, int layer, struct ilab_err *err)
{
	size_t entry = opencl_tuning_entry(state->tuning, "builtin", plan->dtype, &state->layers[layer]);
	const char *form = entry ? state->tuning->entries[entry - 1].form : NULL;
	enum ilab_layout layout = plan->dtype == ILAB_BF16 && !s->is_cpu ? ILAB_LAYOUT_ROWS : ILAB_LAYOUT_COLS;
	if (form)
		layout = !strcmp(form, form_names[ILAB_LAYOUT_ROWS]) ? ILAB_LAYOUT_ROWS : ILAB_LAYOUT_COLS;
	if (form && strcmp(form, form_names[layout]))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "tuning: the built-in product has no form \"%.64s\"", form);
	plan->weight_layout[layer] = layout;
	plan->record.forms[layer] = form_names[layout];
	plan->record.tuned = plan->record.tuned || form;
	return ILAB_OK;
}

static enum ilab_status plan_layer(struct ilab_session *s, struct ilab_plan *plan, int layer, enum ilab_gemm_kernel kernel, struct ilab_err *err)
{
	struct opencl_plan *state = plan->state;
	const struct opencl_layer *l = &state->layers[layer];
	for (int e = ILAB_EPILOGUE_NONE; e <= ILAB_EPILOGUE_BIAS_GELU; e++) {
		struct ilab_product *p = &state->products[layer][e];
		enum ilab_status status = ilab_product_plan(kernel, plan->dtype, plan->weight_layout[layer], (enum ilab_epilogue)e, s->multiply_add,
			l->m, l->n, l->k, p, err);
		if (status)
			return status;
		if (p->temporary_bytes > plan->temporary_bytes)
			plan->temporary_bytes = p->temporary_bytes;
	}
	const struct ilab_product *used = &state->products[layer][layer == 0 ? ILAB_EPILOGUE_BIAS_GELU : ILAB_EPILOGUE_BIAS];
	plan->record.launches_per_pass += used->launch_count;
	return launch_once(s, used, err);
}

enum ilab_status opencl_builtin_plan(struct ilab_session *s, struct ilab_plan *plan, struct ilab_err *err)
{
	struct opencl_plan *state = plan->state;
	enum ilab_gemm_kernel kernel = ILAB_GEMM_KERNEL_TILED;
	const char *why_not = "the device is not a CPU that computes on vectors";
	/* A driver that computes on scalars gains nothing from float16 and can take minutes to take it apart. */
	const bool vectors = s->is_cpu && opencl_device_number(s->device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1) >= 4;
	enum ilab_status status = opencl_need_scratch(s, 65536, err);
	for (int layer = 0; layer < 2 && !status; layer++)
		status = choose_layout(s, state, plan, layer, err);
	if (vectors && !status) {
		struct ilab_err proof = {0};
		if (!prove(s, plan->dtype, plan->weight_layout[0], &proof))
			kernel = ILAB_GEMM_KERNEL_CPU;
		why_not = ilab_arena_strdup(&s->arena, proof.text);
	}
	for (int layer = 0; layer < 2 && !status; layer++)
		status = plan_layer(s, plan, layer, kernel, err);
	if (!status)
		status = opencl_sync(s, err);
	if (status)
		return status;
	opencl_record_parameter(s, &plan->record, "kernel", kernel == ILAB_GEMM_KERNEL_CPU ? "cpu" : "tiled");
	if (kernel == ILAB_GEMM_KERNEL_TILED)
		opencl_record_parameter(s, &plan->record, "cpu_kernel", why_not);
	opencl_record_parameter(s, &plan->record, "multiply_add", s->multiply_add == ILAB_MULTIPLY_ADD_FMA ? "fma" : "mad");
	plan->record.version = (struct ilab_text){ ILAB_VERSION, NULL };
	plan->record.accumulation = "float32";
	return ILAB_OK;
}

enum ilab_status opencl_builtin_linear(struct ilab_session *s, const struct ilab_plan *plan, int layer, cl_mem x, cl_mem w, cl_mem b,
	cl_mem y, cl_mem temporary, enum ilab_epilogue epilogue, struct ilab_err *err)
{
	const struct opencl_plan *state = plan->state;
	const struct ilab_product *p = &state->products[layer][epilogue];
	if (p->temporary_bytes && !temporary)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "the temporary buffer of the plan was not passed");
	/* Without an epilogue no bias is read, but every argument must be a buffer. */
	const struct operands o = { x, w, b ? b : x, y, temporary ? temporary : x };
	return launch_product(s, p, &o, err);
}
