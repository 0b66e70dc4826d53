#include "base/clock.h"
#include "cli/command.h"
#include "cli/language.h"
#include "harness/process.h"
#include "harness/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A closed standard stream would be reopened by the next open(): a document could end up there. stdout gets a descriptor that cannot
 * be written to, so that printing still fails. */
static void occupy_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			_exit(ILAB_IO);
}

/* What would lose the work that comes after it. A file is all that an `export --output` needs. */
static enum ilab_status check_process(enum ilab_command_id command, const struct ilab_options *options, struct ilab_err *err)
{
	enum ilab_status status = command == ILAB_COMMAND_EXPORT && options->output ? ILAB_OK : ilab_check_stdout(err);
	return status == ILAB_OK && ilab_commands[command].drives ? ilab_process_check_descriptors(err) : status;
}

static enum ilab_status without_command(int argc, char **argv, struct ilab_arena *arena, struct ilab_err *err)
{
	if (argc < 2)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "missing COMMAND; see `iteragpu-lab --help`");
	if (argc == 2 && !strcmp(argv[1], "--help"))
		return ilab_print_text(ilab_help_global(arena), err);
	for (size_t c = 0; argc == 3 && !strcmp(argv[1], "--help") && c < ILAB_COMMAND_COUNT; c++)
		if (!strcmp(argv[2], ilab_commands[c].name))
			return ilab_print_text(ilab_help_command((enum ilab_command_id)c, arena), err);
	if (argc > 2 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "--man")))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "%s stands alone, not with \"%.80s\"; see `iteragpu-lab --help`", argv[1], argv[2]);
	if (argc > 2 && !strcmp(argv[1], "--help"))
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "--help: unknown command \"%.80s\"; see `iteragpu-lab --help`", argv[2]);
	if (argc == 2 && !strcmp(argv[1], "--version"))
		return ilab_print_text("iteragpu-lab " ILAB_VERSION "\n", err);
	if (argc == 2 && !strcmp(argv[1], "--man"))
		return ilab_print_text(ilab_man_page(arena), err);
	if (argc == 3 && !strcmp(argv[1], "--completion") && !strcmp(argv[2], "bash"))
		return ilab_print_text(ilab_bash_completion(arena), err);
	if (argv[1][0] == '-')
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "unknown option \"%.80s\"; see `iteragpu-lab --help`", argv[1]);
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "unknown command \"%.80s\"; see `iteragpu-lab --help`", argv[1]);
}

static enum ilab_status run(int argc, char **argv, const struct ilab_context *context, struct ilab_err *err)
{
	size_t command = 0;
	while (command < ILAB_COMMAND_COUNT && (argc < 2 || strcmp(argv[1], ilab_commands[command].name) != 0))
		command++;
	if (command == ILAB_COMMAND_COUNT)
		return without_command(argc, argv, context->arena, err);
	struct ilab_options options;
	enum ilab_status status = ilab_options_parse((enum ilab_command_id)command, argc, argv, context->arena, &options, err);
	if (status != ILAB_OK)
		return status;
	if (options.help)
		return ilab_print_text(ilab_help_command((enum ilab_command_id)command, context->arena), err);
	if (options.version)
		return ilab_print_text("iteragpu-lab " ILAB_VERSION "\n", err);
	status = check_process((enum ilab_command_id)command, &options, err);
	return status == ILAB_OK ? ilab_commands[command].run(context, &options, err) : status;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--worker"))
		return ilab_worker_main();
	char utc[ILAB_UTC_SIZE];
	struct ilab_arena arena = { 0 };
	struct ilab_err err = { 0 };
	struct ilab_context context = { &arena, ilab_clock_ns(), utc, environ };
	ilab_clock_utc(utc, sizeof(utc));
	occupy_standard_streams();
	signal(SIGPIPE, SIG_IGN);   /* a reader that is gone is an error of the write, with a message; so is a file that may not grow */
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2 || strcmp(argv[1], "--man") != 0)      /* the manual page is in English */
		ilab_language_start(&arena);
	enum ilab_status status = run(argc, argv, &context, &err);
	if (err.text[0])
		ilab_note("%s", ilab_err_shown(&err));
	ilab_arena_free(&arena);
	return (int)status;
}
