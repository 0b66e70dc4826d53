#include "backend/registry.h"
#include "backend/backend.h"
#include "base/path.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The backends, in listing order: built in, or a module file. Adding one is a row here and a name below. */
static const struct row {
	const char *name;
	const struct ilab_backend *table;      /* built in */
	const char *module;                    /* file to load otherwise */
} rows[] = {
	{ "opencl", &ilab_backend_opencl, NULL },
	{ "cuda", NULL, "cuda.so" },
	{ "hip", NULL, "hip.so" },
};
#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

const char *const ilab_backend_names[ROW_COUNT + 1] = { "opencl", "cuda", "hip", NULL };

/* ../lib/iteragpu-lab beside the program's folder, so that an unpacked archive works wherever it lies. */
static bool beside_program(char *out, size_t size)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n <= 0)
		return false;
	exe[n] = '\0';
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(exe, '/');
		if (!slash)
			return false;
		*slash = '\0';
	}
	return (size_t)snprintf(out, size, "%s/lib/iteragpu-lab", exe) < size;
}

/* Absolute path of DIR/FILE when such a file is there. dlopen gets a path with a slash, so it searches nowhere itself. */
static bool module_at(const char *dir, const char *file, char out[PATH_MAX])
{
	char joined[PATH_MAX];
	return (size_t)snprintf(joined, sizeof(joined), "%s/%s", dir, file) < sizeof(joined) && realpath(joined, out) != NULL;
}

static enum ilab_status find_module(const struct row *row, const char *module_dir, char path[PATH_MAX], struct ilab_err *err)
{
	if (module_dir) {
		if (module_at(module_dir, row->module, path))
			return ILAB_OK;
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "no module: %s is not in the folder that --module-dir names", row->module);
	}
	char beside[PATH_MAX] = "";
	if (beside_program(beside, sizeof(beside)) && module_at(beside, row->module, path))
		return ILAB_OK;
	if (module_at(ILAB_LIBDIR, row->module, path))
		return ILAB_OK;
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "no module: %s is neither in ../lib/iteragpu-lab beside the program nor in %s; "
		"build it with `make %s=1` or name its folder with --module-dir", row->module, ILAB_LIBDIR, !strcmp(row->name, "cuda") ? "CUDA" : "HIP");
}

/* The module stays loaded: its table is used until the worker ends. */
static const struct ilab_backend *load_module(const struct row *row, const char *path, struct ilab_err *err)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		struct ilab_arena arena = { 0 };
		const char *why = dlerror();
		ilab_err_set(err, ILAB_REFUSED, "dlopen", 0, "module %s does not load: %s", row->module,
			why ? ilab_path_cut(&arena, why, path) : "no reason given");
		ilab_arena_free(&arena);
		return NULL;
	}
	ilab_module_fn *entry = NULL;
	*(void **)&entry = dlsym(handle, ILAB_MODULE_SYMBOL);
	if (!entry) {
		ilab_err_set(err, ILAB_REFUSED, "dlsym", 0, "module %s does not load: it has no symbol %s", row->module, ILAB_MODULE_SYMBOL);
		goto unload;
	}
	const struct ilab_backend *table = entry();
	if (!table || table->abi != ILAB_BACKEND_ABI) {
		ilab_err_set(err, ILAB_REFUSED, "", 0, "wrong ABI: module %s speaks version %u, this program %u; install both from one build",
			row->module, table ? table->abi : 0, ILAB_BACKEND_ABI);
		goto unload;
	}
	if (strcmp(table->name, row->name)) {
		ilab_err_set(err, ILAB_REFUSED, "", 0, "module %s holds the backend \"%.32s\"", row->module, table->name);
		goto unload;
	}
	return table;
unload:
	dlclose(handle);
	return NULL;
}

const struct ilab_backend *ilab_backend_load(const char *name, const char *module_dir, const char **file, struct ilab_err *err)
{
	for (const struct row *row = rows; row < rows + ROW_COUNT; row++) {
		if (strcmp(row->name, name))
			continue;
		char path[PATH_MAX];
		const struct ilab_backend *table = row->table;
		if (!table && !find_module(row, module_dir, path, err))
			table = load_module(row, path, err);
		if (table && file)
			*file = row->table ? "built-in" : row->module;
		return table;
	}
	ilab_err_set(err, ILAB_REFUSED, "", 0, "unknown backend \"%.64s\": opencl, cuda or hip", name);
	return NULL;
}
