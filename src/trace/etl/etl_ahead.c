#include "trace/etl/etl_ahead.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"

#define SLOTS     4 /* of a run: with the user, and ahead */
#define BYTES_MAX ((size_t)8 << 20)

struct slot {
	struct etl_buffer buffer;
	const struct etl_file *file;
	const struct etl_extent *extent;
	bool offered;
	int rc;
	struct err err;
};

struct run {
	const struct etl_file *file;
	const struct etl_extent *extents;
	size_t nr;
	struct slot slots[SLOTS]; /* each of every buffer whose number leaves the same rest */
	size_t begun, returned;   /* buffers that were begun with, and that were given back */
	bool in_hand;             /* the user has buffer `returned` */
	size_t bytes;             /* of those begun with that the user did not get yet */
};

struct etl_ahead {
	struct helper *helper;
	struct run *v;
	size_t nr, alloc;
};

struct etl_ahead *etl_ahead_new(struct helper *helper)
{
	struct etl_ahead *ahead = xcalloc(1, sizeof(*ahead));

	ahead->helper = helper;
	return ahead;
}

void etl_ahead_add(struct etl_ahead *ahead, const struct etl_file *file,
		   const struct etl_extent *extents, size_t nr, uint16_t session)
{
	struct run *run;

	ARRAY_GROW(ahead->v, ahead->nr + 1, ahead->alloc);
	run = &ahead->v[ahead->nr++];
	*run = (struct run){ .file = file, .extents = extents, .nr = nr };
	for (size_t i = 0; i < SLOTS; i++)
		etl_buffer_init(&run->slots[i].buffer, session);
}

static struct slot *slot_of(struct run *run, size_t number)
{
	return &run->slots[number % SLOTS];
}

static void load(void *data)
{
	struct slot *slot = data;

	slot->rc = etl_buffer_load(&slot->buffer, slot->file, slot->extent, &slot->err);
}

/* The memory is the user's thread's: the helper's would have a stock of its own. */
static struct slot *begin(struct run *run)
{
	const struct etl_extent *extent = &run->extents[run->begun];
	struct slot *slot = slot_of(run, run->begun++);

	slot->file = run->file;
	slot->extent = extent;
	slot->offered = false;
	run->bytes += extent->filled;
	etl_buffer_make_room(&slot->buffer, extent);
	return slot;
}

/* A plain buffer is as soon read by the thread that uses it. */
static bool may_offer(const struct run *run)
{
	return run->begun < run->nr && run->begun - run->returned < SLOTS &&
	       run->extents[run->begun].flags & ETL_BUFFER_PACKED;
}

static size_t bytes_left(struct run *run)
{
	const struct etl_buffer *buffer = &slot_of(run, run->returned)->buffer;

	return run->bytes + (run->in_hand ? buffer->nr - buffer->at : 0);
}

/* The one whose next buffer is to be loaded; NULL: none, or enough of them are ahead. */
static struct run *next_run(const struct etl_ahead *ahead)
{
	struct run *next = NULL;
	size_t bytes = 0, least = 0;

	for (size_t i = 0; i < ahead->nr; i++) {
		struct run *run = &ahead->v[i];
		size_t left = bytes_left(run);

		bytes += run->bytes;
		if (may_offer(run) && (!next || left < least)) {
			next = run;
			least = left;
		}
	}
	if (next && bytes && bytes + next->extents[next->begun].filled > BYTES_MAX)
		return NULL;
	return next;
}

static void offer(struct etl_ahead *ahead)
{
	struct run *run;

	while (ahead->helper && (run = next_run(ahead))) {
		struct slot *slot = begin(run);

		slot->offered = true;
		helper_offer(ahead->helper, load, slot);
	}
}

/* True: it is loaded. */
static bool take_back(struct etl_ahead *ahead, struct slot *slot)
{
	bool offered = slot->offered;

	slot->offered = false;
	return offered && helper_take_back(ahead->helper, slot);
}

static void give_back(struct run *run)
{
	if (run->in_hand)
		etl_buffer_release(&slot_of(run, run->returned++)->buffer);
	run->in_hand = false;
}

int etl_ahead_next(struct etl_ahead *ahead, size_t number, struct etl_buffer **buffer,
		   struct err *err)
{
	struct run *run = &ahead->v[number];
	struct slot *slot;

	give_back(run);
	if (run->returned == run->nr)
		return 0;
	if (run->begun == run->returned)
		begin(run);
	offer(ahead);
	slot = slot_of(run, run->returned);
	if (!take_back(ahead, slot))
		load(slot);
	run->bytes -= slot->extent->filled;
	run->in_hand = true;
	if (slot->rc)
		return err_set(err, slot->err.code, "%s", slot->err.msg);
	*buffer = &slot->buffer;
	return 1;
}

void etl_ahead_free(struct etl_ahead *ahead)
{
	if (!ahead)
		return;
	for (size_t i = 0; i < ahead->nr * SLOTS; i++) {
		struct slot *slot = &ahead->v[i / SLOTS].slots[i % SLOTS];

		take_back(ahead, slot);
		etl_buffer_release(&slot->buffer);
		err_clear(&slot->err);
	}
	free(ahead->v);
	free(ahead);
}
