#ifndef ILAB_CLI_MEASURE_FILE_H
#define ILAB_CLI_MEASURE_FILE_H

#include "base/err.h"
#include "result/record.h"

/* A saved measurement, read strictly and checked; `sha256` (may be NULL) is that of the file, in `arena`. ILAB_IO names the file. */
enum ilab_status ilab_measure_file_read(const char *path, struct ilab_arena *arena, struct ilab_measure *out, const char **sha256,
	struct ilab_err *err);

#endif
