#ifndef ILAB_DEVICE_DEVICE_H
#define ILAB_DEVICE_DEVICE_H

#include "base/err.h"
#include "result/record.h"

#include <stddef.h>

/* Which devices are one physical device, and which one a selector means. Pure functions over listings. */

/* Host facts for documents: no host name, user or path. */
void ilab_host_facts(struct ilab_arena *arena, struct ilab_host *out);

/* Pair the devices of all listings: by PCI address, then UUID (not HIP's, which is a serial number in disguise); CPU devices of any
 * platform are the host, "cpu". Devices of one platform are never one physical device, unless they are CPUs. Fills in every
 * device's `selectors` and `physical`, and the physical devices with their identity ("pci:...", else "uuid:...", else "cpu"; a
 * device that tells neither goes by its own selector) and views ("backend/platform"). May be called again after a change. */
void ilab_device_pair(struct ilab_arena *arena, struct ilab_listing *listings, size_t count,
	struct ilab_physical **physical, size_t *physical_count);

/* Take UUIDs out of paired listings: the field becomes null with a reason, selectors and identities go by something else. */
void ilab_device_hide_uuids(struct ilab_arena *arena, struct ilab_listing *listings, size_t count,
	struct ilab_physical *physical, size_t physical_count);

enum ilab_selector_kind { ILAB_SELECT_BACKEND, ILAB_SELECT_PCI, ILAB_SELECT_UUID, ILAB_SELECT_NAME, ILAB_SELECT_CPU };
struct ilab_selector {
	enum ilab_selector_kind kind;
	const char *backend;               /* BACKEND: "opencl" "cuda" "hip" */
	uint32_t platform_index, device_index;
	const char *text;                  /* PCI, UUID: canonical lower-case; NAME: as given */
};

/* opencl:P:D, cuda:N, hip:N, pci:DDDD:BB:DD.F, uuid:..., name:TEXT, cpu. ILAB_REFUSED with what is expected. */
enum ilab_status ilab_selector_parse(const char *text, struct ilab_arena *arena, struct ilab_selector *out, struct ilab_err *err);

/* Devices of paired listings that a selector means: all views of one physical device, or the one view of a BACKEND selector.
 * `backend` (may be NULL) narrows it. ILAB_REFUSED: none (says what there is), several physical devices (lists them), a backend
 * that is unavailable (with its reason). name: compares whole names first, then parts, without case. The array is owned by
 * `arena`, the devices by the listings; *out_count >= 1 on success. */
enum ilab_status ilab_device_match(const struct ilab_selector *selector, const char *backend, const struct ilab_listing *listings,
	size_t count, struct ilab_arena *arena, const struct ilab_device ***out, size_t *out_count, struct ilab_err *err);

/* The one device (backend and platform) that a selector means for `measure`. As above; several views are ILAB_REFUSED too, with
 * the candidates and how to choose one. */
enum ilab_status ilab_device_resolve(const struct ilab_selector *selector, const char *backend,
	const struct ilab_listing *listings, size_t count, const struct ilab_device **out, struct ilab_err *err);

#endif
