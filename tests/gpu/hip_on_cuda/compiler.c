/* hipRTC's names over NVRTC: the same calls, other options. The texts come behind CUDA's prelude (HIP_PRELUDE of this build). */
#include "mapping.h"

#include "backend/kernels.h"

#include <hip/hiprtc.h>
#include <nvrtc.h>

#include <stdio.h>
#include <string.h>

hiprtcResult hiprtcVersion(int *major, int *minor) { return (hiprtcResult)nvrtcVersion(major, minor); }
hiprtcResult hiprtcDestroyProgram(hiprtcProgram *p) { return (hiprtcResult)nvrtcDestroyProgram((nvrtcProgram *)p); }
hiprtcResult hiprtcGetCodeSize(hiprtcProgram p, size_t *n) { return (hiprtcResult)nvrtcGetCUBINSize((nvrtcProgram)p, n); }
hiprtcResult hiprtcGetCode(hiprtcProgram p, char *code) { return (hiprtcResult)nvrtcGetCUBIN((nvrtcProgram)p, code); }
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram p, size_t *n) { return (hiprtcResult)nvrtcGetProgramLogSize((nvrtcProgram)p, n); }
hiprtcResult hiprtcGetProgramLog(hiprtcProgram p, char *log) { return (hiprtcResult)nvrtcGetProgramLog((nvrtcProgram)p, log); }
const char *hiprtcGetErrorString(hiprtcResult code) { return nvrtcGetErrorString((nvrtcResult)code); }

hiprtcResult hiprtcCreateProgram(hiprtcProgram *p, const char *text, const char *name, int headers, const char **texts, const char **names)
{
	return (hiprtcResult)nvrtcCreateProgram((nvrtcProgram *)p, text, name, headers, texts, names);
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram p, int count, const char **options)
{
	static const char ours[] = "--offload-arch=";
	char architecture[64];
	const char *const mapped[] = { architecture, ILAB_NVRTC_OPTIONS };
	if (count < 1 || strncmp(options[0], ours, strlen(ours)))
		return HIPRTC_ERROR_COMPILATION;
	snprintf(architecture, sizeof(architecture), "--gpu-architecture=%s", options[0] + strlen(ours));
	return (hiprtcResult)nvrtcCompileProgram((nvrtcProgram)p, sizeof(mapped) / sizeof(mapped[0]), mapped);
}

const struct mapped mapped_compiler[] = {
	MAPPED(hiprtcVersion), MAPPED(hiprtcDestroyProgram), MAPPED(hiprtcGetCodeSize), MAPPED(hiprtcGetCode), MAPPED(hiprtcGetProgramLogSize),
	MAPPED(hiprtcGetProgramLog), MAPPED(hiprtcGetErrorString), MAPPED(hiprtcCreateProgram), MAPPED(hiprtcCompileProgram), { NULL, NULL }
};
