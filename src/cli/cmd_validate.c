#include "cli/command.h"

#include "result/document.h"

/* A line for each file on stdout; what is wrong, on stderr. The last error decides nothing: any failure is ILAB_IO. */
static bool valid(const struct ilab_context *context, const char *path, enum ilab_status *printed, struct ilab_err *err)
{
	struct ilab_err why = { 0 };
	char *text;
	size_t bytes;
	const char *schema = NULL;
	enum ilab_status status = ilab_document_read(path, context->arena, &text, &bytes, &why);
	if (status == ILAB_OK)
		status = ilab_document_validate(text, bytes, context->arena, &schema, &why);
	const char *shown = ilab_quoted(path, context->arena), *line = status == ILAB_OK ? ilab_arena_printf(context->arena, "%s: valid, %s\n", shown, schema)
		: ilab_arena_printf(context->arena, "%s: not valid: %s\n", shown, ilab_err_shown(&why));
	*printed = ilab_print_text(line, err);
	return status == ILAB_OK;
}

enum ilab_status ilab_cmd_validate(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err)
{
	size_t bad = 0;
	enum ilab_status printed = ILAB_OK;
	for (size_t i = 0; i < options->file_count && printed == ILAB_OK; i++)
		bad += !valid(context, options->files[i], &printed, err);
	if (printed != ILAB_OK || !bad)
		return printed;
	if (options->file_count == 1)
		return ilab_err_set(err, ILAB_IO, "", 0, "1 of 1 file is not valid");
	if (bad == 1)
		return ilab_err_set(err, ILAB_IO, "", 0, "1 of %zu files is not valid", options->file_count);
	return ilab_err_set(err, ILAB_IO, "", 0, "%zu of %zu files are not valid", bad, options->file_count);
}
