#include "backend/native_session.h"

#include <assert.h>

/* Queueing one layer. This is the measured path: everything was prepared by the plan, nothing is asked or allocated here. */

static enum ilab_status add_bias(struct ilab_session *s, const struct native_plan *p, const struct native_layer *l, native_ptr bias,
	native_ptr y, bool with_gelu, struct ilab_err *err)
{
	uint64_t rows = l->m;
	uint32_t cols = (uint32_t)l->n;
	return native_launch(s, with_gelu ? p->elements->bias_gelu : p->elements->bias, &l->elements_grid, (void *[]){ &rows, &cols, &bias, &y },
		"queue the bias kernel", err);
}

static enum ilab_status add_gelu(struct ilab_session *s, const struct native_plan *p, const struct native_layer *l, native_ptr y, struct ilab_err *err)
{
	uint64_t count = l->m * l->n;
	return native_launch(s, p->elements->gelu, &l->gelu_grid, (void *[]){ &count, &y }, "queue the GELU kernel", err);
}

static enum ilab_status run_library(struct ilab_session *s, const struct ilab_plan *plan, int layer, native_ptr x, native_ptr w, native_ptr b,
	native_ptr y, native_ptr temporary, enum ilab_epilogue epilogue, struct ilab_err *err)
{
	const struct native_plan *p = plan->state;
	const struct native_layer *l = &p->layers[layer];
	const bool biased = epilogue != ILAB_EPILOGUE_NONE && l->biased;
	if (!l->forms[biased].ready) {
		enum ilab_status status = native_prepare_form(s, plan, layer, biased, err);
		if (status)
			return status;
	}
	enum ilab_status status = native_vendor.gemm->run(s->gemm, &l->forms[biased].choice, x, w, biased ? b : 0, y, temporary, s->stream, err);
	if (status || epilogue == ILAB_EPILOGUE_NONE || (biased && epilogue == ILAB_EPILOGUE_BIAS))
		return status;
	if (biased)
		return add_gelu(s, p, l, y, err);
	return add_bias(s, p, l, b, y, epilogue == ILAB_EPILOGUE_BIAS_GELU, err);
}

static void *argument_of(enum ilab_argument which, struct ilab_product *p, native_ptr *x, native_ptr *w, native_ptr *b, native_ptr *y, native_ptr *temporary)
{
	switch (which) {
	case ILAB_ARGUMENT_M: return &p->m;
	case ILAB_ARGUMENT_N: return &p->n;
	case ILAB_ARGUMENT_K: return &p->k;
	case ILAB_ARGUMENT_OFFSET: return &p->offset;
	case ILAB_ARGUMENT_X: return x;
	case ILAB_ARGUMENT_W: return w;
	case ILAB_ARGUMENT_BIAS: return b;
	case ILAB_ARGUMENT_Y: return y;
	case ILAB_ARGUMENT_TEMPORARY: return temporary;
	case ILAB_ARGUMENT_END: break;
	}
	return NULL;
}

static enum ilab_status run_own(struct ilab_session *s, const struct ilab_plan *plan, int layer, native_ptr x, native_ptr w, native_ptr b,
	native_ptr y, native_ptr temporary, enum ilab_epilogue epilogue, struct ilab_err *err)
{
	struct native_layer *l = &((struct native_plan *)plan->state)->layers[layer];
	enum ilab_status status = native_prepare_own(s, plan, layer, epilogue, err);
	struct ilab_product *product = &l->own[epilogue].product;
	for (size_t i = 0; !status && i < product->launch_count; i++) {
		void *arguments[ILAB_LAUNCH_ARGUMENTS] = {0};
		for (int j = 0; j < ILAB_LAUNCH_ARGUMENTS && product->launches[i].arguments[j] != ILAB_ARGUMENT_END; j++)
			arguments[j] = argument_of(product->launches[i].arguments[j], product, &x, &w, &b, &y, &temporary);
		status = native_launch(s, l->own[epilogue].kernels[i], &product->launches[i].grid, arguments, "queue the built-in product", err);
	}
	return status;
}

enum ilab_status native_linear(struct ilab_session *s, const struct ilab_plan *plan, int layer, struct ilab_buffer *x,
	struct ilab_buffer *w, struct ilab_buffer *b, struct ilab_buffer *y, struct ilab_buffer *temporary, enum ilab_epilogue epilogue,
	struct ilab_err *err)
{
	assert(layer == 0 || layer == 1);
	assert(temporary || plan->temporary_bytes == 0);
	return (plan->provider == ILAB_GEMM_BUILTIN ? run_own : run_library)(s, plan, layer, native_address(x), native_address(w),
		native_address(b), native_address(y), native_address(temporary), epilogue, err);
}
