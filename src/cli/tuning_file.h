#ifndef ILAB_CLI_TUNING_FILE_H
#define ILAB_CLI_TUNING_FILE_H

#include "cli/measuring.h"
#include "result/tuning.h"

/* A saved tuning, read strictly and checked. ILAB_IO names the file. */
enum ilab_status ilab_tuning_file_read(const char *path, struct ilab_arena *arena, struct ilab_tuning_record *out, struct ilab_err *err);
/* Let the run use it: sets the request's tuning to the entries for its two products, and says in a note how many others there are.
 * ILAB_REFUSED when it was found on another device or with another driver; the worker looks at the provider and its version. */
enum ilab_status ilab_tuning_file_use(const struct ilab_tuning_record *tuning, struct ilab_measuring *run, struct ilab_err *err);

#endif
