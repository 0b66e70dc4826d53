#include "cli/views.h"

#include <string.h>

/* Who can multiply, by backend; the vendor's own library first. */
static const struct { const char *backend; enum ilab_gemm providers[2]; } table[] = {
	{ "opencl", { ILAB_GEMM_CLBLAST, ILAB_GEMM_BUILTIN } },
	{ "cuda", { ILAB_GEMM_CUBLASLT, ILAB_GEMM_BUILTIN } },
	{ "hip", { ILAB_GEMM_ROCBLAS, ILAB_GEMM_BUILTIN } },
};
#define BACKENDS (sizeof(table) / sizeof(table[0]))

static void add(struct ilab_views *views, const char *base, const struct ilab_view *view, struct ilab_arena *arena)
{
	size_t length = strlen(base), before = 0;
	for (size_t i = 0; i < views->count; i++)
		before += !strncmp(views->views[i].name, base, length) && (!views->views[i].name[length] || views->views[i].name[length] == '#');
	const char *name = before ? ilab_arena_printf(arena, "%s#%zu", base, before + 1) : base;
	views->views[views->count] = *view;
	views->views[views->count++].name = name;
}

struct ilab_views ilab_views_of(const struct ilab_device *const *devices, size_t count, enum ilab_gemm gemm, struct ilab_arena *arena)
{
	struct ilab_views out = { ilab_arena_alloc(arena, (2 * count + 1) * sizeof(*out.views)), 0 };
	for (size_t d = 0; d < count; d++)
		for (size_t b = 0; b < BACKENDS; b++)
			for (size_t p = 0; p < 2 && !strcmp(table[b].backend, devices[d]->backend); p++) {
				const enum ilab_gemm provider = table[b].providers[p];
				const struct ilab_view view = { NULL, devices[d], *devices[d], provider };
				if (gemm == ILAB_GEMM_AUTO || gemm == provider)
					add(&out, ilab_arena_printf(arena, "%s/%s/%s", view.told.backend, view.told.platform, ilab_gemm_name(provider)), &view, arena);
			}
	return out;
}

const struct ilab_view *ilab_views_find(const struct ilab_views *views, const char *name)
{
	for (size_t i = 0; i < views->count; i++)
		if (!strcmp(views->views[i].name, name))
			return &views->views[i];
	return NULL;
}

const char *ilab_views_listed(const struct ilab_views *views, struct ilab_arena *arena)
{
	const char *names = "";
	for (size_t i = 0; i < views->count; i++)
		names = ilab_arena_printf(arena, "%s%s\"%s\"", names, i ? ", " : "", views->views[i].name);
	return names;
}

enum ilab_status ilab_views_named(const struct ilab_views *all, const char *list, struct ilab_arena *arena, struct ilab_views *out,
	struct ilab_err *err)
{
	size_t most = 1;
	for (const char *c = list; *c; c++)
		most += *c == ',';
	*out = (struct ilab_views){ ilab_arena_alloc(arena, most * sizeof(*out->views)), 0 };
	for (const char *start = list; start; start = strchr(start, ',') ? strchr(start, ',') + 1 : NULL) {
		const char *name = ilab_arena_printf(arena, "%.*s", (int)strcspn(start, ","), start);
		const struct ilab_view *view = ilab_views_find(all, name);
		if (!view)
			return ilab_err_set(err, ILAB_REFUSED, "", 0, "no view is called \"%.100s\"; this device has %s", name, ilab_views_listed(all, arena));
		add(out, view->name, view, arena);
	}
	return ILAB_OK;
}

const struct ilab_view *ilab_views_reference(const struct ilab_views *views)
{
	for (size_t i = 0; i < views->count; i++)
		if (views->views[i].gemm == ILAB_GEMM_CUBLASLT || views->views[i].gemm == ILAB_GEMM_ROCBLAS)
			return &views->views[i];
	return views->count ? &views->views[0] : NULL;
}
