#include "result/json_scan.h"

#include "base/numtext.h"
#include "base/utf8.h"
#include "result/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct scanner {
	const char *text;
	size_t bytes, at;
	unsigned depth;
	struct ilab_json_scan *out;
	struct ilab_err *err;
};

static enum ilab_status scan_value(struct scanner *s);

enum ilab_status ilab_json_fault(const char *text, size_t offset, const char *what, struct ilab_err *err)
{
	size_t line = 1, start = 0;

	for (size_t i = 0; i < offset; i++)
		if (text[i] == '\n') {
			line++;
			start = i + 1;
		}
	return ilab_err_set(err, ILAB_IO, NULL, 0, "line %zu, column %zu: %s", line, offset - start + 1, what);
}

static enum ilab_status fault(const struct scanner *s, const char *what)
{
	return ilab_json_fault(s->text, s->at, s->at >= s->bytes ? "the text ends too early" : what, s->err);
}

/* The byte at hand, or -1 at the end. */
static int peek(const struct scanner *s)
{
	return s->at < s->bytes ? (unsigned char)s->text[s->at] : -1;
}

static bool take(struct scanner *s, char c)
{
	if (peek(s) != c)
		return false;
	s->at++;
	return true;
}

static void skip_space(struct scanner *s)
{
	while (s->at < s->bytes && (s->text[s->at] == ' ' || s->text[s->at] == '\t' || s->text[s->at] == '\n' || s->text[s->at] == '\r'))
		s->at++;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static enum ilab_status keep(struct scanner *s, struct ilab_json_spans *spans, size_t offset)
{
	if (spans->count == spans->room) {
		size_t room = spans->room ? 2 * spans->room : 64;
		struct ilab_json_span *at = realloc(spans->at, room * sizeof *at);
		if (at == NULL)
			return ilab_err_set(s->err, ILAB_FAILED, "realloc", errno, "out of host memory while reading JSON");
		spans->at = at;
		spans->room = room;
	}
	spans->at[spans->count++] = (struct ilab_json_span){ .offset = offset, .bytes = s->at - offset };
	return ILAB_OK;
}

static bool skip_digits(struct scanner *s)
{
	size_t from = s->at;

	while (is_digit(peek(s)))
		s->at++;
	return s->at > from;
}

/* A number that no double holds would be read as infinity by most tools: refused. Only long or scaled ones can be. */
static bool overflows(const char *token, size_t bytes)
{
	char *copy, small[64];
	double ignored;
	bool over;

	if (bytes < 300 && memchr(token, 'e', bytes) == NULL && memchr(token, 'E', bytes) == NULL)
		return false;
	copy = bytes < sizeof small ? small : malloc(bytes + 1);
	if (copy == NULL)
		return true;
	memcpy(copy, token, bytes);
	copy[bytes] = '\0';
	over = ilab_parse_double(copy, &ignored) != ILAB_PARSE_OK;
	if (copy != small)
		free(copy);
	return over;
}

static enum ilab_status scan_number(struct scanner *s)
{
	size_t from = s->at;

	take(s, '-');
	if (take(s, '0')) {
		if (is_digit(peek(s)))
			return fault(s, "a number begins with a superfluous 0");
	} else if (!skip_digits(s)) {
		return fault(s, "expected a digit");
	}
	if (take(s, '.') && !skip_digits(s))
		return fault(s, "expected a digit after the decimal point");
	if (take(s, 'e') || take(s, 'E')) {
		if (!take(s, '+'))
			take(s, '-');
		if (!skip_digits(s))
			return fault(s, "expected a digit in the exponent");
	}
	if (overflows(s->text + from, s->at - from)) {
		s->at = from;
		return fault(s, "the number is too large");
	}
	return keep(s, &s->out->numbers, from);
}

/* Four hexadecimal digits; -1 when they are not there. */
static long scan_hex4(struct scanner *s)
{
	long v = 0;

	for (int i = 0; i < 4; i++, s->at++) {
		int c = peek(s);
		if (is_digit(c))
			v = 16 * v + (c - '0');
		else if (c >= 'a' && c <= 'f')
			v = 16 * v + (c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			v = 16 * v + (c - 'A' + 10);
		else
			return -1;
	}
	return v;
}

static enum ilab_status scan_escape(struct scanner *s)
{
	int c = peek(s);
	long high, low;

	if (c > 0 && strchr("\"\\/bfnrt", c) != NULL) {
		s->at++;
		return ILAB_OK;
	}
	if (!take(s, 'u'))
		return fault(s, "unknown escape in a string");
	high = scan_hex4(s);
	if (high < 0)
		return fault(s, "expected four hexadecimal digits");
	if (high == 0)
		return fault(s, "NUL in a string");
	if (high < 0xD800 || high > 0xDFFF)
		return ILAB_OK;
	if (high > 0xDBFF || !take(s, '\\') || !take(s, 'u'))
		return fault(s, "half of a surrogate pair in a string");
	low = scan_hex4(s);
	if (low < 0xDC00 || low > 0xDFFF)
		return fault(s, "half of a surrogate pair in a string");
	return ILAB_OK;
}

static enum ilab_status scan_string(struct scanner *s)
{
	if (!take(s, '"'))
		return fault(s, "expected a string");
	while (!take(s, '"')) {
		int c = peek(s);
		if (c >= 0 && c < 0x20)
			return fault(s, "raw control character in a string");
		if (take(s, '\\')) {
			enum ilab_status status = scan_escape(s);
			if (status != ILAB_OK)
				return status;
			continue;
		}
		size_t step = ilab_utf8_sequence(s->text + s->at, s->bytes - s->at);
		if (step == 0)
			return fault(s, "not valid UTF-8");
		s->at += step;
	}
	return ILAB_OK;
}

static enum ilab_status scan_word(struct scanner *s, const char *word)
{
	size_t length = strlen(word);

	if (s->bytes - s->at < length || memcmp(s->text + s->at, word, length) != 0)
		return fault(s, "expected a value");
	s->at += length;
	return ILAB_OK;
}

static enum ilab_status scan_member(struct scanner *s)
{
	size_t from;
	enum ilab_status status;

	skip_space(s);
	from = s->at;
	if ((status = scan_string(s)) != ILAB_OK || (status = keep(s, &s->out->names, from)) != ILAB_OK)
		return status;
	skip_space(s);
	if (!take(s, ':'))
		return fault(s, "expected ':' after a member's name");
	return scan_value(s);
}

/* After '{' or '[': members or elements up to `close`. */
static enum ilab_status scan_items(struct scanner *s, char close, enum ilab_status (*item)(struct scanner *))
{
	enum ilab_status status;

	if (++s->depth > ILAB_JSON_MAX_DEPTH) {
		s->at--;
		return fault(s, "nested too deeply");
	}
	skip_space(s);
	if (!take(s, close)) {
		do {
			if ((status = item(s)) != ILAB_OK)
				return status;
			skip_space(s);
		} while (take(s, ','));
		if (!take(s, close))
			return fault(s, close == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
	}
	s->depth--;
	return ILAB_OK;
}

static enum ilab_status scan_value(struct scanner *s)
{
	skip_space(s);
	switch (peek(s)) {
	case '{':
		s->at++;
		return scan_items(s, '}', scan_member);
	case '[':
		s->at++;
		return scan_items(s, ']', scan_value);
	case '"':
		return scan_string(s);
	case 't':
		return scan_word(s, "true");
	case 'f':
		return scan_word(s, "false");
	case 'n':
		return scan_word(s, "null");
	case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
		return scan_number(s);
	default:
		return fault(s, "expected a value");
	}
}

enum ilab_status ilab_json_scan(const char *text, size_t bytes, struct ilab_json_scan *out, struct ilab_err *err)
{
	struct scanner s = { .text = text, .bytes = bytes, .out = out, .err = err };
	enum ilab_status status;

	*out = (struct ilab_json_scan){ 0 };
	if (bytes > ILAB_JSON_MAX_BYTES)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%zu bytes of JSON, more than the limit of %zu", bytes, (size_t)ILAB_JSON_MAX_BYTES);
	status = scan_value(&s);
	if (status != ILAB_OK)
		return status;
	skip_space(&s);
	return s.at == s.bytes ? ILAB_OK : fault(&s, "text after the value");
}

void ilab_json_scan_free(struct ilab_json_scan *scan)
{
	free(scan->numbers.at);
	free(scan->names.at);
	*scan = (struct ilab_json_scan){ 0 };
}
