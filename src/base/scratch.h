#ifndef ILAB_BASE_SCRATCH_H
#define ILAB_BASE_SCRATCH_H

#include "base/arena.h"
#include "base/err.h"

/* A temporary folder of our own below `parent`, readable by this user only. Its path goes into `arena`. ILAB_IO when it cannot be made. */
enum ilab_status ilab_scratch_make(struct ilab_arena *arena, const char *parent, const char **path, struct ilab_err *err);
/* Remove it with everything in it; links are removed, not followed, and other file systems are left alone. NULL is allowed. */
void ilab_scratch_remove(const char *path);

#endif
