/* Programs built from the embedded texts, kept by their label, and kernel launches. */
#include "backend/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS 8
struct opencl_program {
	struct opencl_program *next;
	char label[ILAB_PROGRAM_LABEL_SIZE];
	cl_program program;
	struct { char name[32]; cl_kernel kernel; } kernels[KERNELS];
	size_t kernel_count;
};

static const char *build_options(const struct ilab_session *s)
{
	/* Intel: without the option addresses wrap at 4 GiB and values are wrong, silently. */
	if (s->intel_relaxed)
		return s->without_std ? "-cl-intel-greater-than-4GB-buffer-required" : ILAB_OPENCL_OPTIONS " -cl-intel-greater-than-4GB-buffer-required";
	return s->without_std ? "" : ILAB_OPENCL_OPTIONS;
}

/* The driver's log as part of one line; `buf` is always terminated. */
static void build_log(struct ilab_session *s, cl_program program, char *buf, size_t size)
{
	size_t length = 0;
	buf[0] = '\0';
	if (clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) || length < 2)
		return;
	char *log = calloc(1, length + 1);
	if (log && !clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, length, log, NULL)) {
		struct ilab_arena arena = {0};
		snprintf(buf, size, ": %s", opencl_clean_text(&arena, log, length));
		ilab_arena_free(&arena);
	}
	free(log);
}

static cl_int build_once(struct ilab_session *s, const char *text, cl_program *out, char *log, size_t log_size)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(s->context, 1, &text, NULL, &code);
	if (code)
		return code;
	code = clBuildProgram(program, 1, &s->device, build_options(s), NULL, NULL);
	if (code) {
		build_log(s, program, log, log_size);
		clReleaseProgram(program);
	} else {
		*out = program;
	}
	return code;
}

static enum ilab_status build(struct ilab_session *s, const struct ilab_program *what, const char *label, cl_program *out,
	struct ilab_err *err)
{
	char *text = ilab_program_text(what, NULL), log[400] = "", second_log[400];
	if (!text)
		return ilab_err_set(err, ILAB_FAILED, "malloc", 0, "out of host memory");
	cl_int code = build_once(s, text, out, log, sizeof(log));
	if (code && !s->without_std) {
		/* A compiler of OpenCL C 1.1 refuses the flag, not the text. */
		s->without_std = true;
		if (!build_once(s, text, out, second_log, sizeof(second_log)))
			code = CL_SUCCESS;
		else
			s->without_std = false;
	}
	free(text);
	if (code)
		return ilab_err_set(err, ILAB_FAILED, "clBuildProgram", code, "the driver does not compile %s: %s (%d)%s", label,
			opencl_error_name(code), code, log);
	return ILAB_OK;
}

static enum ilab_status find_program(struct ilab_session *s, const struct ilab_program *what, struct opencl_program **out, struct ilab_err *err)
{
	char label[ILAB_PROGRAM_LABEL_SIZE];
	ilab_program_label(what, label, sizeof(label));
	for (struct opencl_program *p = s->programs; p; p = p->next) {
		if (!strcmp(p->label, label)) {
			*out = p;
			return ILAB_OK;
		}
	}
	cl_program program = NULL;
	enum ilab_status status = build(s, what, label, &program, err);
	if (status)
		return status;
	struct opencl_program *p = ilab_arena_alloc(&s->arena, sizeof(*p));
	memcpy(p->label, label, sizeof(label));
	p->program = program;
	p->next = s->programs;
	s->programs = *out = p;
	return ILAB_OK;
}

enum ilab_status opencl_kernel(struct ilab_session *s, const struct ilab_program *program, const char *name, cl_kernel *out,
	struct ilab_err *err)
{
	struct opencl_program *p;
	enum ilab_status status = find_program(s, program, &p, err);
	if (status)
		return status;
	for (size_t i = 0; i < p->kernel_count; i++) {
		if (!strcmp(p->kernels[i].name, name)) {
			*out = p->kernels[i].kernel;
			return ILAB_OK;
		}
	}
	cl_int code = CL_OUT_OF_HOST_MEMORY;
	cl_kernel kernel = p->kernel_count < KERNELS ? clCreateKernel(p->program, name, &code) : NULL;
	if (!kernel)
		return opencl_fail(err, code, "clCreateKernel", name);
	snprintf(p->kernels[p->kernel_count].name, sizeof(p->kernels[0].name), "%s", name);
	p->kernels[p->kernel_count++].kernel = *out = kernel;
	return ILAB_OK;
}

void opencl_programs_release(struct ilab_session *s)
{
	for (struct opencl_program *p = s->programs; p; p = p->next) {
		for (size_t i = 0; i < p->kernel_count; i++)
			clReleaseKernel(p->kernels[i].kernel);
		clReleaseProgram(p->program);
	}
	s->programs = NULL;
}

enum ilab_status opencl_launch(struct ilab_session *s, cl_kernel kernel, const char *name, const struct ilab_grid *grid,
	const struct opencl_argument *arguments, size_t count, struct ilab_err *err)
{
	for (size_t i = 0; i < count; i++) {
		cl_int code = clSetKernelArg(kernel, (cl_uint)i, arguments[i].size, arguments[i].value);
		if (code)
			return opencl_fail(err, code, "clSetKernelArg", name);
	}
	cl_int code = clEnqueueNDRangeKernel(s->queue, kernel, 3, NULL, grid->global, grid->local, 0, NULL, NULL);
	if (code) {
		char doing[64];
		snprintf(doing, sizeof(doing), "launching %s", name);
		return opencl_fail(err, code, "clEnqueueNDRangeKernel", doing);
	}
	return ILAB_OK;
}
