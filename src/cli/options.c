#include "cli/options.h"

#include "base/message.h"
#include "base/numtext.h"
#include "cli/command.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ESTIMATE (1u << ILAB_COMMAND_ESTIMATE)
#define ENVIRONMENT (1u << ILAB_COMMAND_ENVIRONMENT)
#define MEASURE (1u << ILAB_COMMAND_MEASURE)
#define VALIDATE (1u << ILAB_COMMAND_VALIDATE)
#define COST (1u << ILAB_COMMAND_COST)
#define EXPORT (1u << ILAB_COMMAND_EXPORT)
#define COMPARE (1u << ILAB_COMMAND_COMPARE)
#define CEILINGS (1u << ILAB_COMMAND_CEILINGS)
#define SUITE (1u << ILAB_COMMAND_SUITE)
#define DIFF (1u << ILAB_COMMAND_DIFF)
#define TUNE (1u << ILAB_COMMAND_TUNE)
#define RUNNING (MEASURE | COMPARE)                /* passes of one shape, given by the user */
#define SHAPED (RUNNING | TUNE)
#define DRIVING (SHAPED | CEILINGS | SUITE)        /* work on a device */
#define EVERY (ESTIMATE | ENVIRONMENT | DRIVING | VALIDATE | COST | EXPORT | DIFF)

#define MEMBER(m) .member = offsetof(struct ilab_options, m)
#define RANGE(low, high) .min = (low), .max = (high)
#define NANO UINT64_C(1000000000)

static const char *const backends[] = { "opencl", "cuda", "hip", NULL };
static const char *const dtypes[] = { "float32", "tf32", "float16", "bfloat16", NULL };
static const char *const gemms[] = { "auto", "clblast", "builtin", "cublaslt", "rocblas", NULL };
static const char *const durations[] = { "3", "7", "30", NULL };
static const char *const types[] = { "gpu", "cpu", NULL };

const struct ilab_option ilab_option_table[] = {
	{ "parameters", "N", NULL, ESTIMATE, ESTIMATE, ILAB_OPTION_SUFFIXED, RANGE(1, INT64_MAX), MEMBER(parameters),
		.help = N_("number of parameters, whole: 7G, not 7B or 1.5G; K M G T multiply by powers of 1000, Ki Mi Gi Ti by powers of 1024") },
	{ "bits", "B", NULL, ESTIMATE, ESTIMATE, ILAB_OPTION_WHOLE, RANGE(1, 64), MEMBER(bits),
		.help = N_("bits that one parameter takes") },
	{ "reserve-gib", "X", "0", ESTIMATE, 0, ILAB_OPTION_DECIMAL, RANGE(0, UINT64_MAX), MEMBER(reserve_nano_gib),
		.help = N_("memory to add for everything else, in GiB, with up to 9 decimals; your own guess") },
	{ "device", "SEL", NULL, ENVIRONMENT | DRIVING, DRIVING, ILAB_OPTION_TEXT, MEMBER(device),
		.help = N_("the device: opencl:P:D, cuda:N, hip:N, pci:DDDD:BB:DD.F, uuid:..., name:TEXT or cpu; for suite also all, every GPU") },
	{ "backend", "B", NULL, DRIVING, 0, ILAB_OPTION_CHOICE, .choices = backends, MEMBER(backend),
		.help = N_("the backend, where the selector leaves several") },
	{ "list", NULL, NULL, ENVIRONMENT, 0, ILAB_OPTION_FLAG, MEMBER(list), .presentation = true,
		.help = N_("print one selector a line and nothing else") },
	{ "type", "TYPE", NULL, ENVIRONMENT, 0, ILAB_OPTION_CHOICE, .choices = types, MEMBER(type), .presentation = true,
		.help = N_("with --list: devices of this type only") },
	{ "batch", "N", NULL, SHAPED, SHAPED, ILAB_OPTION_WHOLE, RANGE(1, INT64_MAX), MEMBER(batch),
		.help = N_("first dimension of the inputs") },
	{ "context", "N", NULL, SHAPED, SHAPED, ILAB_OPTION_WHOLE, RANGE(1, INT64_MAX), MEMBER(context),
		.help = N_("positions of one input; rows = batch * context") },
	{ "width", "N", NULL, SHAPED, SHAPED, ILAB_OPTION_WHOLE, RANGE(1, INT64_MAX), MEMBER(width),
		.help = N_("elements of one position") },
	{ "hidden", "N", NULL, SHAPED, 0, ILAB_OPTION_WHOLE, RANGE(1, INT64_MAX), MEMBER(hidden),
		.help = N_("elements between the two layers (default: 4 * width)") },
	{ "dtype", "TYPE", "float32", SHAPED, 0, ILAB_OPTION_CHOICE, .choices = dtypes, MEMBER(dtype),
		.help = N_("type of weights, inputs and outputs; products accumulate in float32") },
	{ "warmup", "N", "3", RUNNING, 0, ILAB_OPTION_WHOLE, RANGE(0, 1000000), MEMBER(warmup),
		.help = N_("passes before the repetitions") },
	{ "repeats", "N", "10", RUNNING, 0, ILAB_OPTION_WHOLE, RANGE(1, 100000), MEMBER(repeats),
		.help = N_("passes that count, a row each") },
	{ "seed", "N", "0", SHAPED, 0, ILAB_OPTION_WHOLE, RANGE(0, UINT64_MAX), MEMBER(seed),
		.help = N_("seed of weights and inputs") },
	{ "gemm", "NAME", "auto", SHAPED, 0, ILAB_OPTION_CHOICE, .choices = gemms, MEMBER(gemm),
		.help = N_("who multiplies matrices; a name is taken at its word and never replaced") },
	{ "verify-rows", "N", "8", SHAPED, 0, ILAB_OPTION_WHOLE, RANGE(1, 65536), MEMBER(verify_rows),
		.help = N_("output rows compared element by element with the float64 reference") },
	{ "tuning", "FILE", NULL, RUNNING, 0, ILAB_OPTION_FILE, MEMBER(tuning),
		.help = N_("use what `tune` found on this device with this driver and provider; entries for other products are ignored") },
	{ "graph", NULL, NULL, MEASURE, 0, ILAB_OPTION_FLAG, MEMBER(graph),
		.help = N_("record a pass once and replay it (CUDA, HIP); its buffers are then kept between passes, which the document says") },
	{ "timeout", "SECONDS", NULL, DRIVING, 0, ILAB_OPTION_DECIMAL, RANGE(1, 1000000 * NANO), MEMBER(timeout_ns),
		.help = N_("give up after this time (default: never; 600 s for each run where there are several)") },
	{ "cold-cache", NULL, NULL, DRIVING, 0, ILAB_OPTION_FLAG, MEMBER(cold_cache),
		.help = N_("let drivers start with an empty kernel cache, removed afterwards") },
	{ "no-uuid", NULL, NULL, ENVIRONMENT | DRIVING, 0, ILAB_OPTION_FLAG, MEMBER(no_uuid),
		.help = N_("leave device UUIDs out") },
	{ "views", "LIST", NULL, COMPARE | CEILINGS | SUITE, 0, ILAB_OPTION_TEXT, MEMBER(views),
		.help = N_("views to use, separated by commas, instead of all; one may stand there twice") },
	{ "against", "VIEW", NULL, COMPARE | SUITE, 0, ILAB_OPTION_TEXT, MEMBER(against),
		.help = N_("the view that the others are compared with (default: the vendor's own library, else the first that runs)") },
	{ "cases", "LIST", NULL, SUITE, 0, ILAB_OPTION_TEXT, MEMBER(cases),
		.help = N_("cases to run, separated by commas, instead of all: small, medium, large, or with a type: \"large float16\"") },
	{ "rounds", "N", "6", COMPARE, 0, ILAB_OPTION_WHOLE, RANGE(1, 1000), MEMBER(rounds),
		.help = N_("times that every view is run, each in a new process") },
	{ "ceilings", "FILE", NULL, COMPARE | SUITE, 0, ILAB_OPTION_FILE, MEMBER(ceilings),
		.help = N_("ceilings of this device from a saved document instead of measuring them") },
	{ "no-ceilings", NULL, NULL, COMPARE | SUITE, 0, ILAB_OPTION_FLAG, MEMBER(no_ceilings),
		.help = N_("do not measure ceilings; shares of them are then unknown") },
	{ "test-slow-down", "VIEW=PCT", NULL, COMPARE, 0, ILAB_OPTION_TEXT, MEMBER(test_slow_down),
		.help = N_("for tests of this program: hold a view's phases up by this percentage; the document says so") },
	{ "fail-above", "PCT", NULL, DIFF, 0, ILAB_OPTION_DECIMAL, RANGE(0, 1000 * NANO), MEMBER(fail_above_nano),
		.help = N_("end with 5 when a loss is larger than this percentage and beyond noise; never for rows that could not be compared") },
	{ "accept-test-hook", NULL, NULL, DIFF, 0, ILAB_OPTION_FLAG, MEMBER(accept_test_hook),
		.help = N_("take documents that --test-slow-down was used for") },
	{ "gpu", "MODEL", NULL, COST, COST, ILAB_OPTION_TEXT, MEMBER(gpu),
		.help = N_("model, as the price table names it") },
	{ "days", "N", NULL, COST, COST, ILAB_OPTION_CHOICE, .choices = durations, MEMBER(days),
		.help = N_("duration of the rental in days") },
	{ "lots", "N", NULL, COST, COST, ILAB_OPTION_WHOLE, RANGE(1, INT64_MAX), MEMBER(lots),
		.help = N_("how many lots; the price of a lot covers all its GPUs") },
	{ "accepted-results", "N", NULL, COST, 0, ILAB_OPTION_WHOLE, RANGE(1, INT64_MAX), MEMBER(accepted_results),
		.help = N_("distinct useful results of the whole rental that you accepted, your own count; without it no unit cost") },
	{ "tariffs", "FILE", NULL, COST, 0, ILAB_OPTION_FILE, MEMBER(tariffs),
		.help = N_("the price table (default: the first iteragpu-lab/tariffs.csv of the data folders)") },
	{ "break-even", "MODEL", NULL, COST, 0, ILAB_OPTION_TEXT, MEMBER(break_even),
		.help = N_("another model, for the same days and lots: from how many accepted results a day does it cost no more?") },
	{ "accepted-per-day", "N", NULL, COST, 0, ILAB_OPTION_WHOLE, RANGE(1, INT64_MAX), MEMBER(accepted_per_day),
		.help = N_("with --break-even: accepted results a day with --gpu, your own count") },
	{ "other-accepted-per-day", "N", NULL, COST, 0, ILAB_OPTION_WHOLE, RANGE(1, INT64_MAX), MEMBER(other_accepted_per_day),
		.help = N_("with --break-even: accepted results a day with the other model, your own count") },
	{ "measure", "FILE", NULL, COST, 0, ILAB_OPTION_FILES, MEMBER(measures),
		.help = N_("given twice, A then B: carry --accepted-results over by the measured ratio of two documents of the same work") },
	{ "blank", NULL, NULL, EXPORT, 0, ILAB_OPTION_FLAG, MEMBER(blank),
		.help = N_("write the empty grid, its header only") },
	{ "output", "FILE", NULL, DRIVING | EXPORT | DIFF, SHAPED | SUITE, ILAB_OPTION_FILE, MEMBER(output),
		.help = N_("where the result goes; a new name, never overwritten") },
	{ "json", NULL, NULL, ESTIMATE | ENVIRONMENT | DRIVING | COST | DIFF, 0, ILAB_OPTION_FLAG, MEMBER(json), .presentation = true,
		.help = N_("print one JSON document on stdout and nothing else") },
	{ "module-dir", "DIR", NULL, EVERY, 0, ILAB_OPTION_FILE, MEMBER(module_dir),
		.help = N_("the only folder to look for backend modules in") },
	{ "quiet", NULL, NULL, EVERY, 0, ILAB_OPTION_FLAG, MEMBER(quiet), .presentation = true,
		.help = N_("no progress and no notes") },
	{ "verbose", NULL, NULL, EVERY, 0, ILAB_OPTION_FLAG, MEMBER(verbose), .presentation = true,
		.help = N_("show on stderr what drivers print") },
	{ "help", NULL, NULL, EVERY, 0, ILAB_OPTION_FLAG, MEMBER(help), .presentation = true, .help = N_("show this text") },
	{ "version", NULL, NULL, EVERY, 0, ILAB_OPTION_FLAG, MEMBER(version), .presentation = true, .help = N_("show the version") },
};
const size_t ilab_option_count = sizeof(ilab_option_table) / sizeof(ilab_option_table[0]);

/* The parser's state, so that messages can name the command. */
struct parse {
	const char *command;
	unsigned bit;
	struct ilab_options *out;
	struct ilab_err *err;
};

static enum ilab_status usage(const struct parse *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static enum ilab_status usage(const struct parse *p, const char *format, ...)
{
	char text[320];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), _(format), args);
	va_end(args);
	return ilab_err_set(p->err, ILAB_REFUSED, "", 0, "%s: %s; see `iteragpu-lab %s --help`", p->command, text, p->command);
}

static void *member(const struct ilab_option *o, struct ilab_options *out)
{
	return (char *)out + o->member;
}

static enum ilab_status choice(const struct parse *p, const struct ilab_option *o, const char *value)
{
	char names[128] = "";
	for (const char *const *c = o->choices; *c; c++) {
		if (!strcmp(*c, value)) {
			*(const char **)member(o, p->out) = *c;
			return ILAB_OK;
		}
		size_t used = strlen(names);
		snprintf(names + used, sizeof(names) - used, "%s%s", c == o->choices ? "" : c[1] ? ", " : _(" or "), *c);
	}
	return usage(p, "--%s: \"%.80s\" is not %s", o->name, value, names);
}

static void range_text(const struct ilab_option *o, char *out, size_t size)
{
	char low[ILAB_NUMTEXT_SIZE], high[ILAB_NUMTEXT_SIZE];
	if (o->kind == ILAB_OPTION_DECIMAL) {
		ilab_format_u64(high, sizeof(high), o->max / NANO);
		snprintf(out, size, o->min ? _("a decimal number above 0 and up to %s with up to 9 decimals") : _("a decimal number from 0 to %s with up to 9 decimals"), high);
		return;
	}
	ilab_format_u64(low, sizeof(low), o->min);
	ilab_format_u64(high, sizeof(high), o->max);
	snprintf(out, size, _("a whole number from %s to %s%s"), low, high,
		o->kind == ILAB_OPTION_SUFFIXED ? _(", alone or with a suffix: K M G T (1000, 1000^2 ...) or Ki Mi Gi Ti (1024 ...)") : "");
}

static enum ilab_status number(const struct parse *p, const struct ilab_option *o, const char *value)
{
	uint64_t n = 0;
	char range[256];
	enum ilab_parse parsed = o->kind == ILAB_OPTION_DECIMAL ? ilab_parse_decimal(value, 9, &n)
		: o->kind == ILAB_OPTION_SUFFIXED ? ilab_parse_u64_suffixed(value, &n) : ilab_parse_u64(value, &n);
	if (parsed == ILAB_PARSE_OK && n >= o->min && n <= o->max) {
		*(uint64_t *)member(o, p->out) = n;
		return ILAB_OK;
	}
	range_text(o, range, sizeof(range));
	return usage(p, "--%s: \"%.60s\" is not allowed, it takes %s", o->name, value, range);
}

static enum ilab_status append(const struct parse *p, const struct ilab_option *o, const char *value)
{
	struct ilab_file_list *list = member(o, p->out);
	if (!*value)
		return usage(p, "--%s: the value is empty", o->name);
	if (list->count == ILAB_FILE_LIST_MAX)
		return usage(p, "--%s is given more than %d times", o->name, ILAB_FILE_LIST_MAX);
	list->files[list->count++] = value;
	return ILAB_OK;
}

static enum ilab_status assign(const struct parse *p, const struct ilab_option *o, const char *value)
{
	switch (o->kind) {
	case ILAB_OPTION_FLAG:
		*(bool *)member(o, p->out) = true;
		return ILAB_OK;
	case ILAB_OPTION_TEXT:
	case ILAB_OPTION_FILE:
		if (!*value)
			return usage(p, "--%s: the value is empty", o->name);
		*(const char **)member(o, p->out) = value;
		return ILAB_OK;
	case ILAB_OPTION_FILES:
		return append(p, o, value);
	case ILAB_OPTION_CHOICE:
		return choice(p, o, value);
	default:
		return number(p, o, value);
	}
}

/* getopt_long would take "--batc" for "--batch": an abbreviation in a script breaks when an option is added, so a name must be
 * whole. `element` is the argument as written. */
static const struct ilab_option *exact_option(const struct parse *p, const char *element)
{
	size_t length = strcspn(element + 2, "=");
	for (size_t i = 0; i < ilab_option_count; i++) {
		const struct ilab_option *o = &ilab_option_table[i];
		if ((o->commands & p->bit) && strlen(o->name) == length && !strncmp(o->name, element + 2, length))
			return o;
	}
	return NULL;
}

static enum ilab_status check_element(const struct parse *p, const char *element, const char *following, const struct ilab_option **option)
{
	bool has_value = strchr(element, '=') != NULL;
	*option = !strncmp(element, "--", 2) ? exact_option(p, element) : NULL;
	if (!*option)
		return usage(p, "unknown option %.80s", element);
	if ((*option)->kind != ILAB_OPTION_FILES && (p->out->given & (UINT64_C(1) << (*option - ilab_option_table))))
		return usage(p, "--%s is given twice", (*option)->name);
	if ((*option)->kind == ILAB_OPTION_FLAG)
		return has_value ? usage(p, "--%s takes no value", (*option)->name) : ILAB_OK;
	/* `--output --json`: a forgotten value, not a file named --json, which may be written --output=--json. */
	if (!has_value && (!following || !strncmp(following, "--", 2)))
		return usage(p, "--%s needs a value, %s", (*option)->name, (*option)->argument);
	return ILAB_OK;
}

static enum ilab_status check_required(const struct parse *p)
{
	char missing[200] = "";
	size_t left = 0;
	for (size_t i = 0; i < ilab_option_count; i++)
		left += (ilab_option_table[i].required & p->bit) && !(p->out->given & (UINT64_C(1) << i));
	for (size_t i = 0; i < ilab_option_count; i++) {
		const struct ilab_option *o = &ilab_option_table[i];
		size_t used = strlen(missing);
		if ((o->required & p->bit) && !(p->out->given & (UINT64_C(1) << i))) {
			left--;
			snprintf(missing + used, sizeof(missing) - used, "%s--%s", !used ? " " : left ? ", " : _(" and "), o->name);
		}
	}
	if (*missing)
		return usage(p, "missing%s", missing);
	const char *operands = ilab_commands[p->out->command].operands;
	if (operands && operands[0] != '[' && !p->out->file_count)
		return usage(p, "missing %s", operands);
	return ILAB_OK;
}

/* Defaults go through the same parser as what a user writes. */
static void set_fallbacks(const struct parse *p)
{
	for (size_t i = 0; i < ilab_option_count; i++)
		if ((ilab_option_table[i].commands & p->bit) && ilab_option_table[i].fallback)
			assign(p, &ilab_option_table[i], ilab_option_table[i].fallback);
}

static struct option *getopt_rows(unsigned bit, struct ilab_arena *arena)
{
	struct option *rows = ilab_arena_alloc(arena, (ilab_option_count + 1) * sizeof(*rows));
	size_t n = 0;
	for (size_t i = 0; i < ilab_option_count; i++) {
		const struct ilab_option *o = &ilab_option_table[i];
		if (o->commands & bit)
			rows[n++] = (struct option){ o->name, o->kind == ILAB_OPTION_FLAG ? no_argument : required_argument, NULL, 256 };
	}
	return rows;
}

static enum ilab_status parse_all(const struct parse *p, int argc, char **argv, const struct option *rows, const char **files)
{
	enum ilab_status status;
	opterr = 0;
	optind = 2;
	while (optind < argc) {
		const char *element = argv[optind];
		const struct ilab_option *option = NULL;
		if (element[0] == '-' && element[1] && strcmp(element, "--") != 0) {
			status = check_element(p, element, optind + 1 < argc ? argv[optind + 1] : NULL, &option);
			if (status != ILAB_OK)
				return status;
		}
		int code = getopt_long(argc, argv, "-", rows, NULL);   /* "-": an operand comes back as option 1, in order */
		if (code == -1)
			break;
		if (code == 1) {
			files[p->out->file_count++] = optarg;
			continue;
		}
		if (code != 256)
			return usage(p, "unknown option %.80s", element);
		p->out->given |= UINT64_C(1) << (option - ilab_option_table);
		status = assign(p, option, optarg);
		if (status != ILAB_OK)
			return status;
	}
	while (optind < argc)
		files[p->out->file_count++] = argv[optind++];
	return ILAB_OK;
}

enum ilab_status ilab_options_parse(enum ilab_command_id command, int argc, char **argv, struct ilab_arena *arena,
	struct ilab_options *out, struct ilab_err *err)
{
	*out = (struct ilab_options){ .command = command };
	struct parse p = { ilab_commands[command].name, 1u << command, out, err };
	const char **files = ilab_arena_alloc(arena, ((size_t)argc + 1) * sizeof(*files));
	set_fallbacks(&p);
	enum ilab_status status = parse_all(&p, argc, argv, getopt_rows(p.bit, arena), files);
	out->files = files;
	if (status != ILAB_OK || out->help || out->version)
		return status;
	if (out->file_count && !ilab_commands[command].operands)
		return usage(&p, "unexpected argument \"%.80s\"", files[0]);
	if (out->quiet && out->verbose)
		return usage(&p, "--quiet and --verbose exclude each other");
	return check_required(&p);
}
