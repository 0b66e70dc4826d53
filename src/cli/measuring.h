#ifndef ILAB_CLI_MEASURING_H
#define ILAB_CLI_MEASURING_H

#include "cli/survey.h"
#include "device/device.h"
#include "harness/measure.h"

/* What `measure` and the commands that measure several times share. */

/* A run on the one device that the user names, from the arguments to its worker. The caller closes the survey, whatever happened. */
struct ilab_measuring {
	const struct ilab_context *context;
	const struct ilab_options *options;
	struct ilab_measure_request request;
	struct ilab_selector selector;
	struct ilab_survey survey;
	struct ilab_progress progress;
	const struct ilab_device *device;
	struct ilab_worker *worker;            /* owned by the survey */
};
/* Everything that can be refused without any driver. */
enum ilab_status ilab_measuring_prepare(struct ilab_measuring *m, struct ilab_err *err);
/* Ask the drivers, find the device, point the request at it, and keep its worker. */
enum ilab_status ilab_measuring_find(struct ilab_measuring *m, struct ilab_err *err);
/* What the worker printed, when the run failed and the user has not seen it yet. */
void ilab_measuring_explain(struct ilab_measuring *m, enum ilab_status status);

/* The request that the options make, less device and session; refused without any driver: unknown names, sizes that overflow. */
enum ilab_status ilab_measuring_request(const struct ilab_options *options, struct ilab_measure_request *out, struct ilab_err *err);
/* Point the request at a device: its indices, and what CLBlast has to be told there. */
void ilab_measuring_aim(struct ilab_measure_request *request, const struct ilab_device *device);
/* The worker opened the device by index: is it the one that was chosen? ILAB_FAILED when it is not. */
enum ilab_status ilab_measuring_check_device(const struct ilab_device *chosen, const struct ilab_device *opened, struct ilab_err *err);
/* The file that a backend was loaded from, where it is a module. */
const char **ilab_measuring_modules(const struct ilab_survey *survey, const char *backend, struct ilab_arena *arena, size_t *count);
/* Fill in what only the parent knows (header, host, configuration, the device's other selectors), then see that the record does not
 * contradict itself: ILAB_FAILED when it does. `chosen` is as the document shall show it. */
enum ilab_status ilab_measuring_complete(const struct ilab_context *context, const struct ilab_options *options, const struct ilab_survey *survey,
	const struct ilab_device *chosen, struct ilab_measure *record, struct ilab_err *err);

#endif
