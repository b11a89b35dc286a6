#include "platform/proc_event.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

void proc_event_init(struct proc_event *event)
{
	memset(event, 0, sizeof(*event));
	event->argv = (struct strvec)STRVEC_INIT;
	event->env = (struct strvec)STRVEC_INIT;
	event->responses = (struct strvec)STRVEC_INIT;
	event->exit_code = -1;
	event->cpu_ns = -1;
	event->peak_rss_bytes = -1;
	event->waits = (struct waits)WAITS_UNKNOWN;
	event->peak_commit_bytes = -1;
}

void proc_event_release(struct proc_event *event)
{
	free(event->exe);
	free(event->cwd);
	strvec_release(&event->argv);
	strvec_release(&event->env);
	strvec_release(&event->responses);
	proc_event_init(event);
}

static const char *response_path(const char *arg)
{
	if (arg[0] == '@')
		return arg + 1;
	if (text_starts_with(arg, "-Wl,@"))
		return arg + strlen("-Wl,@");
	return NULL;
}

const char *proc_event_next_response(const struct proc_event *event, size_t *at)
{
	while (*at < event->argv.nr && event->responses.nr < 2 * PROC_RESPONSES_MAX) {
		const char *path = response_path(event->argv.v[(*at)++]);

		if (path && *path)
			return path;
	}
	return NULL;
}

void proc_queue_release(struct proc_queue *queue)
{
	for (size_t i = queue->at; i < queue->nr; i++)
		proc_event_release(&queue->events[i]);
	free(queue->events);
	memset(queue, 0, sizeof(*queue));
}

/* Reuse the space of taken events; at most as many events are moved as were taken. */
static void make_room(struct proc_queue *queue, size_t nr)
{
	if (queue->at > queue->nr / 2) {
		queue->nr -= queue->at;
		memmove(queue->events, queue->events + queue->at,
			queue->nr * sizeof(*queue->events));
		queue->at = 0;
	}
	ARRAY_GROW(queue->events, queue->nr + nr, queue->alloc);
}

struct proc_event *proc_queue_add(struct proc_queue *queue)
{
	struct proc_event *event;

	make_room(queue, 1);
	event = &queue->events[queue->nr++];
	proc_event_init(event);
	return event;
}

void proc_queue_join(struct proc_queue *queue, struct proc_queue *from)
{
	size_t nr = from->nr - from->at;

	if (!nr)
		return;
	make_room(queue, nr);
	memcpy(queue->events + queue->nr, from->events + from->at, nr * sizeof(*from->events));
	queue->nr += nr;
	from->at = from->nr = 0;
}

bool proc_queue_take(struct proc_queue *queue, struct proc_event *event)
{
	proc_event_release(event);
	if (queue->at == queue->nr)
		return false;
	*event = queue->events[queue->at++];
	if (queue->at == queue->nr)
		queue->at = queue->nr = 0;
	return true;
}
