#ifndef MODULE_PROBE_H
#define MODULE_PROBE_H

/* A module, asked in a process of its own over fakes of vendor libraries: loaded first, the loader takes them for the real ones. */

#include "backend/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#define PROBE_FAKES 6
#define PROBE_SETTINGS 4

struct probe {
	const char *backend, *module_dir;          /* the folder relative to the build's */
	const char *module_file;                   /* this file of the build, which the program would not load; NULL: as the program does */
	const char *fakes[PROBE_FAKES];            /* files relative to the build's folder; ended by NULL */
	struct { const char *name, *value; } environment[PROBE_SETTINGS];      /* ended by a NULL name */
};

/* What a child found, as text. */
struct answer { char text[4096]; };
typedef void probe_fn(const struct ilab_backend *b, FILE *out);

/* The folder of this build, of which the running program is in tests/unit; paths of it last until the second next call. */
const char *in_build(const char *path);
/* Skips the test when the module's file is not there. */
struct answer ask(const struct probe *p, probe_fn *fn);
/* What enumerate finds, in one line: state, reason, devices, libraries, advice. */
probe_fn print_listing;
/* Whether the loader finds a library, tried in a child, so that it is not loaded here. */
bool library_is_here(const char *name);
void assert_says(const struct answer *a, const char *words);

#endif
