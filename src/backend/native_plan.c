#include "backend/native_session.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Deciding what a pass will run: the provider, the form of each layer's product, its temporary memory and its launches. Kernels are
 * compiled and the library's heuristics asked; no product is run. */

static const struct native_gemm *library_gemm(void)
{
	return native_vendor.gemm;
}

/* Opened once; a library that is not there stays so, with its reason. */
static enum ilab_status open_library(struct ilab_session *s, struct ilab_err *err)
{
	if (!s->gemm_tried) {
		s->gemm_tried = true;
		library_gemm()->open(&s->arena, s->device, &s->gemm, &s->gemm_error);
	}
	if (s->gemm)
		return ILAB_OK;
	return ilab_err_set(err, s->gemm_error.status, s->gemm_error.call, s->gemm_error.code, "%s", s->gemm_error.text);
}

/* --- one layer ---------------------------------------------------------------------------------------------------------- */

static enum ilab_status check_dtype(enum ilab_dtype dtype, struct ilab_err *err)
{
	if (dtype != ILAB_TF32 || library_gemm()->tf32)
		return ILAB_OK;
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "unsupported: %s has no tf32; use float32, float16 or bfloat16", native_vendor.api);
}

static enum ilab_status init_layer(struct native_layer *l, int layer, const struct ilab_shape *shape, const struct ilab_sizes *sizes, struct ilab_err *err)
{
	l->m = sizes->rows;
	l->n = layer ? shape->width : shape->hidden;
	l->k = layer ? shape->hidden : shape->width;
	if (l->n > UINT32_MAX)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "our kernels take at most %u columns, not %llu", UINT32_MAX, (unsigned long long)l->n);
	l->elements_grid = ilab_grid_elements(l->m * l->n);
	l->gelu_grid = ilab_grid_gelu(l->m * l->n);
	return ILAB_OK;
}

/* The entry of a tuning document for this product, NULL when it has none. */
static const struct ilab_tuning_entry *find_entry(const struct ilab_tuning *tuning, enum ilab_gemm provider, const struct native_layer *l,
	enum ilab_dtype dtype)
{
	if (!tuning || strcmp(tuning->provider, ilab_gemm_name(provider)))
		return NULL;
	for (const struct ilab_tuning_entry *e = tuning->entries; e < tuning->entries + tuning->entry_count; e++)
		if (e->dtype == dtype && e->m == l->m && e->n == l->n && e->k == l->k)
			return e;
	return NULL;
}

const char *native_form_name(bool own, enum ilab_layout weight_layout)
{
	static const char *const names[2][2] = {
		{ "column-major, y^T = W x^T, W stored [out, in]", "column-major, y^T = W x^T, W stored [in, out]" },
		{ "y = x W^T, W stored [out, in]", "y = x W^T, W stored [in, out]" },
	};
	return names[own][weight_layout == ILAB_LAYOUT_COLS];
}

/* The layout of a layer's weights: as an entry's form says, else `usual`. */
static enum ilab_status choose_layout(const struct ilab_plan *plan, const struct ilab_tuning_entry *entry, enum ilab_layout usual,
	enum ilab_layout *out, struct ilab_err *err)
{
	static const enum ilab_layout layouts[] = { ILAB_LAYOUT_ROWS, ILAB_LAYOUT_COLS };
	*out = usual;
	if (!entry || !entry->form)
		return ILAB_OK;
	for (int i = 0; i < 2; i++) {
		*out = layouts[i];
		if (!strcmp(entry->form, native_form_name(plan->provider == ILAB_GEMM_BUILTIN, layouts[i])))
			return ILAB_OK;
	}
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "the tuning entry's form \"%.80s\" is none of %s on this backend", entry->form,
		ilab_gemm_name(plan->provider));
}

static struct native_gemm_request request_for(const struct native_layer *l, enum ilab_dtype dtype, enum ilab_layout layout, bool biased)
{
	return (struct native_gemm_request){ .m = l->m, .n = l->n, .k = l->k, .dtype = dtype, .weight_layout = layout, .biased = biased,
		.max_temporary_bytes = UINT64_MAX };
}

/* The network's own form of a layer: with the bias inside the product, where the library can; else a kernel of ours adds it. */
static enum ilab_status plan_form(struct ilab_session *s, struct native_layer *l, enum ilab_dtype dtype, enum ilab_layout layout,
	const struct ilab_tuning_entry *entry, struct ilab_err *err)
{
	struct native_gemm_request request = request_for(l, dtype, layout, true);
	request.entry = entry && entry->parameter_count ? entry : NULL;
	struct ilab_err first = {0};
	enum ilab_status status = library_gemm()->plan(s->gemm, &s->arena, &request, &l->forms[true].choice, &first);
	if (status) {
		ilab_err_clear(&first);
		request.biased = false;
		status = library_gemm()->plan(s->gemm, &s->arena, &request, &l->forms[0].choice, &first);
	}
	if (status)
		return ilab_err_set(err, status, first.call, first.code, "%s", first.text);
	l->biased = request.biased;
	l->forms[l->biased].ready = true;
	return ILAB_OK;
}

enum ilab_status native_prepare_form(struct ilab_session *s, const struct ilab_plan *plan, int layer, bool biased, struct ilab_err *err)
{
	struct native_layer *l = &((struct native_plan *)plan->state)->layers[layer];
	if (l->forms[biased].ready)
		return ILAB_OK;
	struct native_gemm_request request = request_for(l, plan->dtype, plan->weight_layout[layer], biased);
	request.max_temporary_bytes = plan->temporary_bytes;
	enum ilab_status status = library_gemm()->plan(s->gemm, &s->arena, &request, &l->forms[biased].choice, err);
	l->forms[biased].ready = !status;
	return status;
}

enum ilab_status native_prepare_own(struct ilab_session *s, const struct ilab_plan *plan, int layer, enum ilab_epilogue epilogue, struct ilab_err *err)
{
	struct native_layer *l = &((struct native_plan *)plan->state)->layers[layer];
	if (l->own[epilogue].ready)
		return ILAB_OK;
	struct ilab_product *p = &l->own[epilogue].product;
	enum ilab_status status = ilab_product_plan(ILAB_GEMM_KERNEL_TILED, plan->dtype, plan->weight_layout[layer], epilogue, ILAB_MULTIPLY_ADD_FMA,
		l->m, l->n, l->k, p, err);
	for (size_t i = 0; !status && i < p->launch_count; i++)
		status = native_kernel(s, &p->program, p->launches[i].kernel, &l->own[epilogue].kernels[i], err);
	l->own[epilogue].ready = !status;
	return status;
}

/* --- the record --------------------------------------------------------------------------------------------------------- */

static void record_parameters(struct ilab_session *s, struct ilab_gemm_record *r, const struct native_plan *p)
{
	size_t count = 0;
	for (int i = 0; i < 2; i++)
		count += p->layers[i].forms[p->layers[i].biased].choice.parameter_count;
	r->parameters = ilab_arena_alloc(&s->arena, count * sizeof(*r->parameters));
	for (int i = 0; i < 2; i++) {
		const struct native_gemm_choice *c = &p->layers[i].forms[p->layers[i].biased].choice;
		for (size_t j = 0; j < c->parameter_count; j++)
			r->parameters[r->parameter_count++] = (struct ilab_parameter){
				ilab_arena_printf(&s->arena, "layer%d_%s", i + 1, c->parameters[j].name), c->parameters[j].value };
	}
}

static void record_forms(struct ilab_session *s, struct ilab_plan *out)
{
	out->record.forms = ilab_arena_alloc(&s->arena, 2 * sizeof(*out->record.forms));
	for (int i = 0; i < 2; i++)
		out->record.forms[i] = native_form_name(out->provider == ILAB_GEMM_BUILTIN, out->weight_layout[i]);
	out->record.form_count = 2;
}

/* --- providers ---------------------------------------------------------------------------------------------------------- */

static enum ilab_status plan_library(struct ilab_session *s, const struct ilab_tuning *tuning, struct ilab_plan *out, struct ilab_err *err)
{
	struct native_plan *p = out->state;
	out->record.launches_per_pass = 3;
	for (int i = 0; i < 2; i++) {
		struct native_layer *l = &p->layers[i];
		const struct ilab_tuning_entry *entry = find_entry(tuning, out->provider, l, out->dtype);
		enum ilab_status status = choose_layout(out, entry, ILAB_LAYOUT_ROWS, &out->weight_layout[i], err);
		if (!status)
			status = plan_form(s, l, out->dtype, out->weight_layout[i], entry, err);
		if (status)
			return status;
		uint64_t bytes = l->forms[l->biased].choice.temporary_bytes;
		out->temporary_bytes = bytes > out->temporary_bytes ? bytes : out->temporary_bytes;
		out->record.tuned = out->record.tuned || entry;
		out->record.launches_per_pass += i == 1 && !l->biased;
	}
	record_parameters(s, &out->record, p);
	return ILAB_OK;
}

static enum ilab_status plan_own(struct ilab_session *s, const struct ilab_tuning *tuning, struct ilab_plan *out, struct ilab_err *err)
{
	struct native_plan *p = out->state;
	if (out->dtype == ILAB_TF32)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "unsupported: the built-in product computes in float32; tf32 needs --gemm %s",
			ilab_gemm_name(library_gemm()->provider));
	for (int i = 0; i < 2; i++) {
		const enum ilab_epilogue epilogue = i ? ILAB_EPILOGUE_BIAS : ILAB_EPILOGUE_BIAS_GELU;
		const struct ilab_tuning_entry *entry = find_entry(tuning, out->provider, &p->layers[i], out->dtype);
		/* [in, out] is read in whole rows of a tile. */
		enum ilab_status status = choose_layout(out, entry, ILAB_LAYOUT_COLS, &out->weight_layout[i], err);
		if (!status)
			status = native_prepare_own(s, out, i, epilogue, err);
		if (status)
			return status;
		out->record.tuned = out->record.tuned || entry;
		const struct ilab_product *product = &p->layers[i].own[epilogue].product;
		out->record.launches_per_pass += product->launch_count;
		out->temporary_bytes = product->temporary_bytes > out->temporary_bytes ? product->temporary_bytes : out->temporary_bytes;
	}
	return ILAB_OK;
}

/* AUTO: the vendor's library, or our own product with the reason where it is missing. An explicit provider never falls back. */
static enum ilab_status choose_provider(struct ilab_session *s, enum ilab_gemm gemm, struct ilab_plan *out, struct ilab_err *err)
{
	const enum ilab_gemm library = library_gemm()->provider;
	if (gemm != ILAB_GEMM_AUTO && gemm != ILAB_GEMM_BUILTIN && gemm != library)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "unsupported: %s has the providers %s and builtin, not %s", native_backend_name,
			ilab_gemm_name(library), ilab_gemm_name(gemm));
	out->provider = gemm == ILAB_GEMM_BUILTIN ? ILAB_GEMM_BUILTIN : library;
	if (gemm == ILAB_GEMM_BUILTIN)
		return ILAB_OK;
	struct ilab_err why = {0};
	if (!open_library(s, &why)) {
		out->record.reason = gemm == ILAB_GEMM_AUTO ? "the vendor's own library, the default on this backend" : NULL;
		return ILAB_OK;
	}
	if (gemm == library || out->dtype == ILAB_TF32)
		return ilab_err_set(err, ILAB_REFUSED, why.call, why.code, "%s", why.text);
	out->provider = ILAB_GEMM_BUILTIN;
	out->record.reason = ilab_arena_strdup(&s->arena, why.text);
	return ILAB_OK;
}

static enum ilab_status plan_products(struct ilab_session *s, enum ilab_gemm gemm, const struct ilab_tuning *tuning, struct ilab_plan *out,
	struct ilab_err *err)
{
	if (out->provider == ILAB_GEMM_BUILTIN)
		return plan_own(s, tuning, out, err);
	struct ilab_err why = {0};
	enum ilab_status status = plan_library(s, tuning, out, &why);
	if (status == ILAB_REFUSED && gemm == ILAB_GEMM_AUTO && out->dtype != ILAB_TF32 && !tuning) {
		/* The library has nothing for this shape: our own product, and the reason. */
		out->provider = ILAB_GEMM_BUILTIN;
		out->temporary_bytes = 0;
		out->record = (struct ilab_gemm_record){ .reason = ilab_arena_strdup(&s->arena, why.text) };
		return plan_own(s, tuning, out, err);
	}
	return status ? ilab_err_set(err, status, why.call, why.code, "%s", why.text) : ILAB_OK;
}

static const char *library_version(const struct ilab_session *s, const char *provider)
{
	for (size_t i = 0; i < s->info.library_count; i++)
		if (strcasestr(s->info.libraries[i].name, provider) && s->info.libraries[i].version)
			return s->info.libraries[i].version;
	return NULL;
}

enum ilab_status native_plan(struct ilab_session *s, const struct ilab_shape *shape, enum ilab_dtype dtype, enum ilab_gemm gemm,
	const struct ilab_tuning *tuning, struct ilab_plan *out, struct ilab_err *err)
{
	struct ilab_sizes sizes;
	struct native_plan *p = ilab_arena_alloc(&s->arena, sizeof(*p));
	*out = (struct ilab_plan){ .shape = *shape, .dtype = dtype, .state = p };
	enum ilab_status status = check_dtype(dtype, err);
	if (!status)
		status = ilab_shape_sizes(shape, dtype, &sizes, err);
	for (int i = 0; !status && i < 2; i++)
		status = init_layer(&p->layers[i], i, shape, &sizes, err);
	if (!status)
		status = choose_provider(s, gemm, out, err);
	if (!status)
		status = native_elements(s, dtype, &p->elements, err);
	if (!status)
		status = native_staging_open(s, sizes.weight_bytes[0] > sizes.bias_bytes[1] ? sizes.weight_bytes[0] : sizes.bias_bytes[1], err);
	if (!status)
		status = plan_products(s, gemm, tuning, out, err);
	if (status)
		return status;
	out->record.provider = ilab_gemm_name(out->provider);
	const char *version = out->provider == ILAB_GEMM_BUILTIN ? ILAB_VERSION : library_version(s, out->record.provider);
	out->record.version = version ? (struct ilab_text){ .value = version } : (struct ilab_text){ .reason = "unavailable: the library does not tell it." };
	out->record.accumulation = "float32";
	out->record.temporary_bytes = out->temporary_bytes;
	record_forms(s, out);
	return ILAB_OK;
}

enum ilab_status native_candidates(struct ilab_session *s, const struct ilab_shape *shape, enum ilab_dtype dtype, enum ilab_gemm gemm,
	int layer, struct ilab_arena *arena, struct ilab_tuning_entry **out, size_t *count, struct ilab_err *err)
{
	struct ilab_sizes sizes;
	struct native_layer l = {0};
	struct ilab_plan chosen = { .dtype = dtype };
	enum ilab_status status = ilab_shape_sizes(shape, dtype, &sizes, err);
	if (!status)
		status = init_layer(&l, layer, shape, &sizes, err);
	if (!status)
		status = choose_provider(s, gemm, &chosen, err);
	if (status)
		return status;
	if (chosen.provider == ILAB_GEMM_BUILTIN)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "unsupported: the built-in product has nothing to tune");
	struct native_gemm_request request = request_for(&l, dtype, ILAB_LAYOUT_ROWS, true);
	status = library_gemm()->candidates(s->gemm, arena, &request, out, count, err);
	if (status || *count)
		return status;
	request.biased = false;
	return library_gemm()->candidates(s->gemm, arena, &request, out, count, err);
}
