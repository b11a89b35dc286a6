#include "trace/etl/etl_ahead.h"

#include <stdbool.h>
#include <stdlib.h>

#include "platform/thread.h"
#include "util/alloc.h"

#define SLOTS 4

/* Of every buffer whose number leaves the same rest. */
struct slot {
	struct etl_buffer buffer;
	bool loaded;
	int rc;
	struct err err;
};

struct etl_ahead {
	const struct etl_file *file;
	const struct etl_extent *extents;
	size_t nr;
	struct slot slots[SLOTS];
	size_t slots_nr;
	struct thread *thread; /* NULL: there is one thread only */
	struct monitor *monitor;
	/* Inside of the monitor: buffers that a thread began with, and those that were given back. */
	size_t begun, returned;
	bool stop;
	bool in_hand; /* the user's side: buffer `returned` */
};

static struct slot *slot_of(struct etl_ahead *ahead, size_t number)
{
	return &ahead->slots[number % ahead->slots_nr];
}

static bool can_begin(const struct etl_ahead *ahead)
{
	return ahead->begun < ahead->nr && ahead->begun - ahead->returned < ahead->slots_nr;
}

/* The next one that nobody began with. Inside of the monitor, which is left meanwhile. */
static void load(struct etl_ahead *ahead)
{
	size_t number = ahead->begun++;
	struct slot *slot = slot_of(ahead, number);

	monitor_leave(ahead->monitor);
	slot->rc = etl_buffer_load(&slot->buffer, ahead->file, &ahead->extents[number], &slot->err);
	monitor_enter(ahead->monitor);
	slot->loaded = true;
	monitor_wake(ahead->monitor);
}

static void run(void *data)
{
	struct etl_ahead *ahead = data;

	monitor_enter(ahead->monitor);
	while (!ahead->stop && ahead->begun < ahead->nr) {
		if (can_begin(ahead))
			load(ahead);
		else
			monitor_wait(ahead->monitor);
	}
	monitor_leave(ahead->monitor);
}

int etl_ahead_new(const struct etl_file *file, uint16_t session, int threads,
		  struct etl_ahead **ahead, struct err *err)
{
	struct etl_ahead *made = xcalloc(1, sizeof(*made));

	made->file = file;
	made->extents = etl_file_extents(file, &made->nr);
	made->slots_nr = threads > 1 ? SLOTS : 1;
	for (size_t i = 0; i < SLOTS; i++)
		etl_buffer_init(&made->slots[i].buffer, session);
	made->monitor = monitor_new();
	if (threads > 1 && thread_start(run, made, &made->thread, err)) {
		etl_ahead_free(made);
		return -1;
	}
	*ahead = made;
	return 0;
}

/* NULL at the end. */
static struct slot *take(struct etl_ahead *ahead)
{
	struct slot *slot = NULL;

	monitor_enter(ahead->monitor);
	if (ahead->in_hand) {
		slot_of(ahead, ahead->returned++)->loaded = false;
		monitor_wake(ahead->monitor);
	}
	ahead->in_hand = ahead->returned < ahead->nr;
	if (ahead->in_hand) {
		slot = slot_of(ahead, ahead->returned);
		while (!slot->loaded) {
			if (can_begin(ahead))
				load(ahead);
			else
				monitor_wait(ahead->monitor);
		}
	}
	monitor_leave(ahead->monitor);
	return slot;
}

int etl_ahead_next(struct etl_ahead *ahead, struct etl_buffer **buffer, struct err *err)
{
	struct slot *slot = take(ahead);

	if (!slot)
		return 0;
	if (slot->rc)
		return err_set(err, slot->err.code, "%s", slot->err.msg);
	*buffer = &slot->buffer;
	return 1;
}

void etl_ahead_free(struct etl_ahead *ahead)
{
	if (!ahead)
		return;
	if (ahead->thread) {
		monitor_enter(ahead->monitor);
		ahead->stop = true;
		monitor_wake(ahead->monitor);
		monitor_leave(ahead->monitor);
		thread_join(ahead->thread);
	}
	monitor_free(ahead->monitor);
	for (size_t i = 0; i < SLOTS; i++) {
		etl_buffer_release(&ahead->slots[i].buffer);
		err_clear(&ahead->slots[i].err);
	}
	free(ahead);
}
