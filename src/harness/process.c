#include "harness/process.h"

#include "harness/protocol.h"
#include "harness/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Between fork and exec only async-signal-safe calls are allowed. `ends` are the child's: requests, records, output, all above the
 * numbers that they are moved to. */
static void become_worker(pid_t parent, const int ends[3], char *const *environment)
{
	static char name[] = "iteragpu-lab", option[] = "--worker";
	char *const argv[] = { name, option, NULL };
	struct rlimit no_core = { 0, 0 };
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)       /* it died before we asked to die with it */
		_exit(127);
	int null = open("/dev/null", O_RDONLY);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(ends[2], STDOUT_FILENO) < 0 || dup2(ends[2], STDERR_FILENO) < 0
		|| dup2(ends[0], ILAB_WORKER_REQUEST_FD) < 0 || dup2(ends[1], ILAB_WORKER_RECORD_FD) < 0)
		_exit(127);
	/* Whatever else is open here is none of the drivers' business. */
	close_range(ILAB_WORKER_RECORD_FD + 1, ~0u, 0);
	setrlimit(RLIMIT_CORE, &no_core);      /* a driver's crash is reported, and leaves no file */
	ilab_signals_restore();
	execve("/proc/self/exe", argv, environment);
	_exit(127);
}

/* A pipe whose ends are above the worker's fixed descriptors, so that dup2 never closes one that is still needed. */
static bool high_pipe(int ends[2])
{
	int low[2];
	if (pipe2(low, O_CLOEXEC) < 0)
		return false;
	for (int i = 0; i < 2; i++) {
		ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 10);
		close(low[i]);
	}
	return ends[0] >= 0 && ends[1] >= 0;
}

static void close_if_open(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

enum ilab_status ilab_process_start(struct ilab_process *p, char *const *environment, struct ilab_err *err)
{
	int requests[2] = { -1, -1 }, records[2] = { -1, -1 }, output[2] = { -1, -1 };
	enum ilab_status status = ILAB_OK;
	*p = (struct ilab_process){ .requests = -1, .records = -1, .output = -1 };
	pid_t parent = getpid();
	if (!high_pipe(requests) || !high_pipe(records) || !high_pipe(output) || (p->pid = fork()) < 0) {
		p->pid = 0;
		status = ilab_err_set(err, ILAB_FAILED, "fork", errno, "cannot start a worker process: %s", strerror(errno));
		goto out;
	}
	if (p->pid == 0)
		become_worker(parent, (const int[3]){ requests[0], records[1], output[1] }, environment);
	setpgid(p->pid, p->pid);       /* here too: whoever comes first */
	p->requests = requests[1];
	p->records = records[0];
	p->output = output[0];
	requests[1] = records[0] = output[0] = -1;
	fcntl(p->records, F_SETFL, O_NONBLOCK);
	fcntl(p->output, F_SETFL, O_NONBLOCK);
out:
	for (int i = 0; i < 2; i++) {
		close_if_open(&requests[i]);
		close_if_open(&records[i]);
		close_if_open(&output[i]);
	}
	return status;
}

/* The group's number stays taken until its leader is collected, so the kill before that cannot hit a stranger. */
static void collect(struct ilab_process *p)
{
	kill(-p->pid, SIGKILL);
	while (waitpid(p->pid, &p->wait_status, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
}

bool ilab_process_collect(struct ilab_process *p)
{
	siginfo_t info = { 0 };
	if (p->pid && (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == p->pid))
		collect(p);
	return p->pid == 0;
}

void ilab_process_kill(struct ilab_process *p)
{
	if (p->pid)
		collect(p);
}

void ilab_process_close(struct ilab_process *p)
{
	close_if_open(&p->requests);
	close_if_open(&p->records);
	close_if_open(&p->output);
}
