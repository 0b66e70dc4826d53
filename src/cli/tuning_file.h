#ifndef ILAB_CLI_TUNING_FILE_H
#define ILAB_CLI_TUNING_FILE_H

#include "harness/measure.h"
#include "result/tuning.h"

/* A saved tuning, read strictly and checked. ILAB_IO names the file. */
enum ilab_status ilab_tuning_file_read(const char *path, struct ilab_arena *arena, struct ilab_tuning_record *out, struct ilab_err *err);
/* ILAB_REFUSED when it was found on another device or with another driver. The worker looks at the provider and its version. */
enum ilab_status ilab_tuning_file_check(const struct ilab_tuning_record *tuning, const char *identity, const struct ilab_device *device,
	struct ilab_err *err);
/* Its entries for the two products of a request, in `arena`; a note says how many others there are, unless `quiet`. */
const struct ilab_tuning *ilab_tuning_file_use(const struct ilab_tuning_record *tuning, const struct ilab_measure_request *request, bool quiet,
	struct ilab_arena *arena);

#endif
