/* In place of src/backend/native_library.c: libraries are not loaded, their names are looked up in tables. HIP_ON_CUDA_WITHOUT_ROCBLAS in the
 * environment: rocBLAS is not there. */
#include "mapping.h"

#include "backend/native_library.h"

#include <stdlib.h>
#include <string.h>

/* One release of ROCm at a time. */
static const char *const present[] = { "libamdhip64.so.6", "librocblas.so.4" };

enum ilab_status native_library_load(struct native_library *library, const char *what, const char *install, struct ilab_err *err)
{
	const size_t count = sizeof(present) / sizeof(present[0]) - (getenv("HIP_ON_CUDA_WITHOUT_ROCBLAS") != NULL);
	for (const char *const *name = library->names; *name && !library->handle; name++) {
		for (size_t i = 0; i < count; i++) {
			if (strcmp(*name, present[i]))
				continue;
			library->handle = library;
			library->loaded = *name;
		}
	}
	if (library->handle)
		return ILAB_OK;
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "library %s is not in the mapping of this test (%s): %s", library->names[0], what, install);
}

enum ilab_status native_library_symbol(const struct native_library *library, const char *name, void **out, struct ilab_err *err)
{
	const struct mapped *const tables[] = { mapped_runtime, mapped_pools, mapped_compiler, mapped_products };
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (const struct mapped *row = tables[i]; row->name; row++) {
			if (strcmp(row->name, name))
				continue;
			*out = row->function;
			return ILAB_OK;
		}
	}
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "%s has no symbol %s in the mapping of this test", library->loaded, name);
}

enum ilab_status native_library_symbols(const struct native_library *library, const struct native_symbol *rows, size_t count, struct ilab_err *err)
{
	for (size_t i = 0; i < count; i++)
		if (native_library_symbol(library, rows[i].name, rows[i].place, err))
			return ILAB_REFUSED;
	return ILAB_OK;
}
