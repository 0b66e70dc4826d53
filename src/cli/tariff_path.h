#ifndef ILAB_CLI_TARIFF_PATH_H
#define ILAB_CLI_TARIFF_PATH_H

#include "cli/command.h"

/* Where the price table is: `option` if given; else the first iteragpu-lab/tariffs.csv in $XDG_DATA_HOME (~/.local/share), in each of
 * $XDG_DATA_DIRS (/usr/local/share:/usr/share), in the data folder of this installation. Never the current folder, and never the
 * example. ILAB_IO when there is none: where it was looked for, and where an example lies. */
enum ilab_status ilab_tariff_path(const struct ilab_context *context, const char *option, const char **path, struct ilab_err *err);

#endif
