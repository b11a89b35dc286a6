#include "platform/proc_queue.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

void proc_queue_release(struct proc_queue *queue)
{
	for (size_t i = queue->at; i < queue->nr; i++)
		proc_event_release(&queue->events[i]);
	free(queue->events);
	memset(queue, 0, sizeof(*queue));
}

/* The place of those that were taken is used again; what is moved is less than what was taken. */
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
