#include "backend/native_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *open_one(const char *folder, const char *name)
{
	void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (handle)
		return handle;
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

enum ilab_status native_library_load(struct native_library *library, const char *what, const char *install, struct ilab_err *err)
{
	char tried[128] = "";
	for (const char *const *name = library->names; *name && !library->handle; name++) {
		library->handle = open_one(library->folder, *name);
		library->loaded = *name;
		snprintf(tried + strlen(tried), sizeof(tried) - strlen(tried), "%s%s", *tried ? ", " : "", *name);
	}
	if (library->handle)
		return ILAB_OK;
	return ilab_err_set(err, ILAB_REFUSED, "dlopen", 0, "library %s not found (%s): %s", tried, what, install);
}

enum ilab_status native_library_symbol(const struct native_library *library, const char *name, void **out, struct ilab_err *err)
{
	*out = dlsym(library->handle, name);
	if (*out)
		return ILAB_OK;
	return ilab_err_set(err, ILAB_REFUSED, "dlsym", 0, "%s has no symbol %s: install a newer one", library->loaded, name);
}

enum ilab_status native_library_symbols(const struct native_library *library, const struct native_symbol *rows, size_t count, struct ilab_err *err)
{
	for (size_t i = 0; i < count; i++)
		if (native_library_symbol(library, rows[i].name, rows[i].place, err))
			return ILAB_REFUSED;
	return ILAB_OK;
}
