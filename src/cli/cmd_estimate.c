#include "cli/command.h"

#include "base/message.h"
#include "result/document.h"
#include "result/text.h"

#define GIB_SHIFT 30
#define NANO 1000000000u

static const char *const assumptions[] = {
	N_("the reserve is the user's own guess, not a measured need"),
	N_("not counted: activations, key-value cache, quantisation metadata, gradients, optimiser state, libraries, fragmentation"),
	N_("no prediction that a model fits on a device"),
};

enum ilab_status ilab_cmd_estimate(const struct ilab_context *context, const struct ilab_options *options, struct ilab_err *err)
{
	struct ilab_estimate r = {
		.parameters = options->parameters, .bits = options->bits, .reserve_nano_gib = options->reserve_nano_gib,
		.assumption_count = sizeof(assumptions) / sizeof(assumptions[0]),
	};
	r.assumptions = ilab_arena_alloc(context->arena, sizeof(assumptions));
	for (size_t i = 0; i < r.assumption_count; i++)
		r.assumptions[i] = assumptions[i];
	/* At most (2^63 - 1) * 64 bits and a reserve below 2^35 GiB: both sums fit in 128 bits with room to spare. */
	r.weight_bytes = ((ilab_u128)r.parameters * r.bits + 7) / 8;
	ilab_u128 reserve_bytes = (((ilab_u128)r.reserve_nano_gib << GIB_SHIFT) + NANO - 1) / NANO;
	r.total_bytes = r.weight_bytes + reserve_bytes;
	ilab_header_fill(context, options, "iteragpu-lab/estimate/1", NULL, 0, &r.header);
	if (options->json)
		return ilab_print_json(ilab_estimate_to_json(&r), err);
	return ilab_print_text(ilab_text_estimate(&r, context->arena), err);
}
