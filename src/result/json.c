#include "result/json.h"

#include "base/numtext.h"
#include "base/utf8.h"
#include "result/json_scan.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers and strings out ------------------------------------------------------------------------------------------ */

cJSON *ilab_json_u64(uint64_t v)
{
	char text[ILAB_NUMTEXT_SIZE];

	ilab_format_u64(text, sizeof text, v);
	return cJSON_CreateRaw(text);
}

cJSON *ilab_json_u128(ilab_u128 v)
{
	char text[ILAB_NUMTEXT_SIZE];

	ilab_format_u128(text, sizeof text, v);
	return cJSON_CreateRaw(text);
}

cJSON *ilab_json_double(double v)
{
	char text[ILAB_NUMTEXT_SIZE];

	assert(isfinite(v));
	ilab_format_double(text, sizeof text, v);
	return cJSON_CreateRaw(text);
}

/* Bytes that are no UTF-8 become U+FFFD, one for each. */
static void copy_utf8(char *to, const char *from)
{
	size_t left = strlen(from);

	while (left > 0) {
		size_t step = ilab_utf8_sequence(from, left);
		if (step > 0) {
			memcpy(to, from, step);
			to += step;
		} else {
			memcpy(to, "\xEF\xBF\xBD", 3);
			to += 3;
			step = 1;
		}
		from += step;
		left -= step;
	}
	*to = '\0';
}

cJSON *ilab_json_string(const char *text)
{
	char *clean = malloc(3 * strlen(text) + 1);
	cJSON *item;

	if (clean == NULL)
		return NULL;
	copy_utf8(clean, text);
	item = cJSON_CreateString(clean);
	free(clean);
	return item;
}

/* --- text out --------------------------------------------------------------------------------------------------------- */

/* cJSON indents with tabs and writes one after each name. A tab within a string is always escaped, so every tab that stands
 * here is layout: two spaces at the start of a line, one after a name. */
static void copy_layout(char *to, const char *from)
{
	bool indent = true;

	for (; *from != '\0'; from++) {
		if (*from != '\t') {
			indent = *from == '\n';
			*to++ = *from;
			continue;
		}
		*to++ = ' ';
		if (indent)
			*to++ = ' ';
	}
	*to++ = '\n';
	*to = '\0';
}

char *ilab_json_text(const cJSON *json)
{
	char *tabs = cJSON_Print(json), *text;
	size_t extra = 0;

	if (tabs == NULL)
		return NULL;
	for (const char *p = tabs; *p != '\0'; p++)
		extra += *p == '\t';
	text = malloc(strlen(tabs) + extra + 2);
	if (text != NULL)
		copy_layout(text, tabs);
	cJSON_free(tabs);
	return text;
}

char *ilab_json_line(const cJSON *json)
{
	return cJSON_PrintUnformatted(json);
}

/* --- reading ---------------------------------------------------------------------------------------------------------- */

/* cJSON sees every number as `0` followed by spaces, so it can neither lose digits nor look at the locale. Its tree has the
 * order of the text: a walk over it meets the numbers and the names in the order in which the scan listed them. */
struct walk {
	const char *text;
	const struct ilab_json_scan *scan;
	size_t next_number, next_name;
	struct ilab_err *err;
};

struct named { const char *name; size_t index; };

static enum ilab_status no_memory(struct ilab_err *err)
{
	return ilab_err_set(err, ILAB_FAILED, "malloc", errno, "out of host memory while reading JSON");
}

static enum ilab_status attach_number(struct walk *w, cJSON *item)
{
	const struct ilab_json_span *span = &w->scan->numbers.at[w->next_number++];
	char *text = cJSON_malloc(span->bytes + 1);

	if (text == NULL)
		return no_memory(w->err);
	memcpy(text, w->text + span->offset, span->bytes);
	text[span->bytes] = '\0';
	item->type = cJSON_Raw;
	item->valuestring = text;
	return ILAB_OK;
}

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static enum ilab_status find_duplicate(const struct walk *w, struct named *names, size_t count)
{
	qsort(names, count, sizeof *names, compare_named);
	for (size_t i = 1; i < count; i++)
		if (strcmp(names[i - 1].name, names[i].name) == 0)
			return ilab_json_fault(w->text, w->scan->names.at[names[i].index].offset, "a member's name stands twice in one object", w->err);
	return ILAB_OK;
}

static enum ilab_status walk_tree(struct walk *w, cJSON *item)
{
	enum ilab_status status = ILAB_OK;
	struct named *names = NULL;
	size_t count = 0;

	if (cJSON_IsNumber(item))
		return attach_number(w, item);
	if (cJSON_IsObject(item) && item->child != NULL && (names = malloc((size_t)cJSON_GetArraySize(item) * sizeof *names)) == NULL)
		return no_memory(w->err);
	for (cJSON *child = item->child; child != NULL && status == ILAB_OK; child = child->next) {
		if (names != NULL)
			names[count++] = (struct named){ .name = child->string, .index = w->next_name++ };
		status = walk_tree(w, child);
	}
	if (status == ILAB_OK && names != NULL)
		status = find_duplicate(w, names, count);
	free(names);
	return status;
}

static char *blank_numbers(const char *text, size_t bytes, const struct ilab_json_scan *scan)
{
	char *copy = malloc(bytes + 1);

	if (copy == NULL)
		return NULL;
	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	for (size_t i = 0; i < scan->numbers.count; i++) {
		const struct ilab_json_span *span = &scan->numbers.at[i];
		memset(copy + span->offset, ' ', span->bytes);
		copy[span->offset] = '0';
	}
	return copy;
}

enum ilab_status ilab_json_read(const char *text, size_t bytes, cJSON **out, struct ilab_err *err)
{
	struct ilab_json_scan scan;
	struct walk walk = { .text = text, .scan = &scan, .err = err };
	char *copy = NULL;
	cJSON *tree = NULL;
	enum ilab_status status;

	*out = NULL;
	if ((status = ilab_json_scan(text, bytes, &scan, err)) != ILAB_OK)
		goto out;
	if ((copy = blank_numbers(text, bytes, &scan)) == NULL || (tree = cJSON_ParseWithLength(copy, bytes + 1)) == NULL) {
		status = no_memory(err);
		goto out;
	}
	if ((status = walk_tree(&walk, tree)) != ILAB_OK)
		goto out;
	assert(walk.next_number == scan.numbers.count && walk.next_name == scan.names.count);
	*out = tree;
	tree = NULL;
out:
	cJSON_Delete(tree);
	free(copy);
	ilab_json_scan_free(&scan);
	return status;
}

/* --- numbers in ------------------------------------------------------------------------------------------------------- */

const char *ilab_json_number_text(const cJSON *item)
{
	return item != NULL && (item->type & 0xFF) == cJSON_Raw ? item->valuestring : NULL;
}

/* Beyond it neighbouring integers share a double. */
#define EXACT_INTEGERS 0x1p53

const char *ilab_json_integer_text(const cJSON *item, char *buf)
{
	const char *text = ilab_json_number_text(item);
	double v;

	if (text == NULL || text[strspn(text, "-0123456789")] == '\0')
		return text;
	if (ilab_parse_double(text, &v) != ILAB_PARSE_OK || fabs(v) > EXACT_INTEGERS || v != trunc(v))
		return NULL;
	ilab_format_double(buf, ILAB_NUMTEXT_SIZE, v);
	return buf;
}

bool ilab_json_get_u128(const cJSON *item, ilab_u128 *out)
{
	char buf[ILAB_NUMTEXT_SIZE];
	const char *p = ilab_json_integer_text(item, buf);
	ilab_u128 v = 0;

	if (p == NULL || *p == '\0')
		return false;
	for (; *p != '\0'; p++)
		if (*p < '0' || *p > '9' || __builtin_mul_overflow(v, (ilab_u128)10, &v) || __builtin_add_overflow(v, (ilab_u128)(*p - '0'), &v))
			return false;
	*out = v;
	return true;
}

bool ilab_json_get_u64(const cJSON *item, uint64_t *out)
{
	ilab_u128 v;

	if (!ilab_json_get_u128(item, &v) || v > UINT64_MAX)
		return false;
	*out = (uint64_t)v;
	return true;
}

bool ilab_json_get_double(const cJSON *item, double *out)
{
	const char *text = ilab_json_number_text(item);

	return text != NULL && ilab_parse_double(text, out) == ILAB_PARSE_OK;
}

/* --- as this program writes it ------------------------------------------------------------------------------------------ */

static cJSON *canonical_number(const cJSON *read, const cJSON *ours)
{
	double said, is;
	const bool same = ilab_json_get_double(read, &said) && ilab_json_get_double(ours, &is) && said == is;

	return cJSON_CreateRaw(ilab_json_number_text(same ? ours : read));
}

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Known members take turns in the places where known members stand. */
static bool canonical_members(const cJSON *read, const cJSON *ours, cJSON *out)
{
	const cJSON *next = cJSON_IsObject(ours) ? ours->child : NULL;

	for (const cJSON *place = read->child; place != NULL; place = place->next) {
		const bool known = member(ours, place->string) != NULL;
		while (known && member(read, next->string) == NULL)
			next = next->next;
		const cJSON *from = known ? member(read, next->string) : place;
		cJSON *item = ilab_json_canonical(from, known ? next : NULL);
		if (item == NULL || !cJSON_AddItemToObject(out, from->string, item)) {
			cJSON_Delete(item);
			return false;
		}
		next = known ? next->next : next;
	}
	return true;
}

static bool canonical_elements(const cJSON *read, const cJSON *ours, cJSON *out)
{
	const cJSON *like = cJSON_IsArray(ours) ? ours->child : NULL;

	for (const cJSON *place = read->child; place != NULL; place = place->next, like = like != NULL ? like->next : NULL) {
		cJSON *item = ilab_json_canonical(place, like);
		if (item == NULL || !cJSON_AddItemToArray(out, item)) {
			cJSON_Delete(item);
			return false;
		}
	}
	return true;
}

cJSON *ilab_json_canonical(const cJSON *read, const cJSON *ours)
{
	const bool object = cJSON_IsObject(read);
	cJSON *out;

	if (ilab_json_number_text(read) != NULL)
		return canonical_number(read, ours);
	if (!object && !cJSON_IsArray(read))
		return cJSON_Duplicate(read, true);
	out = object ? cJSON_CreateObject() : cJSON_CreateArray();
	if (out != NULL && (object ? canonical_members(read, ours, out) : canonical_elements(read, ours, out)))
		return out;
	cJSON_Delete(out);
	return NULL;
}
