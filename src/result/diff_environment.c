#include "result/diff_environment.h"

#include "result/document.h"

#include <stdlib.h>
#include <string.h>

static const char *const sections[] = { "tool", "environment", "configuration", "memory_counters" };
/* Measured anew in every run, or indices that mean nothing elsewhere. */
static const char *const passing[] = { "setup_seconds", "floor_seconds", "kernel_cache", "selectors", "physical" };

static bool is_passing(const char *name)
{
	for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
		if (strcmp(name, passing[i]) == 0)
			return true;
	return false;
}

static const char *text_of(const cJSON *item, struct ilab_arena *arena)
{
	if (item == NULL)
		return NULL;
	if (cJSON_IsString(item))
		return ilab_arena_strdup(arena, item->valuestring);
	char *line = ilab_json_line(item);
	const char *copy = line != NULL ? ilab_arena_strdup(arena, line) : "";
	free(line);
	return copy;
}

static bool same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void add(const char *path, const cJSON *base, const cJSON *other, struct ilab_arena *arena, struct ilab_diff *out)
{
	const struct ilab_difference d = { path, text_of(base, arena), text_of(other, arena) };

	if (same_text(d.base, d.other))
		return;
	for (size_t i = 0; i < out->difference_count; i++)
		if (strcmp(out->differences[i].path, path) == 0 && same_text(out->differences[i].base, d.base) && same_text(out->differences[i].other, d.other))
			return;
	struct ilab_difference *grown = ilab_arena_alloc(arena, (out->difference_count + 1) * sizeof *grown);
	if (out->difference_count > 0)
		memcpy(grown, out->differences, out->difference_count * sizeof *grown);
	grown[out->difference_count++] = d;
	out->differences = grown;
}

/* Objects member by member; anything else as a whole. */
static void walk(const char *path, const cJSON *base, const cJSON *other, struct ilab_arena *arena, struct ilab_diff *out)
{
	const cJSON *item;

	if (!cJSON_IsObject(base) || !cJSON_IsObject(other)) {
		add(path, base, other, arena, out);
		return;
	}
	cJSON_ArrayForEach(item, base)
		if (!is_passing(item->string))
			walk(ilab_arena_printf(arena, "%s.%s", path, item->string), item, cJSON_GetObjectItemCaseSensitive(other, item->string), arena, out);
	cJSON_ArrayForEach(item, other)
		if (!is_passing(item->string) && cJSON_GetObjectItemCaseSensitive(base, item->string) == NULL)
			add(ilab_arena_printf(arena, "%s.%s", path, item->string), NULL, item, arena, out);
}

void ilab_diff_environment(const struct ilab_measure *base, const struct ilab_measure *other, struct ilab_arena *arena, struct ilab_diff *out)
{
	cJSON *a = ilab_measure_to_json(base), *b = ilab_measure_to_json(other);

	for (size_t i = 0; i < sizeof sections / sizeof *sections && a != NULL && b != NULL; i++)
		walk(sections[i], cJSON_GetObjectItemCaseSensitive(a, sections[i]), cJSON_GetObjectItemCaseSensitive(b, sections[i]), arena, out);
	cJSON_Delete(a);
	cJSON_Delete(b);
}
