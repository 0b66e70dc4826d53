#include "module_probe.h"

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *in_build(const char *path)
{
	static char build[PATH_MAX], out[2][PATH_MAX + 64];
	static int turn;
	if (!*build) {
		assert_true(readlink("/proc/self/exe", build, sizeof(build) - 1) > 0);
		for (int up = 0; up < 3; up++)
			*strrchr(build, '/') = '\0';
	}
	turn = !turn;
	snprintf(out[turn], sizeof(out[turn]), "%s/%s", build, path);
	return out[turn];
}

static const struct ilab_backend *load(const struct probe *p, struct ilab_err *err)
{
	if (!p->module_file)
		return ilab_backend_load(p->backend, in_build(p->module_dir), NULL, err);
	void *handle = dlopen(in_build(p->module_file), RTLD_NOW | RTLD_LOCAL);
	ilab_module_fn *entry = NULL;
	if (handle)
		*(void **)&entry = dlsym(handle, ILAB_MODULE_SYMBOL);
	if (!entry)
		ilab_err_set(err, ILAB_REFUSED, "dlopen", 0, "%s", dlerror());
	return entry ? entry() : NULL;
}

static void child(const struct probe *p, probe_fn *fn, FILE *out)
{
	struct ilab_err err = {0};
	signal(SIGSEGV, SIG_DFL);              /* a crash is the child's end, not a failed test inside it */
	signal(SIGABRT, SIG_DFL);
	for (int i = 0; i < PROBE_SETTINGS && p->environment[i].name; i++)
		setenv(p->environment[i].name, p->environment[i].value, 1);
	for (int i = 0; i < PROBE_FAKES && p->fakes[i]; i++) {
		if (dlopen(in_build(p->fakes[i]), RTLD_NOW | RTLD_GLOBAL))
			continue;
		fprintf(out, "no fake: %s", dlerror());
		return;
	}
	const struct ilab_backend *b = load(p, &err);
	if (b)
		fn(b, out);
	else
		fprintf(out, "%s", err.text);
}

void print_listing(const struct ilab_backend *b, FILE *out)
{
	struct ilab_arena arena = {0};
	struct ilab_listing l;
	struct ilab_err err = {0};
	fprintf(out, "status %d ", b->enumerate(NULL, &arena, &l, &err));
	fprintf(out, "state %s reason %s devices %zu ", l.state, l.reason ? l.reason : "none", l.device_count);
	for (size_t i = 0; i < l.device_count; i++)
		fprintf(out, "[%s %s %s %s %s %llu] ", l.devices[i].selector, l.devices[i].name, l.devices[i].pci_address.value, l.devices[i].uuid.value,
			l.devices[i].api_version.value, (unsigned long long)l.devices[i].compute_units);
	for (size_t i = 0; i < l.library_count; i++)
		fprintf(out, "library %s %s ", l.libraries[i].name, l.libraries[i].version);
	for (size_t i = 0; i < l.advice_count; i++)
		fprintf(out, "advice %s ", l.advice[i]);
	ilab_arena_free(&arena);
}

struct answer ask(const struct probe *p, probe_fn *fn)
{
	struct answer a = {0};
	int ends[2], status;
	char module[PATH_MAX];
	snprintf(module, sizeof(module), "%s/%s.so", p->module_dir ? p->module_dir : "", p->backend ? p->backend : "");
	if (access(in_build(p->module_file ? p->module_file : module), R_OK))
		skip();
	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		FILE *out = fdopen(ends[1], "w");
		child(p, fn, out);
		fclose(out);
		_exit(0);
	}
	close(ends[1]);
	size_t used = 0;
	ssize_t n;
	while (used < sizeof(a.text) - 1 && (n = read(ends[0], a.text + used, sizeof(a.text) - 1 - used)) > 0)
		used += (size_t)n;
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("the child ended with wait status %d after \"%s\"", status, a.text);
	return a;
}

bool library_is_here(const char *name)
{
	int status = 0;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		_exit(dlopen(name, RTLD_LAZY | RTLD_LOCAL) ? 0 : 1);
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void assert_says(const struct answer *a, const char *words)
{
	if (!strstr(a->text, words))
		fail_msg("\"%s\" does not say \"%s\"", a->text, words);
}
