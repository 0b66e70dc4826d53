#include "base/err.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Shorten `text`, which fills its buffer, so that "..." fits and no UTF-8 character is cut in two. */
static void shorten(char *text, size_t size)
{
	size_t end = size - sizeof("...");
	for (int back = 0; back < 3 && end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80; back++)
		end--;
	strcpy(text + end, "...");
}

enum ilab_status ilab_err_set(struct ilab_err *err, enum ilab_status status, const char *call, long code, const char *format, ...)
{
	assert(status != ILAB_OK);
	if (!err || err->status != ILAB_OK)
		return status;
	err->status = status;
	err->code = code;
	snprintf(err->call, sizeof(err->call), "%s", call ? call : "");

	va_list args;
	va_start(args, format);
	int length = vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	if (length < 0)
		snprintf(err->text, sizeof(err->text), "an error whose text could not be written");
	else if ((size_t)length >= sizeof(err->text))
		shorten(err->text, sizeof(err->text));
	ilab_utf8_clean(err->text);
	return status;
}

void ilab_err_clear(struct ilab_err *err)
{
	if (err)
		*err = (struct ilab_err){0};
}
