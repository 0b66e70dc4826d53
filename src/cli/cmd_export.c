#include "cli/command.h"

#include "base/outfile.h"
#include "cli/measure_file.h"
#include "cost/grid.h"

#include <stdlib.h>
#include <string.h>

static enum ilab_status check_options(const struct ilab_options *o, struct ilab_err *err)
{
	if (o->blank && o->file_count)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "export: --blank writes an empty grid and takes no FILE");
	if (!o->blank && !o->file_count)
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "export: missing FILE...; see `iteragpu-lab export --help`");
	return o->output ? ILAB_OK : ilab_check_stdout(err);
}

/* All files are read before anything is written: one bad file, no grid. */
static enum ilab_status make_grid(const struct ilab_context *context, const struct ilab_options *o, char **text, struct ilab_err *err)
{
	size_t bytes;
	enum ilab_status status = ILAB_OK;
	FILE *out = open_memstream(text, &bytes);
	if (!out)
		return ilab_err_set(err, ILAB_FAILED, "open_memstream", 0, "out of host memory while writing the grid");
	ilab_grid_header(out);
	for (size_t i = 0; i < o->file_count && status == ILAB_OK; i++) {
		struct ilab_measure m;
		status = ilab_measure_file_read(o->files[i], context->arena, &m, NULL, err);
		if (status == ILAB_OK)
			ilab_grid_measure(out, &m);
	}
	if (fclose(out) != 0 && status == ILAB_OK)
		status = ilab_err_set(err, ILAB_FAILED, "fclose", 0, "out of host memory while writing the grid");
	return status;
}

enum ilab_status ilab_cmd_export(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err)
{
	struct ilab_outfile *file = NULL;
	char *text = NULL;
	enum ilab_status status = check_options(options, err);
	if (status == ILAB_OK && options->output)
		status = ilab_outfile_open(options->output, &file, err);
	if (status == ILAB_OK)
		status = make_grid(context, options, &text, err);
	if (status == ILAB_OK && !file)
		status = ilab_print_text(text, err);
	if (status == ILAB_OK && file) {
		status = ilab_outfile_commit(file, text, strlen(text), err);
		file = NULL;
	}
	ilab_outfile_discard(file);
	free(text);
	return status;
}
