/* base/outfile: new files that appear complete or not at all. The three system calls that differ between file systems are
 * replaced below, so that each way of making the file is taken on whatever file system the tests run on. */
#include "base/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct { int tmpfile, rename, link; bool die_in_fsync; } fault;      /* errno values, 0: the real call */

int openat(int folder, const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (fault.tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = fault.tmpfile;
		return -1;
	}
	return (int)syscall(SYS_openat, folder, path, flags, mode);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
	if (fault.link) {
		errno = fault.link;
		return -1;
	}
	return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	if (fault.rename) {
		errno = fault.rename;
		return -1;
	}
	return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int fsync(int fd)
{
	if (fault.die_in_fsync)
		raise(SIGKILL);
	return (int)syscall(SYS_fsync, fd);
}

/* The ways, each forced by taking away the ones before it. */
static const struct { const char *name; int tmpfile, rename, link; bool temporary_name; } ways[] = {
	{ "without a name", 0, 0, 0, false },
	{ "renamed", EOPNOTSUPP, 0, 0, true },
	{ "linked", EOPNOTSUPP, EINVAL, 0, true },
	{ "exclusive", EOPNOTSUPP, EINVAL, EPERM, true },
	{ "without a name, then exclusive", 0, EINVAL, EXDEV, false },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static void take_way(size_t i)
{
	fault.tmpfile = ways[i].tmpfile;
	fault.rename = ways[i].rename;
	fault.link = ways[i].link;
}

/* --- a folder for each test ----------------------------------------------------------------------------------------- */

static char folder[64], path[128];

static int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/ilab-outfile-XXXXXX");
	memset(&fault, 0, sizeof(fault));
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/result.json", folder);
	return 0;
}

static int remove_entry(const char *name, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(name);
}

static int teardown(void **state)
{
	(void)state;
	return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static int entries(void)
{
	DIR *dir = opendir(folder);
	assert_non_null(dir);
	int count = -2;                /* . and .. */
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static int open_descriptors(void)
{
	int count = 0;
	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void assert_content(const char *name, const char *expected, size_t bytes)
{
	char *data = malloc(bytes + 1);
	assert_non_null(data);
	FILE *in = fopen(name, "rb");
	assert_non_null(in);
	assert_int_equal(fread(data, 1, bytes + 1, in), bytes);
	fclose(in);
	assert_memory_equal(data, expected, bytes);
	free(data);
}

static void put(const char *name, const char *text)
{
	FILE *out = fopen(name, "wb");
	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

/* --- tests ---------------------------------------------------------------------------------------------------------- */

static void every_way_makes_the_whole_file(void **state)
{
	(void)state;
	const size_t bytes = 300000;
	char *data = malloc(bytes);
	assert_non_null(data);
	for (size_t i = 0; i < bytes; i++)
		data[i] = (char)(i * 31 >> 3);
	const int descriptors = open_descriptors();
	const mode_t mask = umask(027);
	for (size_t i = 0; i < WAYS; i++) {
		struct ilab_err err = {0};
		struct ilab_outfile *file;
		take_way(i);
		assert_int_equal(ilab_outfile_open(path, &file, &err), ILAB_OK);
		assert_int_equal(access(path, F_OK), -1);
		assert_int_equal(entries(), ways[i].temporary_name);
		assert_int_equal(ilab_outfile_commit(file, data, bytes, &err), ILAB_OK);
		assert_content(path, data, bytes);
		assert_int_equal(entries(), 1);
		struct stat st;
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0640);
		assert_int_equal(st.st_nlink, 1);
		assert_int_equal(remove(path), 0);
	}
	umask(mask);
	assert_int_equal(open_descriptors(), descriptors);
	free(data);
}

static void giving_up_leaves_nothing(void **state)
{
	(void)state;
	const int descriptors = open_descriptors();
	for (size_t i = 0; i < WAYS; i++) {
		struct ilab_outfile *file;
		take_way(i);
		assert_int_equal(ilab_outfile_open(path, &file, NULL), ILAB_OK);
		ilab_outfile_discard(file);
		assert_int_equal(entries(), 0);
	}
	ilab_outfile_discard(NULL);
	assert_int_equal(open_descriptors(), descriptors);
}

/* The name is refused, the message is one line that names it, and nothing changes in the folder. */
static void assert_refused(const char *name, const char *says)
{
	const int before = entries(), descriptors = open_descriptors();
	struct ilab_err err = {0};
	struct ilab_outfile *file = (struct ilab_outfile *)folder;
	assert_int_equal(ilab_outfile_open(name, &file, &err), ILAB_IO);
	assert_ptr_equal(file, folder);
	assert_int_equal(err.status, ILAB_IO);
	assert_non_null(strstr(err.text, says));
	if (strlen(name) < 200)
		assert_non_null(strstr(err.text, name));
	assert_int_equal(entries(), before);
	assert_int_equal(open_descriptors(), descriptors);
}

static void existing_names_are_refused(void **state)
{
	(void)state;
	put(path, "precious");
	assert_refused(path, "exists already");
	assert_content(path, "precious", 8);

	char name[160];
	snprintf(name, sizeof(name), "%s/link", folder);
	assert_int_equal(symlink("nowhere", name), 0);
	assert_refused(name, "symbolic link");
	snprintf(name, sizeof(name), "%s/live-link", folder);
	assert_int_equal(symlink("result.json", name), 0);
	assert_refused(name, "symbolic link");
	snprintf(name, sizeof(name), "%s/loop", folder);
	assert_int_equal(symlink("loop", name), 0);
	assert_refused(name, "symbolic link");
	snprintf(name, sizeof(name), "%s/fifo", folder);
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_refused(name, "not a regular file");
	assert_refused(folder, "existing folder");
	snprintf(name, sizeof(name), "%s/", folder);
	assert_refused(name, "existing folder");
	assert_refused(".", "existing folder");
	assert_refused("/", "existing folder");
	assert_refused("/dev/full", "not a regular file");
	assert_refused("/dev/null", "not a regular file");
	assert_refused("-", "standard output");
}

static void impossible_names_are_refused(void **state)
{
	(void)state;
	char name[600];
	assert_refused("", "empty");
	snprintf(name, sizeof(name), "%s/new/", folder);
	assert_refused(name, "folder");
	snprintf(name, sizeof(name), "%s/missing/result.json", folder);
	assert_refused(name, "does not exist");
	put(path, "precious");
	snprintf(name, sizeof(name), "%s/result.json/below", folder);
	assert_refused(name, strerror(ENOTDIR));
	snprintf(name, sizeof(name), "%s/%0300d", folder, 0);
	assert_refused(name, strerror(ENAMETOOLONG));
}

/* Somebody else takes the name while we work: his file stays, ours is dropped. */
static void a_name_taken_meanwhile_is_never_overwritten(void **state)
{
	(void)state;
	for (size_t i = 0; i < WAYS; i++) {
		struct ilab_err err = {0};
		struct ilab_outfile *file;
		take_way(i);
		assert_int_equal(ilab_outfile_open(path, &file, &err), ILAB_OK);
		put(path, "his");
		assert_int_equal(ilab_outfile_commit(file, "ours", 4, &err), ILAB_IO);
		assert_non_null(strstr(err.text, path));
		assert_content(path, "his", 3);
		assert_int_equal(entries(), 1);
		assert_int_equal(remove(path), 0);

		memset(&err, 0, sizeof(err));
		assert_int_equal(ilab_outfile_open(path, &file, &err), ILAB_OK);
		assert_int_equal(symlink("nowhere", path), 0);
		assert_int_equal(ilab_outfile_commit(file, "ours", 4, &err), ILAB_IO);
		assert_int_equal(entries(), 1);
		assert_int_equal(remove(path), 0);
	}
}

static void two_at_once_do_not_meet(void **state)
{
	(void)state;
	fault.tmpfile = EOPNOTSUPP;
	char other[160];
	snprintf(other, sizeof(other), "%s/other.json", folder);
	struct ilab_outfile *a, *b;
	assert_int_equal(ilab_outfile_open(path, &a, NULL), ILAB_OK);
	assert_int_equal(ilab_outfile_open(other, &b, NULL), ILAB_OK);
	assert_int_equal(entries(), 2);
	assert_int_equal(ilab_outfile_commit(a, "first", 5, NULL), ILAB_OK);
	assert_int_equal(ilab_outfile_commit(b, "second", 6, NULL), ILAB_OK);
	assert_content(path, "first", 5);
	assert_content(other, "second", 6);
	assert_int_equal(entries(), 2);
}

static void relative_names_mean_the_folder_of_the_start(void **state)
{
	(void)state;
	int home = open(".", O_RDONLY | O_DIRECTORY);
	assert_int_equal(chdir(folder), 0);
	struct ilab_outfile *file;
	assert_int_equal(ilab_outfile_open("result.json", &file, NULL), ILAB_OK);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(ilab_outfile_commit(file, "{}\n", 3, NULL), ILAB_OK);
	assert_content(path, "{}\n", 3);
	assert_int_equal(fchdir(home), 0);
	close(home);
}

static void a_kill_before_the_end_leaves_nothing(void **state)
{
	(void)state;
	pid_t child = fork();
	if (child == 0) {
		struct ilab_outfile *file;
		fault.die_in_fsync = true;     /* the data are written, the name is not given yet */
		if (ilab_outfile_open(path, &file, NULL) == ILAB_OK)
			ilab_outfile_commit(file, "ours", 4, NULL);
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(access(path, F_OK), -1);
	if (entries() != 0) {
		print_message("skipped: this file system has no files without a name (O_TMPFILE)\n");
		skip();
	}
}

/* Permission bits do not stop root, so an ordinary user tries. */
static void a_read_only_folder_is_refused(void **state)
{
	(void)state;
	assert_int_equal(chmod(folder, 0555), 0);
	pid_t child = fork();
	if (child == 0) {
		struct ilab_err err = {0};
		struct ilab_outfile *file;
		if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
			_exit(77);
		enum ilab_status status = ilab_outfile_open(path, &file, &err);
		_exit(status == ILAB_IO && err.code == EACCES && strstr(err.text, path) ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("skipped: cannot become an ordinary user here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(entries(), 0);
}

/* Runs in a child: a mount of its own that nobody else sees. 77 when mounting is not allowed. */
static int on_a_small_disk(void)
{
	static char data[200000];
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("tmpfs", folder, "tmpfs", 0, "size=64k") != 0)
		return 77;
	for (size_t i = 0; i < WAYS; i++) {
		struct ilab_err err = {0};
		struct ilab_outfile *file;
		take_way(i);
		if (ilab_outfile_open(path, &file, &err) != ILAB_OK)
			return 1;
		if (ilab_outfile_commit(file, data, sizeof(data), &err) != ILAB_IO || err.code != ENOSPC || !strstr(err.text, path))
			return 2;
		if (entries() != 0)
			return 3;
	}
	/* The exclusive way writes its data a second time: there the disk fills up at the very end. */
	struct ilab_err err = {0};
	struct ilab_outfile *file;
	take_way(3);
	if (ilab_outfile_open(path, &file, &err) != ILAB_OK || ilab_outfile_commit(file, data, 40000, &err) != ILAB_IO || entries() != 0)
		return 4;
	if (mount("tmpfs", folder, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL) != 0)
		return 77;
	memset(&err, 0, sizeof(err));
	take_way(0);
	return ilab_outfile_open(path, &file, &err) == ILAB_IO && err.code == EROFS && strstr(err.text, path) ? 0 : 5;
}

static void a_full_or_read_only_disk_leaves_nothing(void **state)
{
	(void)state;
	pid_t child = fork();
	if (child == 0)
		_exit(on_a_small_disk());
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("skipped: cannot mount a small file system here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void write_all_reports_what_failed(void **state)
{
	(void)state;
	struct ilab_err err = {0};
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_true(full >= 0);
	assert_int_equal(ilab_write_all(full, "standard output", "x", 1, &err), ILAB_IO);
	assert_int_equal(err.code, ENOSPC);
	assert_non_null(strstr(err.text, "standard output"));
	assert_int_equal(ilab_write_all(full, "nothing", "", 0, NULL), ILAB_OK);
	close(full);

	memset(&err, 0, sizeof(err));
	assert_int_equal(ilab_write_all(full, "standard output", "x", 1, &err), ILAB_IO);
	assert_int_equal(err.code, EBADF);

	int tube[2];
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(tube), 0);
	close(tube[0]);
	memset(&err, 0, sizeof(err));
	assert_int_equal(ilab_write_all(tube[1], "pipe", "x", 1, &err), ILAB_IO);
	assert_int_equal(err.code, EPIPE);
	close(tube[1]);
}

/* More than a pipe holds, into a descriptor that says EAGAIN, to a reader that takes its time. */
static void write_all_waits_for_a_slow_reader(void **state)
{
	(void)state;
	static char data[1 << 20];
	int tube[2];
	assert_int_equal(pipe(tube), 0);
	pid_t child = fork();
	if (child == 0) {
		size_t total = 0;
		ssize_t n;
		close(tube[1]);
		while ((n = read(tube[0], data, 50000)) > 0) {
			for (ssize_t k = 0; k < n; k++)
				if (data[k] != (char)((total + (size_t)k) % 251))
					_exit(1);
			total += (size_t)n;
		}
		_exit(total == sizeof(data) ? 0 : 2);
	}
	close(tube[0]);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i % 251);
	assert_int_equal(fcntl(tube[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(ilab_write_all(tube[1], "pipe", data, sizeof(data), NULL), ILAB_OK);
	close(tube[1]);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_FOLDER(every_way_makes_the_whole_file),
		IN_A_FOLDER(giving_up_leaves_nothing),
		IN_A_FOLDER(existing_names_are_refused),
		IN_A_FOLDER(impossible_names_are_refused),
		IN_A_FOLDER(a_name_taken_meanwhile_is_never_overwritten),
		IN_A_FOLDER(two_at_once_do_not_meet),
		IN_A_FOLDER(relative_names_mean_the_folder_of_the_start),
		IN_A_FOLDER(a_kill_before_the_end_leaves_nothing),
		IN_A_FOLDER(a_read_only_folder_is_refused),
		IN_A_FOLDER(a_full_or_read_only_disk_leaves_nothing),
		cmocka_unit_test(write_all_reports_what_failed),
		cmocka_unit_test(write_all_waits_for_a_slow_reader),
	};
	return cmocka_run_group_tests_name("base/outfile", tests, NULL, NULL);
}
