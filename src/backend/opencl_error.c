#include "backend/opencl.h"

#include <clblast_c.h>

#define NAME(code) { code, #code }
static const struct { cl_int code; const char *name; } names[] = {
	NAME(CL_DEVICE_NOT_FOUND), NAME(CL_DEVICE_NOT_AVAILABLE), NAME(CL_COMPILER_NOT_AVAILABLE),
	NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE), NAME(CL_OUT_OF_RESOURCES), NAME(CL_OUT_OF_HOST_MEMORY),
	NAME(CL_PROFILING_INFO_NOT_AVAILABLE), NAME(CL_MEM_COPY_OVERLAP), NAME(CL_BUILD_PROGRAM_FAILURE), NAME(CL_MAP_FAILURE),
	NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET), NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST), NAME(CL_INVALID_VALUE),
	NAME(CL_INVALID_DEVICE_TYPE), NAME(CL_INVALID_PLATFORM), NAME(CL_INVALID_DEVICE), NAME(CL_INVALID_CONTEXT),
	NAME(CL_INVALID_QUEUE_PROPERTIES), NAME(CL_INVALID_COMMAND_QUEUE), NAME(CL_INVALID_HOST_PTR), NAME(CL_INVALID_MEM_OBJECT),
	NAME(CL_INVALID_BINARY), NAME(CL_INVALID_BUILD_OPTIONS), NAME(CL_INVALID_PROGRAM), NAME(CL_INVALID_PROGRAM_EXECUTABLE),
	NAME(CL_INVALID_KERNEL_NAME), NAME(CL_INVALID_KERNEL_DEFINITION), NAME(CL_INVALID_KERNEL), NAME(CL_INVALID_ARG_INDEX),
	NAME(CL_INVALID_ARG_VALUE), NAME(CL_INVALID_ARG_SIZE), NAME(CL_INVALID_KERNEL_ARGS), NAME(CL_INVALID_WORK_DIMENSION),
	NAME(CL_INVALID_WORK_GROUP_SIZE), NAME(CL_INVALID_WORK_ITEM_SIZE), NAME(CL_INVALID_GLOBAL_OFFSET),
	NAME(CL_INVALID_EVENT_WAIT_LIST), NAME(CL_INVALID_EVENT), NAME(CL_INVALID_OPERATION), NAME(CL_INVALID_BUFFER_SIZE),
	NAME(CL_INVALID_GLOBAL_WORK_SIZE), NAME(CL_INVALID_PROPERTY), NAME(CL_PLATFORM_NOT_FOUND_KHR),
	NAME(CLBlastNotImplemented), NAME(CLBlastInvalidMatrixA), NAME(CLBlastInvalidMatrixB), NAME(CLBlastInvalidMatrixC),
	NAME(CLBlastInvalidDimension), NAME(CLBlastInvalidLeadDimA), NAME(CLBlastInvalidLeadDimB), NAME(CLBlastInvalidLeadDimC),
	NAME(CLBlastInsufficientMemoryA), NAME(CLBlastInsufficientMemoryB), NAME(CLBlastInsufficientMemoryC),
	NAME(CLBlastInsufficientMemoryTemp), NAME(CLBlastInvalidOverrideKernel), NAME(CLBlastMissingOverrideParameter),
	NAME(CLBlastInvalidLocalMemUsage), NAME(CLBlastNoHalfPrecision), NAME(CLBlastDatabaseError), NAME(CLBlastUnknownError),
	NAME(CLBlastUnexpectedError),
};

const char *opencl_error_name(cl_int code)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].code == code)
			return names[i].name;
	return "unknown error";
}

bool opencl_is_no_memory(cl_int code)
{
	return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES;
}

enum ilab_status opencl_fail(struct ilab_err *err, cl_int code, const char *call, const char *doing)
{
	if (opencl_is_no_memory(code))
		return ilab_err_set(err, ILAB_FAILED, call, code, "out of device memory while %s: %s said %s (%d)", doing, call,
			opencl_error_name(code), code);
	return ilab_err_set(err, ILAB_FAILED, call, code, "%s failed: %s said %s (%d)", doing, call, opencl_error_name(code), code);
}
