/* The CPU product against CLBlast on the same OpenCL device, both sides alternating in one run:
 *
 *   gemm_cpu [ROUNDS [M N K]...]
 *
 * Prints the median time and rate of each side, float32, W as [n, k], and stops when the two results differ. OCL_ICD_VENDORS
 * chooses the driver; POCL_AFFINITY=1 keeps PoCL's threads apart, or medians come in two modes. */

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "backend/kernels.h"
#include "base/clock.h"
#include "base/stats.h"

#include <CL/cl.h>
#include <clblast_c.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	struct ilab_product product;
	cl_kernel kernels[ILAB_PRODUCT_LAUNCHES];
	cl_mem x, w, y, temporary;
};

static void stop(const char *what, long code)
{
	fprintf(stderr, "gemm_cpu: %s (%ld)\n", what, code);
	exit(1);
}

#define MUST(call) do { long code_ = (long)(call); if (code_) stop(#call, code_); } while (0)

static void open_device(struct bench *b)
{
	char name[256] = "";
	cl_platform_id platform;
	cl_int code;
	MUST(clGetPlatformIDs(1, &platform, NULL));
	MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &b->device, NULL));
	MUST(clGetDeviceInfo(b->device, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL));
	b->context = clCreateContext(NULL, 1, &b->device, NULL, NULL, &code);
	MUST(code);
	b->queue = clCreateCommandQueue(b->context, b->device, 0, &code);
	MUST(code);
	printf("%s, float32, POCL_AFFINITY=%s\n", name, getenv("POCL_AFFINITY") ? getenv("POCL_AFFINITY") : "");
}

static cl_mem buffer(struct bench *b, size_t bytes, void *data)
{
	cl_int code;
	cl_mem m = clCreateBuffer(b->context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), bytes, data, &code);
	MUST(code);
	return m;
}

static cl_mem filled(struct bench *b, enum ilab_stream stream, uint64_t rows, uint64_t cols, float bound)
{
	const struct ilab_tensor t = { .seed = 1, .stream = stream, .dtype = ILAB_F32, .rows = rows, .cols = cols, .bound = bound };
	float *values = malloc(rows * cols * sizeof(float));
	if (!values)
		stop("out of memory", 0);
	ilab_rule_fill(&t, 0, rows * cols, values);
	cl_mem m = buffer(b, rows * cols * sizeof(float), values);
	free(values);
	return m;
}

static void set_arguments(struct bench *b, size_t launch)
{
	const struct ilab_product *p = &b->product;
	const struct { const void *value; size_t bytes; } arguments[] = {
		[ILAB_ARGUMENT_M] = { &p->m, 4 }, [ILAB_ARGUMENT_N] = { &p->n, 4 }, [ILAB_ARGUMENT_K] = { &p->k, 4 },
		[ILAB_ARGUMENT_OFFSET] = { &p->offset, 8 }, [ILAB_ARGUMENT_X] = { &b->x, sizeof(cl_mem) },
		[ILAB_ARGUMENT_W] = { &b->w, sizeof(cl_mem) }, [ILAB_ARGUMENT_BIAS] = { &b->w, sizeof(cl_mem) },
		[ILAB_ARGUMENT_Y] = { &b->y, sizeof(cl_mem) }, [ILAB_ARGUMENT_TEMPORARY] = { &b->temporary, sizeof(cl_mem) },
	};
	for (cl_uint i = 0; i < ILAB_LAUNCH_ARGUMENTS && p->launches[launch].arguments[i]; i++) {
		const enum ilab_argument a = p->launches[launch].arguments[i];
		MUST(clSetKernelArg(b->kernels[launch], i, arguments[a].bytes, arguments[a].value));
	}
}

static void prepare(struct bench *b, uint64_t m, uint64_t n, uint64_t k)
{
	MUST(ilab_product_plan(ILAB_GEMM_KERNEL_CPU, ILAB_F32, ILAB_LAYOUT_ROWS, ILAB_EPILOGUE_NONE, ILAB_MULTIPLY_ADD_FMA, m, n, k,
		&b->product, NULL));
	char *text = ilab_program_text(&b->product.program, NULL);
	cl_int code;
	cl_program program = clCreateProgramWithSource(b->context, 1, (const char **)&text, NULL, &code);
	MUST(code);
	MUST(clBuildProgram(program, 1, &b->device, ILAB_OPENCL_OPTIONS, NULL, NULL));
	free(text);
	b->x = filled(b, ILAB_STREAM_X, m, k, 1.0f);
	b->w = filled(b, ILAB_STREAM_W1, n, k, 1.0f / sqrtf((float)k));
	b->y = buffer(b, m * n * sizeof(float), NULL);
	b->temporary = b->product.temporary_bytes ? buffer(b, b->product.temporary_bytes, NULL) : NULL;
	for (size_t i = 0; i < b->product.launch_count; i++) {
		b->kernels[i] = clCreateKernel(program, b->product.launches[i].kernel, &code);
		MUST(code);
		set_arguments(b, i);
	}
	clReleaseProgram(program);
}

static void release(struct bench *b)
{
	for (size_t i = 0; i < b->product.launch_count; i++)
		clReleaseKernel(b->kernels[i]);
	clReleaseMemObject(b->x);
	clReleaseMemObject(b->w);
	clReleaseMemObject(b->y);
	if (b->temporary)
		clReleaseMemObject(b->temporary);
}

static double run_ours(struct bench *b)
{
	const uint64_t start = ilab_clock_ns();
	for (size_t i = 0; i < b->product.launch_count; i++) {
		const struct ilab_grid *g = &b->product.launches[i].grid;
		MUST(clEnqueueNDRangeKernel(b->queue, b->kernels[i], 3, NULL, g->global, g->local, 0, NULL, NULL));
	}
	MUST(clFinish(b->queue));
	return (double)(ilab_clock_ns() - start) * 1e-9;
}

static double run_clblast(struct bench *b)
{
	const struct ilab_product *p = &b->product;
	const uint64_t start = ilab_clock_ns();
	MUST(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, p->m, p->n, p->k, 1.0f, b->x, 0, p->k,
		b->w, 0, p->k, 0.0f, b->y, 0, p->n, &b->queue, NULL));
	MUST(clFinish(b->queue));
	return (double)(ilab_clock_ns() - start) * 1e-9;
}

static float *result(struct bench *b)
{
	const size_t bytes = (size_t)b->product.m * b->product.n * sizeof(float);
	float *y = malloc(bytes);
	if (!y)
		stop("out of memory", 0);
	MUST(clEnqueueReadBuffer(b->queue, b->y, CL_TRUE, 0, bytes, y, 0, NULL, NULL));
	return y;
}

/* First runs, which also compile, and the proof that both sides compute the same. */
static void check(struct bench *b)
{
	double difference = 0, norm = 0;
	run_ours(b);
	float *ours = result(b);
	run_clblast(b);
	float *theirs = result(b);
	for (size_t i = 0; i < (size_t)b->product.m * b->product.n; i++) {
		difference += pow((double)ours[i] - theirs[i], 2);
		norm += pow(theirs[i], 2);
	}
	free(ours);
	free(theirs);
	if (!(sqrt(difference / norm) < 1e-5))
		stop("the two results differ", 0);
}

static void measure(struct bench *b, size_t rounds)
{
	double *ours = malloc(rounds * sizeof(double)), *theirs = malloc(rounds * sizeof(double));
	if (!ours || !theirs)
		stop("out of memory", 0);
	for (size_t i = 0; i < rounds; i++) {
		ours[i] = run_ours(b);
		theirs[i] = run_clblast(b);
	}
	const double mine = ilab_stats_median(ours, rounds), other = ilab_stats_median(theirs, rounds);
	const double flop = 2.0 * b->product.m * b->product.n * b->product.k;
	printf("%u x %u x %u: builtin %.3f ms %.1f GFLOP/s (%s), CLBlast %.3f ms %.1f GFLOP/s, ratio %.1f\n", b->product.m, b->product.n,
		b->product.k, mine * 1e3, flop / mine * 1e-9, b->product.launches[b->product.launch_count - 1].kernel, other * 1e3,
		flop / other * 1e-9, other / mine);
	free(ours);
	free(theirs);
}

int main(int argc, char **argv)
{
	static char *usual[] = { "64", "64", "64", "256", "256", "256", "1024", "1024", "1024" };
	const size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 11;
	char **shapes = argc > 4 ? argv + 2 : usual;
	const int count = argc > 4 ? argc - 2 : 9;
	struct bench b = {0};

	if (!rounds)
		stop("usage: gemm_cpu [ROUNDS [M N K]...]", 0);
	setenv("POCL_AFFINITY", "1", 0);
	open_device(&b);
	for (int i = 0; i + 2 < count; i += 3) {
		prepare(&b, strtoull(shapes[i], NULL, 10), strtoull(shapes[i + 1], NULL, 10), strtoull(shapes[i + 2], NULL, 10));
		check(&b);
		measure(&b, rounds);
		release(&b);
	}
	clReleaseCommandQueue(b.queue);
	clReleaseContext(b.context);
	return 0;
}
