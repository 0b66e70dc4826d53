#ifndef ILAB_BACKEND_CL_TEXTS_H
#define ILAB_BACKEND_CL_TEXTS_H

#include <stddef.h>

/* The kernel texts of cl/, embedded at build time (tools/embed.sh). Ends with a row of NULLs. */
struct ilab_cl_text {
	const char *name;      /* path in the source tree, "cl/gemm.cl" */
	const char *text;      /* NUL-terminated */
	size_t bytes;          /* without the NUL */
};
extern const struct ilab_cl_text ilab_cl_texts[];

/* Text by name, NULL when there is none (a mistake of ours). */
const char *ilab_cl_text(const char *name);

#endif
