#ifndef ILAB_RESULT_RECORD_H
#define ILAB_RESULT_RECORD_H

#include "base/arena.h"
#include "base/checked.h"
#include "model/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Plain records: what a worker found out, what a document says. The members follow the documents' fields by name
 * (docs/documents.md). Strings and rows are owned by the arena that the record was made with.
 *
 * A value that cannot be known carries a reason: one short English sentence beginning with a code of the closed list
 * "unsupported: " "unavailable: " "invalid: " "too-few-samples: " "not-run: ". reason == NULL means known. */
struct ilab_real { double value; const char *reason; };
struct ilab_count { uint64_t value; const char *reason; };
struct ilab_text { const char *value; const char *reason; };

struct ilab_library { const char *name, *version; };

/* --- devices --------------------------------------------------------------------------------------------------------- */

struct ilab_platform { const char *backend; uint32_t index; const char *name, *vendor, *version; };

struct ilab_device {
	const char *selector;          /* canonical: "opencl:0:0" "cuda:0" "hip:0" */
	const char *backend, *platform, *name, *vendor;
	const char *type;              /* "cpu" "gpu" "other"; a device whose type bits hold CPU is a CPU */
	uint32_t platform_index, device_index;   /* as in `selector`; not fields of the document */
	struct ilab_text pci_address;  /* "0000:01:00.0", lower-case hex */
	struct ilab_text uuid;         /* 8-4-4-4-12, lower-case hex */
	struct ilab_text driver_version, api_version, runtime_version;
	uint64_t total_memory_bytes, max_allocation_bytes, compute_units;
	const char **selectors; size_t selector_count;  /* every selector that reaches it; filled in by device/ */
	int64_t physical;              /* index into physical devices; filled in by device/ */
};

/* What one backend found: the answer to `enumerate`. */
struct ilab_listing {
	const char *backend;
	const char *state;             /* "ready" "no-device" "unavailable" */
	const char *reason;            /* NULL when ready */
	const char *modules;           /* how the backend got here: "built-in", or the base name of the module file, or NULL */
	struct ilab_text loader_name, loader_version;  /* OpenCL: which ICD loader answers */
	struct ilab_library *libraries; size_t library_count;
	struct ilab_platform *platforms; size_t platform_count;
	struct ilab_device *devices; size_t device_count;
	const char **advice; size_t advice_count;      /* sentences: an empty platform, a driver file that points nowhere ... */
};

struct ilab_physical { const char *identity; const char **views; size_t view_count; };

struct ilab_host { const char *os, *kernel, *cpu_model; uint64_t logical_cores; };

/* --- documents ------------------------------------------------------------------------------------------------------- */

/* First members of every document. */
struct ilab_header {
	const char *schema;            /* "iteragpu-lab/measure/1" */
	const char *tool_name, *tool_version;
	const char **tool_modules; size_t tool_module_count;
	const char *build_compiler; const char **build_features; size_t build_feature_count;
	const char **command; size_t command_count;
	const char *started_utc, *run_id;
	double total_seconds;
};

struct ilab_estimate {
	struct ilab_header header;
	uint64_t parameters, bits;
	uint64_t reserve_nano_gib;     /* the reserve as the user wrote it, in 10^-9 GiB */
	ilab_u128 weight_bytes, total_bytes;
	const char **assumptions; size_t assumption_count;
};

struct ilab_environment {
	struct ilab_header header;
	struct ilab_host host;
	struct ilab_text loader_name, loader_version;
	struct ilab_listing *backends; size_t backend_count;   /* devices and platforms of the document are theirs, in order */
	struct ilab_physical *physical; size_t physical_count;
	const char **advice; size_t advice_count;
};

/* --- measure --------------------------------------------------------------------------------------------------------- */

struct ilab_parameter { const char *name; const char *value; };    /* values of `parameters{}` are whole numbers or words */

struct ilab_gemm_record {
	const char *provider;          /* "clblast" "builtin" "cublaslt" "rocblas" */
	struct ilab_text version;
	const char *reason;            /* why this provider, one sentence; NULL when it was asked for by name */
	struct ilab_parameter *parameters; size_t parameter_count;
	bool tuned;
	const char *accumulation;      /* "float32" or "float16" */
	const char **forms; size_t form_count;       /* layout form per layer */
	uint64_t temporary_bytes;      /* largest amount alive at once in a pass */
	uint64_t launches_per_pass;
};

struct ilab_phase {
	const char *phase;             /* "model_load" "inputs" "cold_forward" "warmup" "warm_forward" */
	uint64_t repetition;           /* from 1 for warm_forward, 0 = does not apply */
	double seconds;                /* host clock */
	struct ilab_real device_seconds;
	uint64_t baseline_allocated_bytes, baseline_reserved_bytes;
	uint64_t end_allocated_bytes, end_reserved_bytes;
	uint64_t peak_allocated_bytes, peak_reserved_bytes;
	struct ilab_count driver_used_bytes;
	const char *output_checksum;   /* 16 hex digits; NULL for rows that are no forward pass */
};

/* Sampled rows of the output, as float, for comparing two runs' outputs. Travels from worker to parent; no field of a document. */
#define ILAB_SAMPLE_ROWS_MAX 64
struct ilab_sample { uint64_t rows, width; float *values; };   /* [rows][width]; values NULL: none */

struct ilab_measure {
	struct ilab_header header;
	struct ilab_host host;
	struct {
		const char *name, *platform;
		struct ilab_text api_version, runtime_version;
		struct ilab_library *libraries; size_t library_count;
		double setup_seconds;
		const char *kernel_cache;  /* "cold" "warm" "none" "unknown" */
		double floor_seconds;      /* an empty pass: sync, markers, no work */
	} backend;
	struct ilab_device device;
	struct ilab_gemm_record gemm;
	const char **ignored_variables; size_t ignored_variable_count;
	struct {
		const char *device, *backend, *view, *gemm, *dtype;
		uint64_t batch, context, width, hidden, warmup, repeats, seed;
		bool graph;              /* passes after cold_forward replay a recorded graph; its buffers are kept between them */
		uint64_t slow_down_billionths;   /* test hook: every phase was held up by this share of its time; 0: none */
	} configuration;
	struct {
		const char **layers; size_t layer_count;
		uint64_t parameters, parameter_bytes, input_bytes, hidden_bytes, output_bytes, flop_per_forward;
	} model;
	struct {
		const char *source, *scope, *reset;
		struct ilab_text driver_source, driver_scope;
	} counters;
	struct {
		const char *host_clock; double host_resolution_seconds;
		struct ilab_text device_source; struct ilab_real device_calibration_ratio;
	} timers;
	struct {
		const char *status;        /* "passed" "failed" */
		double bound;              /* on the norm ratio */
		struct ilab_real relative_error, max_abs_error, projection_error;   /* null when not finite, with "invalid: ..." */
		uint64_t rows_checked, elements_checked;
		uint64_t outputs_checked;  /* outputs with different bits that the passes gave, each of them checked in full */
		const char *weights_checksum, *inputs_checksum, *output_checksum;
		const char *reference;     /* what it was compared with, one sentence */
		const char *failure;       /* first part that failed, one sentence; NULL when passed */
	} verification;
	struct {
		uint64_t samples;
		struct ilab_real median_seconds, min_seconds, max_seconds, mad_seconds, ci_low_seconds, ci_high_seconds, ci_coverage;
		struct ilab_real drift_ratio;
		struct ilab_count outliers;
		struct ilab_real flop_per_second, device_median_seconds;
	} summary;
	struct {
		struct ilab_text source; struct ilab_real interval_seconds;
		struct ilab_real clock_mhz, temperature_c, power_w, energy_j_per_pass;   /* medians; the document holds {median} */
		struct ilab_text throttled;    /* words separated by commas (an array in the document); "" = it was not throttled */
	} telemetry;
	struct ilab_phase *phases; size_t phase_count;
	struct ilab_sample sample;
};

#endif
