#include "cli/language.h"

#include "base/message.h"

#include <stdbool.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

/* "locale" may also be a program in the same folder. */
static bool is_folder(struct ilab_arena *arena, const char *path)
{
	return access(ilab_arena_printf(arena, "%s/.", path), X_OK) == 0;
}

static const char *catalogues(struct ilab_arena *arena)
{
	char program[4096];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash = length > 0 ? (program[length] = '\0', strrchr(program, '/')) : NULL;
	if (!slash)
		return ILAB_LOCALEDIR;
	*slash = '\0';
	const char *beside = ilab_arena_printf(arena, "%s/locale", program), *moved = ilab_arena_printf(arena, "%s/../share/locale", program);
	return is_folder(arena, beside) ? beside : is_folder(arena, moved) ? moved : ILAB_LOCALEDIR;
}

void ilab_language_start(struct ilab_arena *arena)
{
	setlocale(LC_CTYPE, "");
	setlocale(LC_MESSAGES, "");        /* never LC_NUMERIC: numbers keep their point */
	ilab_message_start(catalogues(arena));
}
