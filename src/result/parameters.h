#ifndef ILAB_RESULT_PARAMETERS_H
#define ILAB_RESULT_PARAMETERS_H

#include "result/fields.h"

/* An object of an open set of names: values are whole numbers, or words. */
bool ilab_parameters_write(cJSON *object, const char *name, const struct ilab_parameter *parameters, size_t count);
/* ILAB_IO names the member that is neither. */
enum ilab_status ilab_parameters_read(struct ilab_fields_reader *r, const cJSON *object, const char *name, struct ilab_parameter **out, size_t *count);

#endif
