/* The part of hipRTC's interface that hip/ uses: see hip_runtime_api.h beside it. */
#ifndef ILAB_TEST_HIPRTC_H
#define ILAB_TEST_HIPRTC_H

#include <stddef.h>

typedef enum hiprtcResult { HIPRTC_SUCCESS = 0, HIPRTC_ERROR_COMPILATION = 6 } hiprtcResult;
typedef struct _hiprtcProgram *hiprtcProgram;

hiprtcResult hiprtcVersion(int *major, int *minor);
hiprtcResult hiprtcCreateProgram(hiprtcProgram *program, const char *text, const char *name, int headers, const char **header_texts,
	const char **header_names);
hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count, const char **options);
hiprtcResult hiprtcDestroyProgram(hiprtcProgram *program);
hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t *bytes);
hiprtcResult hiprtcGetCode(hiprtcProgram program, char *code);
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t *bytes);
hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char *log);
const char *hiprtcGetErrorString(hiprtcResult code);

#endif
