/* Compiles every portable kernel text in every variant with the compilers of the native backends, NVRTC and hipRTC, for real
 * architectures. Neither needs a GPU. Each compiler runs in a child process: hipRTC may abort, and two LLVMs in one process
 * do not get along. An absent compiler is skipped with the reason. */

#include "backend/cl_texts.h"
#include "backend/kernels.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The two libraries have the same functions under two prefixes; their handles are pointers, their results enums with 0 for success. */
struct compiler {
	const char *name, *prefix, *code, *prelude, *arch_option;
	const char *sonames[3], *options[4], *archs[4];
};

static const struct compiler compilers[] = {
	{ "NVRTC", "nvrtc", "CUBIN", "cuda/prelude.h", "--gpu-architecture=", { "libnvrtc.so.13", "libnvrtc.so.12" },
		{ ILAB_NVRTC_OPTIONS }, { "sm_75", "sm_80", "sm_90" } },
	{ "hipRTC", "hiprtc", "Code", "hip/prelude.h", "--offload-arch=", { "libamdhip64.so.5", "libhiprtc.so.5" },
		{ ILAB_HIPRTC_OPTIONS }, { "gfx90a", "gfx1030" } },
};

struct api {
	int (*create)(void **program, const char *text, const char *name, int headers, const char *const *, const char *const *);
	int (*compile)(void *program, int count, const char *const *options);
	int (*log_size)(void *program, size_t *bytes);
	int (*log)(void *program, char *log);
	int (*code_size)(void *program, size_t *bytes);
	int (*destroy)(void **program);
};

/* --- loading ---------------------------------------------------------------------------------------------------------- */

static void *open_library(const struct compiler *c)
{
	const char *home = getenv("CUDA_HOME");
	char path[512];
	void *library = NULL;
	for (size_t i = 0; !library && i < 3 && c->sonames[i]; i++) {
		library = dlopen(c->sonames[i], RTLD_NOW);
		if (!library) {
			snprintf(path, sizeof path, "%s/lib64/%s", home && *home ? home : "/usr/local/cuda", c->sonames[i]);
			library = dlopen(path, RTLD_NOW);
		}
	}
	return library;
}

static void *symbol(void *library, const struct compiler *c, const char *format)
{
	char name[64];
	snprintf(name, sizeof name, format, c->prefix, c->code);
	void *found = dlsym(library, name);
	if (!found) {
		printf("not ok - %s has no %s\n", c->name, name);
		exit(1);
	}
	return found;
}

static struct api load_api(void *library, const struct compiler *c)
{
	struct api api;
	*(void **)&api.create = symbol(library, c, "%sCreateProgram");
	*(void **)&api.compile = symbol(library, c, "%sCompileProgram");
	*(void **)&api.log_size = symbol(library, c, "%sGetProgramLogSize");
	*(void **)&api.log = symbol(library, c, "%sGetProgramLog");
	*(void **)&api.code_size = symbol(library, c, "%sGet%sSize");
	*(void **)&api.destroy = symbol(library, c, "%sDestroyProgram");
	return api;
}

/* --- compiling -------------------------------------------------------------------------------------------------------- */

static void print_log(const struct api *api, void *program)
{
	size_t bytes = 0;
	if (api->log_size(program, &bytes) || bytes < 2)
		return;
	char *log = calloc(1, bytes + 1);
	if (log && !api->log(program, log))
		puts(log);
	free(log);
}

/* Whether the text compiles for the architecture and gives code. */
static bool compiles(const struct api *api, const struct compiler *c, const char *arch, const char *text, bool show_log)
{
	char arch_option[64];
	const char *options[8] = { arch_option };
	int count = 1;
	void *program = NULL;
	size_t bytes = 0;

	snprintf(arch_option, sizeof arch_option, "%s%s", c->arch_option, arch);
	for (size_t i = 0; i < 4 && c->options[i]; i++)
		options[count++] = c->options[i];
	if (api->create(&program, text, "kernels", 0, NULL, NULL))
		return false;
	const bool good = !api->compile(program, count, options) && !api->code_size(program, &bytes) && bytes > 0;
	if (!good && show_log)
		print_log(api, program);
	api->destroy(&program);
	return good;
}

struct tally { int passed, failed; bool seen[64]; };

static void note_texts(struct tally *t, const struct ilab_program *program)
{
	for (size_t i = 0; program->texts[i]; i++)
		for (size_t j = 0; ilab_cl_texts[j].name && j < 64; j++)
			t->seen[j] |= !strcmp(ilab_cl_texts[j].name, program->texts[i]);
}

static void try_program(const struct api *api, const struct compiler *c, const struct ilab_program *program, struct tally *t)
{
	char label[ILAB_PROGRAM_LABEL_SIZE];
	char *text = ilab_program_text(program, c->prelude);
	if (!text)
		abort();
	ilab_program_label(program, label, sizeof label);
	note_texts(t, program);
	for (size_t i = 0; i < 4 && c->archs[i]; i++) {
		const bool good = compiles(api, c, c->archs[i], text, true);
		if (!good)
			printf("not ok - %s %s: %s\n", c->name, c->archs[i], label);
		good ? t->passed++ : t->failed++;
	}
	free(text);
}

static void try_product(const struct api *api, const struct compiler *c, enum ilab_dtype dtype, enum ilab_layout layout,
	enum ilab_epilogue epilogue, enum ilab_multiply_add multiply_add, struct tally *t)
{
	/* Sizes that choose the small and the large tile; the second only with the longest code, to save time. */
	static const uint64_t sizes[] = { 1, 8192 };
	for (size_t i = 0; i < (epilogue == ILAB_EPILOGUE_BIAS_GELU ? 2 : 1); i++) {
		struct ilab_product p;
		if (ilab_product_plan(ILAB_GEMM_KERNEL_TILED, dtype, layout, epilogue, multiply_add, sizes[i], sizes[i], sizes[i], &p, NULL))
			abort();
		try_program(api, c, &p.program, t);
	}
}

static void try_variants(const struct api *api, const struct compiler *c, struct tally *t)
{
	static const enum ilab_dtype dtypes[] = { ILAB_F32, ILAB_F16, ILAB_BF16 };
	for (size_t i = 0; i < 3; i++) {
		const struct ilab_program elements = ilab_program_elements(dtypes[i], ILAB_MULTIPLY_ADD_FMA);
		try_program(api, c, &elements, t);
		for (int layout = ILAB_LAYOUT_ROWS; layout <= ILAB_LAYOUT_COLS; layout++)
			for (int epilogue = ILAB_EPILOGUE_NONE; epilogue <= ILAB_EPILOGUE_BIAS_GELU; epilogue++)
				try_product(api, c, dtypes[i], layout, epilogue, ILAB_MULTIPLY_ADD_FMA, t);
	}
	const struct ilab_program probe = ilab_program_probe(ILAB_MULTIPLY_ADD_FMA);
	try_program(api, c, &probe, t);
	try_product(api, c, ILAB_F32, ILAB_LAYOUT_ROWS, ILAB_EPILOGUE_NONE, ILAB_MULTIPLY_ADD_SEPARATE, t);
	try_product(api, c, ILAB_F32, ILAB_LAYOUT_ROWS, ILAB_EPILOGUE_NONE, ILAB_MULTIPLY_ADD_MAD, t);
}

/* The dialect's worst trap must be an error, not a vector of four times the last element. */
static const char trap[] =
	"__kernel void trap(__global float4 *p, float a) { p[0] = (float4)(a, 1.0f, 2.0f, 3.0f); }\n";

static void try_trap(const struct api *api, const struct compiler *c, struct tally *t)
{
	const char *prelude = ilab_cl_text(c->prelude);
	char *text = NULL;
	if (!prelude || asprintf(&text, "%s\n%s", prelude, trap) < 0)
		abort();
	for (size_t i = 0; i < 4 && c->archs[i]; i++) {
		const bool refused = !compiles(api, c, c->archs[i], text, false);
		if (!refused)
			printf("not ok - %s %s: takes a vector literal\n", c->name, c->archs[i]);
		refused ? t->passed++ : t->failed++;
	}
	free(text);
}

/* Every text of cl/ itself belongs to some variant above. */
static void check_all_seen(struct tally *t)
{
	for (size_t j = 0; ilab_cl_texts[j].name && j < 64; j++) {
		const char *name = ilab_cl_texts[j].name;
		if (strncmp(name, "cl/", 3) || strchr(name + 3, '/'))
			continue;
		if (!t->seen[j])
			printf("not ok - %s is in no variant\n", name);
		t->seen[j] ? t->passed++ : t->failed++;
	}
}

/* --- one child for each compiler -------------------------------------------------------------------------------------- */

static struct tally run_compiler(const struct compiler *c)
{
	struct tally t = {0};
	void *library = open_library(c);
	if (!library) {
		printf("skipped: %s: %s not found\n", c->name, c->sonames[0]);
		return t;
	}
	const struct api api = load_api(library, c);
	try_variants(&api, c, &t);
	try_trap(&api, c, &t);
	check_all_seen(&t);
	printf("%s: %d compiled or refused as they should\n", c->name, t.passed);
	return t;
}

static struct tally run_child(const struct compiler *c)
{
	struct tally t = {0};
	int ends[2], status = 0;
	if (pipe(ends))
		abort();
	fflush(stdout);
	const pid_t child = fork();
	if (child == 0) {
		t = run_compiler(c);
		fflush(stdout);
		_exit(write(ends[1], &t, sizeof t) == (ssize_t)sizeof t ? 0 : 1);
	}
	close(ends[1]);
	if (read(ends[0], &t, sizeof t) != (ssize_t)sizeof t)
		t = (struct tally){ .failed = 1 };
	close(ends[0]);
	if (child < 0 || waitpid(child, &status, 0) != child || status) {
		printf("not ok - %s ended with wait status %d\n", c->name, status);
		t.failed += t.failed == 0;
	}
	return t;
}

int main(void)
{
	int passed = 0, failed = 0;
	for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
		const struct tally t = run_child(&compilers[i]);
		passed += t.passed;
		failed += t.failed;
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
