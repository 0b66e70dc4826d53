#ifndef ILAB_CLI_LANGUAGE_H
#define ILAB_CLI_LANGUAGE_H

#include "base/arena.h"

/* Speak the user's language from here on: the locale for messages and characters, never for numbers, and the catalogue beside the
 * program (a build), in ../share/locale from its folder (an installation, wherever it was moved), or where it was installed for. */
void ilab_language_start(struct ilab_arena *arena);

#endif
