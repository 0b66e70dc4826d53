#ifndef ILAB_CLI_DELIVER_H
#define ILAB_CLI_DELIVER_H

#include "base/outfile.h"
#include "cli/command.h"

/* Results first, the file last: whoever finds the file has been told everything. Prints the document with --json, else `text`; then
 * the document gets its name, unless a signal came. `json` is freed and may be NULL (memory ran out); `*file` (NULL: no file) is
 * taken over. */
enum ilab_status ilab_deliver(cJSON *json, const char *text, const struct ilab_options *options, struct ilab_outfile **file, struct ilab_err *err);

#endif
