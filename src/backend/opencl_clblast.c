/* Products by CLBlast. */
#include "backend/opencl.h"

#include <clblast_c.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* 1 and 0 as float16; clblast_half.h has a conversion, but as a plain inline function that does not link unoptimised. */
#define HALF_ONE 0x3C00
#define HALF_ZERO 0

/* How y[m, n] = x[m, k] W^T is put to a BLAS. Which operands CLBlast copies into its temporary memory depends on the form and on the
 * device's parameters, so all are asked. SWAPPED computes y^T = W x^T in column-major order: the same bytes.
 * In the order of speed where they need the same memory (float32, 8192 x 16384 x 4096, one H200: 34.1, 33.8, -, 33.0 TFLOP/s). */
struct opencl_form { const char *name; bool swapped; enum ilab_layout weights; };
static const struct opencl_form forms[] = {
	{ "column-major, y^T = W x^T, W stored [in, out]", true, ILAB_LAYOUT_COLS },
	{ "column-major, y^T = W x^T, W stored [out, in]", true, ILAB_LAYOUT_ROWS },
	{ "row-major, y = x W^T, W stored [in, out]", false, ILAB_LAYOUT_COLS },
	{ "row-major, y = x W^T, W stored [out, in]", false, ILAB_LAYOUT_ROWS },
};
#define FORM_COUNT (sizeof(forms) / sizeof(forms[0]))

/* The arguments of a GEMM call for a layer in a form. */
struct call {
	CLBlastLayout layout;
	CLBlastTranspose transpose_a, transpose_b;
	size_t m, n, k, lda, ldb, ldc;
	bool a_is_w;
};

static struct call make_call(const struct opencl_form *f, const struct opencl_layer *l)
{
	bool cols = f->weights == ILAB_LAYOUT_COLS;
	size_t ldw = cols ? l->n : l->k;
	/* W [in, out] read column-major is the n x k matrix that y^T = W x^T wants; [out, in] is its transpose. */
	CLBlastTranspose as_stored = CLBlastTransposeNo, turned = CLBlastTransposeYes;
	if (f->swapped)
		return (struct call){ CLBlastLayoutColMajor, cols ? as_stored : turned, as_stored, l->n, l->m, l->k, ldw, l->k, l->n, true };
	return (struct call){ CLBlastLayoutRowMajor, as_stored, cols ? as_stored : turned, l->m, l->n, l->k, l->k, ldw, l->n, false };
}

/* --- what it can do ---------------------------------------------------------------------------------------------------- */

/* CLBlast counts elements in 32-bit int, of operands padded to its tiles too, and wraps silently. No tile is larger than 256. */
static enum ilab_status check_index(int layer, uint64_t rows, uint64_t cols, struct ilab_err *err)
{
	uint64_t padded = UINT64_MAX;
	if (rows <= INT32_MAX && cols <= INT32_MAX && ilab_checked_mul(rows + 255, cols + 255, &padded) && padded < INT32_MAX)
		return ILAB_OK;
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "CLBlast indexes matrices with 32 bits: the %" PRIu64 " x %" PRIu64 " matrix of layer %d, padded to tiles "
		"of up to 256, can take %s%" PRIu64 " elements, more than 2147483647", rows, cols, layer, padded == UINT64_MAX ? "over " : "", padded);
}

enum ilab_status opencl_clblast_supported(struct ilab_session *s, enum ilab_dtype dtype, const struct opencl_layer *layers,
	struct ilab_err *err)
{
	if (dtype == ILAB_BF16 || dtype == ILAB_TF32)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "CLBlast has no %s", ilab_dtype_name(dtype));
	if (dtype == ILAB_F16 && !opencl_device_has_extension(s->device, "cl_khr_fp16"))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "CLBlast needs cl_khr_fp16 for float16, which this device lacks; --gemm builtin needs none");
	for (int i = 0; i < 2; i++) {
		const struct opencl_layer *l = &layers[i];
		if (check_index(i + 1, l->m, l->n, err) || check_index(i + 1, l->m, l->k, err) || check_index(i + 1, l->n, l->k, err))
			return ILAB_REFUSED;
	}
	return ILAB_OK;
}

/* --- tuned parameters -------------------------------------------------------------------------------------------------- */

/* CLBlast's kernels by the names of their parameters; an override must give all of a kernel. */
static const struct { const char *kernel; const char *names[20]; } kernels[] = {
	{ "Xgemm", { "GEMMK", "KREG", "KWG", "KWI", "MDIMA", "MDIMC", "MWG", "NDIMB", "NDIMC", "NWG", "SA", "SB", "STRM", "STRN", "VWM", "VWN" } },
	{ "XgemmDirect", { "KWID", "MDIMAD", "MDIMCD", "NDIMBD", "NDIMCD", "PADA", "PADB", "VWMD", "VWND", "WGD" } },
	{ "Copy", { "COPY_DIMX", "COPY_DIMY", "COPY_VW", "COPY_WPT" } },
	{ "Pad", { "PAD_DIMX", "PAD_DIMY", "PAD_WPTX", "PAD_WPTY" } },
	{ "Transpose", { "TRA_DIM", "TRA_PAD", "TRA_SHUFFLE", "TRA_WPT" } },
	{ "Padtranspose", { "PADTRA_PAD", "PADTRA_TILE", "PADTRA_WPT" } },
	{ "GemmRoutine", { "XGEMM_MIN_INDIRECT_SIZE" } },
};
#define KERNEL_COUNT (sizeof(kernels) / sizeof(kernels[0]))

static const char *parameter_value(const struct ilab_tuning_entry *e, const char *name)
{
	for (size_t i = 0; i < e->parameter_count; i++)
		if (!strcmp(e->parameters[i].name, name))
			return e->parameters[i].value;
	return NULL;
}

static bool parse_size(const char *text, size_t *out)
{
	char *end;
	unsigned long long v = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
	if (!text || *text < '0' || *text > '9' || *end || v > 1000000000)
		return false;
	*out = (size_t)v;
	return true;
}

/* Gather the values of kernel `k`: *count 0 when the entry names none of its parameters. */
static enum ilab_status kernel_values(const struct ilab_tuning_entry *e, size_t k, size_t values[20], size_t *count, struct ilab_err *err)
{
	const char *missing = NULL;
	size_t given = 0;
	*count = 0;
	for (size_t i = 0; i < 20 && kernels[k].names[i]; i++) {
		const char *text = parameter_value(e, kernels[k].names[i]);
		if (!text)
			missing = kernels[k].names[i];
		else if (!parse_size(text, &values[i]))
			return ilab_err_set(err, ILAB_REFUSED, "", 0, "tuning: %s of %s is no whole number", kernels[k].names[i], kernels[k].kernel);
		else
			given++;
	}
	if (given && missing)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "tuning: %s of %s is missing; CLBlast takes all parameters of a kernel or none",
			missing, kernels[k].kernel);
	*count = given;
	return ILAB_OK;
}

static enum ilab_status known_names(const struct ilab_tuning_entry *e, struct ilab_err *err)
{
	for (size_t p = 0; p < e->parameter_count; p++) {
		bool known = false;
		for (size_t k = 0; k < KERNEL_COUNT; k++)
			for (size_t i = 0; i < 20 && kernels[k].names[i]; i++)
				known = known || !strcmp(kernels[k].names[i], e->parameters[p].name);
		if (!known)
			return ilab_err_set(err, ILAB_REFUSED, "", 0, "tuning: CLBlast has no parameter %.64s", e->parameters[p].name);
	}
	return ILAB_OK;
}

static bool same_parameters(const struct ilab_tuning_entry *a, const struct ilab_tuning_entry *b)
{
	bool same = a->parameter_count == b->parameter_count;
	for (size_t i = 0; same && i < a->parameter_count; i++) {
		const char *other = parameter_value(b, a->parameters[i].name);
		same = other && !strcmp(other, a->parameters[i].value);
	}
	return same;
}

/* Which entry's parameters each layer runs with, 1 + index or 0. Overrides hold for the whole process and cannot be taken back, so a layer
 * without an entry of its own runs with the other layer's, and layers with different ones take turns. */
static void assign_tuning(struct opencl_plan *state, enum ilab_dtype dtype)
{
	size_t *by = state->tuned_by;
	for (int i = 0; i < 2; i++)
		by[i] = opencl_tuning_entry(state->tuning, "clblast", dtype, &state->layers[i]);
	for (int i = 0; i < 2; i++)
		if (!by[i])
			by[i] = by[!i];
	if (by[0] && same_parameters(&state->tuning->entries[by[0] - 1], &state->tuning->entries[by[1] - 1]))
		by[1] = by[0];
}

/* `entry` is 1 + index, 0 changes nothing. */
static enum ilab_status apply_tuning(struct ilab_session *s, const struct opencl_plan *state, size_t entry, enum ilab_dtype dtype,
	struct ilab_err *err)
{
	if (entry == 0 || entry == s->active_tuning)
		return ILAB_OK;
	const struct ilab_tuning_entry *e = &state->tuning->entries[entry - 1];
	CLBlastPrecision precision = dtype == ILAB_F16 ? CLBlastPrecisionHalf : CLBlastPrecisionSingle;
	enum ilab_status status = known_names(e, err);
	for (size_t k = 0; k < KERNEL_COUNT && !status; k++) {
		size_t values[20], count;
		status = kernel_values(e, k, values, &count, err);
		if (status || count == 0)
			continue;
		const char **names = (const char **)kernels[k].names;
		CLBlastStatusCode code = CLBlastOverrideParameters(s->device, kernels[k].kernel, precision, count, names, values);
		if (code)
			status = opencl_fail(err, code, "CLBlastOverrideParameters", "applying the tuning");
	}
	if (!status)
		s->active_tuning = entry;
	return status;
}

/* --- the plan ---------------------------------------------------------------------------------------------------------- */

static cl_int temporary_size(struct ilab_session *s, enum ilab_dtype dtype, const struct opencl_form *f, const struct opencl_layer *l,
	size_t *bytes)
{
	struct call c = make_call(f, l);
	*bytes = 0;
	return (dtype == ILAB_F16 ? CLBlastHGemmTempBufferSize : CLBlastSGemmTempBufferSize)(c.layout, c.transpose_a, c.transpose_b,
		c.m, c.n, c.k, 0, c.lda, 0, c.ldb, 0, c.ldc, &s->queue, bytes);
}

/* The form that a tuning entry asks for; *out stays as it is when it asks for none. */
static enum ilab_status asked_form(const struct ilab_tuning_entry *e, size_t *out, struct ilab_err *err)
{
	if (!e || !e->form)
		return ILAB_OK;
	for (size_t i = 0; i < FORM_COUNT; i++) {
		if (!strcmp(forms[i].name, e->form)) {
			*out = i;
			return ILAB_OK;
		}
	}
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "tuning: CLBlast is not called in the form \"%.64s\"", e->form);
}

/* Kernels that one product takes. CLBlast does not say; it is inferred. No form needing temporary memory means its direct kernel, one
 * launch: the other path never needs none in all four forms. Else every operand that goes through temporary memory is one copy
 * more (beta is 0, so the output is copied only afterwards): the most operands whose sizes fit into what it asked for. */
static uint64_t infer_launches(const struct opencl_layer *l, uint64_t elements)
{
	const uint64_t size[3] = { l->m * l->k, l->n * l->k, l->m * l->n };
	uint64_t best_sum = 0, copies = 0;
	for (unsigned set = 0; set < 8; set++) {
		uint64_t sum = 0, count = 0;
		for (unsigned i = 0; i < 3; i++) {
			sum += set >> i & 1 ? size[i] : 0;
			count += set >> i & 1;
		}
		if (sum <= elements && sum > best_sum) {
			best_sum = sum;
			copies = count;
		}
	}
	return 1 + copies;
}

static enum ilab_status choose_form(struct ilab_session *s, struct ilab_plan *plan, int layer, struct ilab_err *err)
{
	struct opencl_plan *state = plan->state;
	const struct opencl_layer *l = &state->layers[layer];
	size_t own = opencl_tuning_entry(state->tuning, "clblast", plan->dtype, l), bytes[FORM_COUNT], best = 0;
	enum ilab_status status = apply_tuning(s, state, state->tuned_by[layer], plan->dtype, err);
	if (status)
		return status;
	bool none_needs_any = true;
	for (size_t i = 0; i < FORM_COUNT; i++) {
		cl_int code = temporary_size(s, plan->dtype, &forms[i], l, &bytes[i]);
		if (code)
			return opencl_fail(err, code, "CLBlastSGemmTempBufferSize", "asking for the temporary memory of a layout form");
		if (bytes[i] < bytes[best])
			best = i;
		none_needs_any = none_needs_any && bytes[i] == 0;
	}
	status = asked_form(own ? &state->tuning->entries[own - 1] : NULL, &best, err);
	if (status)
		return status;
	state->forms[layer] = &forms[best];
	state->temporary_bytes[layer] = bytes[best];
	plan->weight_layout[layer] = forms[best].weights;
	plan->record.forms[layer] = forms[best].name;
	plan->record.tuned = plan->record.tuned || state->tuned_by[layer];
	plan->record.launches_per_pass += 1 + (none_needs_any ? 1 : infer_launches(l, bytes[best] / ilab_dtype_bytes(plan->dtype)));
	opencl_record_parameter(s, &plan->record, layer == 0 ? "kernel_1" : "kernel_2", none_needs_any ? "direct" : "indirect");
	return ILAB_OK;
}

/* Parameters by name; "_1" and "_2" after it where the layers differ. */
static void record_tuning(struct ilab_session *s, struct ilab_plan *plan)
{
	const struct opencl_plan *state = plan->state;
	const bool differ = state->tuned_by[0] != state->tuned_by[1];
	for (int layer = 0; layer < (differ ? 2 : 1) && state->tuned_by[layer]; layer++) {
		const struct ilab_tuning_entry *e = &state->tuning->entries[state->tuned_by[layer] - 1];
		for (size_t i = 0; i < e->parameter_count; i++)
			opencl_record_parameter(s, &plan->record, ilab_arena_printf(&s->arena, "%s%s", e->parameters[i].name,
				!differ ? "" : layer == 0 ? "_1" : "_2"), e->parameters[i].value);
	}
}

enum ilab_status opencl_clblast_plan(struct ilab_session *s, struct ilab_plan *plan, struct ilab_err *err)
{
	struct opencl_plan *state = plan->state;
	s->active_tuning = 0;          /* the index is one into this plan's entries */
	assign_tuning(state, plan->dtype);
	for (int layer = 0; layer < 2; layer++) {
		enum ilab_status status = choose_form(s, plan, layer, err);
		if (status)
			return status;
		if (state->temporary_bytes[layer] > plan->temporary_bytes)
			plan->temporary_bytes = state->temporary_bytes[layer];
	}
	record_tuning(s, plan);
	struct ilab_library *clblast;
	size_t count;
	opencl_describe_libraries(&s->arena, &clblast, &count);
	plan->record.version = (struct ilab_text){ clblast->version, NULL };
	plan->record.accumulation = plan->dtype == ILAB_F16 ? "float16" : "float32";   /* its half kernel sums in half */
	return ILAB_OK;
}

enum ilab_status opencl_clblast_product(struct ilab_session *s, const struct ilab_plan *plan, int layer, cl_mem x, cl_mem w, cl_mem y,
	cl_mem temporary, struct ilab_err *err)
{
	const struct opencl_plan *state = plan->state;
	enum ilab_status status = apply_tuning(s, state, state->tuned_by[layer], plan->dtype, err);
	if (status)
		return status;
	struct call c = make_call(state->forms[layer], &state->layers[layer]);
	cl_mem a = c.a_is_w ? w : x, b = c.a_is_w ? x : w;
	if (state->temporary_bytes[layer] == 0)
		temporary = NULL;
	else if (!temporary)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "the temporary buffer of the plan was not passed");
	CLBlastStatusCode code = plan->dtype == ILAB_F16
		? CLBlastHgemmWithTempBuffer(c.layout, c.transpose_a, c.transpose_b, c.m, c.n, c.k, HALF_ONE, a, 0, c.lda, b, 0, c.ldb,
			HALF_ZERO, y, 0, c.ldc, &s->queue, NULL, temporary)
		: CLBlastSgemmWithTempBuffer(c.layout, c.transpose_a, c.transpose_b, c.m, c.n, c.k, 1.0f, a, 0, c.lda, b, 0, c.ldb,
			0.0f, y, 0, c.ldc, &s->queue, NULL, temporary);
	return code ? opencl_fail(err, code, "CLBlastGemmWithTempBuffer", "multiplying with CLBlast") : ILAB_OK;
}
