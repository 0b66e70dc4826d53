#ifndef ILAB_HARNESS_PROCESS_H
#define ILAB_HARNESS_PROCESS_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

/* The worker as a process: born with its own group and descriptors, ended without orphans. */
struct ilab_process {
	pid_t pid;             /* and process group; 0: none, or collected */
	int requests;          /* to its requests; -1 when closed */
	int records;           /* from its records; non-blocking; -1 at end of file */
	int output;            /* from its stdout and stderr; the same */
	int wait_status;       /* as of waitpid, once collected */
};

/* With fewer no driver gets anywhere, and some take the lack for something else. */
#define ILAB_PROCESS_DESCRIPTORS 32

/* ILAB_FAILED when the limit on open files is below ILAB_PROCESS_DESCRIPTORS; and the one message for any lack of them. */
enum ilab_status ilab_process_check_descriptors(struct ilab_err *err);
enum ilab_status ilab_process_lacks_descriptors(struct ilab_err *err);

/* Run /proc/self/exe --worker with `environment`, or without /proc the file that this program was started as. It dies with this
 * process, also by SIGKILL. ILAB_FAILED, saying which step failed and why. */
enum ilab_status ilab_process_start(struct ilab_process *p, char *const *environment, struct ilab_err *err);
/* Has it ended? Then what is left of its group is killed, and wait_status is set. Does not block. */
bool ilab_process_collect(struct ilab_process *p);
/* Kill the group and collect. */
void ilab_process_kill(struct ilab_process *p);
/* Close what is open; the process must have been collected. */
void ilab_process_close(struct ilab_process *p);

#endif
