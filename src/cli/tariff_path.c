#include "cli/tariff_path.h"

#include "base/message.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#define NAME "iteragpu-lab/tariffs.csv"

static const char *variable(const struct ilab_context *context, const char *name)
{
	size_t length = strlen(name);
	for (char **v = context->environment; v && *v; v++)
		if (!strncmp(*v, name, length) && (*v)[length] == '=')
			return (*v)[length + 1] ? *v + length + 1 : NULL;
	return NULL;
}

/* The places looked at, for the message. */
struct search { struct ilab_arena *arena; const char *found, *first, *places; };

/* One folder. It must be absolute, as the base directory specification asks. A file that is there but cannot be read is found: reading
 * it will say so. */
static bool look_in(struct search *s, const char *folder, size_t length, const char *below)
{
	struct stat st;
	if (length == 0 || folder[0] != '/')
		return false;
	const char *path = ilab_arena_printf(s->arena, "%.*s%s/" NAME, (int)length, folder, below);
	if (s->places && strstr(s->places, path))
		return false;          /* the data folder is one of $XDG_DATA_DIRS */
	s->places = s->places ? ilab_arena_printf(s->arena, "%s, %s", s->places, path) : path;
	if (!s->first)
		s->first = path;
	if (lstat(path, &st) != 0)
		return false;
	s->found = path;
	return true;
}

static bool look_in_list(struct search *s, const char *folders)
{
	for (const char *end; *folders; folders = *end ? end + 1 : end) {
		end = folders + strcspn(folders, ":");
		if (look_in(s, folders, (size_t)(end - folders), ""))
			return true;
	}
	return false;
}

enum ilab_status ilab_tariff_path(const struct ilab_context *context, const char *option, const char **path, struct ilab_err *err)
{
	struct search s = { .arena = context->arena };
	const char *own = variable(context, "XDG_DATA_HOME"), *home = variable(context, "HOME"), *shared = variable(context, "XDG_DATA_DIRS");
	*path = option;
	if (option)
		return ILAB_OK;
	if ((own ? look_in(&s, own, strlen(own), "") : home && look_in(&s, home, strlen(home), "/.local/share"))
		|| look_in_list(&s, shared ? shared : "/usr/local/share:/usr/share") || look_in_list(&s, ILAB_DATADIR)) {
		*path = s.found;
		return ILAB_OK;
	}
	return ilab_err_set(err, ILAB_IO, "", 0, "no price table: give one with --tariffs FILE or save it as %s; an example with invented prices is "
		"%s/iteragpu-lab/tariffs.example.csv (data/tariffs.example.csv in the source); looked for %s", s.first ? s.first : NAME, ILAB_DATADIR,
		s.places ? s.places : _("nothing"));
}
