#include "cli/progress.h"

#include "base/clock.h"
#include "base/message.h"
#include "base/outfile.h"
#include "harness/worker_env.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

static void put(const char *text, size_t count)
{
	struct ilab_err ignored = { 0 };
	ilab_write_all(STDERR_FILENO, "standard error", text, count, &ignored);
}

void ilab_progress_start(struct ilab_progress *p, const struct ilab_context *context, const struct ilab_options *options)
{
	const char *terminal = ilab_environment_get(context->environment, "TERM");
	*p = (struct ilab_progress){ .started_ns = ilab_clock_ns(), .repeats = options->repeats, .verbose = options->verbose };
	p->enabled = !options->quiet && isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
	snprintf(p->what, sizeof(p->what), "%s", _("asking the drivers"));
}

void ilab_progress_clear(struct ilab_progress *p)
{
	if (p->shown)
		put("\r\033[K", 4);
	p->shown = false;
}

static void draw(struct ilab_progress *p)
{
	uint64_t now = ilab_clock_ns();
	if (!p->enabled || now - p->started_ns < SECOND || now - p->drawn_ns < SECOND / 10)
		return;
	char line[160];
	int length = snprintf(line, sizeof(line), "\r\033[K%s%s, %llu s", p->part, p->what, (unsigned long long)((now - p->started_ns) / SECOND));
	put(line, (size_t)length);
	p->shown = true;
	p->drawn_ns = now;
}

static void on_started(void *progress, const char *phase, uint64_t repetition)
{
	struct ilab_progress *p = progress;
	if (repetition && p->repeats)
		snprintf(p->what, sizeof(p->what), _("%s %llu of %llu"), phase, (unsigned long long)repetition, (unsigned long long)p->repeats);
	else
		snprintf(p->what, sizeof(p->what), "%s", phase);
	draw(p);
}

static void on_progress(void *progress, const char *what, uint64_t done, uint64_t total)
{
	struct ilab_progress *p = progress;
	snprintf(p->what, sizeof(p->what), _("%s %llu of %llu"), what, (unsigned long long)done, (unsigned long long)total);
	draw(p);
}

struct ilab_observer ilab_progress_observer(struct ilab_progress *p)
{
	return (struct ilab_observer){ .context = p, .phase_started = on_started, .progress = on_progress };
}

void ilab_progress_idle(void *progress)
{
	draw(progress);
}

void ilab_progress_output(void *progress, const char *bytes, size_t count)
{
	struct ilab_progress *p = progress;
	if (!p->verbose)
		return;
	ilab_progress_clear(p);
	put(bytes, count);
}
