/* A fake of hipRTC, in the runtime's library or beside it. It compiles nothing: it checks its options and gives a few bytes of code. Asked for an
 * architecture that the fake list of rocm_below.c does not have it ends the process, as hipRTC 5.2.3 does. */
#pragma GCC visibility push(default)
#include <hip/hiprtc.h>

#include <stdlib.h>
#include <string.h>

static int something;

hiprtcResult hiprtcVersion(int *major, int *minor) { *major = 9, *minor = 0; return HIPRTC_SUCCESS; }
hiprtcResult hiprtcDestroyProgram(hiprtcProgram *p) { *p = NULL; return HIPRTC_SUCCESS; }
hiprtcResult hiprtcGetCodeSize(hiprtcProgram p, size_t *bytes) { (void)p; *bytes = 5; return HIPRTC_SUCCESS; }
hiprtcResult hiprtcGetCode(hiprtcProgram p, char *code) { (void)p; memcpy(code, "code", 5); return HIPRTC_SUCCESS; }
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram p, size_t *bytes) { (void)p; *bytes = 22; return HIPRTC_SUCCESS; }
hiprtcResult hiprtcGetProgramLog(hiprtcProgram p, char *log) { (void)p; memcpy(log, "words of the compiler", 22); return HIPRTC_SUCCESS; }
const char *hiprtcGetErrorString(hiprtcResult code) { return code == HIPRTC_ERROR_COMPILATION ? "HIPRTC_ERROR_COMPILATION" : "HIPRTC_ERROR"; }

hiprtcResult hiprtcCreateProgram(hiprtcProgram *p, const char *text, const char *name, int headers, const char **texts, const char **names)
{
	(void)name, (void)headers, (void)texts, (void)names;
	*p = (hiprtcProgram)&something;
	return strstr(text, "amdgpu_flat_work_group_size") ? HIPRTC_SUCCESS : HIPRTC_ERROR_COMPILATION;     /* the prelude's word */
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram p, int count, const char **options)
{
	int exact = 0;
	(void)p;
	for (int i = 0; i < count; i++)
		exact += !strcmp(options[i], "-ffp-contract=off") || !strcmp(options[i], "-Werror=unused-value");
	if (count < 1 || (strcmp(options[0], "--offload-arch=gfx90a") && strcmp(options[0], "--offload-arch=gfx1030")))
		abort();
	return exact == 2 && !getenv("FAKE_HIPRTC_FAILS") ? HIPRTC_SUCCESS : HIPRTC_ERROR_COMPILATION;
}
