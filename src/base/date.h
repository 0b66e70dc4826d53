#ifndef ILAB_BASE_DATE_H
#define ILAB_BASE_DATE_H

#include <stdbool.h>

/* Is `text` a day of the Gregorian calendar, written YYYY-MM-DD, and nothing else? Years 0001 to 9999. */
bool ilab_date_valid(const char *text);

#endif
