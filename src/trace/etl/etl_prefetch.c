#include "trace/etl/etl_prefetch.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/array.h"

#define SLOTS     4 /* of a stream: the buffer in use, and prefetched ones */
#define BYTES_MAX ((size_t)8 << 20)

struct slot {
	struct etl_buffer buffer;
	const struct etl_file *file;
	const struct etl_extent *extent;
	bool added;
	int rc;
	struct err err;
};

struct stream {
	const struct etl_file *file;
	const struct etl_extent *extents;
	size_t nr;
	struct slot slots[SLOTS]; /* by the buffer's number, modulo SLOTS */
	size_t begun;             /* number of buffers that were requested */
	size_t returned;          /* and of those that are no longer in use */
	bool in_hand;             /* buffer number `returned` is in use */
	size_t bytes;             /* of requested buffers that are not in use yet */
};

struct etl_prefetch {
	struct helper *helper;
	bool plain; /* prefetch buffers that are not compressed too */
	struct stream *v;
	size_t nr, alloc;
};

struct etl_prefetch *etl_prefetch_new(struct helper *helper, bool plain)
{
	struct etl_prefetch *prefetch = xcalloc(1, sizeof(*prefetch));

	prefetch->helper = helper;
	prefetch->plain = plain;
	return prefetch;
}

void etl_prefetch_add(struct etl_prefetch *prefetch, const struct etl_file *file,
		      const struct etl_extent *extents, size_t nr, uint16_t session)
{
	struct stream *stream;

	ARRAY_GROW(prefetch->v, prefetch->nr + 1, prefetch->alloc);
	stream = &prefetch->v[prefetch->nr++];
	*stream = (struct stream){ .file = file, .extents = extents, .nr = nr };
	for (size_t i = 0; i < SLOTS; i++)
		etl_buffer_init(&stream->slots[i].buffer, session);
}

static struct slot *slot_of(struct stream *stream, size_t number)
{
	return &stream->slots[number % SLOTS];
}

static void load(void *data)
{
	struct slot *slot = data;

	slot->rc = etl_buffer_load(&slot->buffer, slot->file, slot->extent, &slot->err);
}

/* The caller's thread allocates the memory: the helper's would come from another malloc arena. */
static struct slot *begin(struct stream *stream)
{
	const struct etl_extent *extent = &stream->extents[stream->begun];
	struct slot *slot = slot_of(stream, stream->begun++);

	slot->file = stream->file;
	slot->extent = extent;
	slot->added = false;
	stream->bytes += extent->filled;
	etl_buffer_make_room(&slot->buffer, extent);
	return slot;
}

static bool may_add(const struct etl_prefetch *prefetch, const struct stream *stream)
{
	return stream->begun < stream->nr && stream->begun - stream->returned < SLOTS &&
	       (prefetch->plain || stream->extents[stream->begun].flags & ETL_BUFFER_COMPRESSED);
}

static size_t bytes_left(struct stream *stream)
{
	const struct etl_buffer *buffer = &slot_of(stream, stream->returned)->buffer;

	return stream->bytes + (stream->in_hand ? buffer->nr - buffer->at : 0);
}

/* The stream whose next buffer is to be loaded; NULL: none, or enough are prefetched. */
static struct stream *next_stream(const struct etl_prefetch *prefetch)
{
	struct stream *next = NULL;
	size_t bytes = 0, least = 0;

	for (size_t i = 0; i < prefetch->nr; i++) {
		struct stream *stream = &prefetch->v[i];
		size_t left = bytes_left(stream);

		bytes += stream->bytes;
		if (may_add(prefetch, stream) && (!next || left < least)) {
			next = stream;
			least = left;
		}
	}
	if (next && bytes && bytes + next->extents[next->begun].filled > BYTES_MAX)
		return NULL;
	return next;
}

static void add_slots(struct etl_prefetch *prefetch)
{
	struct stream *stream;

	while (prefetch->helper && (stream = next_stream(prefetch))) {
		struct slot *slot = begin(stream);

		slot->added = true;
		helper_add(prefetch->helper, load, slot);
	}
}

/* Get a buffer back from the helper. True: the helper has loaded it. */
static bool withdraw(struct etl_prefetch *prefetch, struct slot *slot)
{
	bool added = slot->added;

	slot->added = false;
	return added && helper_withdraw(prefetch->helper, slot);
}

static void give_back(struct stream *stream)
{
	if (stream->in_hand)
		etl_buffer_release(&slot_of(stream, stream->returned++)->buffer);
	stream->in_hand = false;
}

int etl_prefetch_next(struct etl_prefetch *prefetch, size_t number, struct etl_buffer **buffer,
		      struct err *err)
{
	struct stream *stream = &prefetch->v[number];
	struct slot *slot;

	give_back(stream);
	if (stream->returned == stream->nr)
		return 0;
	if (stream->begun == stream->returned)
		begin(stream);
	add_slots(prefetch);
	slot = slot_of(stream, stream->returned);
	if (!withdraw(prefetch, slot))
		load(slot);
	stream->bytes -= slot->extent->filled;
	stream->in_hand = true;
	if (slot->rc)
		return err_set(err, slot->err.code, "%s", slot->err.msg);
	*buffer = &slot->buffer;
	return 1;
}

void etl_prefetch_free(struct etl_prefetch *prefetch)
{
	if (!prefetch)
		return;
	for (size_t i = 0; i < prefetch->nr * SLOTS; i++) {
		struct slot *slot = &prefetch->v[i / SLOTS].slots[i % SLOTS];

		withdraw(prefetch, slot);
		etl_buffer_release(&slot->buffer);
		err_clear(&slot->err);
	}
	free(prefetch->v);
	free(prefetch);
}
