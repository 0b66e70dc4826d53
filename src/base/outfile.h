#ifndef ILAB_BASE_OUTFILE_H
#define ILAB_BASE_OUTFILE_H

#include "base/err.h"

#include <stddef.h>

/* A new file that appears complete or not at all, also after SIGKILL, and never overwrites: O_TMPFILE + linkat, else a
 * temporary name + renameat2(RENAME_NOREPLACE) or linkat, else exclusive creation. (Killed on a file system without O_TMPFILE,
 * it can leave the temporary name, ".iteragpu-lab.PID.N.tmp"; without rename flags and links, an incomplete file.) */
struct ilab_outfile;

/* Refuses (ILAB_IO) an existing name - a dangling link too - a missing or read-only folder, "-". Called before any work, so a
 * run is not lost to a wrong file name. On success *out is owned by the caller until commit or discard. */
enum ilab_status ilab_outfile_open(const char *path, struct ilab_outfile **out, struct ilab_err *err);
/* Write, flush to disk and give the file its name. Frees `file` whatever the outcome; on failure nothing is left behind. */
enum ilab_status ilab_outfile_commit(struct ilab_outfile *file, const char *data, size_t bytes, struct ilab_err *err);
/* Give up; nothing is left behind. NULL is allowed. Async-signal-unsafe. */
void ilab_outfile_discard(struct ilab_outfile *file);

/* Write all of `data` to a descriptor; a short write, EPIPE or a full device is ILAB_IO and names `what`. Waits for
 * a non-blocking descriptor. SIGPIPE is the caller's to ignore. */
enum ilab_status ilab_write_all(int fd, const char *what, const char *data, size_t bytes, struct ilab_err *err);

#endif
