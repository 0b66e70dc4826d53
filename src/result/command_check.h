#ifndef ILAB_RESULT_COMMAND_CHECK_H
#define ILAB_RESULT_COMMAND_CHECK_H

#include "base/err.h"
#include "result/record.h"

/* `command` against the rest of a document. What the array does not state is not looked at: the defaults are those of the version that ran. */

/* One option, and what a document says elsewhere: a figure, or a word. With neither, and without `any`, the option must not be stated. */
struct ilab_stated {
	const char *option;            /* "--batch" */
	const char *where;             /* "configuration.batch" */
	const uint64_t *number;
	const char *word;
	bool any;                      /* its value is not looked at */
	bool needed;                   /* without it there is no such document */
};

/* ILAB_IO: "command: --batch 2 contradicts configuration.batch". */
enum ilab_status ilab_command_check(const struct ilab_header *h, const struct ilab_stated *rows, size_t count, struct ilab_err *err);

/* The value where the option stands first, "" for one without; NULL: not stated. */
const char *ilab_command_value(const struct ilab_header *h, const char *option);
bool ilab_command_is(const struct ilab_header *h, const char *command);
/* ILAB_IO, as above. */
enum ilab_status ilab_command_fault(const char *option, const char *value, const char *where, struct ilab_err *err);

#endif
