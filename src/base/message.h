#ifndef ILAB_BASE_MESSAGE_H
#define ILAB_BASE_MESSAGE_H

#include <stdbool.h>

/* Texts for people, in the language of the user. Only for what is printed: whatever goes into a document stays in English, so that
 * documents are the same in every language. */

/* The catalogue of this process is in `folder`, in LANGUAGE/LC_MESSAGES/iteragpu-lab.mo. Until this is called every text is English:
 * a worker never calls it. The caller has set LC_MESSAGES. */
void ilab_message_start(const char *folder);
bool ilab_message_is_on(void);

/* The translation, or the text itself where there is none. */
const char *ilab_message(const char *text) __attribute__((format_arg(1)));
const char *ilab_message_plural(const char *one, const char *many, unsigned long n) __attribute__((format_arg(1), format_arg(2)));

#define _(text) ilab_message(text)
/* Marks a text for the catalogue that is translated where it is printed. */
#define N_(text) (text)

#endif
