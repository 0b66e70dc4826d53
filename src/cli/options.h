#ifndef ILAB_CLI_OPTIONS_H
#define ILAB_CLI_OPTIONS_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The one table of options. The parser, --help, the manual page and the shell completion are all made from it: adding an option
 * is a row of ilab_option_table, a member of struct ilab_options, and its use in the command. */

enum ilab_command_id { ILAB_COMMAND_ESTIMATE, ILAB_COMMAND_ENVIRONMENT, ILAB_COMMAND_MEASURE, ILAB_COMMAND_VALIDATE,
	ILAB_COMMAND_COST, ILAB_COMMAND_EXPORT,
	ILAB_COMMAND_COMPARE, ILAB_COMMAND_CEILINGS, ILAB_COMMAND_SUITE, ILAB_COMMAND_DIFF, ILAB_COMMAND_TUNE, ILAB_COMMAND_COUNT };

#define ILAB_FILE_LIST_MAX 2
struct ilab_file_list { const char *files[ILAB_FILE_LIST_MAX]; size_t count; };

/* What was asked for. A member that its command does not know keeps its zero. Texts point into argv or the table. */
struct ilab_options {
	enum ilab_command_id command;
	bool help, version, quiet, verbose, json;
	const char *module_dir;
	uint64_t parameters, bits, reserve_nano_gib;
	const char *device, *backend, *type;
	const char *views, *against, *cases, *ceilings, *test_slow_down;
	bool list, no_uuid, cold_cache, no_ceilings, accept_test_hook;
	uint64_t batch, context, width, hidden;      /* hidden 0: 4 * width */
	const char *dtype, *gemm;
	uint64_t warmup, repeats, seed, verify_rows;
	uint64_t rounds, fail_above_nano;
	uint64_t timeout_ns;                         /* 0: none */
	const char *output, *tuning;
	const char *gpu, *days, *tariffs, *break_even;
	uint64_t lots, accepted_results, accepted_per_day, other_accepted_per_day;   /* 0: not given */
	struct ilab_file_list measures;
	bool blank, graph;
	const char *const *files; size_t file_count;
	uint64_t given;                              /* bit i: row i of the table was on the command line */
};

enum ilab_option_kind {
	ILAB_OPTION_FLAG,      /* bool */
	ILAB_OPTION_TEXT,      /* const char *, not empty */
	ILAB_OPTION_FILE,      /* the same; cut to its base name in documents */
	ILAB_OPTION_FILES,     /* struct ilab_file_list; the option may be given as often as the list holds */
	ILAB_OPTION_CHOICE,    /* const char *, one of `choices` */
	ILAB_OPTION_WHOLE,     /* uint64_t from min to max */
	ILAB_OPTION_SUFFIXED,  /* the same, with K M G = 1000^n and Ki Mi Gi = 1024^n */
	ILAB_OPTION_DECIMAL,   /* uint64_t count of 10^-9, from min to max */
};

struct ilab_option {
	const char *name, *argument, *fallback;      /* fallback: the default, as a user would write it; NULL: none */
	unsigned commands, required;                 /* sets of commands: bit 1 << enum ilab_command_id */
	enum ilab_option_kind kind;
	uint64_t min, max;
	const char *const *choices;                  /* NULL-terminated */
	size_t member;                               /* offset in struct ilab_options */
	bool presentation;                           /* changes what is shown, not what is done: left out of documents */
	const char *help;
};
extern const struct ilab_option ilab_option_table[];
extern const size_t ilab_option_count;

/* Parse argv[2...] for a command. ILAB_REFUSED names the option and what it takes. With --help or --version, requirements are not
 * checked. Not reentrant (getopt_long keeps its state in globals). */
enum ilab_status ilab_options_parse(enum ilab_command_id command, int argc, char **argv, struct ilab_arena *arena,
	struct ilab_options *out, struct ilab_err *err);

/* The canonical command line for documents: the command, then the options that were given, in the order of the table, numbers in
 * plain digits, files cut to base names. */
const char **ilab_options_canonical(const struct ilab_options *options, struct ilab_arena *arena, size_t *count);

/* Texts made from the table, for stdout; owned by `arena`. */
const char *ilab_help_global(struct ilab_arena *arena);
/* What an option does, with its choices and default. */
const char *ilab_help_option(const struct ilab_option *o, bool required, struct ilab_arena *arena);
const char *ilab_help_command(enum ilab_command_id command, struct ilab_arena *arena);
const char *ilab_man_page(struct ilab_arena *arena);
const char *ilab_bash_completion(struct ilab_arena *arena);

#endif
