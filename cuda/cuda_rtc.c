#include "module.h"

#include "backend/kernels.h"

#include <nvrtc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kernel texts to machine code, by NVRTC. */

#define CALLS(X) X(nvrtcVersion) X(nvrtcGetNumSupportedArchs) X(nvrtcGetSupportedArchs) X(nvrtcCreateProgram) X(nvrtcDestroyProgram) \
	X(nvrtcCompileProgram) X(nvrtcGetPTXSize) X(nvrtcGetPTX) X(nvrtcGetCUBINSize) X(nvrtcGetCUBIN) X(nvrtcGetProgramLogSize) \
	X(nvrtcGetProgramLog) X(nvrtcGetErrorString)
#define MEMBER(call) __typeof__(&call) call##_;
#define SYMBOL(call) { #call, (void **)&rtc.call##_ },

static struct { CALLS(MEMBER) } rtc;

/* Code of a newer series does not load into an older driver. */
static const char *const names_13[] = { "libnvrtc.so.13", "libnvrtc.so.12", NULL };
static const char *const names_12[] = { "libnvrtc.so.12", NULL };
static struct native_library library = { .folder = CUDA_LIBRARY_FOLDER };

static enum ilab_status load(struct ilab_err *err)
{
	static bool loaded;
	if (loaded)
		return ILAB_OK;
	library.names = cuda_driver_is_at_least(13000) ? names_13 : names_12;
	const struct native_symbol symbols[] = { CALLS(SYMBOL) };
	if (native_library_load(&library, "NVRTC, which compiles the kernels", "install it from NVIDIA's CUDA packages (cuda-nvrtc) for this driver", err) ||
		native_library_symbols(&library, symbols, sizeof(symbols) / sizeof(symbols[0]), err))
		return ILAB_REFUSED;
	loaded = true;
	return ILAB_OK;
}

static void version(int *major, int *minor)
{
	*major = *minor = 0;
	rtc.nvrtcVersion_(major, minor);
}

bool cuda_rtc_describe(struct ilab_arena *arena, struct ilab_library *out, struct ilab_err *err)
{
	if (load(err))
		return false;
	int major, minor;
	version(&major, &minor);
	*out = (struct ilab_library){ library.loaded, ilab_arena_printf(arena, "%d.%d", major, minor) };
	return true;
}

/* --- architectures ------------------------------------------------------------------------------------------------------ */

#define MAX_ARCHITECTURES 64

/* "sm_90" for an architecture that the compiler knows. For a newer one, portable code of the newest that it knows, which the driver
 * translates. An older one is refused: no code of this compiler runs there. */
static enum ilab_status choose_target(const char *architecture, char *target, size_t size, bool *portable, struct ilab_err *err)
{
	int known[MAX_ARCHITECTURES], count = 0, wanted = 0, lowest = 0, newest = 0, major, minor;
	version(&major, &minor);
	if (sscanf(architecture, "sm_%d", &wanted) != 1 || rtc.nvrtcGetNumSupportedArchs_(&count) || count <= 0 || count > MAX_ARCHITECTURES ||
		rtc.nvrtcGetSupportedArchs_(known))
		return ilab_err_set(err, ILAB_REFUSED, "nvrtcGetSupportedArchs", 0, "NVRTC %d.%d does not tell the architectures that it compiles for", major, minor);
	*portable = false;
	snprintf(target, size, "%s", architecture);
	for (int i = 0; i < count; i++) {
		if (known[i] == wanted)
			return ILAB_OK;
		lowest = !lowest || known[i] < lowest ? known[i] : lowest;
		newest = known[i] > newest ? known[i] : newest;
	}
	if (wanted < newest)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "NVRTC %d.%d does not compile for this device's architecture %s (it knows sm_%d to sm_%d); "
			"install the NVRTC of an older CUDA series beside a driver that it suits", major, minor, architecture, lowest, newest);
	*portable = true;
	snprintf(target, size, "compute_%d", newest);
	return ILAB_OK;
}

/* --- compiling ---------------------------------------------------------------------------------------------------------- */

/* First lines of the compiler's log, for the one line of an error. */
static void read_log(nvrtcProgram program, char *out, size_t size)
{
	size_t bytes = 0;
	out[0] = '\0';
	if (rtc.nvrtcGetProgramLogSize_(program, &bytes) || bytes <= 1)
		return;
	char *log = malloc(bytes);
	if (log && !rtc.nvrtcGetProgramLog_(program, log))
		snprintf(out, size, "%s", log);
	free(log);
}

static enum ilab_status read_code(nvrtcProgram program, bool portable, void **image, struct ilab_err *err)
{
	size_t bytes = 0;
	nvrtcResult code = portable ? rtc.nvrtcGetPTXSize_(program, &bytes) : rtc.nvrtcGetCUBINSize_(program, &bytes);
	char *data = code || !bytes ? NULL : malloc(bytes);
	if (data)
		code = portable ? rtc.nvrtcGetPTX_(program, data) : rtc.nvrtcGetCUBIN_(program, data);
	if (!data || code) {
		free(data);
		return ilab_err_set(err, ILAB_FAILED, portable ? "nvrtcGetPTX" : "nvrtcGetCUBIN", code, "NVRTC gave no code: %s", rtc.nvrtcGetErrorString_(code));
	}
	*image = data;
	return ILAB_OK;
}

enum ilab_status cuda_compile(const char *text, const char *label, const char *architecture, void **image, struct ilab_err *err)
{
	char target[32], option[64], log[320];
	bool portable;
	if (load(err) || choose_target(architecture, target, sizeof(target), &portable, err))
		return ILAB_REFUSED;
	snprintf(option, sizeof(option), "--gpu-architecture=%s", target);
	const char *const options[] = { option, ILAB_NVRTC_OPTIONS };
	nvrtcProgram program = NULL;
	nvrtcResult code = rtc.nvrtcCreateProgram_(&program, text, label, 0, NULL, NULL);
	if (code)
		return ilab_err_set(err, ILAB_FAILED, "nvrtcCreateProgram", code, "NVRTC does not start: %s", rtc.nvrtcGetErrorString_(code));
	enum ilab_status status = ILAB_OK;
	code = rtc.nvrtcCompileProgram_(program, sizeof(options) / sizeof(options[0]), options);
	if (code) {
		read_log(program, log, sizeof(log));
		status = ilab_err_set(err, ILAB_FAILED, "nvrtcCompileProgram", code, "NVRTC does not compile %s for %s: %s: %s", label, target,
			rtc.nvrtcGetErrorString_(code), log);
	} else {
		status = read_code(program, portable, image, err);
	}
	rtc.nvrtcDestroyProgram_(&program);
	return status;
}
