#include "backend/cl_texts.h"

#include <string.h>

const char *ilab_cl_text(const char *name)
{
	for (const struct ilab_cl_text *t = ilab_cl_texts; t->name; t++)
		if (!strcmp(t->name, name))
			return t->text;
	return NULL;
}
