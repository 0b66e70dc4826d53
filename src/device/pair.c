#include "device/device.h"

#include <stdio.h>
#include <string.h>

/* Every device of the listings, in listing order, as one flat sequence. */
struct walk { struct ilab_listing *listings; size_t count, listing, device; };

static struct ilab_device *next(struct walk *w)
{
	while (w->listing < w->count) {
		struct ilab_listing *l = &w->listings[w->listing];
		if (w->device < l->device_count)
			return &l->devices[w->device++];
		w->listing++;
		w->device = 0;
	}
	return NULL;
}

static bool is_cpu(const struct ilab_device *d)
{
	return !strcmp(d->type, "cpu");
}

/* HIP's UUID is the ASCII text of a serial number: it never equals another API's UUID of the same device. */
static const char *comparable_uuid(const struct ilab_device *d)
{
	return strcmp(d->backend, "hip") ? d->uuid.value : NULL;
}

static bool same_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static bool same_platform(const struct ilab_device *a, const struct ilab_device *b)
{
	return !strcmp(a->backend, b->backend) && a->platform_index == b->platform_index;
}

/* How well `d` fits a device that has its place already; the best fit decides. A card cut into parts shows one PCI address for all
 * of them and a UUID for each: hence both together first. 0: not the same device. */
static int fit(const struct ilab_device *d, const struct ilab_device *other)
{
	bool pci = same_text(d->pci_address.value, other->pci_address.value);
	bool pci_differs = d->pci_address.value && other->pci_address.value && !pci;
	bool uuid = same_text(comparable_uuid(d), comparable_uuid(other));
	if (is_cpu(d) || is_cpu(other))
		return is_cpu(d) && is_cpu(other) ? 3 : 0;
	if (pci_differs)
		return 0;
	return pci && uuid ? 3 : pci ? 2 : uuid ? 1 : 0;
}

/* A place is open to `d` unless a device of the same platform is there. */
static bool place_taken(const struct ilab_device *d, struct ilab_listing *listings, size_t count, int64_t place)
{
	struct walk w = { listings, count, 0, 0 };
	for (struct ilab_device *other; (other = next(&w)) && other != d;)
		if (other->physical == place && same_platform(d, other) && !is_cpu(d))
			return true;
	return false;
}

/* The physical device of `d` among those of the devices before it, -1 when it is a new one. */
static int64_t find_place(const struct ilab_device *d, struct ilab_listing *listings, size_t count)
{
	struct walk w = { listings, count, 0, 0 };
	int64_t place = -1;
	int best = 0;
	for (struct ilab_device *other; (other = next(&w)) && other != d;) {
		int value = fit(d, other);
		if (value > best && !place_taken(d, listings, count, other->physical)) {
			best = value;
			place = other->physical;
		}
	}
	return place;
}

static void add_text(struct ilab_arena *arena, const char **list, size_t *count, const char *prefix, const char *text)
{
	if (text)
		list[(*count)++] = ilab_arena_printf(arena, "%s%s", prefix, text);
}

static void fill_selectors(struct ilab_arena *arena, struct ilab_device *d)
{
	d->selectors = ilab_arena_alloc(arena, 5 * sizeof(*d->selectors));
	d->selector_count = 0;
	add_text(arena, d->selectors, &d->selector_count, "", d->selector);
	add_text(arena, d->selectors, &d->selector_count, "pci:", d->pci_address.value);
	add_text(arena, d->selectors, &d->selector_count, "uuid:", comparable_uuid(d));
	add_text(arena, d->selectors, &d->selector_count, "name:", d->name);
	add_text(arena, d->selectors, &d->selector_count, "", is_cpu(d) ? "cpu" : NULL);
}

/* Devices that share a PCI address in one platform go by their UUID. */
static bool pci_is_shared(const struct ilab_device *d, struct ilab_listing *listings, size_t count)
{
	struct walk w = { listings, count, 0, 0 };
	for (struct ilab_device *other; (other = next(&w));)
		if (other->physical != d->physical && same_text(d->pci_address.value, other->pci_address.value))
			return true;
	return false;
}

static const char *identity_of(struct ilab_arena *arena, int64_t place, struct ilab_listing *listings, size_t count)
{
	const char *pci = NULL, *uuid = NULL, *selector = NULL;
	struct walk w = { listings, count, 0, 0 };
	for (struct ilab_device *d; (d = next(&w));) {
		if (d->physical != place)
			continue;
		if (is_cpu(d))
			return "cpu";
		if (!pci && d->pci_address.value && !(comparable_uuid(d) && pci_is_shared(d, listings, count)))
			pci = d->pci_address.value;
		if (!uuid)
			uuid = comparable_uuid(d);
		if (!selector)
			selector = d->selector;
	}
	return pci ? ilab_arena_printf(arena, "pci:%s", pci) : uuid ? ilab_arena_printf(arena, "uuid:%s", uuid) : selector;
}

static void add_view(struct ilab_arena *arena, struct ilab_physical *p, const struct ilab_device *d)
{
	const char *view = ilab_arena_printf(arena, "%s/%s", d->backend, d->platform);
	for (size_t i = 0; i < p->view_count; i++)
		if (!strcmp(p->views[i], view))
			return;
	p->views[p->view_count++] = view;
}

void ilab_device_pair(struct ilab_arena *arena, struct ilab_listing *listings, size_t count,
	struct ilab_physical **physical, size_t *physical_count)
{
	int64_t places = 0;
	size_t devices = 0;
	struct walk w = { listings, count, 0, 0 };
	for (struct ilab_device *d; (d = next(&w)); devices++) {
		int64_t place = find_place(d, listings, count);
		d->physical = place >= 0 ? place : places++;
		fill_selectors(arena, d);
	}
	struct ilab_physical *list = ilab_arena_alloc(arena, ((size_t)places + 1) * sizeof(*list));
	for (int64_t p = 0; p < places; p++) {
		list[p].identity = identity_of(arena, p, listings, count);
		list[p].views = ilab_arena_alloc(arena, devices * sizeof(*list[p].views));
	}
	w = (struct walk){ listings, count, 0, 0 };
	for (struct ilab_device *d; (d = next(&w));)
		add_view(arena, &list[d->physical], d);
	*physical = list;
	*physical_count = (size_t)places;
}

static const char *first_selector(int64_t place, struct ilab_listing *listings, size_t count)
{
	struct walk w = { listings, count, 0, 0 };
	for (struct ilab_device *d; (d = next(&w));)
		if (d->physical == place)
			return d->selector;
	return "unknown";
}

void ilab_device_hide_uuids(struct ilab_arena *arena, struct ilab_listing *listings, size_t count,
	struct ilab_physical *physical, size_t physical_count)
{
	struct walk w = { listings, count, 0, 0 };
	for (struct ilab_device *d; (d = next(&w));) {
		size_t kept = 0;
		for (size_t i = 0; i < d->selector_count; i++)
			if (strncmp(d->selectors[i], "uuid:", 5))
				d->selectors[kept++] = d->selectors[i];
		d->selector_count = kept;
		d->uuid = (struct ilab_text){ NULL, "not-run: left out on request (--no-uuid)" };
	}
	for (size_t p = 0; p < physical_count; p++)
		if (!strncmp(physical[p].identity, "uuid:", 5))
			physical[p].identity = ilab_arena_strdup(arena, first_selector((int64_t)p, listings, count));
}
