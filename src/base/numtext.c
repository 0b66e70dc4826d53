#include "base/numtext.h"

#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program's locale decides the decimal mark of printf and strtod, so both run under the C locale, per thread. */
static locale_t c_locale;

static void make_c_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	assert(c_locale);
}

static locale_t the_c_locale(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, make_c_locale);
	return c_locale;
}

__attribute__((format(printf, 3, 4)))
static size_t print_c(char *buf, size_t size, const char *format, ...)
{
	locale_t before = uselocale(the_c_locale());
	va_list args;
	va_start(args, format);
	int length = vsnprintf(buf, size, format, args);
	va_end(args);
	uselocale(before);
	assert(length >= 0);
	return (size_t)length;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* --- reading ------------------------------------------------------------------------------------------------------- */

/* Append a decimal digit; false when the value passes 2^64-1. */
static bool push_digit(uint64_t *v, char digit)
{
	uint64_t tens;
	return ilab_checked_mul(*v, 10, &tens) && ilab_checked_add(tens, (uint64_t)(digit - '0'), v);
}

/* Read digits from *p and move it behind them. SYNTAX when there is none; on RANGE *p is behind the digits all the same, so
 * that wrong characters further on can be reported first. */
static enum ilab_parse read_digits(const char **p, uint64_t *v)
{
	if (!is_digit(**p))
		return ILAB_PARSE_SYNTAX;
	bool fits = true;
	for (; is_digit(**p); (*p)++)
		fits = fits && push_digit(v, **p);
	return fits ? ILAB_PARSE_OK : ILAB_PARSE_RANGE;
}

enum ilab_parse ilab_parse_u64(const char *text, uint64_t *out)
{
	if (!*text)
		return ILAB_PARSE_EMPTY;
	uint64_t v = 0;
	enum ilab_parse parse = read_digits(&text, &v);
	if (*text)
		return ILAB_PARSE_SYNTAX;
	if (parse == ILAB_PARSE_OK)
		*out = v;
	return parse;
}

static bool suffix_factor(const char *suffix, uint64_t *factor)
{
	static const struct { const char *name; uint64_t factor; } rows[] = {
		{ "", 1 },
		{ "K", 1000u }, { "M", 1000000u }, { "G", 1000000000u }, { "T", 1000000000000u },
		{ "Ki", 1ull << 10 }, { "Mi", 1ull << 20 }, { "Gi", 1ull << 30 }, { "Ti", 1ull << 40 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!strcmp(suffix, rows[i].name)) {
			*factor = rows[i].factor;
			return true;
		}
	}
	return false;
}

enum ilab_parse ilab_parse_u64_suffixed(const char *text, uint64_t *out)
{
	if (!*text)
		return ILAB_PARSE_EMPTY;
	uint64_t v = 0, factor;
	enum ilab_parse parse = read_digits(&text, &v);
	if (parse == ILAB_PARSE_SYNTAX || !suffix_factor(text, &factor))
		return ILAB_PARSE_SYNTAX;
	if (parse == ILAB_PARSE_RANGE || !ilab_checked_mul(v, factor, &v))
		return ILAB_PARSE_RANGE;
	*out = v;
	return ILAB_PARSE_OK;
}

enum ilab_parse ilab_parse_decimal(const char *text, unsigned places, uint64_t *scaled)
{
	assert(places >= 1 && places <= 9);
	if (!*text)
		return ILAB_PARSE_EMPTY;
	uint64_t v = 0;
	enum ilab_parse parse = read_digits(&text, &v);
	if (parse == ILAB_PARSE_SYNTAX)
		return parse;
	bool fits = parse == ILAB_PARSE_OK;
	unsigned decimals = 0;
	if (*text == '.') {
		for (text++; is_digit(*text); text++, decimals++)
			fits = fits && decimals < places && push_digit(&v, *text);
		if (decimals == 0)
			return ILAB_PARSE_SYNTAX;
	}
	if (*text || decimals > places)
		return ILAB_PARSE_SYNTAX;
	for (; decimals < places; decimals++)
		fits = fits && push_digit(&v, '0');
	if (!fits)
		return ILAB_PARSE_RANGE;
	*scaled = v;
	return ILAB_PARSE_OK;
}

static const char *skip_digits(const char *p)
{
	while (is_digit(*p))
		p++;
	return p;
}

/* RFC 8259, section 6: [ minus ] int [ frac ] [ exp ] */
static bool is_json_number(const char *p)
{
	if (*p == '-')
		p++;
	if (!is_digit(*p))
		return false;
	p = *p == '0' ? p + 1 : skip_digits(p);
	if (*p == '.') {
		if (!is_digit(p[1]))
			return false;
		p = skip_digits(p + 1);
	}
	if (*p == 'e' || *p == 'E') {
		p += p[1] == '+' || p[1] == '-' ? 2 : 1;
		if (!is_digit(*p))
			return false;
		p = skip_digits(p);
	}
	return !*p;
}

enum ilab_parse ilab_parse_double(const char *text, double *out)
{
	if (!*text)
		return ILAB_PARSE_EMPTY;
	if (!is_json_number(text))
		return ILAB_PARSE_SYNTAX;
	int before = errno;
	double v = strtod_l(text, NULL, the_c_locale());
	errno = before;                /* underflow to a denormal or zero is rounding, not an error */
	if (!isfinite(v))
		return ILAB_PARSE_RANGE;
	*out = v;
	return ILAB_PARSE_OK;
}

/* --- writing ------------------------------------------------------------------------------------------------------- */

size_t ilab_format_u64(char *buf, size_t size, uint64_t v)
{
	return ilab_format_u128(buf, size, v);
}

/* Decimal digits of `v`, ending before `end`; returns their start. 39 digits at most. */
static char *digits_before(char *end, ilab_u128 v)
{
	do {
		*--end = (char)('0' + (int)(v % 10));
		v /= 10;
	} while (v);
	return end;
}

size_t ilab_format_u128(char *buf, size_t size, ilab_u128 v)
{
	char digits[ILAB_NUMTEXT_SIZE];
	char *end = digits + sizeof(digits) - 1;
	*end = '\0';
	return print_c(buf, size, "%s", digits_before(end, v));
}

/* Significant digits that `v` needs to read back as itself, and its decimal exponent. 17 always suffice. */
static int shortest_digits(double v, int *exponent)
{
	char text[ILAB_NUMTEXT_SIZE];
	int digits = 1;
	for (; digits <= 17; digits++) {
		print_c(text, sizeof(text), "%.*e", digits - 1, v);
		if (strtod_l(text, NULL, the_c_locale()) == v)
			break;
	}
	*exponent = atoi(strchr(text, 'e') + 1);
	return digits;
}

size_t ilab_format_double(char *buf, size_t size, double v)
{
	assert(isfinite(v));
	int exponent, before = errno;
	int digits = shortest_digits(v, &exponent);
	errno = before;                /* reading a denormal back sets ERANGE */
	if (exponent < -5 || exponent > 15)
		return print_c(buf, size, "%.*e", digits - 1, v);
	return print_c(buf, size, "%.*f", digits - 1 > exponent ? digits - 1 - exponent : 0, v);
}

size_t ilab_format_fixed(char *buf, size_t size, double v, unsigned decimals)
{
	assert(isfinite(v));
	char text[ILAB_NUMTEXT_SIZE];
	size_t length = print_c(text, sizeof(text), "%.*f", (int)decimals, v);
	if (length < sizeof(text) && text[0] == '-' && strspn(text + 1, "0.") == length - 1)
		v = 0;                 /* "-0.00" would puzzle a reader */
	return print_c(buf, size, "%.*f", (int)decimals, v);
}

size_t ilab_format_hex64(char *buf, size_t size, uint64_t v)
{
	return print_c(buf, size, "%016llx", (unsigned long long)v);
}
