#ifndef ILAB_BACKEND_NATIVE_LIBRARY_H
#define ILAB_BACKEND_NATIVE_LIBRARY_H

/* Vendor libraries, loaded when needed: nothing is linked, so a module loads anywhere and can say what is missing. */

#include "base/err.h"

#include <stddef.h>

/* `names` are tried in order, by soname and then in `folder`, where the vendor's packages put them outside the loader's path. */
struct native_library {
	const char *const *names;      /* NULL-terminated */
	const char *folder;            /* "/usr/local/cuda/lib64" */
	void *handle;
	const char *loaded;            /* the one of `names` that loaded */
};

/* Load once. ILAB_REFUSED: none of the names; says which and what to install. */
enum ilab_status native_library_load(struct native_library *library, const char *what, const char *install, struct ilab_err *err);
/* A symbol, or ILAB_REFUSED naming it. `*(void **)&function` of any function pointer may be passed. */
enum ilab_status native_library_symbol(const struct native_library *library, const char *name, void **out, struct ilab_err *err);

/* Fill a table of function pointers: rows of names and places. */
struct native_symbol { const char *name; void **place; };
enum ilab_status native_library_symbols(const struct native_library *library, const struct native_symbol *rows, size_t count,
	struct ilab_err *err);

#endif
