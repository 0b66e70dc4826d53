#include "module.h"

#include "backend/kernels.h"

#include <hip/hiprtc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kernel texts to machine code, by hipRTC. */

#define CALLS(X) X(hiprtcVersion) X(hiprtcCreateProgram) X(hiprtcDestroyProgram) X(hiprtcCompileProgram) X(hiprtcGetCodeSize) \
	X(hiprtcGetCode) X(hiprtcGetProgramLogSize) X(hiprtcGetProgramLog) X(hiprtcGetErrorString)
#define MEMBER(call) __typeof__(&call) call##_;
#define SYMBOL(call) { #call, (void **)&rtc.call##_ },

static struct { CALLS(MEMBER) } rtc;

/* Until ROCm 6 the compiler is in the runtime's own library, since 7 beside it. */
static const char *const names[] = { "libhiprtc.so.7", NULL };
static struct native_library separate = { .names = names, .folder = HIP_LIBRARY_FOLDER };
static const struct native_library *library;

static enum ilab_status load(struct ilab_err *err)
{
	static bool loaded;
	const struct native_symbol symbols[] = { CALLS(SYMBOL) };
	if (loaded)
		return ILAB_OK;
	library = hip_series() < 7 ? hip_runtime_library() : &separate;
	if (library == &separate && native_library_load(&separate, "hipRTC, which compiles the kernels", "install it from AMD's ROCm packages (hip-runtime-amd)", err))
		return ILAB_REFUSED;
	if (native_library_symbols(library, symbols, sizeof(symbols) / sizeof(symbols[0]), err))
		return ILAB_REFUSED;
	loaded = true;
	return ILAB_OK;
}

/* In the runtime's library the compiler's own version means nothing (5.2.3 says 9.0). */
static const char *version(struct ilab_arena *arena)
{
	int major = 0, minor = 0;
	if (library == &separate && !rtc.hiprtcVersion_(&major, &minor))
		return ilab_arena_printf(arena, "%d.%d", major, minor);
	return hip_version_text(arena);
}

bool hip_rtc_describe(struct ilab_arena *arena, struct ilab_library *out, struct ilab_err *err)
{
	if (load(err))
		return false;
	*out = (struct ilab_library){ ilab_arena_printf(arena, "hipRTC in %s", library->loaded), version(arena) };
	return true;
}

/* --- architectures ------------------------------------------------------------------------------------------------------ */

/* hipRTC 5.2.3 ends the process when it is asked for an architecture that its compiler does not know. The compiler is comgr, a library of its own,
 * which lists them: 33 names there, and hipRTC compiles for each. The two calls after amd_comgr.h of ROCm 5.2.3. */
static struct {
	int (*count)(size_t *count);                           /* amd_comgr_get_isa_count */
	int (*name)(size_t index, const char **name);          /* amd_comgr_get_isa_name: "amdgcn-amd-amdhsa--gfx90a" */
} isa;

static bool load_list(void)
{
	static const char *const names_6[] = { "libamd_comgr.so.3", "libamd_comgr.so.2", NULL }, *const names_5[] = { "libamd_comgr.so.2", NULL };
	static struct native_library comgr = { .folder = HIP_LIBRARY_FOLDER };
	const struct native_symbol symbols[] = { { "amd_comgr_get_isa_count", (void **)&isa.count }, { "amd_comgr_get_isa_name", (void **)&isa.name } };
	struct ilab_err ignored = {0};
	comgr.names = hip_series() < 6 ? names_5 : names_6;
	return !native_library_load(&comgr, "", "", &ignored) && !native_library_symbols(&comgr, symbols, 2, &ignored);
}

/* Without a list (a compiler built in otherwise) the compiler is asked directly: later ones answer with an error. */
static enum ilab_status check_architecture(const char *architecture, struct ilab_err *err)
{
	size_t count = 0;
	char known[640] = "";
	if (!load_list() || isa.count(&count) || count == 0)
		return ILAB_OK;
	for (size_t i = 0; i < count; i++) {
		const char *name = NULL, *base;
		if (isa.name(i, &name) || !name || !(base = strstr(name, "--")))
			continue;
		if (!strcmp(base + 2, architecture))
			return ILAB_OK;
		snprintf(known + strlen(known), sizeof(known) - strlen(known), " %s", base + 2);
	}
	return ilab_err_set(err, ILAB_REFUSED, "amd_comgr_get_isa_name", 0, "hipRTC in %s does not compile for this device's architecture %s; install a newer "
		"ROCm (it knows%s)", library->loaded, architecture, known);
}

/* --- compiling ---------------------------------------------------------------------------------------------------------- */

/* First lines of the compiler's log, for the one line of an error. */
static void read_log(hiprtcProgram program, char *out, size_t size)
{
	size_t bytes = 0;
	out[0] = '\0';
	if (rtc.hiprtcGetProgramLogSize_(program, &bytes) || bytes <= 1)
		return;
	char *log = calloc(1, bytes + 1);
	if (log && !rtc.hiprtcGetProgramLog_(program, log))
		snprintf(out, size, "%s", log);
	free(log);
}

static enum ilab_status read_code(hiprtcProgram program, void **image, struct ilab_err *err)
{
	size_t bytes = 0;
	hiprtcResult code = rtc.hiprtcGetCodeSize_(program, &bytes);
	char *data = code || !bytes ? NULL : malloc(bytes);
	if (data)
		code = rtc.hiprtcGetCode_(program, data);
	if (!data || code) {
		free(data);
		return ilab_err_set(err, ILAB_FAILED, "hiprtcGetCode", code, "hipRTC gave no code: %s", rtc.hiprtcGetErrorString_(code));
	}
	*image = data;
	return ILAB_OK;
}

enum ilab_status hip_compile(const char *text, const char *label, const char *architecture, void **image, struct ilab_err *err)
{
	char option[64], log[320];
	if (load(err) || check_architecture(architecture, err))
		return ILAB_REFUSED;
	snprintf(option, sizeof(option), "--offload-arch=%s", architecture);
	const char *options[] = { option, ILAB_HIPRTC_OPTIONS };
	hiprtcProgram program = NULL;
	hiprtcResult code = rtc.hiprtcCreateProgram_(&program, text, label, 0, NULL, NULL);
	if (code)
		return ilab_err_set(err, ILAB_FAILED, "hiprtcCreateProgram", code, "hipRTC does not start: %s", rtc.hiprtcGetErrorString_(code));
	enum ilab_status status = ILAB_OK;
	code = rtc.hiprtcCompileProgram_(program, sizeof(options) / sizeof(options[0]), options);
	if (code) {
		read_log(program, log, sizeof(log));
		status = ilab_err_set(err, ILAB_FAILED, "hiprtcCompileProgram", code, "hipRTC does not compile %s for %s: %s: %s", label, architecture,
			rtc.hiprtcGetErrorString_(code), log);
	} else {
		status = read_code(program, image, err);
	}
	rtc.hiprtcDestroyProgram_(&program);
	return status;
}
