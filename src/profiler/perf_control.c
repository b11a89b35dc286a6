#include "profiler/perf_control.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "platform/fifo.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/text.h"

#define INTERVAL_NS (100 * NS_PER_MS)

/* A build of short processes must not have perf read without a pause: fifty times a second was 3.6 % of a CPU. */
#define ENDS_NS (50 * NS_PER_MS)

struct perf_control {
	char *dir, *path;
	int fd; /* -1: perf has not opened the FIFO yet */
	int64_t next_ns;
	int64_t next_ended_ns; /* if processes have ended since it was asked */
	uint64_t ended;        /* until then */
};

static void remove_dir(struct perf_control *control)
{
	struct err err = ERR_INIT;

	if (control->dir && fs_remove_tree(control->dir, &err))
		err_clear(&err);
	free(control->dir);
	control->dir = NULL;
}

struct perf_control *perf_control_new(void)
{
	struct perf_control *control = xcalloc(1, sizeof(*control));
	struct err err = ERR_INIT;

	control->fd = -1;
	control->dir = fs_temp_dir(&err);
	if (control->dir)
		control->path = fs_join(control->dir, "control");
	/* perf takes what follows a comma for another FIFO. */
	if (control->dir && !strchr(control->path, ',') && !fifo_make(control->path, &err))
		return control;
	err_clear(&err);
	perf_control_free(control);
	return NULL;
}

const char *perf_control_path(const struct perf_control *control)
{
	return control->path;
}

void perf_control_tick(struct perf_control *control, int64_t now, uint64_t ended)
{
	bool more = ended != control->ended;

	if (control->fd < 0) {
		control->fd = fifo_open(control->path);
		if (control->fd >= 0)
			remove_dir(control);
	}
	if (control->fd < 0 || now < (more ? control->next_ended_ns : control->next_ns))
		return;
	/* Any line wakes perf, and then it reads its buffers; this one has no other effect. */
	fifo_send(control->fd, "ping\n");
	control->next_ns = now + INTERVAL_NS;
	if (more)
		control->next_ended_ns = now + ENDS_NS;
	control->ended = ended;
}

void perf_control_free(struct perf_control *control)
{
	if (!control)
		return;
	remove_dir(control);
	fifo_close(control->fd);
	free(control->path);
	free(control);
}
