#include "result_fixture.h"

#include "base/numtext.h"
#include "result/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each invariant: a consistent record, one statement that contradicts it, and where the check must point. */

static const char *moved_selectors[] = { "opencl:0:1", "uuid:00000000-0102-0304-0506-0708090a0b0c", "name:x", "pci:0000:42:00.0" };
static const char *cpu_selectors[] = { "opencl:0:1", "cpu" }, *other_command[] = { "compare" }, *measure_command[] = { "measure" };

/* --- measure ------------------------------------------------------------------------------------------------------------ */

#define MEASURE_CASES(X) \
	X("tool.name", m->header.tool_name = "other") \
	X("started_utc", m->header.started_utc = "2026-13-01T06:29:46Z") \
	X("started_utc", m->header.started_utc = "2026-02-30T06:29:46Z") \
	X("started_utc", m->header.started_utc = "2025-02-29T06:29:46Z") \
	X("started_utc", m->header.started_utc = "2026-12-01T24:00:00Z") \
	X("started_utc", m->header.started_utc = "2026-12-01T06:60:00Z") \
	X("started_utc", m->header.started_utc = "2026-12-01T06:29:60Z") \
	X("started_utc", m->header.started_utc = "2026-12-01T06:29:46.Z") \
	X("started_utc", m->header.started_utc = "2026-12-01 06:29:46") \
	X("started_utc", m->header.started_utc = "2026-12-01T06:29:46+01:00") \
	X("total_seconds", m->header.total_seconds = -1) \
	X("total_seconds", m->header.total_seconds = 0.5) \
	X("configuration.view", m->configuration.view = "opencl/First Platform/builtin") \
	X("configuration.view", m->configuration.view = "opencl/Other/clblast") \
	X("configuration.view", m->configuration.view = "opencl") \
	X("configuration.view", m->configuration.view = "opencl/First Platform/clblast/") \
	X("configuration.backend", m->configuration.backend = "cuda") \
	X("configuration.device", m->configuration.device = "") \
	X("configuration.device", m->configuration.device = "opencl:0:0") \
	X("configuration.device", m->configuration.device = "name:Strange") \
	X("configuration.dtype", m->configuration.dtype = "tf32") \
	X("configuration.graph", m->configuration.graph = true) \
	X("environment.gemm.accumulation", m->gemm.accumulation = "float16") \
	X("environment.gemm.provider", (m->gemm.provider = "cublaslt", m->configuration.view = "opencl/First Platform/cublaslt")) \
	X("memory_counters.source", m->counters.source = "cuda_mempool") \
	X("command: ", m->header.command_count = 0) \
	X("command: ", m->header.command = other_command) \
	X("command: --batch", m->header.command[4] = "2") \
	X("command: --context", m->header.command[6] = "8") \
	X("command: --width", m->header.command[8] = "6x") \
	X("command: --seed", m->configuration.seed = 0) \
	X("command: --verify-rows", m->header.command[12] = "9") \
	X("command: --device", m->header.command[2] = "opencl:1:1") \
	X("command: --device", m->header.command[2] = "cuda:0") \
	X("command: --device", m->header.command[2] = "cpu") \
	X("command: --dtype", (m->header.command[11] = "--dtype", m->header.command[12] = "float16")) \
	X("command: --gemm", (m->header.command[11] = "--gemm", m->header.command[12] = "builtin")) \
	X("command: --backend", (m->header.command[11] = "--backend", m->header.command[12] = "hip")) \
	X("command: --warmup", (m->header.command[11] = "--warmup", m->header.command[12] = "0")) \
	X("command: --repeats", (m->header.command[11] = "--repeats", m->header.command[12] = "8")) \
	X("command: --hidden", (m->header.command[11] = "--hidden", m->header.command[12] = "255")) \
	X("command: --width is missing", m->header.command[7] = "--waist") \
	X("command: --device is missing", m->header.command_count = 1) \
	X("command: --batch 2", (m->header.command[11] = "--batch", m->header.command[12] = "2")) \
	X("command: --tuning is missing", m->header.command_count -= 2) \
	X("tool.modules", (m->header.tool_modules = m->header.command, m->header.tool_module_count = 1)) \
	X("environment.gemm.reason", m->gemm.reason = NULL) \
	X("environment.gemm.reason", m->configuration.gemm = "clblast") \
	X("environment.gemm.version", m->gemm.version.value = "1.6.0") \
	X("environment.backend.api_version", m->backend.api_version.value = "OpenCL 3.1") \
	X("environment.backend.api_version", m->device.api_version.reason = "unavailable: x") \
	X("environment.backend.runtime_version", m->backend.runtime_version = (struct ilab_text){ .value = "1" }) \
	X("environment.backend.floor_seconds", m->backend.floor_seconds = 0.26) \
	X("timers.host.resolution_seconds", m->timers.host_resolution_seconds = 1.5) \
	X("memory_counters.driver.scope", m->counters.driver_scope.reason = "unsupported: x") \
	X("phases[0].driver_used_bytes", m->counters.driver_source.reason = m->counters.driver_scope.reason = "unsupported: x") \
	X("telemetry.interval_seconds", m->telemetry.source.reason = "not-run: x") \
	X("telemetry.throttled", (m->telemetry.source.reason = m->telemetry.interval_seconds.reason = m->telemetry.clock_mhz.reason = "not-run: x", \
		m->telemetry.power_w.reason = "not-run: x")) \
	X("environment.host.logical_cores", m->host.logical_cores = 0) \
	X("environment.device.type", m->device.type = "cpu") \
	X("environment.device.selectors", m->device.selectors[1] = "cpu") \
	X("environment.device.selectors", m->device.selector_count = 3) \
	X("environment.device.selectors", m->device.selectors[1] = "name:x") \
	X("environment.device.selectors", m->device.selectors[1] = "uuid:00000000-0102-0304-0506-0708090a0b0d") \
	X("environment.device.selectors", m->device.selectors[2] = "Strange") \
	X("environment.device.selectors", m->device.selectors[3] = "pci:0000:42:00.0") \
	X("environment.device.total_memory_bytes", m->device.total_memory_bytes = 157927) \
	X("environment.device.max_allocation_bytes", m->device.max_allocation_bytes = 65535) \
	X("environment.gemm.forms", m->gemm.form_count = 1) \
	X("configuration.repeats", m->configuration.repeats = 0) \
	X("environment.gemm.provider", m->configuration.gemm = "builtin") \
	X("environment.device.backend", m->device.backend = "cuda") \
	X("environment.device.platform", m->device.platform = "Other") \
	X("environment.device.selector", m->device.selector = "opencl:0") \
	X("environment.device.selector", m->device.selector = "opencl:00:1") \
	X("environment.device.selectors", m->device.selector_count = 0) \
	X("environment.device.pci_address", m->device.pci_address.value = "41:00.0") \
	X("environment.device.uuid", m->device.uuid.value = "00000000-0102-0304-0506-0708090A0B0C") \
	X("environment.backend.setup_seconds", m->backend.setup_seconds = -0.1) \
	X("environment.backend.floor_seconds", m->backend.floor_seconds = -1) \
	X("environment.gemm.launches_per_pass", m->gemm.launches_per_pass = 0) \
	X("timers.host.resolution_seconds", m->timers.host_resolution_seconds = 0) \
	X("timers.device.calibration_ratio", m->timers.device_calibration_ratio.value = 0) \
	X("timers.device.calibration_ratio", m->timers.device_calibration_ratio.value = 0.69) \
	X("timers.device.calibration_ratio", m->timers.device_calibration_ratio.value = 1.11) \
	X("timers.device.source", m->timers.device_source.reason = "unsupported: no stamps") \
	X("phases[2].device_seconds", m->timers.device_calibration_ratio.reason = "invalid: stale") \
	X("phases[4].device_seconds", m->phases[4].device_seconds.value = 0.1022) \
	X("phases[4].device_seconds", m->phases[4].device_seconds.value = 0) \
	X("synthetic_model.layers", m->model.layer_count = 2) \
	X("synthetic_model.layers", m->model.layers[0] = "Linear(64, 255)") \
	X("synthetic_model.layers", m->model.layers[2] = "Linear(64, 256)") \
	X("synthetic_model.layers", m->model.layers[1] = "ReLU") \
	X("configuration: ", m->configuration.width = UINT64_MAX) \
	X("configuration: ", m->configuration.batch = 0) \
	X("synthetic_model.parameters", m->model.parameters++) \
	X("synthetic_model.parameter_bytes", m->model.parameter_bytes--) \
	X("synthetic_model.input_bytes", m->model.input_bytes++) \
	X("synthetic_model.hidden_bytes", m->model.hidden_bytes++) \
	X("synthetic_model.output_bytes", m->model.output_bytes++) \
	X("synthetic_model.flop_per_forward", m->model.flop_per_forward /= 2) \
	X("synthetic_model.parameter_bytes", m->configuration.dtype = "float16") \
	X("phases: ", m->phase_count--) \
	X("phases: ", m->configuration.repeats++) \
	X("phases: ", m->configuration.warmup = 0) \
	X("phases[0].phase", m->phases[0].phase = "inputs") \
	X("phases[3].phase", m->phases[3].phase = "warm_forward") \
	X("phases[4].repetition", m->phases[4].repetition = 0) \
	X("phases[6].repetition", m->phases[6].repetition = 2) \
	X("phases[2].repetition", m->phases[2].repetition = 1) \
	X("phases[1].seconds", m->phases[1].seconds = -1e-9) \
	X("phases[1].seconds", m->phases[1].seconds = 9e-10) \
	X("phases[1].seconds", m->phases[1].seconds = 1e-320) \
	X("phases[1].seconds", (m->phases[1].seconds = 1.1e9, m->header.total_seconds = 2e9)) \
	X("phases[4].device_seconds", m->phases[4].device_seconds.value = 11.6) \
	X("phases[4].device_seconds", m->phases[4].device_seconds.value = -0.1) \
	X("phases[4].baseline_allocated_bytes", m->phases[4].baseline_reserved_bytes--) \
	X("phases[4].end_allocated_bytes", m->phases[4].end_reserved_bytes = 140543) \
	X("phases[4].peak_allocated_bytes", m->phases[4].peak_reserved_bytes--) \
	X("phases[1].peak_allocated_bytes", m->phases[1].peak_allocated_bytes--) \
	X("phases[0].peak_reserved_bytes", m->phases[0].baseline_reserved_bytes = 132353) \
	X("phases[4].peak_reserved_bytes", m->phases[4].end_reserved_bytes = 157929) \
	X("phases[0].end_allocated_bytes", m->phases[0].end_allocated_bytes--) \
	X("phases[1].end_allocated_bytes", m->phases[1].end_allocated_bytes--) \
	X("phases[3].end_allocated_bytes", m->phases[3].end_allocated_bytes--) \
	X("phases[5].baseline_allocated_bytes", m->phases[5].baseline_allocated_bytes--) \
	X("phases[2].peak_allocated_bytes", m->gemm.temporary_bytes--) \
	X("phases[2].peak_allocated_bytes", m->gemm.temporary_bytes++) \
	X("phases[4].peak_allocated_bytes", m->phases[4].peak_allocated_bytes--) \
	X("phases[1].peak_allocated_bytes", (m->phases[1].peak_allocated_bytes++, m->phases[1].peak_reserved_bytes++)) \
	X("phases[0].baseline_allocated_bytes", (m->phases[0].baseline_allocated_bytes++, m->phases[0].baseline_reserved_bytes++)) \
	X("phases[3].output_checksum", m->phases[3].output_checksum = NULL) \
	X("phases[0].output_checksum", m->phases[0].output_checksum = "00000000deadbeef") \
	X("phases[7].output_checksum", m->phases[7].output_checksum = NULL) \
	X("verification.bound", m->verification.bound = 0) \
	X("verification.relative_error", m->verification.relative_error.value = m->verification.max_abs_error.value = 6e-6) \
	X("verification.relative_error", m->verification.relative_error.value = -1) \
	X("verification.bound", m->verification.bound *= 1.001) \
	X("verification.bound", m->verification.bound *= 0.999) \
	X("verification.bound", (m->verification.rows_checked = 2, m->verification.reference = "two", m->header.command_count = 11)) \
	X("verification.projection_error", m->verification.projection_error.value = 3.001e-5) \
	X("verification.max_abs_error", m->verification.max_abs_error.value = 6.1e-9) \
	X("verification.max_abs_error", m->verification.max_abs_error.value = 4e-4) \
	X("verification.max_abs_error", m->verification.max_abs_error.reason = "invalid: not finite") \
	X("verification.reference", m->verification.reference = "float64: 9 sampled rows") \
	X("verification.elements_checked", m->verification.elements_checked = 512) \
	X("verification.output_checksum", m->verification.output_checksum = "00000000deadbeee") \
	X("verification.output_checksum", m->phases[10].output_checksum = "00000000deadbeee") \
	X("verification.outputs_checked", m->phases[2].output_checksum = "00000000deadbeee") \
	X("verification.outputs_checked", m->phases[7].output_checksum = "00000000deadbeee") \
	X("verification.outputs_checked", m->verification.outputs_checked = 3) \
	X("verification.failure", (m->verification.status = "failed", m->summary.flop_per_second.reason = "invalid: not verified")) \
	X("verification.status", m->verification.relative_error.reason = m->verification.max_abs_error.reason = "invalid: not finite") \
	X("verification.projection_error", m->verification.projection_error.reason = "invalid: not finite") \
	X("verification.max_abs_error", m->verification.max_abs_error.value = -1) \
	X("verification.rows_checked", m->verification.rows_checked = 17) \
	X("verification.rows_checked", m->verification.rows_checked = 0) \
	X("verification.elements_checked", m->verification.elements_checked = 7) \
	X("verification.failure", m->verification.failure = "relative error") \
	X("summary.flop_per_second", m->verification.status = "failed") \
	X("summary.flop_per_second", m->summary.flop_per_second.value *= 2) \
	X("summary.flop_per_second", m->summary.flop_per_second.reason = "invalid: no") \
	X("summary.samples", m->summary.samples--) \
	X("summary.median_seconds", m->summary.median_seconds.value *= 1.001) \
	X("summary.min_seconds", m->summary.min_seconds.value = 0) \
	X("summary.max_seconds", m->summary.max_seconds.value = 1) \
	X("summary.mad_seconds", m->summary.mad_seconds.value = 0) \
	X("summary.ci_low_seconds", m->summary.ci_low_seconds.value = 0) \
	X("summary.ci_high_seconds", m->summary.ci_high_seconds.value = 1) \
	X("summary.ci_coverage", m->summary.ci_coverage.value = 0.95) \
	X("summary.drift_ratio", m->summary.drift_ratio.value = 1) \
	X("summary.outliers", m->summary.outliers.value += 1) \
	X("summary.device_median_seconds", m->summary.device_median_seconds.value = 1)



struct expectation { const char *path, *statement; };
static const struct expectation measure_cases[] = {
#define X(path, statement) { path, #statement },
	MEASURE_CASES(X)
#undef X
};

static void mutate_measure(struct ilab_measure *m, size_t which)
{
	size_t n = 0;

#define X(path, statement) if (n++ == which) { statement; }
	MEASURE_CASES(X)
#undef X
}

static void accepts_consistent_measures(void **state)
{
	struct ilab_arena arena = { 0 };
	struct ilab_err err = { 0 };
	struct ilab_measure m;
	(void)state;

	fixture_measure(&arena, &m);
	if (ilab_measure_check(&m, &err) != ILAB_OK)
		fail_msg("%s", err.text);
	m.header.started_utc = "2026-12-01T06:29:46.123Z";
	m.configuration.gemm = "clblast";
	m.gemm.reason = NULL;
	/* A device that is not repeatable to the last bit: the second output was checked too, or a third in the untimed pass. */
	m.phases[5].output_checksum = "00000000deadbeee";
	m.verification.outputs_checked = 2;
	if (ilab_measure_check(&m, &err) != ILAB_OK)
		fail_msg("%s", err.text);
	m.verification.outputs_checked = 3;
	m.verification.status = "failed";
	m.verification.relative_error = m.verification.max_abs_error = (struct ilab_real){ .reason = "invalid: not finite" };
	m.verification.projection_error.value = 1;
	m.verification.failure = "not finite";
	ilab_measure_summarise(&m, &arena);
	if (ilab_measure_check(&m, &err) != ILAB_OK)
		fail_msg("%s", err.text);
	ilab_arena_free(&arena);
}

static void refuses_contradicting_measures(void **state)
{
	(void)state;

	for (size_t i = 0; i < sizeof measure_cases / sizeof *measure_cases; i++) {
		struct ilab_arena arena = { 0 };
		struct ilab_err err = { 0 };
		struct ilab_measure m;
		fixture_measure(&arena, &m);
		mutate_measure(&m, i);
		if (ilab_measure_check(&m, &err) != ILAB_IO || strncmp(err.text, measure_cases[i].path, strlen(measure_cases[i].path)) != 0)
			fail_msg("%s: %s", measure_cases[i].statement, err.text);
		ilab_arena_free(&arena);
	}
}

/* --- environment --------------------------------------------------------------------------------------------------------- */

static void make_cpu(struct ilab_device *d)
{
	d->type = "cpu";
	d->selectors = cpu_selectors;
	d->selector_count = 2;
	d->pci_address.reason = d->uuid.reason = "unsupported: a CPU has none";
	d->pci_address.value = d->uuid.value = NULL;
}

#define ENVIRONMENT_CASES(X) \
	X("backends[0].reason", e->backends[0].reason = "unavailable: x") \
	X("backends[1].reason", e->backends[1].reason = NULL) \
	X("backends[0].state", (e->backends[0].state = "no-device", e->backends[0].reason = "x")) \
	X("backends[1].name", e->backends[1].backend = "opencl") \
	X("devices[1].selector", e->backends[0].devices[1].selector = "cuda:0") \
	X("devices[1].selector", (e->backends[0].devices[1].selector = "opencl:0:1", \
		e->backends[0].devices[1].selectors = cpu_selectors, \
		e->backends[0].devices[1].selector_count = 2, e->backends[0].platforms[0].name = e->backends[0].devices[1].platform, \
		e->backends[0].devices[0].platform = e->backends[0].devices[1].platform, e->backends[0].devices[1].platform_index = 0)) \
	X("devices[0].selectors", e->backends[0].devices[0].selector_count = 0) \
	X("devices[1].type", e->backends[0].devices[1].selector_count = 1) \
	X("host.logical_cores", e->host.logical_cores = 0) \
	X("started_utc", e->header.started_utc = "2026-04-31T00:00:00Z") \
	X("command", e->header.command = measure_command) \
	X("devices[0].pci_address", e->backends[0].devices[0].pci_address.value = "0000:41:00.00") \
	X("devices[0].pci_address", (e->backends[0].devices[0].selectors = moved_selectors, e->backends[0].devices[0].pci_address.value = "0000:42:00.0")) \
	X("devices[0].selectors", e->backends[0].devices[0].selector_count = 3) \
	X("devices[0].uuid", (e->physical[0].identity = "opencl:0:1", e->backends[0].devices[0].pci_address.reason = "unavailable: x", \
		e->backends[0].devices[0].pci_address.value = NULL, e->backends[0].devices[0].selector_count = 3)) \
	X("physical_devices[0].identity", (e->physical[0].identity = "uuid:00000000-0102-0304-0506-0708090a0b0d", \
		e->backends[0].devices[0].pci_address.reason = "unavailable: x", e->backends[0].devices[0].pci_address.value = NULL, \
		e->backends[0].devices[0].selector_count = 3)) \
	X("physical_devices[1].views", e->physical[1].view_count = 0) \
	X("physical_devices[0].views", (e->physical[0].views[0] = e->physical[1].views[0])) \
	X("physical_devices[0].views", (e->physical[0].views[1] = e->physical[1].views[0])) \
	X("physical_devices[0].views", (e->physical[0].views[1] = e->physical[0].views[0])) \
	X("tool.modules", e->header.tool_module_count = 0) \
	X("tool.modules", e->backends[2].modules = NULL) \
	X("tool.modules", e->backends[2].modules = "cuda.so") \
	X("tool.modules", e->backends[1].modules = "cuda.so") \
	X("platforms: opencl has index 1 twice", e->backends[0].platforms[0].index = 1) \
	X("devices[0].uuid", e->backends[0].devices[0].uuid.value = "0") \
	X("devices[0].physical", e->backends[0].devices[0].physical = 2) \
	X("devices[0].physical", e->backends[0].devices[0].physical = -1) \
	X("devices[0].type", e->backends[0].devices[0].type = "cpu") \
	X("devices[1].type", (e->backends[0].devices[1].type = "gpu", e->backends[0].devices[1].selector_count = 1)) \
	X("devices[1].selectors", e->backends[0].devices[1].type = "gpu") \
	X("devices[1].platform", e->backends[0].devices[1].platform = "First Platform") \
	X("devices[0].platform", e->backends[0].devices[0].platform = "Elsewhere") \
	X("physical_devices[0]", (e->backends[0].devices[0].physical = 1, make_cpu(&e->backends[0].devices[0]))) \
	X("physical_devices[1].identity", (e->physical[0].identity = "cpu", make_cpu(&e->backends[0].devices[0])))

static const struct expectation environment_cases[] = {
#define X(path, statement) { path, #statement },
	ENVIRONMENT_CASES(X)
#undef X
};

static void mutate_environment(struct ilab_environment *e, size_t which)
{
	size_t n = 0;

#define X(path, statement) if (n++ == which) { statement; }
	ENVIRONMENT_CASES(X)
#undef X
}

static void refuses_contradicting_environments(void **state)
{
	(void)state;

	for (size_t i = 0; i <= sizeof environment_cases / sizeof *environment_cases; i++) {
		struct ilab_arena arena = { 0 };
		struct ilab_err err = { 0 };
		struct ilab_environment e;
		bool good = i == sizeof environment_cases / sizeof *environment_cases;
		fixture_environment(&arena, &e);
		mutate_environment(&e, i);
		if ((ilab_environment_check(&e, &err) == ILAB_OK) != good)
			fail_msg("%s: %s", good ? "consistent" : environment_cases[i].statement, err.text);
		if (!good && strncmp(err.text, environment_cases[i].path, strlen(environment_cases[i].path)) != 0)
			fail_msg("%s: %s", environment_cases[i].statement, err.text);
		ilab_arena_free(&arena);
	}
}

/* Two parts of one card show its address both, and go by their UUIDs; without UUIDs both go by the address. */
static void accepts_parts_of_a_card(void **state)
{
	static const char *selectors[2][3] = {
		{ "opencl:0:0", "pci:0000:41:00.0", "uuid:00000000-0000-0000-0000-000000000001" },
		{ "opencl:0:1", "pci:0000:41:00.0", "uuid:00000000-0000-0000-0000-000000000002" },
	};
	struct ilab_arena arena = { 0 };
	struct ilab_err err = { 0 };
	struct ilab_environment e;
	(void)state;

	fixture_environment(&arena, &e);
	e.backends[0].devices[1] = e.backends[0].devices[0];
	e.physical[1] = e.physical[0];
	for (size_t i = 0; i < 2; i++) {
		struct ilab_device *d = &e.backends[0].devices[i];
		d->selector = selectors[i][0];
		d->selectors = selectors[i];
		d->selector_count = 3;
		d->physical = (int64_t)i;
		d->uuid.value = selectors[i][2] + strlen("uuid:");
		e.physical[i].identity = selectors[i][2];
	}
	if (ilab_environment_check(&e, &err) != ILAB_OK)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < 2; i++) {
		e.backends[0].devices[i].uuid = (struct ilab_text){ .reason = "unavailable: x" };
		e.backends[0].devices[i].selector_count = 2;
		e.physical[i].identity = selectors[i][1];
	}
	if (ilab_environment_check(&e, &err) != ILAB_OK)
		fail_msg("%s", err.text);
	/* Two platforms would be two ways to one card. */
	e.backends[0].platforms[1].name = "First Platform";
	e.backends[0].devices[1].platform_index = 1;
	assert_int_equal(ilab_environment_check(&e, &err), ILAB_IO);
	ilab_arena_free(&arena);
}

/* --- estimate ------------------------------------------------------------------------------------------------------------ */

static void recomputes_estimates(void **state)
{
	/* Bytes by hand: 3 parameters of 3 bits are 9 bits, 2 bytes; 1e-9 GiB are 1.07 bytes, so 2. */
	static const struct { uint64_t parameters, bits, nano; uint64_t weight, total; bool good; } rows[] = {
		{ 7000000000, 16, 4000000000, 14000000000, 18294967296, true },
		{ 3, 3, 0, 2, 2, true },
		{ 3, 3, 1, 2, 4, true },
		{ 1, 1, 0, 1, 1, true },
		{ 1, 64, 0, 8, 8, true },
		{ 3, 3, 0, 3, 3, false },
		{ 3, 3, 0, 2, 3, false },
		{ 3, 3, 1, 2, 3, false },
		{ 0, 3, 0, 0, 0, false },
		{ 3, 0, 0, 0, 0, false },
		{ 8, 65, 0, 65, 65, false },
		{ (uint64_t)INT64_MAX + 1, 8, 0, (uint64_t)INT64_MAX + 1, (uint64_t)INT64_MAX + 1, false },
	};
	char parameters[ILAB_NUMTEXT_SIZE], bits[ILAB_NUMTEXT_SIZE], reserve[32];
	const char *command[] = { "estimate", "--parameters", parameters, "--bits", bits, "--reserve-gib", reserve };
	struct ilab_estimate e;
	struct ilab_err err = { 0 };
	(void)state;

	fixture_estimate(&e);
	assert_int_equal(ilab_estimate_check(&e, &err), ILAB_OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		fixture_estimate(&e);
		ilab_err_clear(&err);
		ilab_format_u64(parameters, sizeof parameters, rows[i].parameters);
		ilab_format_u64(bits, sizeof bits, rows[i].bits);
		snprintf(reserve, sizeof reserve, "%" PRIu64 ".%09" PRIu64, rows[i].nano / 1000000000, rows[i].nano % 1000000000);
		e.header.command = command;
		e.header.command_count = rows[i].nano == 0 ? 5 : 7;
		e.parameters = rows[i].parameters;
		e.bits = rows[i].bits;
		e.reserve_nano_gib = rows[i].nano;
		e.weight_bytes = rows[i].weight;
		e.total_bytes = rows[i].total;
		if ((ilab_estimate_check(&e, &err) == ILAB_OK) != rows[i].good)
			fail_msg("row %zu: %s", i, err.text);
	}
	fixture_estimate(&e);
	e.assumption_count = 0;
	assert_int_equal(ilab_estimate_check(&e, &err), ILAB_IO);
	/* Without a stated reserve there is none. */
	for (size_t count = 1; count <= 5; count += 2) {
		fixture_estimate(&e);
		ilab_err_clear(&err);
		e.header.command_count = count;
		assert_int_equal(ilab_estimate_check(&e, &err), ILAB_IO);
		assert_int_equal(strncmp(err.text, "command: ", 9), 0);
	}
}

/* --- summary ------------------------------------------------------------------------------------------------------------- */

static void summarises(void **state)
{
	struct ilab_arena arena = { 0 };
	struct ilab_measure m;
	(void)state;

	/* Sorted: 0.001 0.011 0.012 0.0125 0.013 0.1 0.3; deviations from 0.0125: 0 0.0005 0.0005 0.0015 0.0115 0.0875 0.2875.
	 * n = 7: [x1, x7] covers 1 - 2/128. Thirds of two: (0.1+0.3)/2 and (0.001+0.0125)/2. Limit 5 * 1.4826 * 0.0015 = 0.0111. */
	fixture_measure(&arena, &m);
	assert_int_equal(m.summary.samples, 7);
	assert_true(m.summary.median_seconds.value == 0.0125);
	assert_true(m.summary.min_seconds.value == 0.001);
	assert_true(m.summary.max_seconds.value == 0.30000000000000004);
	assert_true(fabs(m.summary.mad_seconds.value - 0.0015) < 1e-15);
	assert_true(m.summary.ci_low_seconds.value == 0.001 && m.summary.ci_high_seconds.value == 0.30000000000000004);
	assert_true(m.summary.ci_coverage.value == 0.984375);
	assert_true(fabs(m.summary.drift_ratio.value - 0.00675 / 0.2) < 1e-12);
	assert_int_equal(m.summary.outliers.value, 3);
	assert_true(m.summary.flop_per_second.value == 1048576 / 0.0125);
	assert_true(m.summary.device_median_seconds.value == 0.0125 * 0.75);
	ilab_arena_free(&arena);
}

static void summarises_few(void **state)
{
	struct ilab_arena arena = { 0 };
	struct ilab_measure m;
	(void)state;

	fixture_measure(&arena, &m);
	m.phase_count = 4 + 5;
	m.phases[6].device_seconds.reason = "invalid: stale stamps";
	ilab_measure_summarise(&m, &arena);
	assert_true(m.summary.median_seconds.value == 0.013 && m.summary.median_seconds.reason == NULL);
	assert_null(m.summary.mad_seconds.reason);
	assert_int_equal(strncmp(m.summary.ci_low_seconds.reason, "too-few-samples: ", 17), 0);
	assert_int_equal(strncmp(m.summary.ci_coverage.reason, "too-few-samples: ", 17), 0);
	assert_int_equal(strncmp(m.summary.drift_ratio.reason, "too-few-samples: ", 17), 0);
	assert_int_equal(strncmp(m.summary.outliers.reason, "too-few-samples: ", 17), 0);
	assert_string_equal(m.summary.device_median_seconds.reason, "invalid: stale stamps");

	m.phase_count = 5;
	ilab_measure_summarise(&m, &arena);
	assert_int_equal(strncmp(m.summary.mad_seconds.reason, "too-few-samples: ", 17), 0);
	m.phases[4].seconds = 0;
	ilab_measure_summarise(&m, &arena);
	assert_int_equal(strncmp(m.summary.flop_per_second.reason, "invalid: ", 9), 0);

	m.phase_count = 4;
	ilab_measure_summarise(&m, &arena);
	assert_int_equal(m.summary.samples, 0);
	assert_int_equal(strncmp(m.summary.median_seconds.reason, "not-run: ", 9), 0);
	ilab_arena_free(&arena);
}

/* --- whole documents ----------------------------------------------------------------------------------------------------- */

static enum ilab_status validate_text(const char *text, const char *part)
{
	struct ilab_arena arena = { 0 };
	struct ilab_err err = { 0 };
	const char *schema;
	enum ilab_status status = ilab_document_validate(text, strlen(text), &arena, &schema, &err);

	if (part != NULL && strstr(err.text, part) == NULL)
		fail_msg("%s: %s", text, err.text);
	ilab_arena_free(&arena);
	return status;
}

static void validates_documents(void **state)
{
	struct ilab_arena arena = { 0 };
	struct ilab_measure m;
	cJSON *json;
	char *text;
	(void)state;

	fixture_measure(&arena, &m);
	json = ilab_measure_to_json(&m);
	text = ilab_json_text(json);
	assert_int_equal(validate_text(text, NULL), ILAB_OK);
	memcpy(strstr(text, "\"samples\": 7"), "\"samples\": 8", 12);
	assert_int_equal(validate_text(text, "summary.samples"), ILAB_IO);
	free(text);
	cJSON_Delete(json);
	ilab_arena_free(&arena);

	assert_int_equal(validate_text("[]", "expected an object"), ILAB_IO);
	assert_int_equal(validate_text("{}", "schema: missing"), ILAB_IO);
	assert_int_equal(validate_text("{\"schema\": 1}", "schema"), ILAB_IO);
	assert_int_equal(validate_text("{\"schema\": \"iteragpu-lab/measure/2\"}", "does not know"), ILAB_IO);
	assert_int_equal(validate_text("{\"schema\": \"iteragpu-lab/measure/01\"}", "does not know"), ILAB_IO);
	assert_int_equal(validate_text("{\"schema\": \"iteragpu-lab/dance/1\"}", "does not know"), ILAB_IO);
	assert_int_equal(validate_text("{\"schema\": \"iteragpu-lab/measur/1\"}", "does not know"), ILAB_IO);
	assert_int_equal(validate_text("{\"schema\": \"other/measure/1\"}", "not one of this program's"), ILAB_IO);
	assert_int_equal(validate_text("{\"schema\": \"iteragpu-lab/measure/1\"}", "tool: missing"), ILAB_IO);
	assert_int_equal(validate_text("{\"schema\": \"iteragpu-lab/measure/1\",", "too early"), ILAB_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_consistent_measures),
		cmocka_unit_test(refuses_contradicting_measures),
		cmocka_unit_test(refuses_contradicting_environments),
		cmocka_unit_test(accepts_parts_of_a_card),
		cmocka_unit_test(recomputes_estimates),
		cmocka_unit_test(summarises),
		cmocka_unit_test(summarises_few),
		cmocka_unit_test(validates_documents),
	};
	return cmocka_run_group_tests_name("result/check", tests, NULL, NULL);
}
