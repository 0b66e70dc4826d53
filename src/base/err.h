#ifndef ILAB_BASE_ERR_H
#define ILAB_BASE_ERR_H

/* Status of an operation. The values are the program's exit codes, so a status travels unchanged from a driver call to
 * the shell. */
enum ilab_status {
	ILAB_OK = 0,
	ILAB_FAILED = 1,       /* the run failed on the device: driver error, out of memory, crash, time-out */
	ILAB_REFUSED = 2,      /* usage; or the device, backend, type or size asked for is not to be had */
	ILAB_IO = 3,           /* a file or stream: exists, cannot be read or written, is not a valid document */
	ILAB_UNVERIFIED = 4,   /* the device computed something else than the reference */
	ILAB_LOSS = 5,         /* `diff` found a loss above --fail-above */
	ILAB_INTERRUPTED = 130,
	ILAB_TERMINATED = 143,
};

/* What went wrong, for one line on stderr. Zero-initialise before use: `struct ilab_err err = {0};` */
struct ilab_err {
	enum ilab_status status;
	long code;       /* native code of the failed call (errno, cl_int, CUresult ...), 0 when there is none */
	char call[64];   /* API call that failed, "" when there is none */
	char text[512];  /* one line, no newline: what, where, and what to do; English, for documents */
	char shown[512]; /* the same in the language of the user, "" where that is English */
};

/* Record an error and return `status`, so that callers write `return ilab_err_set(...)`. The first error wins: a second
 * call on the same `err` leaves it unchanged (cleaning up must not hide the cause). `err` may be NULL. Control characters
 * in the text, which may quote a driver or a user, are replaced by spaces, bytes that are no UTF-8 by '?'. */
enum ilab_status ilab_err_set(struct ilab_err *err, enum ilab_status status, const char *call, long code, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Record what `from` holds, in both languages, with this status, and return it. The first error wins here too. */
enum ilab_status ilab_err_pass(struct ilab_err *err, enum ilab_status status, const struct ilab_err *from);

/* strerror in English whatever the locale, for texts that a document may hold. */
const char *ilab_err_errno(int code);

/* The line for people. */
const char *ilab_err_shown(const struct ilab_err *err);

/* Forget a recorded error, for a caller that handled it. */
void ilab_err_clear(struct ilab_err *err);

#endif
