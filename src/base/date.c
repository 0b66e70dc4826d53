#include "base/date.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

bool ilab_date_valid(const char *text)
{
	static const unsigned char month_days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	static const char form[] = "dddd-dd-dd";
	if (strlen(text) != sizeof(form) - 1)
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == '-' ? text[i] != '-' : text[i] < '0' || text[i] > '9')
			return false;
	unsigned year = 0, month = 0, day = 0;
	sscanf(text, "%4u-%2u-%2u", &year, &month, &day);
	if (year == 0 || month < 1 || month > 12 || day < 1)
		return false;
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return day <= (unsigned)month_days[month - 1] + (month == 2 && leap);
}
