#ifndef ILAB_CLI_VIEWS_H
#define ILAB_CLI_VIEWS_H

#include "backend/backend.h"
#include "device/device.h"

/* Ways to one physical device: each backend and platform that reaches it, with each provider of products it may have. */
struct ilab_view {
	const char *name;              /* "backend/platform/provider", the second of a name "...#2" */
	const struct ilab_device *device;      /* of the listing, as documents shall show it */
	struct ilab_device told;       /* as the driver told it: what a worker must open */
	enum ilab_gemm gemm;           /* never AUTO */
};

struct ilab_views { struct ilab_view *views; size_t count; };

/* All views of `devices` (from ilab_device_match or of one physical device), in their order; `gemm` other than AUTO keeps that provider
 * only. */
struct ilab_views ilab_views_of(const struct ilab_device *const *devices, size_t count, enum ilab_gemm gemm, struct ilab_arena *arena);
/* Those named in `list`, separated by commas, in its order; a name that stands there twice is run twice. ILAB_REFUSED for a name that is
 * none, with what there is. */
enum ilab_status ilab_views_named(const struct ilab_views *all, const char *list, struct ilab_arena *arena, struct ilab_views *out,
	struct ilab_err *err);
/* Their names for people: each in quotation marks. */
const char *ilab_views_listed(const struct ilab_views *views, struct ilab_arena *arena);
/* The view of that name. NULL: none. */
const struct ilab_view *ilab_views_find(const struct ilab_views *views, const char *name);
/* The view that others are compared with unless told otherwise: the first whose provider is the vendor's own library, else the first. */
const struct ilab_view *ilab_views_reference(const struct ilab_views *views);

#endif
