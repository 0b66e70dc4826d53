#include "result/ceilings.h"

#include "base/message.h"
#include "result/layout.h"

const char *ilab_text_ceilings(const struct ilab_ceilings *r, bool verbose, struct ilab_arena *arena)
{
	struct ilab_text_buffer b = { .arena = arena };

	ilab_layout_pair(&b, _("device"), "%s (%s, %s)", r->device_name, r->identity, r->device_type);
	ilab_text_add(&b, "\n");
	for (size_t i = 0; i < r->copy_count; i++)
		ilab_layout_pair(&b, i == 0 ? _("copy") : "", _("%8s GB/s read and written, %s"), ilab_layout_fixed(arena, r->copies[i].bytes_per_second / 1e9, r->copies[i].bytes_per_second < 1e9 ? 4 : 1),
			r->copies[i].view);
	for (size_t i = 0; i < r->arithmetic_count; i++) {
		const struct ilab_ceiling *c = &r->arithmetic[i];
		ilab_layout_pair(&b, c->dtype, "%16s  %-6s %s%s", ilab_layout_flops(arena, c->flop_per_second), c->unit, c->view,
			ilab_ceilings_best(r, c->dtype) == c ? " *" : "");
	}
	ilab_layout_pair(&b, "*", "%s", _("the ceiling of its type: the best rate seen now, not the device's data sheet"));
	ilab_layout_pair(&b, _("units"), "%s", _("fma: chains of multiply-adds on vector units; matrix: matrix units; gemm: a verified pass of a large network"));
	if (!verbose && r->unmeasured_count > 0)
		ilab_layout_pair(&b, _("unmeasured"), _("%zu: %zu timed out, %zu failed, %zu unsupported or unknown; with reasons in the document and with --verbose"),
			r->unmeasured_count, r->timed_out_count, r->failed_count, r->unmeasured_count - r->timed_out_count - r->failed_count);
	for (size_t i = 0; verbose && i < r->unmeasured_count; i++)
		ilab_layout_pair(&b, i == 0 ? _("unmeasured") : "", "%s", r->unmeasured[i]);
	return b.text;
}
