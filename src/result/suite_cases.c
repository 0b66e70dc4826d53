#include "result/suite_cases.h"

#define GPU(name, batch, context, width, dtype) { name, { batch, context, width, 4 * (width) }, dtype, 3, 20 }
#define CPU(name, batch, context, width, dtype) { name, { batch, (context) / 8, (width) / 8, (width) / 2 }, dtype, 1, 6 }
#define SMALL(device, type, dtype) device("small " type, 1, 128, 512, dtype)
#define MEDIUM(device, type, dtype) device("medium " type, 2, 256, 2048, dtype)
#define LARGE(device, type, dtype) device("large " type, 4, 512, 4096, dtype)
#define CASES(device, type, dtype) SMALL(device, type, dtype), MEDIUM(device, type, dtype), LARGE(device, type, dtype)

static const struct ilab_suite_case gpu_cases[] = {
	CASES(GPU, "float32", ILAB_F32), CASES(GPU, "tf32", ILAB_TF32), CASES(GPU, "float16", ILAB_F16), CASES(GPU, "bfloat16", ILAB_BF16),
};
static const struct ilab_suite_case cpu_cases[] = {
	CASES(CPU, "float32", ILAB_F32), CASES(CPU, "float16", ILAB_F16), CASES(CPU, "bfloat16", ILAB_BF16),
};

const struct ilab_suite_case *ilab_suite_cases(bool cpu, size_t *count)
{
	*count = cpu ? sizeof(cpu_cases) / sizeof(cpu_cases[0]) : sizeof(gpu_cases) / sizeof(gpu_cases[0]);
	return cpu ? cpu_cases : gpu_cases;
}
