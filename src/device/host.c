#include "device/device.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The value of the first line "KEY<separator>VALUE" of a small text file, without quotes and outer spaces. NULL when absent. */
static char *file_value(struct ilab_arena *arena, const char *path, const char *key, char separator)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return NULL;
	char line[512];
	char *value = NULL;
	size_t key_length = strlen(key);
	while (!value && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, key_length))
			continue;
		char *start = line + key_length;
		start += strspn(start, " \t");
		if (*start != separator)
			continue;
		start++;
		start += strspn(start, " \t\"'");
		size_t length = strlen(start);
		while (length && strchr(" \t\r\n\"'", start[length - 1]))
			length--;
		start[length] = '\0';
		if (length)
			value = ilab_arena_strdup(arena, start);
	}
	fclose(file);
	return value;
}

/* Cores that this process may use: what a container or taskset leaves of the machine. */
static uint64_t usable_cores(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (uint64_t)CPU_COUNT(&set);
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (uint64_t)online : 1;
}

void ilab_host_facts(struct ilab_arena *arena, struct ilab_host *out)
{
	struct utsname name = { 0 };
	uname(&name);          /* nodename is left alone: a document holds no host name */
	const char *os = file_value(arena, "/etc/os-release", "PRETTY_NAME", '=');
	const char *cpu = file_value(arena, "/proc/cpuinfo", "model name", ':');
	out->os = os ? os : ilab_arena_strdup(arena, name.sysname);
	out->kernel = ilab_arena_printf(arena, "%s %s %s", name.sysname, name.release, name.machine);
	out->cpu_model = cpu ? cpu : ilab_arena_strdup(arena, name.machine);
	out->logical_cores = usable_cores();
}
