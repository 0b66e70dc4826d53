#include "comma_locale.h"

#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool set_made(const char *folder)
{
	char command[200];

	snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
	if (system(command) != 0)
		return false;
	setenv("LOCPATH", folder, 1);
	return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

bool comma_locale_set(void)
{
	char folder[] = "/tmp/ilab-locale-XXXXXX", command[100], text[16];
	bool set = setlocale(LC_ALL, "de_DE.UTF-8") != NULL || setlocale(LC_ALL, "fr_FR.UTF-8") != NULL;

	if (!set && mkdtemp(folder) != NULL) {
		set = set_made(folder);
		snprintf(command, sizeof command, "rm -rf %s", folder);
		set = system(command) == 0 && set;
	}
	snprintf(text, sizeof text, "%.1f", 0.5);
	return set && strcmp(text, "0,5") == 0;
}
