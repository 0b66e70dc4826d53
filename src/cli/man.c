#include "cli/command.h"
#include "base/text_buffer.h"

#include <string.h>

/* The manual page in man(7) source: what is the same for every command is text below, the rest comes from the tables. */

static const char head[] =
	".TH ITERAGPU-LAB 1 \"\" \"iteragpu-lab " ILAB_VERSION "\" \"User Commands\"\n"
	".SH NAME\niteragpu\\-lab \\- measure a small synthetic network on a GPU of any vendor, verified\n"
	".SH SYNOPSIS\n.B iteragpu\\-lab\n.I COMMAND\n.RI [ OPTIONS ]\n"
	".SH DESCRIPTION\n"
	"Runs Linear, GELU, Linear on a device through OpenCL, CUDA or HIP, records time and memory of every phase, and compares the\n"
	"output with a float64 reference. A measurement is a JSON document; without a passed verification it holds no rate.\n"
	".PP\nOptions are long:\n.BI \\-\\-option \" value\"\nor\n.BI \\-\\-option= value\\fR,\nnever abbreviated, each at most once unless it says otherwise;\n"
	".B \\-\\-\nends them. Results go to standard output, everything else to standard error. Numbers use a point in every locale.\n";

static const char tail[] =
	".SH DEVICES\n"
	"A selector names a device. There is no default.\n"
	".TP\n.BR opencl:P:D \", \" cuda:N \", \" hip:N\none backend's device, by its index\n"
	".TP\n.B pci:DDDD:BB:DD.F\na physical device by its PCI address, through every backend that reaches it\n"
	".TP\n.B uuid:...\nby its UUID\n.TP\n.B name:TEXT\nby its name, or a part of it, without case\n"
	".TP\n.B cpu\nthe host's processors, through OpenCL\n"
	".SH EXIT STATUS\n"
	".TP\n.B 0\ndone\n.TP\n.B 1\nthe run failed on the device: driver error, out of memory, crash, time\\-out\n"
	".TP\n.B 2\nusage; or the device, backend, type or size asked for is not to be had, found before work starts\n"
	".TP\n.B 3\na file or stream: exists already, cannot be read, created or written; an invalid document\n"
	".TP\n.B 4\nverification failed; the document is written and says so\n"
	".TP\n.B 5\n.B diff\nfound a loss above\n.B \\-\\-fail\\-above\n"
	".TP\n.BR 130 \", \" 143\ninterrupted, terminated\n"
	".PP\n.B measure\nwrites a document only with 0 and 4.\n"
	".SH ENVIRONMENT\n"
	"Drivers read variables of their own, such as\n.BR OCL_ICD_VENDORS \" and \" POCL_CACHE_DIR .\n"
	"Variables that change arithmetic without a trace are taken away from the process that loads the drivers, and named in the\n"
	"document. Their values never are.\n"
	".TP\n.BR LANG \", \" LC_MESSAGES \", \" LANGUAGE\nthe language of messages, English or French; never that of numbers and documents\n"
	".TP\n.B TMPDIR\nwhere\n.B \\-\\-cold\\-cache\nmakes its folder\n"
	".TP\n.BR XDG_DATA_HOME \", \" XDG_DATA_DIRS \", \" HOME\nwhere\n.B cost\nlooks for\n.IR iteragpu\\-lab/tariffs.csv ,\nas the XDG base directory\n"
	"specification says, before the data folder that the program was installed with\n"
	".SH FILES\n"
	".TP\n.I FILE\nof\n.BR \\-\\-output :\na new file that appears complete or not at all; an existing name is refused before any work\n"
	".TP\n.IR cuda.so \", \" hip.so\nbackend modules, looked for in\n.I ../lib/iteragpu\\-lab\nbeside the program's folder, then in the\n"
	"library folder it was installed for, or only in\n.B \\-\\-module\\-dir\n"
	".TP\n.I tariffs.csv\nprices: CSV, UTF\\-8, header\n.BR model,gpus_per_lot,days,price_cents_usd,snapshot_date,source ,\n"
	"a row for each model and each of 3, 7 and 30 days, whole US cents. The table is checked as a whole. An example with\n"
	"invented prices is\n.IR " ILAB_DATADIR "/iteragpu\\-lab/tariffs.example.csv ;\nit is never used unless named\n"
	".TP\n.I /etc/OpenCL/vendors/*.icd\nthe OpenCL drivers of this machine\n"
	".SH EXAMPLES\n"
	"Weights of 7 billion parameters of 16 bits, with 4 GiB for everything else:\n"
	".PP\n.EX\niteragpu\\-lab estimate \\-\\-parameters 7G \\-\\-bits 16 \\-\\-reserve\\-gib 4\n.EE\n"
	".PP\nWhat is there, then a small measurement of it:\n"
	".PP\n.EX\niteragpu\\-lab environment\niteragpu\\-lab measure \\-\\-device opencl:0:0 \\-\\-batch 1 \\-\\-context 16 \\-\\-width 64 \\e\n"
	"    \\-\\-warmup 1 \\-\\-repeats 2 \\-\\-output small.json\niteragpu\\-lab validate small.json\n.EE\n";

/* Hyphens that a reader may copy are \-, a backslash or a leading point would be a request. */
static void add_roff(struct ilab_text_buffer *b, const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '-')
			ilab_text_add(b, "\\-");
		else if (*c == '\\')
			ilab_text_add(b, "\\e");
		else if ((*c == '.' || *c == '\'') && (c == text || c[-1] == '\n'))
			ilab_text_add(b, "\\&%c", *c);
		else
			ilab_text_add(b, "%c", *c);
	}
}

static void add_option(struct ilab_text_buffer *b, const struct ilab_option *o, bool required)
{
	ilab_text_add(b, ".TP\n.BI \\-\\-");
	add_roff(b, o->name);
	if (o->argument)
		ilab_text_add(b, " \" %s\"", o->argument);
	ilab_text_add(b, "\n");
	add_roff(b, ilab_help_option(o, required, b->arena));
	ilab_text_add(b, "\n");
}

const char *ilab_man_page(struct ilab_arena *arena)
{
	const unsigned every = (1u << ILAB_COMMAND_COUNT) - 1;
	struct ilab_text_buffer b = { .arena = arena };
	ilab_text_add(&b, "%s.SH COMMANDS\n", head);
	for (size_t c = 0; c < ILAB_COMMAND_COUNT; c++) {
		ilab_text_add(&b, ".SS %s%s%s\n", ilab_commands[c].name, ilab_commands[c].operands ? " " : "",
			ilab_commands[c].operands ? ilab_commands[c].operands : "");
		add_roff(&b, ilab_commands[c].description);
		for (size_t i = 0; i < ilab_option_count; i++)
			if ((ilab_option_table[i].commands & (1u << c)) && ilab_option_table[i].commands != every)
				add_option(&b, &ilab_option_table[i], ilab_option_table[i].required & (1u << c));
	}
	ilab_text_add(&b, ".SS every command\n");
	for (size_t i = 0; i < ilab_option_count; i++)
		if (ilab_option_table[i].commands == every)
			add_option(&b, &ilab_option_table[i], false);
	ilab_text_add(&b, "%s", tail);
	return b.text;
}
