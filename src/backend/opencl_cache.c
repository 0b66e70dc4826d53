/* Did the driver find our kernels compiled? OpenCL has no query for it, but a driver that compiles adds files to its cache folder. */
#include "backend/opencl.h"

#include <ftw.h>
#include <string.h>

static uint64_t entries;               /* nftw hands no context to its callback */

static int count_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path, (void)st, (void)type;
	entries += ftw->level > 0;
	return 0;
}

static uint64_t folder_entries(const char *folder)
{
	entries = 0;
	nftw(folder, count_entry, 16, FTW_PHYS);
	return entries;
}

static bool platform_is(const struct ilab_session *s, const char *part)
{
	return strcasestr(s->info.device.platform, part) != NULL;
}

void opencl_cache_watch(struct ilab_session *s, const struct ilab_surroundings *surroundings)
{
	const char *folder = NULL;
	if (surroundings)
		folder = platform_is(s, "Portable Computing Language") ? surroundings->pocl_cache
			: platform_is(s, "rusticl") || platform_is(s, "Clover") ? surroundings->mesa_cache
			: platform_is(s, "NVIDIA") ? surroundings->nvidia_cache
			: platform_is(s, "Intel") ? surroundings->intel_cache : NULL;
	s->cache_folder = ilab_arena_strdup(&s->arena, folder);
	s->cache_entries = folder ? folder_entries(folder) : 0;
	s->info.kernel_cache = opencl_cache_state(s);
}

const char *opencl_cache_state(const struct ilab_session *s)
{
	if (platform_is(s, "Oclgrind"))
		return "none";         /* an interpreter: it keeps nothing */
	if (!s->cache_folder || !s->programs)
		return "unknown";
	uint64_t now = folder_entries(s->cache_folder);
	return now > s->cache_entries ? "cold" : now ? "warm" : "none";
}
