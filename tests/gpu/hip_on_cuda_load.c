/* Linked into the conformance program in place of the program's own loader (--wrap): it loads the test module and nothing else. The program itself
 * has no such door. HIP_ON_CUDA_COUNTERS in the environment: the counters that must be in use, so that a fallback is not taken for a success. */
#include "backend/backend.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ilab_backend *__wrap_ilab_backend_load(const char *name, const char *module_dir, const char **file, struct ilab_err *err);

static bool counters_are_as_wanted(const struct ilab_backend *b, struct ilab_err *err)
{
	const char *wanted = getenv("HIP_ON_CUDA_COUNTERS");
	struct ilab_session *s = NULL;
	if (!wanted)
		return true;
	if (b->open(&(struct ilab_open_options){0}, &s, err))
		return false;
	bool same = !strcmp(b->info(s)->counters_source, wanted);
	printf("# counters: %s\n", b->info(s)->counters_source);
	if (!same)
		ilab_err_set(err, ILAB_FAILED, "", 0, "the counters are %s, not %s", b->info(s)->counters_source, wanted);
	b->close(s);
	return same;
}

const struct ilab_backend *__wrap_ilab_backend_load(const char *name, const char *module_dir, const char **file, struct ilab_err *err)
{
	char path[4096];
	(void)file;
	snprintf(path, sizeof(path), "%s/%s.so", module_dir ? module_dir : ".", name);
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	ilab_module_fn *entry = NULL;
	if (handle)
		*(void **)&entry = dlsym(handle, ILAB_MODULE_SYMBOL);
	const struct ilab_backend *b = entry ? entry() : NULL;
	if (!b || strcmp(b->name, "hip-on-cuda-test") || strcmp(name, b->name)) {
		const char *why = handle ? "it is not the test module" : dlerror();
		ilab_err_set(err, ILAB_REFUSED, "dlopen", 0, "%s: %s", path, why ? why : "no reason given");
		return NULL;
	}
	return counters_are_as_wanted(b, err) ? b : NULL;
}
