#ifndef ILAB_CLI_COMMAND_H
#define ILAB_CLI_COMMAND_H

#include "base/arena.h"
#include "base/err.h"
#include "cli/options.h"
#include "result/record.h"

#include <cjson/cJSON.h>

/* What every command gets. */
struct ilab_context {
	struct ilab_arena *arena;          /* lives as long as the command */
	uint64_t started_ns;               /* ilab_clock_ns at start-up */
	const char *started_utc;
	char **environment;                /* of this process; the layers below read none */
};

/* A command does its work, prints its results on stdout and notes on stderr, and returns the exit status. On anything but ILAB_OK
 * it leaves one line in `err`, which main prints. */
typedef enum ilab_status ilab_command_fn(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err);

struct ilab_command {
	const char *name, *operands;       /* operands: NULL when it takes none, "[...]" when it can do without */
	const char *summary;               /* one line */
	const char *description;           /* for --help and the manual page; paragraphs end with a newline */
	ilab_command_fn *run;
	bool drives;                       /* starts workers, which take descriptors */
};
/* Indexed by enum ilab_command_id. */
extern const struct ilab_command ilab_commands[ILAB_COMMAND_COUNT];

ilab_command_fn ilab_cmd_estimate, ilab_cmd_environment, ilab_cmd_measure, ilab_cmd_validate, ilab_cmd_cost, ilab_cmd_export,
	ilab_cmd_compare, ilab_cmd_ceilings, ilab_cmd_tune, ilab_cmd_suite, ilab_cmd_diff;

/* Everything of a document's header but `schema` texts that only the caller knows; total_seconds is the time so far. `modules` are
 * base names of backend modules that were loaded. */
void ilab_header_fill(const struct ilab_context *context, const struct ilab_options *options, const char *schema,
	const char **modules, size_t module_count, struct ilab_header *out);

/* Print on stdout; a closed or full stdout is ILAB_IO. `json` is freed. */
enum ilab_status ilab_print_text(const char *text, struct ilab_err *err);
enum ilab_status ilab_print_json(cJSON *json, struct ilab_err *err);
/* A name for a line of its own on stdout: as it is, or, with controls or broken UTF-8 in it, as a shell takes it: $'new\nline'. */
const char *ilab_quoted(const char *text, struct ilab_arena *arena);
/* Refuse to work for a stdout that cannot be written to (closed, read-only): ILAB_IO. */
enum ilab_status ilab_check_stdout(struct ilab_err *err);
/* One line for people on stderr: "iteragpu-lab: TEXT", control characters replaced. */
void ilab_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
