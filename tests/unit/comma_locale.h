#ifndef ILAB_TESTS_COMMA_LOCALE_H
#define ILAB_TESTS_COMMA_LOCALE_H

#include <stdbool.h>

/* Puts a locale with a decimal comma into force for the whole process: an installed one, or one made for the test. False when
 * there is neither. */
bool comma_locale_set(void);

#endif
