#include "cli/command.h"

#include "base/message.h"
#include "base/outfile.h"
#include "base/text_buffer.h"
#include "base/utf8.h"
#include "result/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum ilab_status ilab_print_text(const char *text, struct ilab_err *err)
{
	return ilab_write_all(STDOUT_FILENO, _("standard output"), text, strlen(text), err);
}

enum ilab_status ilab_print_json(cJSON *json, struct ilab_err *err)
{
	char *text = json ? ilab_json_text(json) : NULL;
	enum ilab_status status = text ? ilab_print_text(text, err)
		: ilab_err_set(err, ILAB_FAILED, "", 0, "out of host memory while writing the document");
	free(text);
	cJSON_Delete(json);
	return status;
}

const char *ilab_quoted(const char *text, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };
	bool strange = false;
	ilab_text_add(&b, "$'");
	for (size_t left = strlen(text), i = 0; left > 0;) {
		const size_t bytes = ilab_utf8_printable(text + i, left), step = bytes ? bytes : 1;
		if (!bytes)
			ilab_text_add(&b, text[i] == '\n' ? "\\n" : text[i] == '\t' ? "\\t" : "\\x%02x", (unsigned char)text[i]);
		else
			ilab_text_add(&b, "%s%.*s", text[i] == '\'' || text[i] == '\\' ? "\\" : "", (int)bytes, text + i);
		strange = strange || !bytes;
		i += step;
		left -= step;
	}
	ilab_text_add(&b, "'");
	return strange ? b.text : text;
}

static bool is_writable(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

enum ilab_status ilab_check_stdout(struct ilab_err *err)
{
	if (is_writable(STDOUT_FILENO))
		return ILAB_OK;
	return ilab_err_set(err, ILAB_IO, "", 0, "standard output is closed: results have nowhere to go");
}

void ilab_note(const char *format, ...)
{
	char text[1024] = "iteragpu-lab: ";
	size_t start = strlen(text);
	va_list args;
	va_start(args, format);
	vsnprintf(text + start, sizeof(text) - start - 1, _(format), args);
	va_end(args);
	ilab_utf8_clean(text);
	strcat(text, "\n");
	/* Nothing can be said about a stderr that is gone. */
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}
