#include "lt.h"

#include "base/numtext.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which of cuBLASLt's algorithms runs a product: its heuristics' first that keeps our rules, or the one that a tuning document
 * describes. There an algorithm is written down twice: as its configuration attributes, for people and for other versions of the library,
 * and as the library's own words ("data"), which hold all of it but mean something to the same version only. */

#define ASKED 16                       /* results of the heuristics that a choice looks at */
#define MAX_HEURISTIC 48               /* and that tuning takes */

/* --- configurations as parameters --------------------------------------------------------------------------------------- */

/* ID is read-only: it is given when an algorithm is made. */
static const struct attribute {
	const char *name;
	cublasLtMatmulAlgoConfigAttributes_t attribute;
	size_t bytes;
} attributes[] = {
	{ "algo", CUBLASLT_ALGO_CONFIG_ID, 4 },
	{ "tile", CUBLASLT_ALGO_CONFIG_TILE_ID, 4 },
	{ "stages", CUBLASLT_ALGO_CONFIG_STAGES_ID, 4 },
	{ "split_k", CUBLASLT_ALGO_CONFIG_SPLITK_NUM, 4 },
	{ "reduction", CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, 4 },
	{ "swizzle", CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, 4 },
	{ "custom", CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, 4 },
	{ "inner_shape", CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, 2 },
	{ "cluster", CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, 2 },
};
#define ATTRIBUTE_COUNT (sizeof(attributes) / sizeof(attributes[0]))
#define NO_VALUE UINT32_MAX

static uint32_t config_get(const cublasLtMatmulAlgo_t *algo, const struct attribute *a)
{
	uint32_t wide = 0;
	uint16_t narrow = 0;
	size_t written;
	void *into = a->bytes == 2 ? (void *)&narrow : (void *)&wide;
	if (lt.cublasLtMatmulAlgoConfigGetAttribute_(algo, a->attribute, into, a->bytes, &written))
		return NO_VALUE;
	return a->bytes == 2 ? narrow : wide;
}

static cublasStatus_t config_set(cublasLtMatmulAlgo_t *algo, const struct attribute *a, uint32_t value)
{
	const uint16_t narrow = (uint16_t)value;
	return lt.cublasLtMatmulAlgoConfigSetAttribute_(algo, a->attribute, a->bytes == 2 ? (const void *)&narrow : (const void *)&value, a->bytes);
}

static const struct attribute *attribute_named(const char *name)
{
	for (size_t i = 0; i < ATTRIBUTE_COUNT; i++)
		if (!strcmp(attributes[i].name, name))
			return &attributes[i];
	return NULL;
}

#define EXTRA_ROWS 3                   /* workspace_bytes, version, data */

static void describe(struct ilab_arena *arena, const cublasLtMatmulAlgo_t *algo, uint64_t temporary_bytes, struct ilab_parameter **out, size_t *count)
{
	struct ilab_parameter *rows = ilab_arena_alloc(arena, (ATTRIBUTE_COUNT + EXTRA_ROWS) * sizeof(*rows));
	*count = 0;
	for (size_t i = 0; i < ATTRIBUTE_COUNT; i++) {
		uint32_t value = config_get(algo, &attributes[i]);
		if (value != NO_VALUE)
			rows[(*count)++] = (struct ilab_parameter){ attributes[i].name, ilab_arena_printf(arena, "%" PRIu32, value) };
	}
	rows[(*count)++] = (struct ilab_parameter){ "workspace_bytes", ilab_arena_printf(arena, "%" PRIu64, temporary_bytes) };
	*out = rows;
}

/* The library's own words: 16 hexadecimal digits each. */
#define WORDS (sizeof(((cublasLtMatmulAlgo_t *)0)->data) / sizeof(uint64_t))

static const char *data_text(struct ilab_arena *arena, const cublasLtMatmulAlgo_t *algo)
{
	char text[WORDS * 16 + 1];
	for (size_t i = 0; i < WORDS; i++)
		snprintf(text + 16 * i, 17, "%016" PRIx64, algo->data[i]);
	return ilab_arena_strdup(arena, text);
}

static bool data_read(const char *text, cublasLtMatmulAlgo_t *algo)
{
	if (strlen(text) != WORDS * 16 || strspn(text, "0123456789abcdef") != WORDS * 16)
		return false;
	for (size_t i = 0; i < WORDS; i++) {
		char word[17] = "";
		memcpy(word, text + 16 * i, 16);
		algo->data[i] = strtoull(word, NULL, 16);
	}
	return true;
}

static const char *version_text(struct ilab_arena *arena)
{
	return ilab_arena_printf(arena, "%zu", lt.cublasLtGetVersion_());
}

/* What a tuning document needs besides. */
static void describe_exactly(struct ilab_arena *arena, const cublasLtMatmulAlgo_t *algo, struct ilab_parameter *rows, size_t *count)
{
	rows[(*count)++] = (struct ilab_parameter){ "version", version_text(arena) };
	rows[(*count)++] = (struct ilab_parameter){ "data", data_text(arena, algo) };
}

/* --- rules -------------------------------------------------------------------------------------------------------------- */

/* float32 means IEEE float32, and sums are kept in float32 everywhere: the algorithm itself must say so. */
static bool keeps_arithmetic(const cublasLtMatmulAlgo_t *algo, enum ilab_dtype dtype)
{
	uint64_t flags = 0;
	size_t written;
	if (lt.cublasLtMatmulAlgoCapGetAttribute_(algo, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &flags, sizeof(flags), &written))
		return true;
	if (flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_16F)
		return false;
	return dtype != ILAB_F32 || !(flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_TENSOR_OP_MASK);
}

/* A number of splits that cannot be read (-1) is up to the algorithm; then the reduction scheme tells. */
static bool is_split(const cublasLtMatmulAlgo_t *algo)
{
	const uint32_t splits = config_get(algo, attribute_named("split_k")), reduction = config_get(algo, attribute_named("reduction"));
	return splits == NO_VALUE ? reduction != NO_VALUE && reduction != CUBLASLT_REDUCTION_SCHEME_NONE : splits > 1;
}

/* Parts of a split sum meet in float32, never in a 16-bit result. */
static bool keeps_sums(const cublasLtMatmulAlgo_t *algo, enum ilab_dtype dtype)
{
	return ilab_dtype_bytes(dtype) == 4 || !is_split(algo) ||
		config_get(algo, attribute_named("reduction")) == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
}

static bool keeps_rules(const cublasLtMatmulAlgo_t *algo, enum ilab_dtype dtype)
{
	return keeps_arithmetic(algo, dtype) && keeps_sums(algo, dtype);
}

static uint64_t max_bytes_of(const struct lt_library *l, const struct native_gemm_request *request)
{
	return request->max_temporary_bytes < l->max_temporary_bytes ? request->max_temporary_bytes : l->max_temporary_bytes;
}

/* --- the heuristics ----------------------------------------------------------------------------------------------------- */

struct results { cublasLtMatmulHeuristicResult_t rows[MAX_HEURISTIC]; int count; };

/* The limit on the workspace is the only preference stated. Alignments are the default, 256 bytes, which all our buffers have; reduction
 * schemes are not masked, since that would change the ranking: results that break our rules are passed over instead. So the first
 * result is the one that any caller of this product with this workspace gets. */
static enum ilab_status ask(struct lt_library *l, const struct lt_product *p, uint64_t max_bytes, int wanted, struct results *out, struct ilab_err *err)
{
	cublasLtMatmulPreference_t preference = NULL;
	out->count = 0;
	cublasStatus_t code = lt.cublasLtMatmulPreferenceCreate_(&preference);
	if (!code)
		code = lt.cublasLtMatmulPreferenceSetAttribute_(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &max_bytes, sizeof(max_bytes));
	if (!code)
		code = lt.cublasLtMatmulAlgoGetHeuristic_(l->handle, p->desc, p->w, p->x, p->y, p->y, preference, wanted, out->rows, &out->count);
	if (preference)
		lt.cublasLtMatmulPreferenceDestroy_(preference);
	if (code && code != CUBLAS_STATUS_NOT_SUPPORTED)
		return lt_fail(code, "cublasLtMatmulAlgoGetHeuristic", "choose an algorithm", err);
	return ILAB_OK;
}

static bool usable(const cublasLtMatmulHeuristicResult_t *r, enum ilab_dtype dtype, uint64_t max_bytes)
{
	return r->state == CUBLAS_STATUS_SUCCESS && r->workspaceSize <= max_bytes && keeps_rules(&r->algo, dtype);
}

static const cublasLtMatmulHeuristicResult_t *first_usable(const struct results *r, const struct native_gemm_request *request, uint64_t max_bytes,
	bool unsplit)
{
	for (int i = 0; i < r->count; i++)
		if (usable(&r->rows[i], request->dtype, max_bytes) && !(unsplit && is_split(&r->rows[i].algo)))
			return &r->rows[i];
	return NULL;
}

/* Splitting a sum gives idle multiprocessors work, at the price of a second kernel and of workspace to allocate and free: 5 to 10
 * microseconds on an H200, where a single small kernel takes 2 or 3. A multiprocessor does some 128 multiply-adds a cycle, so that
 * it is through a tile of 16 x 64 with a sum over 512 in 4096 cycles, less than that price. Products up to this size are not split;
 * the ranking of the heuristics counts kernels, not allocations. */
#define SMALL_SUM 512
#define SMALL_MULTIPLY_ADDS (UINT64_C(1) << 22)

static bool is_small(const struct native_gemm_request *r)
{
	return r->k <= SMALL_SUM && r->m <= SMALL_MULTIPLY_ADDS && r->n <= SMALL_MULTIPLY_ADDS && r->m * r->n <= SMALL_MULTIPLY_ADDS / r->k;
}

/* One result is asked for first, as other callers do; more only when that one breaks a rule. */
static enum ilab_status first_choice(struct lt_library *l, struct lt_product *p, const struct native_gemm_request *request, uint64_t *temporary_bytes,
	struct ilab_err *err)
{
	const struct attempt { uint64_t max_bytes; int wanted; bool unsplit; } attempts[] = {
		{ 0, ASKED, true }, { max_bytes_of(l, request), 1, false }, { max_bytes_of(l, request), ASKED, false },
	};
	struct results results;
	for (size_t i = !is_small(request); i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		enum ilab_status status = ask(l, p, attempts[i].max_bytes, attempts[i].wanted, &results, err);
		if (status)
			return status;
		const cublasLtMatmulHeuristicResult_t *r = first_usable(&results, request, attempts[i].max_bytes, attempts[i].unsplit);
		if (!r)
			continue;
		p->algo = r->algo;
		*temporary_bytes = r->workspaceSize;
		return ILAB_OK;
	}
	return ilab_err_set(err, ILAB_REFUSED, "cublasLtMatmulAlgoGetHeuristic", 0, "cuBLASLt has no algorithm for %s, %" PRIu64 " x %" PRIu64 " x %" PRIu64
		"%s; use --gemm builtin", ilab_dtype_name(request->dtype), request->m, request->n, request->k, request->biased ? " with bias" : "");
}

/* --- an algorithm from parameters ---------------------------------------------------------------------------------------- */

static bool check(struct lt_library *l, const struct lt_product *p, const cublasLtMatmulAlgo_t *algo, const struct native_gemm_request *request,
	uint64_t *temporary_bytes)
{
	cublasLtMatmulHeuristicResult_t result = { .state = CUBLAS_STATUS_SUCCESS };
	if (lt.cublasLtMatmulAlgoCheck_(l->handle, p->desc, p->w, p->x, p->y, p->y, algo, &result))
		return false;
	*temporary_bytes = result.workspaceSize;
	return result.workspaceSize <= max_bytes_of(l, request) && keeps_rules(algo, request->dtype);
}

static cublasStatus_t init_algo(struct lt_library *l, enum ilab_dtype dtype, int id, cublasLtMatmulAlgo_t *algo)
{
	const struct lt_types t = lt_types_of(dtype);
	return lt.cublasLtMatmulAlgoInit_(l->handle, t.compute, CUDA_R_32F, t.storage, t.storage, t.storage, t.storage, id, algo);
}

static const char *text_of(const struct ilab_tuning_entry *entry, const char *name)
{
	for (size_t i = 0; i < entry->parameter_count; i++)
		if (!strcmp(entry->parameters[i].name, name))
			return entry->parameters[i].value;
	return NULL;
}

static bool value_of(const struct ilab_tuning_entry *entry, const char *name, uint32_t *out)
{
	uint64_t value;
	const char *text = text_of(entry, name);
	if (!text || ilab_parse_u64(text, &value) || value >= NO_VALUE)
		return false;
	*out = (uint32_t)value;
	return true;
}

static bool from_data(const struct ilab_tuning_entry *entry, cublasLtMatmulAlgo_t *algo)
{
	struct ilab_arena arena = {0};
	const char *version = text_of(entry, "version"), *data = text_of(entry, "data");
	bool ok = version && data && !strcmp(version, version_text(&arena)) && data_read(data, algo);
	ilab_arena_free(&arena);
	return ok;
}

static bool from_attributes(struct lt_library *l, const struct native_gemm_request *request, cublasLtMatmulAlgo_t *algo)
{
	uint32_t value;
	bool ok = value_of(request->entry, "algo", &value) && !init_algo(l, request->dtype, (int)value, algo);
	for (size_t i = 1; ok && i < ATTRIBUTE_COUNT; i++)
		if (value_of(request->entry, attributes[i].name, &value))
			ok = !config_set(algo, &attributes[i], value);
	return ok;
}

static enum ilab_status described_choice(struct lt_library *l, struct lt_product *p, const struct native_gemm_request *request, uint64_t *temporary_bytes,
	struct ilab_err *err)
{
	if ((from_data(request->entry, &p->algo) || from_attributes(l, request, &p->algo)) &&
		check(l, p, &p->algo, request, temporary_bytes))
		return ILAB_OK;
	return ilab_err_set(err, ILAB_REFUSED, "cublasLtMatmulAlgoCheck", 0, "the tuning entry for %s, %" PRIu64 " x %" PRIu64 " x %" PRIu64
		" does not fit this device or this cuBLASLt: run tune again", ilab_dtype_name(request->dtype), request->m, request->n, request->k);
}

enum ilab_status lt_plan(void *state, struct ilab_arena *arena, const struct native_gemm_request *request, struct native_gemm_choice *out,
	struct ilab_err *err)
{
	struct lt_library *l = state;
	struct lt_product *p;
	enum ilab_status status = lt_product_new(l, arena, request, &p, err);
	if (status)
		return status;
	*out = (struct native_gemm_choice){ .state = p };
	status = (request->entry ? described_choice : first_choice)(l, p, request, &out->temporary_bytes, err);
	if (!status)
		describe(arena, &p->algo, out->temporary_bytes, &out->parameters, &out->parameter_count);
	return status;
}

/* --- candidates for tuning ------------------------------------------------------------------------------------------------ */

#define MAX_CANDIDATES 128
#define VARIED 8                       /* of the heuristics' best, that are varied */

struct candidates {
	struct lt_library *l;
	const struct lt_product *p;
	const struct native_gemm_request *request;
	cublasLtMatmulAlgo_t algos[MAX_CANDIDATES];
	uint64_t temporary_bytes[MAX_CANDIDATES];
	size_t count;
};

static void add(struct candidates *c, const cublasLtMatmulAlgo_t *algo)
{
	uint64_t bytes;
	for (size_t i = 0; i < c->count; i++)
		if (!memcmp(&c->algos[i], algo, sizeof(*algo)))
			return;
	if (c->count == MAX_CANDIDATES || !check(c->l, c->p, algo, c->request, &bytes))
		return;
	c->algos[c->count] = *algo;
	c->temporary_bytes[c->count++] = bytes;
}

static void add_with(struct candidates *c, const cublasLtMatmulAlgo_t *base, const char *first, uint32_t first_value, const char *second,
	uint32_t second_value)
{
	cublasLtMatmulAlgo_t algo = *base;
	if (!config_set(&algo, attribute_named(first), first_value) && (!second || !config_set(&algo, attribute_named(second), second_value)))
		add(c, &algo);
}

/* Few tiles leave multiprocessors idle: splitting the sum gives them work. The order of blocks decides what the cache holds. */
static void add_variants(struct candidates *c, const cublasLtMatmulAlgo_t *base)
{
	static const uint32_t splits[] = { 2, 3, 4, 6, 8, 16 };
	for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++)
		add_with(c, base, "split_k", splits[i], "reduction", CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
	add_with(c, base, "swizzle", !config_get(base, attribute_named("swizzle")), NULL, 0);
}

static struct ilab_tuning_entry *entries_of(const struct candidates *c, struct ilab_arena *arena)
{
	const struct native_gemm_request *r = c->request;
	struct ilab_tuning_entry *rows = ilab_arena_alloc(arena, (c->count + 1) * sizeof(*rows));
	for (size_t i = 0; i < c->count; i++) {
		struct ilab_parameter *parameters;
		size_t count;
		describe(arena, &c->algos[i], c->temporary_bytes[i], &parameters, &count);
		describe_exactly(arena, &c->algos[i], parameters, &count);
		rows[i] = (struct ilab_tuning_entry){ .dtype = r->dtype, .m = r->m, .n = r->n, .k = r->k,
			.form = native_form_name(false, r->weight_layout), .parameters = parameters, .parameter_count = count };
	}
	return rows;
}

enum ilab_status lt_candidates(void *state, struct ilab_arena *arena, const struct native_gemm_request *request, struct ilab_tuning_entry **out,
	size_t *count, struct ilab_err *err)
{
	struct lt_library *l = state;
	struct lt_product *p;
	struct results results = { .count = 0 };
	enum ilab_status status = lt_product_new(l, arena, request, &p, err);
	if (status)
		return status;
	status = ask(l, p, max_bytes_of(l, request), MAX_HEURISTIC, &results, err);
	struct candidates *c = ilab_arena_alloc(arena, sizeof(*c));
	c->l = l;
	c->p = p;
	c->request = request;
	for (int i = 0; !status && i < results.count; i++)
		if (usable(&results.rows[i], request->dtype, max_bytes_of(l, request)))
			add(c, &results.rows[i].algo);
	const size_t varied = c->count < VARIED ? c->count : VARIED;
	for (size_t i = 0; i < varied; i++)
		add_variants(c, &c->algos[i]);
	*out = entries_of(c, arena);
	*count = c->count;
	lt_product_drop(l, p);
	return status;
}
