#include "result_fixture.h"

#include "result/document.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *modules[] = { "hip.so" };
static const char *features[] = { "openmp", "nls" };
static const char *command[] = { "measure", "--device", "opencl:0:1", "--batch", "1", "--context", "16", "--width", "64", "--seed",
	"18446744073709551615", "--verify-rows", "8", "--output", "m.json", "--tuning", "t.json" };
static const char *estimate_command[] = { "estimate", "--parameters", "9223372036854775807", "--bits", "64", "--reserve-gib", "0.500000001" };
static const char *environment_command[] = { "environment" };
static const char *selectors[] = { "opencl:0:1", "uuid:00000000-0102-0304-0506-0708090a0b0c", "name:Strange \"\xC3\xA9\" device", "pci:0000:41:00.0" };
static const char *pocl_selectors[] = { "opencl:1:0", "cpu" };
static const char *views[] = { "opencl/First Platform/clblast", "opencl/First Platform/builtin" };
static const char *cpu_views[] = { "opencl/Portable Computing Language/builtin" };
static const char *advice[] = { "install a driver" };
static const char *forms[] = { "NK", "KN" };
static const char *layers[] = { "Linear(64, 256)", "GELU", "Linear(256, 64)" };
static const char *ignored[] = { "NVIDIA_TF32_OVERRIDE" };
static const char *assumptions[] = { "the reserve is the user's guess" };
static struct ilab_library libraries[] = { { "clblast", "1.5.3" }, { "mystery", NULL } };
static struct ilab_parameter parameters[] = { { "MWG", "64" }, { "NEG", "-3" }, { "KERNEL", "Xgemm" }, { "ODD", "007" } };

static struct ilab_header header(const char *schema, const char **words, size_t word_count)
{
	return (struct ilab_header){
		.schema = schema, .tool_name = "iteragpu-lab", .tool_version = "0.1.0",
		.build_compiler = "gcc 12.2.0", .build_features = features, .build_feature_count = 2, .command = words,
		.command_count = word_count, .started_utc = "2026-12-01T06:29:46Z", .run_id = "00112233445566778899aabbccddeeff",
		.total_seconds = 1.5,
	};
}

/* A test may change what the record points to. */
static const char **copy(struct ilab_arena *arena, const char **texts, size_t count)
{
	const char **out = ilab_arena_alloc(arena, count * sizeof *out);

	memcpy(out, texts, count * sizeof *out);
	return out;
}

void fixture_estimate(struct ilab_estimate *out)
{
	*out = (struct ilab_estimate){
		.header = header("iteragpu-lab/estimate/1", estimate_command, COUNT(estimate_command)), .parameters = INT64_MAX, .bits = 64, .reserve_nano_gib = 500000001,
		.assumptions = assumptions, .assumption_count = 1,
	};
	out->weight_bytes = (ilab_u128)INT64_MAX * 8;
	/* 0.500000001 GiB are 536,870,913.073741824 bytes: 536,870,914 whole ones. */
	out->total_bytes = out->weight_bytes + 536870914;
}

static struct ilab_device device(void)
{
	return (struct ilab_device){
		.selector = "opencl:0:1", .backend = "opencl", .platform = "First Platform", .name = "Strange \"\xC3\xA9\" device",
		.vendor = "Vendor", .type = "gpu", .device_index = 1, .pci_address = { .value = "0000:41:00.0" },
		.uuid = { .value = "00000000-0102-0304-0506-0708090a0b0c" }, .driver_version = { .value = "1.2.3" },
		.api_version = { .value = "OpenCL 3.0" }, .runtime_version = { .reason = "unsupported: OpenCL has none" },
		.total_memory_bytes = 9007199254740993u, .max_allocation_bytes = UINT64_MAX, .compute_units = 20, .selectors = selectors,
		.selector_count = COUNT(selectors), .physical = 0,
	};
}

static struct ilab_device pocl_device(void)
{
	return (struct ilab_device){
		.selector = "opencl:1:0", .backend = "opencl", .platform = "Portable Computing Language", .name = "pthread-cpu",
		.vendor = "Vendor", .type = "cpu", .platform_index = 1, .pci_address = { .reason = "unsupported: a CPU has no PCI address" },
		.uuid = { .reason = "unavailable: the driver tells none" }, .driver_version = { .value = "3.1" },
		.api_version = { .value = "OpenCL 3.0" }, .runtime_version = { .reason = "unsupported: OpenCL has none" },
		.total_memory_bytes = 4096, .max_allocation_bytes = 1024, .compute_units = 2, .selectors = pocl_selectors,
		.selector_count = 2, .physical = 1,
	};
}

void fixture_environment(struct ilab_arena *arena, struct ilab_environment *out)
{
	struct ilab_listing *backends = ilab_arena_alloc(arena, 3 * sizeof *backends);
	struct ilab_platform *platforms = ilab_arena_alloc(arena, 2 * sizeof *platforms);
	struct ilab_device *devices = ilab_arena_alloc(arena, 2 * sizeof *devices);
	struct ilab_physical *physical = ilab_arena_alloc(arena, 2 * sizeof *physical);

	platforms[0] = (struct ilab_platform){ "opencl", 0, "First Platform", "Vendor", "OpenCL 3.0" };
	platforms[1] = (struct ilab_platform){ "opencl", 1, "Portable Computing Language", "pocl", "OpenCL 3.0 PoCL 3.1" };
	devices[0] = device();
	devices[1] = pocl_device();
	physical[0] = (struct ilab_physical){ "pci:0000:41:00.0", copy(arena, views, 2), 2 };
	physical[1] = (struct ilab_physical){ "cpu", copy(arena, cpu_views, 1), 1 };
	backends[0] = (struct ilab_listing){
		.backend = "opencl", .state = "ready", .modules = "built-in", .loader_name = { .value = "ocl-icd" },
		.loader_version = { .value = "2.3.1" }, .libraries = libraries, .library_count = 2, .platforms = platforms, .platform_count = 2,
		.devices = devices, .device_count = 2, .advice = advice, .advice_count = 1,
	};
	backends[1] = (struct ilab_listing){
		.backend = "cuda", .state = "unavailable", .reason = "unavailable: libcuda.so.1 not found",
		.loader_name = { .reason = "unsupported: CUDA has no loader" }, .loader_version = { .reason = "unsupported: CUDA has no loader" },
	};
	backends[2] = (struct ilab_listing){
		.backend = "hip", .state = "no-device", .reason = "unavailable: no AMD GPU", .modules = "hip.so",
		.loader_name = { .reason = "unsupported: HIP has no loader" }, .loader_version = { .reason = "unsupported: HIP has no loader" },
	};
	*out = (struct ilab_environment){
		.header = header("iteragpu-lab/environment/1", environment_command, 1), .host = { "Debian 12", "6.1.0", "A CPU", 2 },
		.loader_name = { .value = "ocl-icd" }, .loader_version = { .reason = "unavailable: it does not tell" }, .backends = backends,
		.backend_count = 3, .physical = physical, .physical_count = 2, .advice = advice, .advice_count = 1,
	};
	out->header.tool_modules = modules;
	out->header.tool_module_count = 1;
}

/* Sizes by hand: 2*64*256 + 256 + 64 = 33088 parameters, 132352 bytes; inputs and output 16*64*4 = 4096; hidden 16*256*4 =
 * 16384; temporary 1000. */
static struct ilab_phase forward(const char *phase, uint64_t repetition, double seconds)
{
	return (struct ilab_phase){
		.phase = phase, .repetition = repetition, .seconds = seconds, .device_seconds = { .value = seconds * 0.75 },
		.baseline_allocated_bytes = 136448, .baseline_reserved_bytes = 136448, .end_allocated_bytes = 140544,
		.end_reserved_bytes = 157928, .peak_allocated_bytes = 157928, .peak_reserved_bytes = 157928,
		.driver_used_bytes = { .reason = "unavailable: no driver counter" }, .output_checksum = "00000000deadbeef",
	};
}

static struct ilab_phase *rows(struct ilab_arena *arena)
{
	static const double seconds[FIXTURE_WARM] = { 0.1, 0.30000000000000004, 0.011, 0.012, 0.013, 1e-3, 0.0125 };
	struct ilab_phase *p = ilab_arena_alloc(arena, FIXTURE_ROWS * sizeof *p);

	p[0] = (struct ilab_phase){
		.phase = "model_load", .seconds = 0.01, .device_seconds = { .reason = "not-run: no marker around this phase" },
		.end_allocated_bytes = 132352, .end_reserved_bytes = 132352, .peak_allocated_bytes = 132352, .peak_reserved_bytes = 132352,
		.driver_used_bytes = { .value = 9007199254740993u },
	};
	p[1] = p[0];
	p[1].phase = "inputs";
	p[1].baseline_allocated_bytes = p[1].baseline_reserved_bytes = 132352;
	p[1].end_allocated_bytes = p[1].end_reserved_bytes = p[1].peak_allocated_bytes = p[1].peak_reserved_bytes = 136448;
	p[2] = forward("cold_forward", 0, 0.2);
	p[3] = forward("warmup", 0, 0.2);
	for (uint64_t i = 0; i < FIXTURE_WARM; i++)
		p[4 + i] = forward("warm_forward", i + 1, seconds[i]);
	return p;
}

static void fill_results(struct ilab_measure *m)
{
	m->verification.status = "passed";
	m->verification.bound = 5e-6;   /* 5e-8 sqrt(256) is less; 8 x 64 elements are not few */
	m->verification.relative_error.value = 1.2345678901234567e-7;
	m->verification.max_abs_error.value = 0x1.fffffffffffffp-24;
	m->verification.projection_error.value = 0x1.fffffffffffffp-20;
	m->verification.rows_checked = 8;
	m->verification.elements_checked = 1024;
	m->verification.outputs_checked = 1;
	m->verification.weights_checksum = "6d4e5a2e07e93db7";
	m->verification.inputs_checksum = "fba940a4f3939418";
	m->verification.output_checksum = "00000000deadbeef";
	m->verification.reference = "float64 on the host";
	m->telemetry.source.value = "nvml";
	m->telemetry.interval_seconds.value = 0.1;
	m->telemetry.clock_mhz.value = 1300.5;
	m->telemetry.temperature_c.reason = "unsupported: no sensor";
	m->telemetry.power_w.value = 70;
	m->telemetry.energy_j_per_pass.reason = "unavailable: no counter";
	m->telemetry.throttled.value = "power,thermal";
}

void fixture_measure(struct ilab_arena *arena, struct ilab_measure *out)
{
	*out = (struct ilab_measure){
		.header = header("iteragpu-lab/measure/1", command, COUNT(command)), .host = { "Debian 12", "6.1.0", NULL, 2 },
		.backend = { "opencl", "First Platform", { .value = "OpenCL 3.0" }, { .reason = "unsupported: OpenCL has none" }, libraries, 2,
			0.25, "warm", 1.25e-5 },
		.device = device(),
		.gemm = { .provider = "clblast", .version = { .value = "1.5.3" }, .reason = "float32 is supported", .parameters = parameters,
			.parameter_count = COUNT(parameters), .tuned = true, .accumulation = "float32", .forms = forms, .form_count = 2,
			.temporary_bytes = 1000, .launches_per_pass = 6 },
		.ignored_variables = ignored, .ignored_variable_count = 1,
		.configuration = { .device = "opencl:0:1", .backend = "opencl", .view = "opencl/First Platform/clblast", .gemm = "auto",
			.dtype = "float32", .batch = 1, .context = 16, .width = 64, .hidden = 256, .warmup = 2, .repeats = FIXTURE_WARM,
			.seed = UINT64_MAX },
		.model = { layers, 3, 33088, 132352, 4096, 16384, 4096, 1048576 },
		.counters = { "opencl_pool", "this process", "at each phase", { .value = "DRM fdinfo" }, { .value = "this process" } },
		.timers = { "CLOCK_MONOTONIC", 1e-9, { .value = "opencl markers" }, { .value = 1.0001 } },
		.phases = rows(arena), .phase_count = FIXTURE_ROWS,
	};
	out->header.command = copy(arena, command, COUNT(command));
	out->device.selectors = copy(arena, selectors, COUNT(selectors));
	out->model.layers = copy(arena, layers, COUNT(layers));
	fill_results(out);
	ilab_measure_summarise(out, arena);
}
