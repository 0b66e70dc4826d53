#include "cli/command.h"

#include "base/message.h"
#include "base/text_buffer.h"
#include "result/layout.h"

#include <string.h>

#define LEFT_COLUMNS 25

/* --help and the shell completion, from the tables of commands and options. */

/* Text of the tables, whose line ends mean nothing, to the width of a terminal. */
static void add_paragraph(struct ilab_text_buffer *b, const char *lead, const char *text)
{
	char *flat = ilab_arena_strdup(b->arena, text);
	for (char *c = flat; *c; c++)
		if (*c == '\n')
			*c = ' ';
	ilab_layout_wrap(b, lead, flat);
}

const char *ilab_help_option(const struct ilab_option *o, bool required, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };
	ilab_text_add(&b, "%s", _(o->help));
	for (const char *const *c = o->choices; c && *c; c++)
		ilab_text_add(&b, "%s%s", c == o->choices ? _("; one of ") : ", ", *c);
	if (required)
		ilab_text_add(&b, "%s", _(" (required)"));
	if (o->fallback)
		ilab_text_add(&b, _(" (default: %s)"), o->fallback);
	return b.text;
}

static void add_option(struct ilab_text_buffer *b, const struct ilab_option *o)
{
	const char *left = ilab_arena_printf(b->arena, "  --%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
	if (strlen(left) > LEFT_COLUMNS - 1) {         /* too long for its column: a line of its own */
		ilab_text_add(b, "%s\n", left);
		left = "";
	}
	add_paragraph(b, ilab_arena_printf(b->arena, "%-*s", LEFT_COLUMNS, left), ilab_help_option(o, false, b->arena));
}

/* Rows of a command, the required ones or the others. */
static void add_options(struct ilab_text_buffer *b, unsigned bit, bool required)
{
	for (size_t i = 0; i < ilab_option_count; i++) {
		const struct ilab_option *o = &ilab_option_table[i];
		if ((o->commands & bit) && !(o->required & bit) == !required)
			add_option(b, o);
	}
}

static bool has_required(unsigned bit)
{
	for (size_t i = 0; i < ilab_option_count; i++)
		if (ilab_option_table[i].required & bit)
			return true;
	return false;
}

const char *ilab_help_command(enum ilab_command_id command, struct ilab_arena *arena)
{
	const struct ilab_command *c = &ilab_commands[command];
	struct ilab_text_buffer b = { .arena = arena };
	ilab_text_add(&b, _("Usage: iteragpu-lab %s [OPTIONS]%s%s\n\n"), c->name, c->operands ? " " : "", c->operands ? c->operands : "");
	add_paragraph(&b, "", _(c->description));
	ilab_text_add(&b, "\n");
	if (has_required(1u << command)) {
		ilab_text_add(&b, "%s\n", _("Required:"));
		add_options(&b, 1u << command, true);
		ilab_text_add(&b, "\n");
	}
	ilab_text_add(&b, "%s\n", _("Options:"));
	add_options(&b, 1u << command, false);
	return b.text;
}

const char *ilab_help_global(struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };
	ilab_text_add(&b, "%s", _("Usage: iteragpu-lab COMMAND [OPTIONS]\n\n"
		"Measures a small synthetic network on a GPU of any vendor, phase by phase, and\nproves the result.\n\nCommands:\n"));
	for (size_t i = 0; i < ILAB_COMMAND_COUNT; i++)
		add_paragraph(&b, ilab_arena_printf(arena, "  %-13s ", ilab_commands[i].name), _(ilab_commands[i].summary));
	ilab_text_add(&b, "%s", _("\n`iteragpu-lab COMMAND --help` explains a command, --version shows the version,\n`man iteragpu-lab` has it all.\n"));
	return b.text;
}

const char *ilab_bash_completion(struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };
	ilab_text_add(&b, "# bash completion for iteragpu-lab\n_iteragpu_lab()\n{\n"
		"\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
		"\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\twords='");
	for (size_t i = 0; i < ILAB_COMMAND_COUNT; i++)
		ilab_text_add(&b, "%s ", ilab_commands[i].name);
	ilab_text_add(&b, "--help --version'\n\telse\n\t\tcase $before in\n");
	for (size_t i = 0; i < ilab_option_count; i++) {
		const struct ilab_option *o = &ilab_option_table[i];
		if (o->kind == ILAB_OPTION_CHOICE) {
			ilab_text_add(&b, "\t\t--%s) words='", o->name);
			for (const char *const *c = o->choices; *c; c++)
				ilab_text_add(&b, "%s%s", c == o->choices ? "" : " ", *c);
			ilab_text_add(&b, "' ;;\n");
		} else if (o->kind == ILAB_OPTION_FILE || o->kind == ILAB_OPTION_FILES) {
			ilab_text_add(&b, "\t\t--%s) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", o->name);
		} else if (!strcmp(o->name, "device")) {
			ilab_text_add(&b, "\t\t--device) words=$(\"$1\" environment --list 2>/dev/null) ;;\n");
		}
	}
	ilab_text_add(&b, "\t\t*) case ${COMP_WORDS[1]} in\n");
	for (size_t c = 0; c < ILAB_COMMAND_COUNT; c++) {
		ilab_text_add(&b, "\t\t\t%s) words='", ilab_commands[c].name);
		for (size_t i = 0; i < ilab_option_count; i++)
			if (ilab_option_table[i].commands & (1u << c))
				ilab_text_add(&b, "--%s ", ilab_option_table[i].name);
		ilab_text_add(&b, "' ;;\n");
	}
	ilab_text_add(&b, "\t\t\tesac ;;\n\t\tesac\n\tfi\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
		"\t[ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\"))\n}\ncomplete -F _iteragpu_lab iteragpu-lab\n");
	return b.text;
}
