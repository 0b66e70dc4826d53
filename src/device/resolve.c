#include "device/device.h"

#include "base/message.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A reason without its code, for people: "unavailable: no driver" is "no driver". */
static const char *plain(const char *reason)
{
	const char *colon = strstr(reason, ": ");
	return colon && !memchr(reason, ' ', (size_t)(colon - reason)) ? colon + 2 : reason;
}

/* Devices that were found, in listing order. */
struct found { const struct ilab_device **devices; size_t count; };

/* Candidates as a person reads them, cut short when there are many: `opencl:0:0 "NVIDIA H200" (gpu, NVIDIA CUDA), ...`. */
static void describe(char *out, size_t size, const struct ilab_device *const *devices, size_t count)
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		const struct ilab_device *d = devices[i];
		char one[160];
		snprintf(one, sizeof(one), "%s%s \"%.48s\" (%s, %.32s)", i ? ", " : "", d->selector, d->name, d->type, d->platform);
		if (used + strlen(one) + 24 > size) {
			snprintf(out + used, size - used, _(" and %zu more"), count - i);
			return;
		}
		memcpy(out + used, one, strlen(one) + 1);
		used += strlen(one);
	}
}

static bool contains_without_case(const char *text, const char *part)
{
	size_t length = strlen(part);
	for (; *text; text++)
		if (!strncasecmp(text, part, length))
			return true;
	return false;
}

static bool fits(const struct ilab_selector *s, bool whole_name, const struct ilab_device *d)
{
	switch (s->kind) {
	case ILAB_SELECT_BACKEND:
		return !strcmp(d->backend, s->backend) && d->platform_index == s->platform_index && d->device_index == s->device_index;
	case ILAB_SELECT_PCI:
		return d->pci_address.value && !strcmp(d->pci_address.value, s->text);
	case ILAB_SELECT_UUID:
		return d->uuid.value && strcmp(d->backend, "hip") && !strcmp(d->uuid.value, s->text);
	case ILAB_SELECT_NAME:
		return whole_name ? !strcasecmp(d->name, s->text) : contains_without_case(d->name, s->text);
	case ILAB_SELECT_CPU:
		return !strcmp(d->type, "cpu");
	}
	return false;
}

static const struct ilab_device *nth(const struct ilab_listing *listings, size_t count, size_t n)
{
	for (size_t l = 0; l < count; l++) {
		if (n < listings[l].device_count)
			return &listings[l].devices[n];
		n -= listings[l].device_count;
	}
	return NULL;
}

/* Physical devices have a place in several listings: a device is meant when it, or another view of it, fits. */
static bool meant(const struct ilab_selector *s, bool whole_name, const struct ilab_device *d, const struct ilab_listing *listings,
	size_t count)
{
	if (fits(s, whole_name, d))
		return true;
	if (s->kind != ILAB_SELECT_PCI && s->kind != ILAB_SELECT_UUID)
		return false;
	const struct ilab_device *other;
	for (size_t i = 0; (other = nth(listings, count, i)); i++)
		if (other->physical == d->physical && fits(s, whole_name, other))
			return true;
	return false;
}

static struct found collect(const struct ilab_selector *s, bool whole_name, const char *backend, const struct ilab_listing *listings,
	size_t count, struct ilab_arena *arena)
{
	size_t total = 0;
	while (nth(listings, count, total))
		total++;
	struct found f = { ilab_arena_alloc(arena, (total + 1) * sizeof(*f.devices)), 0 };
	for (size_t i = 0; i < total; i++) {
		const struct ilab_device *d = nth(listings, count, i);
		if ((!backend || !strcmp(backend, d->backend)) && (!s || meant(s, whole_name, d, listings, count)))
			f.devices[f.count++] = d;
	}
	return f;
}

static const struct ilab_listing *listing_of(const char *backend, const struct ilab_listing *listings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(listings[i].backend, backend))
			return &listings[i];
	return NULL;
}

static const char *quoted(const struct ilab_selector *s, char *out, size_t size)
{
	static const char *const prefix[] = { [ILAB_SELECT_PCI] = "pci:", [ILAB_SELECT_UUID] = "uuid:", [ILAB_SELECT_NAME] = "name:" };
	if (s->kind == ILAB_SELECT_CPU)
		snprintf(out, size, "cpu");
	else if (s->kind != ILAB_SELECT_BACKEND)
		snprintf(out, size, "%s%.64s", prefix[s->kind], s->text);
	else if (!strcmp(s->backend, "opencl"))
		snprintf(out, size, "opencl:%u:%u", s->platform_index, s->device_index);
	else
		snprintf(out, size, "%s:%u", s->backend, s->device_index);
	return out;
}

static enum ilab_status none(const struct ilab_selector *s, const char *backend, const struct ilab_listing *listings, size_t count,
	struct ilab_arena *arena, struct ilab_err *err)
{
	char wanted[96], text[320];
	quoted(s, wanted, sizeof(wanted));
	struct found all = collect(NULL, false, NULL, listings, count, arena);
	if (all.count) {
		describe(text, sizeof(text), all.devices, all.count);
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "no device %s%s%s; there is %s", wanted, backend ? _(" through ") : "",
			backend ? backend : "", text);
	}
	const char *reason = NULL;
	for (size_t i = 0; i < count && !reason; i++)
		reason = listings[i].reason;
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "no device %s: %.300s; see `iteragpu-lab environment`", wanted,
		reason ? plain(reason) : _("no backend shows any device"));
}

/* A backend that cannot answer is the reason, not the missing device. */
static enum ilab_status check_backend(const char *name, const struct ilab_listing *listings, size_t count, struct ilab_err *err)
{
	const struct ilab_listing *l = listing_of(name, listings, count);
	if (l && strcmp(l->state, "unavailable"))
		return ILAB_OK;
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "backend %s is unavailable: %.400s", name,
		l && l->reason ? plain(l->reason) : _("it was not asked"));
}

enum ilab_status ilab_device_match(const struct ilab_selector *selector, const char *backend, const struct ilab_listing *listings,
	size_t count, struct ilab_arena *arena, const struct ilab_device ***out, size_t *out_count, struct ilab_err *err)
{
	char text[360];
	if (selector->kind == ILAB_SELECT_BACKEND) {
		if (backend && strcmp(backend, selector->backend))
			return ilab_err_set(err, ILAB_REFUSED, "", 0, "--device names a device of %s, --backend asks for %s: leave one out",
				selector->backend, backend);
		backend = selector->backend;
	}
	if (backend) {
		enum ilab_status status = check_backend(backend, listings, count, err);
		if (status != ILAB_OK)
			return status;
	}
	struct found f = collect(selector, true, backend, listings, count, arena);
	if (!f.count && selector->kind == ILAB_SELECT_NAME)
		f = collect(selector, false, backend, listings, count, arena);
	if (!f.count)
		return none(selector, backend, listings, count, arena, err);
	for (size_t i = 1; i < f.count; i++) {
		if (f.devices[i]->physical == f.devices[0]->physical)
			continue;
		describe(text, sizeof(text), f.devices, f.count);
		return ilab_err_set(err, ILAB_REFUSED, "", 0, "several devices fit: choose one of %s", text);
	}
	*out = f.devices;
	*out_count = f.count;
	return ILAB_OK;
}

enum ilab_status ilab_device_resolve(const struct ilab_selector *selector, const char *backend,
	const struct ilab_listing *listings, size_t count, const struct ilab_device **out, struct ilab_err *err)
{
	struct ilab_arena arena = { 0 };
	const struct ilab_device **devices;
	size_t device_count;
	char text[320];
	enum ilab_status status = ilab_device_match(selector, backend, listings, count, &arena, &devices, &device_count, err);
	if (status == ILAB_OK && device_count > 1) {
		bool backends = false;
		for (size_t i = 1; i < device_count; i++)
			backends = backends || strcmp(devices[i]->backend, devices[0]->backend) != 0;
		describe(text, sizeof(text), devices, device_count);
		status = ilab_err_set(err, ILAB_REFUSED, "", 0, "several views of one device fit: name one with --device%s; there is %s",
			backends ? _(", or a --backend") : "", text);
	}
	if (status == ILAB_OK)
		*out = devices[0];
	ilab_arena_free(&arena);
	return status;
}
