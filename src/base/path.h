#ifndef ILAB_BASE_PATH_H
#define ILAB_BASE_PATH_H

#include "base/arena.h"

/* Documents hold no folders: these take them out of what is said about a file. */

/* "libx.so" of "/some/where/libx.so", a pointer into `path`; "" when it ends with a slash. */
const char *ilab_path_base(const char *path);
/* `text` with every occurrence of `path` cut to its base name, in `arena`. */
const char *ilab_path_cut(struct ilab_arena *arena, const char *text, const char *path);

#endif
