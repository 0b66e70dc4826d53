#ifndef ILAB_HARNESS_SIGNALS_H
#define ILAB_HARNESS_SIGNALS_H

#include "base/err.h"

/* ^C and termination for a process that has something to clean up. The handlers only note the signal and wake a poll(); whoever works
 * asks, cleans up, and ends with the status. */

/* Catch SIGINT, SIGCHLD, and every signal that ends a process by default without being its own fault: SIGTERM, SIGHUP, SIGQUIT, SIGUSR1,
 * SIGALRM and the like, which all count as termination. Allowed more than once. SIGINT and SIGQUIT are caught even when they were
 * ignored, as a shell's background jobs ignore them: a measurement that cannot be stopped with `kill -INT` would go on holding a
 * device. Others that were ignored stay so (nohup). ILAB_FAILED when no pipe can be made. */
enum ilab_status ilab_signals_catch(struct ilab_err *err);
/* Readable when a signal came since it was last emptied. -1 before ilab_signals_catch. */
int ilab_signals_fd(void);
void ilab_signals_empty(void);
/* ILAB_OK, ILAB_INTERRUPTED, or ILAB_TERMINATED: the first that came; it stays. Records it in `err`. */
enum ilab_status ilab_signals_check(struct ilab_err *err);
/* In a forked child before exec: default actions and an empty mask. Async-signal-safe. */
void ilab_signals_restore(void);

#endif
