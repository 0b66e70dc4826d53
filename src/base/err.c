#include "base/err.h"

#include "base/message.h"
#include "base/utf8.h"

#include <assert.h>
#include <locale.h>
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

static void write_text(char *out, size_t size, const char *format, va_list args)
{
	int length = vsnprintf(out, size, format, args);
	if (length < 0)
		snprintf(out, size, "an error whose text could not be written");
	else if ((size_t)length >= size)
		shorten(out, size);
	ilab_utf8_clean(out);
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
	write_text(err->text, sizeof(err->text), format, args);
	va_end(args);
	err->shown[0] = '\0';
	if (ilab_message_is_on()) {
		va_start(args, format);
		write_text(err->shown, sizeof(err->shown), ilab_message(format), args);
		va_end(args);
	}
	return status;
}

enum ilab_status ilab_err_pass(struct ilab_err *err, enum ilab_status status, const struct ilab_err *from)
{
	assert(status != ILAB_OK);
	if (err && err->status == ILAB_OK) {
		*err = *from;
		err->status = status;
	}
	return status;
}

const char *ilab_err_errno(int code)
{
	static locale_t english;
	if (!english)
		english = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	return english ? strerror_l(code, english) : "an error without a text";
}

const char *ilab_err_shown(const struct ilab_err *err)
{
	return err->shown[0] ? err->shown : err->text;
}

void ilab_err_clear(struct ilab_err *err)
{
	if (err)
		*err = (struct ilab_err){0};
}
