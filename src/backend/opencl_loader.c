/* The ICD loader, the libraries beside it, and the driver files (.icd) that it reads. */
#include "backend/opencl.h"

#include "base/path.h"

#include <clblast_c.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* clGetICDLoaderInfoOCLICD, an extension of the loaders themselves (ocl-icd, later Khronos'); older ones lack it. */
enum { ICDL_VERSION = 2, ICDL_NAME = 3 };
typedef cl_int icdl_info_fn(cl_uint what, size_t size, void *value, size_t *size_out);

/* Base name of the file that holds `symbol`, as the dynamic linker resolved it; NULL when unknown. */
static const char *file_of(struct ilab_arena *arena, void *symbol)
{
	Dl_info where;
	if (!dladdr(symbol, &where) || !where.dli_fname)
		return NULL;
	char *real = realpath(where.dli_fname, NULL);
	char *base = ilab_arena_strdup(arena, ilab_path_base(real ? real : where.dli_fname));
	free(real);
	return base;
}

static const char *loader_says(struct ilab_arena *arena, cl_uint what)
{
	icdl_info_fn *info = NULL;
	char raw[256] = "";
	*(void **)&info = clGetExtensionFunctionAddress("clGetICDLoaderInfoOCLICD");
	if (!info || info(what, sizeof(raw) - 1, raw, NULL) || !raw[0])
		return NULL;
	return opencl_clean_text(arena, raw, sizeof(raw));
}

void opencl_describe_loader(struct ilab_arena *arena, struct ilab_listing *out)
{
	const char *file = file_of(arena, (void *)clGetPlatformIDs);
	const char *name = loader_says(arena, ICDL_NAME), *version = loader_says(arena, ICDL_VERSION);
	if (name && file)
		name = ilab_arena_printf(arena, "%s (%s)", name, file);
	else if (!name)
		name = file;
	out->loader_name = (struct ilab_text){ name, name ? NULL : "unavailable: the loader does not say" };
	out->loader_version = (struct ilab_text){ version, version ? NULL : "unavailable: the loader has no query for its version" };
}

/* CLBlast cannot be asked for its version, but its file is named after it ("libclblast.so.1.5.3"); else the header's. */
static const char *clblast_version(struct ilab_arena *arena)
{
	const char *file = file_of(arena, (void *)CLBlastSgemm), *at = file ? strstr(file, ".so.") : NULL;
	if (at && strchr(at + 4, '.') && strspn(at + 4, "0123456789.") == strlen(at + 4))
		return at + 4;
	return ilab_arena_printf(arena, "%d.%d.%d", CLBLAST_VERSION_MAJOR, CLBLAST_VERSION_MINOR, CLBLAST_VERSION_PATCH);
}

void opencl_describe_libraries(struct ilab_arena *arena, struct ilab_library **out, size_t *count)
{
	*out = ilab_arena_alloc(arena, sizeof(**out));
	**out = (struct ilab_library){ "CLBlast", clblast_version(arena) };
	*count = 1;
}

void opencl_advise(struct ilab_arena *arena, struct ilab_listing *out, const char *sentence)
{
	const char **grown = ilab_arena_alloc(arena, (out->advice_count + 1) * sizeof(*grown));
	if (out->advice_count)
		memcpy(grown, out->advice, out->advice_count * sizeof(*grown));
	grown[out->advice_count++] = sentence;
	out->advice = grown;
}

const char *opencl_vendor_place(const struct ilab_surroundings *surroundings)
{
	return surroundings && surroundings->opencl_vendors ? surroundings->opencl_vendors : ILAB_OPENCL_VENDORS;
}

/* A library of this machine's kind? Its header is compared with the one of a library that is loaded here: this program's loader. */
static const char *not_ours(FILE *f)
{
	Elf64_Ehdr header = { 0 };
	Dl_info own;
	if (fread(&header, 1, sizeof(header), f) != sizeof(header) || memcmp(header.e_ident, ELFMAG, SELFMAG))
		return "it is no shared library";
	if (!dladdr((void *)clGetPlatformIDs, &own) || !own.dli_fbase)
		return NULL;
	const Elf64_Ehdr *loaded = own.dli_fbase;
	return header.e_ident[EI_CLASS] == loaded->e_ident[EI_CLASS] && header.e_machine == loaded->e_machine ? NULL : "it is built for another machine";
}

/* Why a library that the loader did not keep is of no use. It is only looked at: to load it once more could crash, end or stop this
 * process, where loading it the first time did not. A name without a folder is the dynamic linker's to find. */
static const char *why_unused(const char *library)
{
	FILE *f = strchr(library, '/') ? fopen(library, "re") : NULL;
	const char *why = f ? not_ours(f) : strchr(library, '/') ? strerror(errno) : NULL;
	if (f)
		fclose(f);
	return why;
}

static void check_library(struct ilab_arena *arena, const char *who, const char *library, struct ilab_listing *out)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
	if (handle) {
		dlclose(handle);       /* the loader holds it: it serves */
		return;
	}
	const char *base = ilab_path_base(library), *shown = opencl_clean_text(arena, base, strlen(base)), *why = why_unused(library);
	if (why)
		opencl_advise(arena, out, ilab_arena_printf(arena, "%s %s, which cannot be opened (%s); reinstall that driver or drop the entry.", who, shown, why));
	else
		opencl_advise(arena, out, ilab_arena_printf(arena, "%s %s, which does not load or offers no OpenCL platform: it, a library that it needs, the hardware or "
			"its kernel driver may be missing (`ldd` shows libraries), or memory for it (`ulimit -v`).", who, shown));
}

/* An .icd file holds the library's name in its first line. */
static void check_icd(struct ilab_arena *arena, const char *path, struct ilab_listing *out)
{
	char line[1024] = "";
	const char *base = ilab_path_base(path);
	FILE *f = fopen(path, "re");
	const char *got = f ? fgets(line, sizeof(line), f) : NULL;
	if (f)
		fclose(f);
	for (size_t n = strlen(line); n && isspace((unsigned char)line[n - 1]);)
		line[--n] = '\0';
	base = opencl_clean_text(arena, base, strlen(base));
	if (!got || !line[0])
		opencl_advise(arena, out, ilab_arena_printf(arena, "The driver file %s is %s, so it registers no driver.", base, f ? "empty" : "unreadable"));
	else
		check_library(arena, ilab_arena_printf(arena, "The driver file %s names", base), line, out);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n > m && !strcmp(text + n - m, end);
}

static int is_icd(const struct dirent *e)
{
	return e->d_name[0] != '.' && ends_with(e->d_name, ".icd");
}

static size_t check_folder(struct ilab_arena *arena, const char *folder, struct ilab_listing *out)
{
	struct dirent **list = NULL;
	int n = scandir(folder, &list, is_icd, alphasort);
	for (int i = 0; i < n; i++) {
		check_icd(arena, ilab_arena_printf(arena, "%s/%s", folder, list[i]->d_name), out);
		free(list[i]);
	}
	free(list);
	return n > 0 ? (size_t)n : 0;
}

/* `place` as ocl-icd understands it: a folder, an .icd file (a bare name lies in the default folder), or a library. */
size_t opencl_advise_on_driver_files(struct ilab_arena *arena, const char *place, struct ilab_listing *out)
{
	struct stat st;
	if (!stat(place, &st) && S_ISDIR(st.st_mode))
		return check_folder(arena, place, out);
	if (!strcmp(place, ILAB_OPENCL_VENDORS))
		return 0;
	if (ends_with(place, ".icd"))
		check_icd(arena, strchr(place, '/') ? place : ilab_arena_printf(arena, ILAB_OPENCL_VENDORS "/%s", place), out);
	else
		check_library(arena, "OCL_ICD_VENDORS names", place, out);
	return 1;
}
