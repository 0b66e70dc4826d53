#include "cli/command.h"

#include "base/message.h"

/* The commands, in the order in which help lists them. */
const struct ilab_command ilab_commands[ILAB_COMMAND_COUNT] = {
	[ILAB_COMMAND_ESTIMATE] = {
		"estimate", NULL, N_("memory that a model's weights take, without any device"),
		N_("Exact arithmetic: parameters times bits, rounded up to whole bytes once at the end, plus the reserve. It says what it\n"
		"leaves out, and does not predict whether a model fits.\n"),
		ilab_cmd_estimate, false,
	},
	[ILAB_COMMAND_ENVIRONMENT] = {
		"environment", NULL, N_("backends, platforms and devices of this machine, and advice"),
		N_("Asks every backend what it can reach. Devices that several backends or platforms reach are shown once as a physical\n"
		"device with its views. Without any GPU or driver it says what is missing and ends with 0.\n"),
		ilab_cmd_environment, true,
	},
	[ILAB_COMMAND_MEASURE] = {
		"measure", NULL, N_("one bounded, verified measurement of the synthetic network on one device"),
		N_("Loads Linear(width, hidden), GELU, Linear(hidden, width), runs it on inputs [batch, context, width], and records time\n"
		"and memory of every phase: model_load, inputs, cold_forward, warmup and each warm_forward. The output is compared with\n"
		"a float64 reference; without that proof there is no rate. There is no default device and no fallback: a request for a\n"
		"GPU never runs on a CPU.\n"),
		ilab_cmd_measure, true,
	},
	[ILAB_COMMAND_VALIDATE] = {
		"validate", "FILE...", N_("check saved documents: structure, and figures that must agree"),
		N_("One line for each file. Ends with 3 when any of them cannot be read or is not valid.\n"),
		ilab_cmd_validate, false,
	},
	[ILAB_COMMAND_COST] = {
		"cost", NULL, N_("flat-rate price of a rental, and the cost of a result that you accepted"),
		N_("Whole US cents: lots times the price of a lot, which covers all its GPUs for 3, 7 or 30 days. No pro-rata, no hourly price, no\n"
		"other currency. The cost of a result is an exact ratio, and a decimal of six places rounded half to even. What was accepted\n"
		"is your own count of distinct useful results; nothing here measures quality. A price table proves neither\n"
		"availability nor reservation.\n"),
		ilab_cmd_cost, false,
	},
	[ILAB_COMMAND_EXPORT] = {
		"export", "[FILE...]", N_("saved measurements as a results grid, a CSV line for each forward pass"),
		N_("A line for the cold_forward and each warm_forward, RFC 4180 with CRLF; the last five columns are left for your own\n"
		"judgement. Without --output the grid goes to standard output. One bad FILE, and nothing is written.\n"),
		ilab_cmd_export, false,
	},
	[ILAB_COMMAND_COMPARE] = {
		"compare", NULL, N_("every view of one physical device side by side, with a verdict on each phase"),
		/* xgettext:no-c-format */
		N_("Measures the same shape through every backend, platform and provider that reaches the device, each run in a new process, in\n"
		"balanced order over the rounds. A view that cannot run it, fails, crashes or hangs becomes a row with its reason; the\n"
		"others go on. Ratios are of time, against one of the views; a verdict needs a difference beyond 2 % that is no noise.\n"
		"Name a view twice with --views and it is compared with itself: a check of this program.\n"),
		ilab_cmd_compare, true,
	},
	[ILAB_COMMAND_CEILINGS] = {
		"ceilings", NULL, N_("copy bandwidth and arithmetic rates that a device reaches at best"),
		N_("Copies, multiply-adds and matrix units with nothing in the way, each checked and repeated, and a verified pass of a large\n"
		"network through every provider, in every type. The best of all is the ceiling that `compare` puts rates beside.\n"),
		ilab_cmd_ceilings, true,
	},
	[ILAB_COMMAND_SUITE] = {
		"suite", NULL, N_("a fixed, versioned set of comparisons: small, medium and large shapes in every type"),
		N_("For putting devices beside each other: the same cases everywhere, smaller by rule on a CPU. --device all runs the large cases\n"
		"on every GPU of the host, one after the other and then all at once, and shows the odd one out.\n"),
		ilab_cmd_suite, true,
	},
	[ILAB_COMMAND_DIFF] = {
		"diff", "BASE NEW...", N_("saved documents side by side, across devices and vendors"),
		N_("Prints what differs in environment and configuration, compares what is comparable, and lists the rest with its reason. BASE\n"
		"and NEW are documents of measure, compare or suite. Different shapes, types or seeds, and runs that were not verified, are\n"
		"not comparable and give no ratio. --fail-above is for scripts: it never fails for a gain, nor for noise,\n"
		"nor for rows that could not be compared; a base row without a counterpart to compare is then counted on stderr.\n"),
		ilab_cmd_diff, false,
	},
	[ILAB_COMMAND_TUNE] = {
		"tune", NULL, N_("search for faster algorithms of one shape's two products on one device"),
		N_("Times the provider's candidates against its own choice, keeps what is faster by more than noise and computes the same, and\n"
		"verifies the outcome by a whole measurement. The file is for `measure --tuning`, on this device with this driver and\n"
		"provider. Without any gain its list of entries is empty.\n"),
		ilab_cmd_tune, true,
	},
};
