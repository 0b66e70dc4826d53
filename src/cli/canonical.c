#include "cli/options.h"

#include "base/numtext.h"
#include "cli/command.h"

#include <string.h>

/* A count of 10^-9 as the shortest decimal: 1500000000 is "1.5". */
static const char *decimal_text(struct ilab_arena *arena, uint64_t nano)
{
	char whole[ILAB_NUMTEXT_SIZE], part[ILAB_NUMTEXT_SIZE];
	ilab_format_u64(whole, sizeof(whole), nano / 1000000000);
	ilab_format_u64(part, sizeof(part), nano % 1000000000 + 1000000000);   /* a leading 1 keeps the zeros after the point */
	size_t length = strlen(part);
	while (length > 1 && part[length - 1] == '0')
		part[--length] = '\0';
	return length > 1 ? ilab_arena_printf(arena, "%s.%s", whole, part + 1) : ilab_arena_strdup(arena, whole);
}

static const char *base_name(struct ilab_arena *arena, const char *path)
{
	size_t end = strlen(path);
	while (end > 1 && path[end - 1] == '/')
		end--;
	size_t start = end;
	while (start && path[start - 1] != '/')
		start--;
	if (start == end)
		return path;           /* "/" */
	return ilab_arena_printf(arena, "%.*s", (int)(end - start), path + start);
}

static const char *value_text(struct ilab_arena *arena, const struct ilab_option *o, const struct ilab_options *options)
{
	const void *member = (const char *)options + o->member;
	char digits[ILAB_NUMTEXT_SIZE];
	switch (o->kind) {
	case ILAB_OPTION_FLAG:
		return NULL;
	case ILAB_OPTION_TEXT:
	case ILAB_OPTION_CHOICE:
		return *(const char *const *)member;
	case ILAB_OPTION_FILE:
		return base_name(arena, *(const char *const *)member);
	case ILAB_OPTION_DECIMAL:
		return decimal_text(arena, *(const uint64_t *)member);
	default:
		ilab_format_u64(digits, sizeof(digits), *(const uint64_t *)member);
		return ilab_arena_strdup(arena, digits);
	}
}

static size_t add_files(struct ilab_arena *arena, const struct ilab_option *o, const struct ilab_options *options, const char **list, size_t n)
{
	const struct ilab_file_list *files = (const void *)((const char *)options + o->member);
	for (size_t i = 0; i < files->count; i++) {
		list[n++] = ilab_arena_printf(arena, "--%s", o->name);
		list[n++] = base_name(arena, files->files[i]);
	}
	return n;
}

const char **ilab_options_canonical(const struct ilab_options *options, struct ilab_arena *arena, size_t *count)
{
	const char **list = ilab_arena_alloc(arena, (2 * ILAB_FILE_LIST_MAX * ilab_option_count + options->file_count + 1) * sizeof(*list));
	size_t n = 0;
	list[n++] = ilab_commands[options->command].name;
	for (size_t i = 0; i < ilab_option_count; i++) {
		const struct ilab_option *o = &ilab_option_table[i];
		if (!(options->given & (UINT64_C(1) << i)) || o->presentation)
			continue;
		if (o->kind == ILAB_OPTION_FILES) {
			n = add_files(arena, o, options, list, n);
			continue;
		}
		list[n++] = ilab_arena_printf(arena, "--%s", o->name);
		const char *value = value_text(arena, o, options);
		if (value)
			list[n++] = value;
	}
	for (size_t i = 0; i < options->file_count; i++)
		list[n++] = base_name(arena, options->files[i]);
	*count = n;
	return list;
}
