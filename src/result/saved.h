#ifndef ILAB_RESULT_SAVED_H
#define ILAB_RESULT_SAVED_H

#include "result/compare.h"

/* Measurements in any saved document that holds some: measure, compare, suite. */

/* Runs of one view of one device with one configuration. */
struct ilab_saved_entry {
	const char *case_name;         /* of a suite; NULL elsewhere */
	const char *device;            /* name of the device, or what the document identifies it by */
	struct ilab_compare_view runs; /* with status and reason; a measure that did not pass is "unverified" */
	uint64_t suite_version;        /* of the suite; 0 elsewhere */
};

struct ilab_saved {
	const char *file, *sha256;     /* base name; of the file as it is */
	const char *kind;              /* "measure" "compare" "suite" */
	struct ilab_header header;
	struct ilab_saved_entry *entries; size_t entry_count;
};

/* Read strictly and check. ILAB_IO: cannot be read, is of another kind, is not valid; the text begins with the path. */
enum ilab_status ilab_saved_read(const char *path, struct ilab_arena *arena, struct ilab_saved *out, struct ilab_err *err);

/* A run that was slowed down by the test hook? */
bool ilab_saved_is_hooked(const struct ilab_saved *s);

#endif
