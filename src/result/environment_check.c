#include "result/document.h"

#include "result/fields.h"

#include <string.h>

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
	return ILAB_OK;
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
	if (d->pci_address.reason == NULL && !has_form(d->pci_address.value, "xxxx:xx:xx.x"))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.pci_address: not of the form 0000:01:00.0", where);
	if (d->uuid.reason == NULL && !has_form(d->uuid.value, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"))
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
		/* A ready backend may show none: those of the document may be a selection. */
		if (!ready && l->device_count > 0)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "backends[%zu].state: %s with %zu devices", b, l->state, l->device_count);
		for (size_t i = 0; i < b; i++)
			if (strcmp(r->backends[i].backend, l->backend) == 0)
				return ilab_err_set(err, ILAB_IO, NULL, 0, "backends[%zu].name: %s stands twice", b, l->backend);
	}
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

/* The physical device that `d` says it is, against what `d` knows of itself. */
static enum ilab_status check_physical(const struct ilab_environment *r, const struct ilab_device *d, const char *where, struct ilab_err *err)
{
	const char *identity;
	bool cpu = strcmp(d->type, "cpu") == 0;

	if (d->physical < 0 || (size_t)d->physical >= r->physical_count)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.physical: no index into physical_devices", where);
	identity = r->physical[d->physical].identity;
	if (cpu != (strcmp(identity, "cpu") == 0))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.type: %s, but its identity is %s", where, d->type, identity);
	if (!cpu && d->pci_address.reason == NULL && (strncmp(identity, "pci:", 4) != 0 || strcmp(identity + 4, d->pci_address.value) != 0))
		return ilab_err_set(err, ILAB_IO, NULL, 0, "%s.pci_address: its identity is %s", where, identity);
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

static bool is_reached(const struct ilab_environment *r, size_t physical)
{
	for (size_t b = 0; b < r->backend_count; b++)
		for (size_t i = 0; i < r->backends[b].device_count; i++)
			if (r->backends[b].devices[i].physical == (int64_t)physical)
				return true;
	return false;
}

static enum ilab_status check_identities(const struct ilab_environment *r, struct ilab_err *err)
{
	for (size_t p = 0; p < r->physical_count; p++) {
		if (!is_reached(r, p))
			return ilab_err_set(err, ILAB_IO, NULL, 0, "physical_devices[%zu]: no device is it", p);
		for (size_t i = 0; i < p; i++)
			if (strcmp(r->physical[i].identity, r->physical[p].identity) == 0)
				return ilab_err_set(err, ILAB_IO, NULL, 0, "physical_devices[%zu].identity: %s stands twice", p, r->physical[p].identity);
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
		&& (status = check_devices(r, &arena, err)) == ILAB_OK)
		status = check_identities(r, err);
	ilab_arena_free(&arena);
	return status;
}
