#include "base/path.h"

#include <string.h>

const char *ilab_path_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

const char *ilab_path_cut(struct ilab_arena *arena, const char *text, const char *path)
{
	size_t length = strlen(path), folder = (size_t)(ilab_path_base(path) - path);
	char *out = ilab_arena_strdup(arena, text), *end = out;
	for (const char *from = text; *from;) {
		if (length && !strncmp(from, path, length))
			from += folder;        /* the base name itself is copied letter by letter */
		*end = *from;
		end += *from != '\0';
		from += *from != '\0';
	}
	*end = '\0';
	return out;
}
