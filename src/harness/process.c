#include "harness/process.h"

#include "harness/protocol.h"
#include "harness/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOWEST_END 10

/* What a child that could not become a worker tells of itself, through a pipe that exec closes. */
struct failure { const char *step; int code; };

static _Noreturn void give_up(int failures, const char *step)
{
	struct failure f = { step, errno };    /* the text has the same address in the parent */
	ssize_t ignored = write(failures, &f, sizeof(f));
	(void)ignored;
	_exit(127);
}

/* An end of file as stdin, which needs no /dev. */
static bool empty_stdin(void)
{
	int ends[2];
	if (pipe(ends) < 0)
		return false;
	bool done = dup2(ends[0], STDIN_FILENO) == STDIN_FILENO;
	if (ends[0] != STDIN_FILENO)
		close(ends[0]);
	close(ends[1]);
	return done;
}

/* Between fork and exec only async-signal-safe calls are allowed. `ends` are the child's: requests, records, output, failures, all above
 * the numbers that they are moved to. `program` is its file, for a system without /proc. */
static _Noreturn void become_worker(pid_t parent, const int ends[4], const char *program, char *const *environment)
{
	static char name[] = "iteragpu-lab", option[] = "--worker";
	char *const argv[] = { name, option, NULL };
	struct rlimit no_core = { 0, 0 };
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)       /* it died before we asked to die with it */
		_exit(127);
	if (!empty_stdin())
		give_up(ends[3], "giving it an empty standard input");
	if (dup2(ends[2], STDOUT_FILENO) < 0 || dup2(ends[2], STDERR_FILENO) < 0 || dup2(ends[0], ILAB_WORKER_REQUEST_FD) < 0
		|| dup2(ends[1], ILAB_WORKER_RECORD_FD) < 0)
		give_up(ends[3], "giving it its pipes");
	int failures = dup3(ends[3], ILAB_WORKER_RECORD_FD + 1, O_CLOEXEC);
	if (failures < 0)
		give_up(ends[3], "giving it its pipes");
	/* Whatever else is open here is none of the drivers' business. */
	close_range((unsigned)failures + 1, ~0u, 0);
	setrlimit(RLIMIT_CORE, &no_core);      /* a driver's crash is reported, and leaves no file */
	ilab_signals_restore();
	execve("/proc/self/exe", argv, environment);
	if (program)
		execve(program, argv, environment);
	give_up(failures, "running this program again");
}

/* A pipe whose ends are above the worker's fixed descriptors, so that dup2 never closes one that is still needed. */
static bool high_pipe(int ends[2])
{
	int low[2], code = 0;
	if (pipe2(low, O_CLOEXEC) < 0)
		return false;
	for (int i = 0; i < 2; i++) {
		ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, LOWEST_END);
		if (ends[i] < 0)
			code = errno == EINVAL ? EMFILE : errno;       /* the limit is below that number */
		close(low[i]);
	}
	errno = code;
	return code == 0;
}

static void close_if_open(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* A limit that is too low shows as one of two codes, at whichever step meets it first. */
static enum ilab_status cannot_start(const char *step, int code, struct ilab_err *err)
{
	if (code == EMFILE)
		return ilab_process_lacks_descriptors(err);
	return ilab_err_set(err, ILAB_FAILED, "fork", code, "cannot start a worker process: %s: %s", step, ilab_err_errno(code));
}

enum ilab_status ilab_process_lacks_descriptors(struct ilab_err *err)
{
	struct rlimit limit = { 0 };
	getrlimit(RLIMIT_NOFILE, &limit);
	return ilab_err_set(err, ILAB_FAILED, "pipe2", EMFILE, "too few file descriptors: the limit is %llu; raise it with `ulimit -n`, %d are enough for most drivers",
		(unsigned long long)limit.rlim_cur, 1024);
}

enum ilab_status ilab_process_check_descriptors(struct ilab_err *err)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < ILAB_PROCESS_DESCRIPTORS)
		return ilab_process_lacks_descriptors(err);
	return ILAB_OK;
}

/* Wait until the child is a worker, or says why not. */
static enum ilab_status learn_failure(struct ilab_process *p, int failures, struct ilab_err *err)
{
	struct failure f;
	ssize_t n;
	while ((n = read(failures, &f, sizeof(f))) < 0 && errno == EINTR)
		;
	if (n != (ssize_t)sizeof(f))
		return ILAB_OK;
	ilab_process_kill(p);
	return cannot_start(f.step, f.code, err);
}

enum ilab_status ilab_process_start(struct ilab_process *p, char *const *environment, struct ilab_err *err)
{
	int requests[2] = { -1, -1 }, records[2] = { -1, -1 }, output[2] = { -1, -1 }, failures[2] = { -1, -1 };
	enum ilab_status status = ILAB_OK;
	*p = (struct ilab_process){ .requests = -1, .records = -1, .output = -1 };
	pid_t parent = getpid();
	const char *program = (const char *)getauxval(AT_EXECFN);      /* as it was started; the kernel keeps the text on our stack */
	if (!high_pipe(requests) || !high_pipe(records) || !high_pipe(output) || !high_pipe(failures)) {
		status = cannot_start("making a pipe", errno, err);
		goto out;
	}
	p->pid = fork();
	if (p->pid == 0)
		become_worker(parent, (const int[4]){ requests[0], records[1], output[1], failures[1] }, program, environment);
	if (p->pid < 0) {
		p->pid = 0;
		status = cannot_start("fork", errno, err);
		goto out;
	}
	setpgid(p->pid, p->pid);       /* here too: whoever comes first */
	close_if_open(&failures[1]);
	status = learn_failure(p, failures[0], err);
	if (status != ILAB_OK)
		goto out;
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
		close_if_open(&failures[i]);
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
