/* Who multiplies: the choice between CLBlast and our own kernels, and one layer of the network. */
#include "backend/opencl.h"

#include <string.h>

size_t opencl_tuning_entry(const struct ilab_tuning *tuning, const char *provider, enum ilab_dtype dtype, const struct opencl_layer *layer)
{
	if (!tuning || !tuning->provider || strcmp(tuning->provider, provider))
		return 0;
	for (size_t i = 0; i < tuning->entry_count; i++) {
		const struct ilab_tuning_entry *e = &tuning->entries[i];
		if (e->dtype == dtype && e->m == layer->m && e->n == layer->n && e->k == layer->k)
			return i + 1;
	}
	return 0;
}

void opencl_record_parameter(struct ilab_session *s, struct ilab_gemm_record *record, const char *name, const char *value)
{
	size_t n = record->parameter_count;
	struct ilab_parameter *grown = ilab_arena_alloc(&s->arena, (n + 1) * sizeof(*grown));
	if (n)
		memcpy(grown, record->parameters, n * sizeof(*grown));
	grown[n] = (struct ilab_parameter){ ilab_arena_strdup(&s->arena, name), ilab_arena_strdup(&s->arena, value) };
	record->parameters = grown;
	record->parameter_count = n + 1;
}

/* The caller's tuning lives as long as the call; the plan, until close. */
static const struct ilab_tuning *copy_tuning(struct ilab_arena *arena, const struct ilab_tuning *t)
{
	if (!t)
		return NULL;
	struct ilab_tuning *copy = ilab_arena_alloc(arena, sizeof(*copy));
	struct ilab_tuning_entry *entries = ilab_arena_alloc(arena, (t->entry_count + 1) * sizeof(*entries));
	for (size_t i = 0; i < t->entry_count; i++) {
		entries[i] = t->entries[i];
		entries[i].form = ilab_arena_strdup(arena, t->entries[i].form);
		struct ilab_parameter *p = ilab_arena_alloc(arena, (entries[i].parameter_count + 1) * sizeof(*p));
		for (size_t j = 0; j < entries[i].parameter_count; j++)
			p[j] = (struct ilab_parameter){ ilab_arena_strdup(arena, t->entries[i].parameters[j].name),
				ilab_arena_strdup(arena, t->entries[i].parameters[j].value) };
		entries[i].parameters = p;
	}
	*copy = (struct ilab_tuning){ ilab_arena_strdup(arena, t->provider), entries, t->entry_count, ilab_arena_strdup(arena, t->provider_version) };
	return copy;
}

static enum ilab_status choose_auto(struct ilab_session *s, enum ilab_dtype dtype, const struct opencl_layer *layers, struct ilab_plan *plan,
	struct ilab_err *err)
{
	struct ilab_err why = {0};
	bool narrow = dtype == ILAB_F16;
	if (!narrow && !opencl_clblast_supported(s, dtype, layers, &why)) {
		plan->provider = ILAB_GEMM_CLBLAST;
		plan->record.reason = "auto: CLBlast multiplies this type with float32 accumulation and its 32-bit indices suffice";
		return ILAB_OK;
	}
	plan->provider = ILAB_GEMM_BUILTIN;
	plan->record.reason = narrow ? "auto: CLBlast accumulates float16 products in float16, the built-in kernel in float32"
		: ilab_arena_printf(&s->arena, "auto: the built-in kernel, because %s", why.text);
	struct ilab_err limit = {0};
	enum ilab_status status = opencl_builtin_supported(s, dtype, layers, &limit);
	return status ? ilab_err_set(err, status, limit.call, limit.code, "%.200s; CLBlast was passed over: %.250s", limit.text,
		narrow ? "it accumulates float16 products in float16" : why.text) : ILAB_OK;
}

static enum ilab_status choose_provider(struct ilab_session *s, enum ilab_gemm gemm, enum ilab_dtype dtype, const struct opencl_layer *layers,
	struct ilab_plan *plan, struct ilab_err *err)
{
	if (dtype == ILAB_TF32)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "tf32 is not supported on OpenCL: it has no access to matrix units; use float32, or a vendor's backend");
	plan->provider = gemm;
	switch (gemm) {
	case ILAB_GEMM_AUTO:
		return choose_auto(s, dtype, layers, plan, err);
	case ILAB_GEMM_CLBLAST:
		return opencl_clblast_supported(s, dtype, layers, err);
	case ILAB_GEMM_BUILTIN:
		return opencl_builtin_supported(s, dtype, layers, err);
	default:
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "%s is not to be had on OpenCL; clblast or builtin", ilab_gemm_name(gemm));
	}
}

enum ilab_status opencl_plan(struct ilab_session *s, const struct ilab_shape *shape, enum ilab_dtype dtype, enum ilab_gemm gemm,
	const struct ilab_tuning *tuning, struct ilab_plan *out, struct ilab_err *err)
{
	struct ilab_sizes sizes;
	enum ilab_status status = ilab_shape_sizes(shape, dtype, &sizes, err);
	if (status)
		return status;
	struct opencl_plan *state = ilab_arena_alloc(&s->arena, sizeof(*state));
	state->layers[0] = (struct opencl_layer){ sizes.rows, shape->hidden, shape->width };
	state->layers[1] = (struct opencl_layer){ sizes.rows, shape->width, shape->hidden };
	state->tuning = copy_tuning(&s->arena, tuning);
	*out = (struct ilab_plan){ .shape = *shape, .dtype = dtype, .state = state };
	out->record.forms = ilab_arena_alloc(&s->arena, 2 * sizeof(*out->record.forms));
	out->record.form_count = 2;
	status = choose_provider(s, gemm, dtype, state->layers, out, err);
	if (!status)
		status = opencl_prepare_elements(s, dtype, err);
	if (!status)
		status = opencl_staging_need(s, sizes.weight_bytes[0], err);   /* pinning takes time that is not the load's */
	if (!status)
		status = out->provider == ILAB_GEMM_CLBLAST ? opencl_clblast_plan(s, out, err) : opencl_builtin_plan(s, out, err);
	if (status)
		return status;
	out->record.provider = ilab_gemm_name(out->provider);
	out->record.temporary_bytes = out->temporary_bytes;
	if (s->without_std)
		opencl_record_parameter(s, &out->record, "build_options", "without -cl-std=CL1.2, which the driver refuses");
	s->info.kernel_cache = opencl_cache_state(s);
	return ILAB_OK;
}

enum ilab_status opencl_linear(struct ilab_session *s, const struct ilab_plan *plan, int layer, struct ilab_buffer *x,
	struct ilab_buffer *w, struct ilab_buffer *b, struct ilab_buffer *y, struct ilab_buffer *temporary, enum ilab_epilogue epilogue,
	struct ilab_err *err)
{
	const struct opencl_plan *state = plan->state;
	const struct opencl_layer *l = &state->layers[layer];
	cl_mem temporary_mem = temporary ? opencl_mem(temporary) : NULL;
	if (plan->provider == ILAB_GEMM_BUILTIN)
		return opencl_builtin_linear(s, plan, layer, opencl_mem(x), opencl_mem(w), b ? opencl_mem(b) : NULL, opencl_mem(y),
			temporary_mem, epilogue, err);
	enum ilab_status status = opencl_clblast_product(s, plan, layer, opencl_mem(x), opencl_mem(w), opencl_mem(y), temporary_mem, err);
	if (!status && epilogue != ILAB_EPILOGUE_NONE)
		status = opencl_add_bias(s, plan->dtype, epilogue == ILAB_EPILOGUE_BIAS_GELU, l->m, (uint32_t)l->n, b, y, err);
	return status;
}
