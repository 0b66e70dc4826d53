#include "base/outfile.h"

#include "base/message.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ilab_outfile {
	int folder;            /* O_PATH: stays the same folder whatever the working directory becomes */
	int fd;
	char temporary[64];    /* name of `fd` in the folder, "" for a file without a name */
	char *path;            /* as the user wrote it, for messages */
	const char *name;      /* last part of `path` */
};

static enum ilab_status fail(struct ilab_err *err, const char *call, const char *doing, const char *path, int code)
{
	return ilab_err_set(err, ILAB_IO, call, code, "%s '%s': %s", doing, path, strerror(code));
}

enum ilab_status ilab_write_all(int fd, const char *what, const char *data, size_t bytes, struct ilab_err *err)
{
	while (bytes > 0) {
		ssize_t n = write(fd, data, bytes);
		if (n > 0) {
			data += n;
			bytes -= (size_t)n;
		} else if (n < 0 && errno == EAGAIN) {
			struct pollfd ready = { .fd = fd, .events = POLLOUT };
			poll(&ready, 1, -1);
		} else if (n == 0 || errno != EINTR) {
			int code = n == 0 ? ENOSPC : errno;
			return ilab_err_set(err, ILAB_IO, "write", code, "cannot write to %s: %s", what, strerror(code));
		}
	}
	return ILAB_OK;
}

/* --- before the work: is this a name that we can create? ------------------------------------------------------------ */

static enum ilab_status refuse_existing(const char *path, mode_t mode, struct ilab_err *err)
{
	const char *kind = S_ISREG(mode) ? _("a file of this name exists already") : S_ISDIR(mode) ? _("it is an existing folder") :
		S_ISLNK(mode) ? _("a symbolic link of this name exists already") : _("it exists already and is not a regular file");
	return ilab_err_set(err, ILAB_IO, NULL, EEXIST, "output file '%s': %s; nothing is ever overwritten, choose a new name", path, kind);
}

static enum ilab_status check_name(const char *path, struct ilab_err *err)
{
	struct stat st;
	size_t length = strlen(path);
	if (length == 0)
		return ilab_err_set(err, ILAB_IO, NULL, ENOENT, "output file: the name is empty");
	if (!strcmp(path, "-"))
		return ilab_err_set(err, ILAB_IO, NULL, EEXIST,
			"output file '-': standard output exists already, a new file is needed ('./-' for one of that name)");
	if (lstat(path, &st) == 0)
		return refuse_existing(path, st.st_mode, err);
	if (errno != ENOENT)
		return fail(err, "lstat", _("output file"), path, errno);
	if (path[length - 1] == '/')
		return ilab_err_set(err, ILAB_IO, NULL, EISDIR, "output file '%s': this is the name of a folder", path);
	return ILAB_OK;
}

static enum ilab_status open_folder(struct ilab_outfile *file, struct ilab_err *err)
{
	size_t length = (size_t)(file->name - file->path);
	char *folder = length ? strndup(file->path, length) : strdup(".");
	if (!folder)
		return ilab_err_set(err, ILAB_FAILED, "strndup", ENOMEM, "out of memory");
	file->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	enum ilab_status status = ILAB_OK;
	if (file->folder < 0 && errno == ENOENT)
		status = ilab_err_set(err, ILAB_IO, "open", ENOENT, "output file '%s': folder '%s' does not exist", file->path, folder);
	else if (file->folder < 0)
		status = fail(err, "open", _("cannot use the folder of output file"), file->path, errno);
	free(folder);
	return status;
}

/* --- the three ways to make the file -------------------------------------------------------------------------------- */

static void proc_path(char *buf, size_t size, int fd)
{
	snprintf(buf, size, "/proc/self/fd/%d", fd);
}

/* A file without a name, which the kernel forgets when we die. False: this file system, or a system without /proc, cannot. */
static bool open_nameless(struct ilab_outfile *file)
{
	char link[64];
	file->fd = openat(file->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (file->fd < 0)
		return false;
	proc_path(link, sizeof(link), file->fd);
	if (access(link, F_OK) == 0)
		return true;
	close(file->fd);
	file->fd = -1;
	return false;
}

static bool open_temporary(struct ilab_outfile *file)
{
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(file->temporary, sizeof(file->temporary), ".iteragpu-lab.%ld.%u.tmp", (long)getpid(), i);
		file->fd = openat(file->folder, file->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
		if (file->fd >= 0)
			return true;
		if (errno != EEXIST)
			break;
	}
	file->temporary[0] = '\0';
	return false;
}

/* Last resort, for file systems with neither links nor a rename that keeps an existing file: not atomic, but exclusive. */
static enum ilab_status publish_exclusively(struct ilab_outfile *file, const char *data, size_t bytes, struct ilab_err *err)
{
	int fd = openat(file->folder, file->name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
	if (fd < 0)
		return fail(err, "openat", _("cannot create output file"), file->path, errno);
	enum ilab_status status = ilab_write_all(fd, file->path, data, bytes, err);
	if (status == ILAB_OK && fsync(fd) != 0)
		status = fail(err, "fsync", _("cannot write output file"), file->path, errno);
	if (close(fd) != 0 && status == ILAB_OK)
		status = fail(err, "close", _("cannot write output file"), file->path, errno);
	if (status != ILAB_OK)
		unlinkat(file->folder, file->name, 0);
	return status;
}

/* Give the complete file its name. None of these calls replaces an existing file. */
static enum ilab_status publish(struct ilab_outfile *file, const char *data, size_t bytes, struct ilab_err *err)
{
	char link[64];
	proc_path(link, sizeof(link), file->fd);
	if (!file->temporary[0] && linkat(AT_FDCWD, link, file->folder, file->name, AT_SYMLINK_FOLLOW) == 0)
		return ILAB_OK;
	if (file->temporary[0] && renameat2(file->folder, file->temporary, file->folder, file->name, RENAME_NOREPLACE) == 0) {
		file->temporary[0] = '\0';
		return ILAB_OK;
	}
	/* Network file systems: no flags for rename, but links. The temporary name goes away with `file`. */
	if (file->temporary[0] && errno != EEXIST && linkat(file->folder, file->temporary, file->folder, file->name, 0) == 0)
		return ILAB_OK;
	if (errno == EEXIST)
		return ilab_err_set(err, ILAB_IO, NULL, EEXIST,
			"output file '%s' was created by somebody else meanwhile; nothing is ever overwritten", file->path);
	return publish_exclusively(file, data, bytes, err);
}

/* --- interface ------------------------------------------------------------------------------------------------------ */

enum ilab_status ilab_outfile_open(const char *path, struct ilab_outfile **out, struct ilab_err *err)
{
	enum ilab_status status = check_name(path, err);
	if (status != ILAB_OK)
		return status;
	struct ilab_outfile *file = calloc(1, sizeof(*file));
	if (!file || !(file->path = strdup(path))) {
		free(file);
		return ilab_err_set(err, ILAB_FAILED, "malloc", ENOMEM, "out of memory");
	}
	file->folder = file->fd = -1;
	file->name = ilab_path_base(file->path);
	status = open_folder(file, err);
	if (status == ILAB_OK && !open_nameless(file) && !open_temporary(file))
		status = fail(err, "openat", _("cannot create output file"), path, errno);
	if (status != ILAB_OK)
		ilab_outfile_discard(file);
	else
		*out = file;
	return status;
}

enum ilab_status ilab_outfile_commit(struct ilab_outfile *file, const char *data, size_t bytes, struct ilab_err *err)
{
	enum ilab_status status = ilab_write_all(file->fd, file->path, data, bytes, err);
	if (status == ILAB_OK && fsync(file->fd) != 0)
		status = fail(err, "fsync", _("cannot write output file"), file->path, errno);
	if (status == ILAB_OK)
		status = publish(file, data, bytes, err);
	ilab_outfile_discard(file);
	return status;
}

void ilab_outfile_discard(struct ilab_outfile *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	if (file->temporary[0])
		unlinkat(file->folder, file->temporary, 0);
	if (file->folder >= 0)
		close(file->folder);
	free(file->path);
	free(file);
}
