#include "base/scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum ilab_status ilab_scratch_make(struct ilab_arena *arena, const char *parent, const char **path, struct ilab_err *err)
{
	char *made = ilab_arena_printf(arena, "%s/iteragpu-lab-XXXXXX", parent);
	if (!mkdtemp(made))
		return ilab_err_set(err, ILAB_IO, "mkdtemp", errno, "cannot make a temporary folder in %s: %s", parent, ilab_err_errno(errno));
	*path = made;
	return ILAB_OK;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info, (void)kind, (void)place;
	remove(path);                  /* go on: what stays is less the more is removed */
	return 0;
}

void ilab_scratch_remove(const char *path)
{
	if (path)
		nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
