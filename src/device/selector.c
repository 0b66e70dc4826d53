#include "device/device.h"

#include "base/message.h"
#include "base/numtext.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static enum ilab_status bad(const char *text, const char *why, struct ilab_err *err)
{
	return ilab_err_set(err, ILAB_REFUSED, "", 0, "\"%.100s\" is not a device selector%s%s: "
		"expected opencl:P:D, cuda:N, hip:N, pci:DDDD:BB:DD.F, uuid:..., name:TEXT or cpu"
		"; `iteragpu-lab environment --list` shows those of this machine", text, *why ? ", " : "", why);
}

/* "3" or "0:1" into `count` indices. */
static bool indices(const char *text, uint32_t *out, size_t count)
{
	char digits[32];
	for (size_t i = 0; i < count; i++) {
		size_t length = strcspn(text, ":");
		uint64_t value;
		if (length >= sizeof(digits) || (i + 1 < count) != (text[length] == ':'))
			return false;
		memcpy(digits, text, length);
		digits[length] = '\0';
		if (ilab_parse_u64(digits, &value) != ILAB_PARSE_OK || value > UINT32_MAX)
			return false;
		out[i] = (uint32_t)value;
		text += length + 1;
	}
	return true;
}

static size_t hex_digits(const char *text)
{
	size_t n = 0;
	while (isxdigit((unsigned char)text[n]))
		n++;
	return n;
}

static char *lower(struct ilab_arena *arena, const char *text)
{
	char *copy = ilab_arena_strdup(arena, text);
	for (char *c = copy; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copy;
}

/* DDDD:BB:DD.F with a domain of four digits, or of eight as some tools print it. NULL when it is something else. */
static char *canonical_pci(struct ilab_arena *arena, const char *text)
{
	size_t domain = hex_digits(text);
	unsigned d, b, s, f;
	char rest;
	if (domain < 4 || domain > 8 || text[domain] != ':' || hex_digits(text + domain + 1) != 2)
		return NULL;
	const char *slot = text + domain + 4;
	if (text[domain + 3] != ':' || hex_digits(slot) != 2 || slot[2] != '.' || hex_digits(slot + 3) != 1)
		return NULL;
	if (sscanf(text, "%8x:%2x:%2x.%1x%c", &d, &b, &s, &f, &rest) != 4)
		return NULL;
	return ilab_arena_printf(arena, "%04x:%02x:%02x.%x", d, b, s, f);
}

/* 8-4-4-4-12 hexadecimal digits, "GPU-" before them allowed, as NVIDIA's tools print it. */
static char *canonical_uuid(struct ilab_arena *arena, const char *text)
{
	static const size_t groups[] = { 8, 4, 4, 4, 12 };
	if (!strncmp(text, "GPU-", 4))
		text += 4;
	const char *at = text;
	for (size_t i = 0; i < 5; i++) {
		if (hex_digits(at) != groups[i])
			return NULL;
		at += groups[i];
		if (*at++ != (i < 4 ? '-' : '\0'))
			return NULL;
	}
	return lower(arena, text);
}

enum ilab_status ilab_selector_parse(const char *text, struct ilab_arena *arena, struct ilab_selector *out, struct ilab_err *err)
{
	static const struct { const char *name; size_t indices; } backends[] = { { "opencl", 2 }, { "cuda", 1 }, { "hip", 1 } };
	*out = (struct ilab_selector){ 0 };
	if (!strcmp(text, "cpu")) {
		out->kind = ILAB_SELECT_CPU;
		return ILAB_OK;
	}
	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		size_t length = strlen(backends[i].name);
		uint32_t index[2] = { 0, 0 };
		if (strncmp(text, backends[i].name, length) || text[length] != ':')
			continue;
		if (!indices(text + length + 1, index, backends[i].indices))
			return bad(text, backends[i].indices == 2 ? _("it needs two whole numbers") : _("it needs one whole number"), err);
		out->kind = ILAB_SELECT_BACKEND;
		out->backend = backends[i].name;
		out->platform_index = backends[i].indices == 2 ? index[0] : 0;
		out->device_index = backends[i].indices == 2 ? index[1] : index[0];
		return ILAB_OK;
	}
	if (!strncmp(text, "pci:", 4)) {
		out->kind = ILAB_SELECT_PCI;
		out->text = canonical_pci(arena, text + 4);
		return out->text ? ILAB_OK : bad(text, _("a PCI address looks like 0000:01:00.0"), err);
	}
	if (!strncmp(text, "uuid:", 5)) {
		out->kind = ILAB_SELECT_UUID;
		out->text = canonical_uuid(arena, text + 5);
		return out->text ? ILAB_OK : bad(text, _("a UUID has 8-4-4-4-12 hexadecimal digits"), err);
	}
	if (!strncmp(text, "name:", 5) && text[5]) {
		out->kind = ILAB_SELECT_NAME;
		out->text = ilab_arena_strdup(arena, text + 5);
		return ILAB_OK;
	}
	return bad(text, "", err);
}
