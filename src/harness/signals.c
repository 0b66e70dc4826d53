#include "harness/signals.h"

#include "harness/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Handlers can reach nothing but globals. */
static int wake_pipe[2] = { -1, -1 };
static volatile sig_atomic_t first_signal;

static void on_signal(int number)
{
	int saved = errno;
	if (number != SIGCHLD && !first_signal)
		first_signal = number;
	char byte = 0;
	if (write(wake_pipe[1], &byte, 1) < 0) {
		/* A full pipe is readable, which is all that a waiting poll() needs. */
	}
	errno = saved;
}

/* Whatever ends a process by default and comes from outside; what its own fault raises is not among them. The first three are caught even
 * when they were ignored. */
static const int caught[] = { SIGINT, SIGQUIT, SIGCHLD, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGXCPU };
#define ALWAYS_CAUGHT 3

enum ilab_status ilab_signals_catch(struct ilab_err *err)
{
	struct sigaction old, action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	if (wake_pipe[0] >= 0)
		return ILAB_OK;
	if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return errno == EMFILE ? ilab_process_lacks_descriptors(err)
			: ilab_err_set(err, ILAB_FAILED, "pipe2", errno, "cannot make a pipe: %s", ilab_err_errno(errno));
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++) {
		sigaction(caught[i], NULL, &old);
		if (i < ALWAYS_CAUGHT || old.sa_handler != SIG_IGN)
			sigaction(caught[i], &action, NULL);
	}
	return ILAB_OK;
}

int ilab_signals_fd(void)
{
	return wake_pipe[0];
}

void ilab_signals_empty(void)
{
	char bytes[64];
	while (read(wake_pipe[0], bytes, sizeof(bytes)) > 0)
		;
}

enum ilab_status ilab_signals_check(struct ilab_err *err)
{
	if (!first_signal)
		return ILAB_OK;
	if (first_signal == SIGINT)
		return ilab_err_set(err, ILAB_INTERRUPTED, "", 0, "interrupted: nothing was written");
	return ilab_err_set(err, ILAB_TERMINATED, "", 0, "terminated: nothing was written");
}

void ilab_signals_restore(void)
{
	sigset_t none;
	sigemptyset(&none);
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		signal(caught[i], SIG_DFL);
	signal(SIGPIPE, SIG_DFL);      /* and SIGXFSZ stays ignored: a driver whose cache file is too large sees an error, and goes on */
	sigprocmask(SIG_SETMASK, &none, NULL);
}
