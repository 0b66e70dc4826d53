#include "harness/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
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

enum ilab_status ilab_signals_catch(struct ilab_err *err)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	struct sigaction old, action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	if (wake_pipe[0] >= 0)
		return ILAB_OK;
	if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return ilab_err_set(err, ILAB_FAILED, "pipe2", errno, "cannot make a pipe");
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		sigaction(numbers[i], NULL, &old);
		if (numbers[i] != SIGHUP || old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
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
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE };
	sigset_t none;
	sigemptyset(&none);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		signal(numbers[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
