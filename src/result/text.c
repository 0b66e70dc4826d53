#include "result/text.h"

#include "base/message.h"
#include "base/ratio.h"
#include "result/layout.h"

#include <inttypes.h>
#include <string.h>

/* --- estimate ------------------------------------------------------------------------------------------------------------ */

/* Of a small model the bytes say it all: larger units would show zeros. */
static const char *amount(struct ilab_arena *arena, ilab_u128 bytes, bool decimal_too)
{
	const char *whole = ilab_layout_count(arena, bytes, "byte", "bytes");
	char gib[ILAB_RATIO_SIZE];

	if (bytes < 1 << 20)
		return whole;
	ilab_format_ratio(gib, sizeof gib, bytes, 1 << 30, 4);
	return ilab_arena_printf(arena, "%s, %s GiB%s", whole, gib, !decimal_too ? ""
		: ilab_arena_printf(arena, ", %s GB", ilab_layout_fixed(arena, (double)bytes / 1e9, 4)));
}

const char *ilab_text_estimate(const struct ilab_estimate *r, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };

	ilab_layout_pair(&b, _("parameters"), _("%s of %s"), ilab_layout_grouped(arena, r->parameters), ilab_layout_count(arena, r->bits, "bit", "bits"));
	ilab_layout_pair(&b, _("weights"), "%s", amount(arena, r->weight_bytes, true));
	ilab_layout_pair(&b, _("reserve"), "%s", amount(arena, r->total_bytes - r->weight_bytes, false));
	ilab_layout_pair(&b, _("total"), "%s", amount(arena, r->total_bytes, false));
	for (size_t i = 0; i < r->assumption_count; i++)
		ilab_layout_wrap(&b, ilab_arena_printf(arena, "%s- ", ilab_layout_cell(arena, i == 0 ? _("assumptions") : "", -ILAB_LAYOUT_KEY)), _(r->assumptions[i]));
	return b.text;
}

/* --- environment --------------------------------------------------------------------------------------------------------- */

/* "unavailable: libcuda.so.1 was not found" says the state already. */
static const char *state_text(struct ilab_arena *arena, const struct ilab_listing *l)
{
	size_t length = strlen(l->state);

	if (l->reason == NULL)
		return l->modules != NULL ? ilab_arena_printf(arena, "%s (%s)", l->state, l->modules) : l->state;
	if (strncmp(l->reason, l->state, length) == 0 && l->reason[length] == ':')
		return l->reason;
	return ilab_arena_printf(arena, "%s: %s", l->state, l->reason);
}

static const char *known_or(const struct ilab_text *t, const char *otherwise)
{
	return t->reason == NULL && t->value != NULL ? t->value : otherwise;
}

static const char *indented(struct ilab_arena *arena, const char *key)
{
	return ilab_arena_printf(arena, "  %s", key);
}

static void add_host(struct ilab_text_buffer *b, const struct ilab_environment *r)
{
	ilab_layout_pair(b, _("host"), "%s, %s, %s, %s", r->host.os != NULL ? r->host.os : _("unknown system"),
		r->host.kernel != NULL ? r->host.kernel : _("unknown kernel"), r->host.cpu_model != NULL ? r->host.cpu_model : _("unknown CPU"),
		ilab_layout_count(b->arena, r->host.logical_cores, "logical core", "logical cores"));
	if (r->loader_name.reason == NULL)
		ilab_layout_pair(b, _("loader"), "%s %s", r->loader_name.value, known_or(&r->loader_version, ""));
}

static void add_backends(struct ilab_text_buffer *b, const struct ilab_environment *r)
{
	ilab_text_add(b, "\n%s\n", _("backends"));
	for (size_t i = 0; i < r->backend_count; i++)
		ilab_layout_pair(b, indented(b->arena, r->backends[i].backend), "%s", state_text(b->arena, &r->backends[i]));
}

static void add_platforms(struct ilab_text_buffer *b, const struct ilab_environment *r)
{
	bool any = false;

	for (size_t i = 0; i < r->backend_count; i++)
		for (size_t k = 0; k < r->backends[i].platform_count; k++) {
			const struct ilab_platform *p = &r->backends[i].platforms[k];
			if (!any)
				ilab_text_add(b, "\n%s\n", _("platforms"));
			any = true;
			ilab_layout_pair(b, ilab_arena_printf(b->arena, "  %s:%" PRIu32, p->backend, p->index), "%s, %s (%s)", p->name, p->version, p->vendor);
		}
}

static void add_device(struct ilab_text_buffer *b, const struct ilab_device *d)
{
	struct ilab_arena *arena = b->arena;

	ilab_layout_pair(b, indented(arena, d->selector), "%s, %s", d->name, d->type);
	ilab_layout_pair(b, "", _("%s memory, at most %s in one allocation, %s"), ilab_layout_bytes(arena, d->total_memory_bytes),
		ilab_layout_bytes(arena, d->max_allocation_bytes), ilab_layout_count(arena, d->compute_units, "compute unit", "compute units"));
	ilab_layout_pair(b, "", _("%s, driver %s"), known_or(&d->api_version, _("version unknown")), known_or(&d->driver_version, _("unknown")));
}

static void add_devices(struct ilab_text_buffer *b, const struct ilab_environment *r)
{
	bool any = false;

	for (size_t i = 0; i < r->backend_count; i++)
		for (size_t k = 0; k < r->backends[i].device_count; k++) {
			if (!any)
				ilab_text_add(b, "\n%s\n", _("devices"));
			any = true;
			add_device(b, &r->backends[i].devices[k]);
		}
}

/* Which devices are one and the same. */
static void add_physical(struct ilab_text_buffer *b, const struct ilab_environment *r)
{
	if (r->physical_count > 0)
		ilab_text_add(b, "\n%s\n", _("physical devices"));
	for (size_t p = 0; p < r->physical_count; p++) {
		const char *reached = "";
		for (size_t i = 0; i < r->backend_count; i++)
			for (size_t k = 0; k < r->backends[i].device_count; k++)
				if (r->backends[i].devices[k].physical == (int64_t)p)
					reached = ilab_arena_printf(b->arena, "%s %s", reached, r->backends[i].devices[k].selector);
		ilab_layout_pair(b, indented(b->arena, r->physical[p].identity), _("reached by%s"), reached);
	}
}

const char *ilab_text_environment(const struct ilab_environment *r, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };

	add_host(&b, r);
	add_backends(&b, r);
	add_platforms(&b, r);
	add_devices(&b, r);
	add_physical(&b, r);
	if (r->advice_count > 0)
		ilab_text_add(&b, "\n%s\n", _("advice"));
	for (size_t i = 0; i < r->advice_count; i++)
		ilab_layout_wrap(&b, "  - ", _(r->advice[i]));
	return b.text;
}
