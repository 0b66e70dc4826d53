#include "base/message.h"

#include <libintl.h>

#define DOMAIN "iteragpu-lab"

static bool is_on;

void ilab_message_start(const char *folder)
{
	/* Our own texts are UTF-8 in every locale, and so are those of drivers that stand beside them. */
	is_on = bindtextdomain(DOMAIN, folder) && bind_textdomain_codeset(DOMAIN, "UTF-8");
}

bool ilab_message_is_on(void)
{
	return is_on;
}

/* The empty text is the header of the catalogue. */
const char *ilab_message(const char *text)
{
	return is_on && *text ? dgettext(DOMAIN, text) : text;
}

const char *ilab_message_plural(const char *one, const char *many, unsigned long n)
{
	return is_on ? dngettext(DOMAIN, one, many, n) : n == 1 ? one : many;
}
