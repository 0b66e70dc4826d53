#include "result/document.h"

#include "result/fields.h"

#include <string.h>

#define PCI_FORM "xxxx:xx:xx.x"
#define UUID_FORM "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"

/* Is `text` of this form, where x stands for a lower-case hexadecimal digit? */
static bool has_form(const char *text, const char *form)
{
	if (strlen(text) != strlen(form))
		return false;
	for (size_t i = 0; form[i] != '\0'; i++)
		if (form[i] == 'x' ? strchr("0123456789abcdef", text[i]) == NULL : text[i] != form[i])
			return false;
	return true;
}

static bool holds(const char **strings, size_t count, const char *wanted)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(strings[i], wanted) == 0)
			return true;
	return false;
}

/* Is `selector` the prefix and the text? */
static bool says(const char *selector, const char *prefix, const char *text)
{
	size_t n = strlen(prefix);

	return strncmp(selector, prefix, n) == 0 && text != NULL && strcmp(selector + n, text) == 0;
}

static bool selects(const struct ilab_device *d, const char *prefix, const char *text)
{
	for (size_t i = 0; i < d->selector_count; i++)
		if (says(d->selectors[i], prefix, text))
			return true;
	return false;
}

/* HIP's is a serial number in disguise, which selects nothing. */
static const char *comparable_uuid(const struct ilab_device *d)
{
	return d->uuid.reason == NULL && strcmp(d->backend, "hip") != 0 ? d->uuid.value : NULL;
}

/* Each selector names what the device says of itself elsewhere. "name:TEXT" is left alone: it may be a part of the name, in any case,
 * and a name is only a label. */
static enum ilab_status check_selectors(const struct ilab_device *d, const char *where, struct ilab_err *err)
{
	const bool cpu = strcmp(d->type, "cpu") == 0;

	for (size_t i = 0; i < d->selector_count; i++) {
		const char *s = d->selectors[i];
		if (strcmp(s, d->selector) != 0 && !says(s, "pci:", d->pci_address.value) && !says(s, "uuid:", d->uuid.value)
			&& strncmp(s, "name:", 5) != 0 && !(cpu && strcmp(s, "cpu") == 0))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.selectors: '%.100s' contradicts the device's other members", where, s);
	}
	if (cpu && !holds(d->selectors, d->selector_count, "cpu"))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.type: cpu, but no selector says so", where);
	if (d->pci_address.reason == NULL && !selects(d, "pci:", d->pci_address.value))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.selectors: pci:%s is missing", where, d->pci_address.value);
	if (comparable_uuid(d) != NULL && !selects(d, "uuid:", d->uuid.value))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.selectors: uuid:%s is missing", where, d->uuid.value);
	return ILAB_OK;
}

bool ilab_identity_fits(const char *identity, const char *type)
{
	uint32_t platform, device;

	if (strcmp(identity, "cpu") == 0 || strcmp(type, "cpu") == 0)
		return strcmp(identity, type) == 0;
	return has_form(identity, "pci:" PCI_FORM) || has_form(identity, "uuid:" UUID_FORM) || ilab_selector_indices(identity, "opencl", &platform, &device)
		|| ilab_selector_indices(identity, "cuda", &platform, &device) || ilab_selector_indices(identity, "hip", &platform, &device);
}

enum ilab_status ilab_host_check(const struct ilab_host *h, const char *where, struct ilab_err *err)
{
	if (h->logical_cores == 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.logical_cores: must not be 0", where);
	return ILAB_OK;
}

enum ilab_status ilab_device_check(const struct ilab_device *d, const char *where, struct ilab_err *err)
{
	uint32_t platform, device;

	if (!ilab_selector_indices(d->selector, d->backend, &platform, &device))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.selector: no canonical selector of backend %s", where, d->backend);
	if (!holds(d->selectors, d->selector_count, d->selector))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.selectors: %s is missing", where, d->selector);
	if (d->pci_address.reason == NULL && !has_form(d->pci_address.value, PCI_FORM))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.pci_address: not of the form 0000:01:00.0", where);
	if (d->uuid.reason == NULL && !has_form(d->uuid.value, UUID_FORM))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.uuid: not of the form 8-4-4-4-12", where);
	return check_selectors(d, where, err);
}

static enum ilab_status check_backends(const struct ilab_environment *r, struct ilab_err *err)
{
	for (size_t b = 0; b < r->backend_count; b++) {
		const struct ilab_listing *l = &r->backends[b];
		bool ready = strcmp(l->state, "ready") == 0;
		if (ready != (l->reason == NULL))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "backends[%zu].reason: contradicts state %s", b, l->state);
		if (ready && l->modules == NULL)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "backends[%zu].modules: null, but the backend is ready", b);
		/* A ready backend may show none: those of the document may be a selection. */
		if (!ready && l->device_count > 0)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "backends[%zu].state: %s with %zu devices", b, l->state, l->device_count);
		for (size_t i = 0; i < b; i++)
			if (strcmp(r->backends[i].backend, l->backend) == 0)
				return ilab_err_set(err, ILAB_IO, NULL, 0, "backends[%zu].name: %s stands twice", b, l->backend);
	}
	return ILAB_OK;
}

/* Files of modules are those of the backends that have one. */
static enum ilab_status check_modules(const struct ilab_environment *r, struct ilab_err *err)
{
	size_t n = 0;

	for (size_t b = 0; b < r->backend_count; b++) {
		const char *file = r->backends[b].modules;
		if (file == NULL || strcmp(file, "built-in") == 0)
			continue;
		if (n >= r->header.tool_module_count || strcmp(r->header.tool_modules[n++], file) != 0)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "tool.modules: contradicts backends[%zu].modules, %.100s", b, file);
	}
	return n == r->header.tool_module_count ? ILAB_OK
		: ilab_err_set(err, ILAB_IO, NULL, 0, "tool.modules: %.100s is that of no backend", r->header.tool_modules[n]);
}

static enum ilab_status check_platforms(const struct ilab_environment *r, struct ilab_err *err)
{
	for (size_t b = 0; b < r->backend_count; b++)
		for (size_t i = 0; i < r->backends[b].platform_count; i++)
			for (size_t k = 0; k < i; k++)
				if (r->backends[b].platforms[k].index == r->backends[b].platforms[i].index)
					return ilab_err_set(err, ILAB_IO, NULL, 0, "platforms: %s has index %u twice", r->backends[b].backend,
						(unsigned)r->backends[b].platforms[i].index);
	return ILAB_OK;
}

static bool has_platform(const struct ilab_listing *l, const struct ilab_device *d)
{
	for (size_t i = 0; i < l->platform_count; i++)
		if (strcmp(l->platforms[i].name, d->platform) == 0
			&& (strcmp(l->backend, "opencl") != 0 || l->platforms[i].index == d->platform_index))
			return true;
	return false;
}

/* --- physical devices ---------------------------------------------------------------------------------------------------- */

/* The devices of the document one after the other. */
struct walk { const struct ilab_environment *r; size_t backend, device; };

static const struct ilab_device *next(struct walk *w)
{
	for (; w->backend < w->r->backend_count; w->backend++, w->device = 0)
		if (w->device < w->r->backends[w->backend].device_count)
			return &w->r->backends[w->backend].devices[w->device++];
	return NULL;
}

/* Parts of one card show its address, each of them, and go by something else. */
static bool is_part(const struct ilab_environment *r, const struct ilab_device *d)
{
	struct walk w = { r, 0, 0 };

	for (const struct ilab_device *other; (other = next(&w)) != NULL;)
		if (other->physical != d->physical && other->pci_address.reason == NULL && strcmp(other->pci_address.value, d->pci_address.value) == 0)
			return true;
	return false;
}

/* The physical device that `d` says it is, against what `d` knows of itself. */
static enum ilab_status check_physical(const struct ilab_environment *r, const struct ilab_device *d, const char *where, struct ilab_err *err)
{
	const char *identity;
	const bool cpu = strcmp(d->type, "cpu") == 0;

	if (d->physical < 0 || (size_t)d->physical >= r->physical_count)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.physical: no index into physical_devices", where);
	identity = r->physical[d->physical].identity;
	if (cpu != (strcmp(identity, "cpu") == 0))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.type: %s, but its identity is %s", where, d->type, identity);
	if (cpu)
		return ILAB_OK;
	if (d->pci_address.reason == NULL && !says(identity, "pci:", d->pci_address.value) && (strncmp(identity, "pci:", 4) == 0 || !is_part(r, d)))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.pci_address: its identity is %s", where, identity);
	if (comparable_uuid(d) != NULL && strncmp(identity, "pci:", 4) != 0 && strncmp(identity, "uuid:", 5) != 0)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.uuid: its identity is %s", where, identity);
	return ILAB_OK;
}

static enum ilab_status check_devices(const struct ilab_environment *r, struct ilab_arena *arena, struct ilab_err *err)
{
	size_t n = 0;

	for (size_t b = 0; b < r->backend_count; b++)
		for (size_t i = 0; i < r->backends[b].device_count; i++, n++) {
			const struct ilab_device *d = &r->backends[b].devices[i];
			const char *where = ilab_arena_printf(arena, "devices[%zu]", n);
			enum ilab_status status = ilab_device_check(d, where, err);
			if (status != ILAB_OK || (status = check_physical(r, d, where, err)) != ILAB_OK)
				return status;
			if (!has_platform(&r->backends[b], d))
				return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.platform: '%s' is not listed", where, d->platform);
			for (size_t k = 0; k < i; k++)
				if (strcmp(r->backends[b].devices[k].selector, d->selector) == 0)
					return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.selector: %s stands twice", where, d->selector);
		}
	return ILAB_OK;
}

/* Devices of one platform are never the same one, though they may show the same address. */
static bool share_a_platform(const struct ilab_environment *r, size_t a, size_t b)
{
	struct walk w = { r, 0, 0 };

	for (const struct ilab_device *d; (d = next(&w)) != NULL;) {
		struct walk v = { r, 0, 0 };
		for (const struct ilab_device *e; (e = next(&v)) != NULL;)
			if (d->physical == (int64_t)a && e->physical == (int64_t)b && strcmp(d->backend, e->backend) == 0 && d->platform_index == e->platform_index)
				return true;
	}
	return false;
}

/* Is `view` backend/platform of `d`, perhaps with a provider? */
static bool is_view_of(const struct ilab_device *d, const char *view)
{
	const size_t backend = strlen(d->backend), platform = strlen(d->platform);
	const char *name = view + backend + 1;

	return strncmp(view, d->backend, backend) == 0 && view[backend] == '/' && strncmp(name, d->platform, platform) == 0
		&& (name[platform] == '\0' || name[platform] == '/');
}

/* Every view is that of a device of this physical one. */
static enum ilab_status check_views(const struct ilab_environment *r, size_t p, struct ilab_err *err)
{
	const struct ilab_physical *physical = &r->physical[p];

	for (size_t i = 0; i < physical->view_count; i++) {
		struct walk w = { r, 0, 0 };
		const struct ilab_device *d = next(&w);
		while (d != NULL && (d->physical != (int64_t)p || !is_view_of(d, physical->views[i])))
			d = next(&w);
		if (d == NULL)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "physical_devices[%zu].views: %.150s is that of none of its devices", p, physical->views[i]);
		if (holds(physical->views, i, physical->views[i]))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "physical_devices[%zu].views: %.150s stands twice", p, physical->views[i]);
	}
	return ILAB_OK;
}

/* Its identity is one of its devices' selectors, and every device is one of its views. */
static enum ilab_status check_members(const struct ilab_environment *r, size_t p, struct ilab_err *err)
{
	const struct ilab_physical *physical = &r->physical[p];
	struct walk w = { r, 0, 0 };
	bool reached = false, named = false;

	for (const struct ilab_device *d; (d = next(&w)) != NULL;) {
		size_t i = 0;
		if (d->physical != (int64_t)p)
			continue;
		reached = true;
		named = named || holds(d->selectors, d->selector_count, physical->identity);
		while (i < physical->view_count && !is_view_of(d, physical->views[i]))
			i++;
		if (i == physical->view_count)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "physical_devices[%zu].views: none is of its device %s", p, d->selector);
	}
	if (!reached)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "physical_devices[%zu]: no device is it", p);
	if (!named)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "physical_devices[%zu].identity: %.100s selects none of its devices", p, physical->identity);
	return check_views(r, p, err);
}

static enum ilab_status check_identities(const struct ilab_environment *r, struct ilab_err *err)
{
	for (size_t p = 0; p < r->physical_count; p++) {
		const char *identity = r->physical[p].identity;
		enum ilab_status status = check_members(r, p, err);
		if (status != ILAB_OK)
			return status;
		for (size_t i = 0; i < p; i++)
			if (strcmp(r->physical[i].identity, identity) == 0 && (strncmp(identity, "pci:", 4) != 0 || !share_a_platform(r, i, p)))
				return ilab_err_set(err, ILAB_IO, NULL, 0, "physical_devices[%zu].identity: %s stands twice", p, identity);
	}
	return ILAB_OK;
}

enum ilab_status ilab_environment_check(const struct ilab_environment *r, struct ilab_err *err)
{
	struct ilab_arena arena = { 0 };
	enum ilab_status status;

	if ((status = ilab_header_check(&r->header, err)) == ILAB_OK
		&& (status = ilab_host_check(&r->host, "host", err)) == ILAB_OK
		&& (status = check_backends(r, err)) == ILAB_OK
		&& (status = check_modules(r, err)) == ILAB_OK
		&& (status = check_platforms(r, err)) == ILAB_OK
		&& (status = check_devices(r, &arena, err)) == ILAB_OK)
		status = check_identities(r, err);
	ilab_arena_free(&arena);
	return status;
}
