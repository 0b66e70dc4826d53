#include "cli/command.h"

#include "base/clock.h"
#include "base/numtext.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static const char *const features[] = {
	"opencl",
	"clblast",
#ifdef _OPENMP
	"openmp",
#endif
};

/* 128 random bits. getrandom fails only on kernels older than this program's other needs. */
static const char *random_id(struct ilab_arena *arena)
{
	uint64_t bits[2];
	char high[ILAB_NUMTEXT_SIZE], low[ILAB_NUMTEXT_SIZE];
	if (getrandom(bits, sizeof(bits), 0) != (ssize_t)sizeof(bits))
		abort();
	ilab_format_hex64(high, sizeof(high), bits[0]);
	ilab_format_hex64(low, sizeof(low), bits[1]);
	return ilab_arena_printf(arena, "%s%s", high, low);
}

void ilab_header_fill(const struct ilab_context *context, const struct ilab_options *options, const char *schema,
	const char **modules, size_t module_count, struct ilab_header *out)
{
	struct ilab_arena *arena = context->arena;
	char *compiler = ilab_arena_strdup(arena, COMPILER);
	for (size_t n = strlen(compiler); n && compiler[n - 1] == ' ';)   /* clang's text ends with a space */
		compiler[--n] = '\0';
	*out = (struct ilab_header){
		.schema = schema, .tool_name = "iteragpu-lab", .tool_version = ILAB_VERSION,
		.tool_modules = modules, .tool_module_count = module_count,
		.build_compiler = compiler,
		.build_features = ilab_arena_alloc(arena, sizeof(features)),
		.build_feature_count = sizeof(features) / sizeof(features[0]),
		.started_utc = ilab_arena_strdup(arena, context->started_utc), .run_id = random_id(arena),
		.total_seconds = (double)(ilab_clock_ns() - context->started_ns) * 1e-9,
	};
	memcpy(out->build_features, features, sizeof(features));
	out->command = ilab_options_canonical(options, arena, &out->command_count);
	for (size_t i = 0; options->no_uuid && i < out->command_count; i++)
		if (!strncmp(out->command[i], "uuid:", 5))
			out->command[i] = "uuid:hidden";
}
