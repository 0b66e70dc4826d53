#include "cli/command.h"

/* The commands, in the order in which help lists them. */
const struct ilab_command ilab_commands[ILAB_COMMAND_COUNT] = {
	[ILAB_COMMAND_ESTIMATE] = {
		"estimate", NULL, "memory that a model's weights take, without any device",
		"Exact arithmetic: parameters times bits, rounded up to whole bytes once at the end, plus the reserve. It says what it\n"
		"leaves out, and does not predict whether a model fits.\n",
		ilab_cmd_estimate,
	},
	[ILAB_COMMAND_ENVIRONMENT] = {
		"environment", NULL, "backends, platforms and devices of this machine, and advice",
		"Asks every backend what it can reach. Devices that several backends or platforms reach are shown once as a physical\n"
		"device with its views. Without any GPU or driver it says what is missing and ends with 0.\n",
		ilab_cmd_environment,
	},
	[ILAB_COMMAND_MEASURE] = {
		"measure", NULL, "one bounded, verified measurement of the synthetic network on one device",
		"Loads Linear(width, hidden), GELU, Linear(hidden, width), runs it on inputs [batch, context, width], and records time\n"
		"and memory of every phase: model_load, inputs, cold_forward, warmup and each warm_forward. The output is compared with\n"
		"a float64 reference; without that proof there is no rate. There is no default device and no fallback: a request for a\n"
		"GPU never runs on a CPU.\n",
		ilab_cmd_measure,
	},
	[ILAB_COMMAND_VALIDATE] = {
		"validate", "FILE...", "check saved documents: structure, and figures that must agree",
		"One line for each file. Ends with 3 when any of them cannot be read or is not valid.\n",
		ilab_cmd_validate,
	},
};
