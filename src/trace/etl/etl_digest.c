#include "trace/etl/etl_digest.h"

#include <assert.h>
#include <stdlib.h>

#include "trace/etl/etl_order.h"
#include "util/array.h"
#include "util/little_endian.h"

#define BLOCK ((size_t)256 << 10)

/*
 * An event: two bytes, then numbers of 1, 2, 4 or 8 bytes, as the two bytes say. It is in one block, of which numbers may
 * be read and written as if they had 8 bytes.
 */
#define EVENT_MAX (2 + 5 * 8 + 8)

#define WHAT      0x07 /* of the first byte */
#define LATE      0x08 /* earlier than one before: by a number of 8 bytes */
#define TIME_AT   4    /* sizes: of the time since the latest one, ... */
#define ID_AT     6
#define PAGE_AT   0 /* ... and in the second byte of the page and the length, or the count */
#define LENGTH_AT 2
#define SIZE      0x03

#define PAGE_BITS 12

#define SAMPLE 0

/* By what the first byte says; all operations that the reader makes. */
static const enum memory_op ops[WHAT + 1] = {
	[1] = MEMORY_COMMIT_UNCOMMITTED, [2] = MEMORY_RESERVE, [3] = MEMORY_PURGE,
	[4] = MEMORY_DECOMMIT,           [5] = MEMORY_RELEASE,
};

struct block {
	unsigned char *bytes;
	size_t nr;
};

struct stream {
	size_t block, at; /* its first event */
	uint64_t events;
	uint32_t cpu;
};

/* The state by which the next event of a stream is encoded. */
struct previous {
	uint64_t latest, page;
};

struct etl_digest {
	struct block *blocks;
	size_t blocks_nr, blocks_alloc;
	struct stream *streams;
	size_t streams_nr, streams_alloc;
	struct previous previous;
	size_t bytes_max;
	bool dropped;
};

struct etl_digest *etl_digest_new(size_t bytes_max)
{
	struct etl_digest *digest = xcalloc(1, sizeof(*digest));

	digest->bytes_max = bytes_max;
	return digest;
}

void etl_digest_drop(struct etl_digest *digest)
{
	for (size_t i = 0; i < digest->blocks_nr; i++)
		free(digest->blocks[i].bytes);
	digest->blocks_nr = 0;
	digest->dropped = true;
}

bool etl_digest_is_dropped(const struct etl_digest *digest)
{
	return digest->dropped;
}

void etl_digest_free(struct etl_digest *digest)
{
	if (!digest)
		return;
	etl_digest_drop(digest);
	free(digest->blocks);
	free(digest->streams);
	free(digest);
}

static const struct block *last_block(const struct etl_digest *digest)
{
	return digest->blocks_nr ? &digest->blocks[digest->blocks_nr - 1] : NULL;
}

void etl_digest_begin(struct etl_digest *digest, uint32_t cpu)
{
	const struct block *last = last_block(digest);

	ARRAY_ADD(digest->streams, digest->streams_nr, digest->streams_alloc,
		  (struct stream){ last ? digest->blocks_nr - 1 : 0, last ? last->nr : 0, 0, cpu });
	digest->previous = (struct previous){ 0, 0 };
}

/* Room for an event; NULL: there is none. */
static unsigned char *make_room(struct etl_digest *digest)
{
	const struct block *last = last_block(digest);

	if (!last || last->nr + EVENT_MAX > BLOCK) {
		if ((digest->blocks_nr + 1) * BLOCK > digest->bytes_max) {
			etl_digest_drop(digest);
			return NULL;
		}
		ARRAY_ADD(digest->blocks, digest->blocks_nr, digest->blocks_alloc,
			  (struct block){ xmalloc(BLOCK), 0 });
		last = last_block(digest);
	}
	return last->bytes + last->nr;
}

/* The size of a number, as bits: 1 << bits bytes. */
static inline unsigned size_of(uint64_t value)
{
	return (value > UINT8_MAX) + (value > UINT16_MAX) + (value > UINT32_MAX);
}

static inline unsigned char *put(unsigned char *to, uint64_t value, unsigned size)
{
	le_put64(to, value);
	return to + (1u << size);
}

static inline uint64_t get(const unsigned char **from, unsigned size)
{
	static const uint64_t masks[] = { UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX };
	uint64_t value = le_get64(*from) & masks[size & SIZE];

	*from += 1u << (size & SIZE);
	return value;
}

/* A difference of either sign, modulo 2^64, as a number that is small if it is near zero. */
static inline uint64_t fold(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t unfold(uint64_t folded)
{
	return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

static inline unsigned what_of(const struct etl_brief *event)
{
	unsigned what = SAMPLE;

	if (!event->sample) {
		for (what = 1; what < WHAT && ops[what] != event->op; what++)
			;
		assert(what < WHAT);
	}
	return what;
}

static inline unsigned char *put_event(unsigned char *to, struct previous *previous,
				       const struct etl_brief *event, uint64_t latest)
{
	uint64_t since = latest - previous->latest, page = 0;
	uint64_t length = event->sample ? event->count : event->length >> PAGE_BITS;
	unsigned what = what_of(event), time_size = size_of(since), id_size = size_of(event->id),
		 length_size = size_of(length), page_size;
	unsigned char *head = to;

	if (what != SAMPLE) {
		page = fold((event->address >> PAGE_BITS) - previous->page);
		previous->page = event->address >> PAGE_BITS;
	}
	page_size = size_of(page);
	previous->latest = latest;
	head[0] = (unsigned char)(what | (event->time < latest ? LATE : 0) | time_size << TIME_AT |
				  id_size << ID_AT);
	head[1] = (unsigned char)(page_size << PAGE_AT | length_size << LENGTH_AT);
	to = put(head + 2, since, time_size);
	to = put(to, event->id, id_size);
	to = put(to, page, page_size);
	to = put(to, length, length_size);
	return event->time < latest ? put(to, latest - event->time, SIZE) : to;
}

void etl_digest_add(struct etl_digest *digest, const struct etl_brief *event, uint64_t latest)
{
	unsigned char *to = digest->dropped ? NULL : make_room(digest);
	struct block *block;

	if (!to)
		return;
	block = &digest->blocks[digest->blocks_nr - 1];
	block->nr = (size_t)(put_event(to, &digest->previous, event, latest) - block->bytes);
	digest->streams[digest->streams_nr - 1].events++;
}

/* The events of a stream that are still to be read. */
struct position {
	const unsigned char *at, *end; /* in the block */
	size_t block;
	uint64_t events;
	struct previous previous;
	struct etl_brief event; /* the next one */
};

struct etl_digest_reader {
	const struct etl_digest *digest;
	struct position *v; /* by stream */
	struct etl_order order;
};

static void enter_block(const struct etl_digest *digest, struct position *position, size_t at)
{
	const struct block *block = &digest->blocks[position->block];

	position->at = block->bytes + at;
	position->end = block->bytes + block->nr;
}

/* Decode the next event of a stream; false: it has no more. */
static bool read_next(const struct etl_digest *digest, struct position *position)
{
	struct etl_brief *event = &position->event;
	struct previous *previous = &position->previous;
	const unsigned char *at;
	unsigned head, sizes;
	uint64_t length;

	if (!position->events)
		return false;
	position->events--;
	while (position->at == position->end) {
		position->block++;
		enter_block(digest, position, 0);
	}
	at = position->at;
	head = *at++;
	sizes = *at++;
	previous->latest += get(&at, head >> TIME_AT);
	event->id = (uint32_t)get(&at, head >> ID_AT);
	event->sample = (head & WHAT) == SAMPLE;
	event->op = ops[head & WHAT];
	previous->page += unfold(get(&at, sizes >> PAGE_AT));
	event->address = previous->page << PAGE_BITS;
	length = get(&at, sizes >> LENGTH_AT);
	event->length = length << PAGE_BITS;
	event->count = length;
	event->time = previous->latest;
	if (head & LATE)
		event->time -= get(&at, SIZE);
	position->at = at;
	return true;
}

static void begin_stream(struct etl_digest_reader *reader, size_t number)
{
	const struct stream *stream = &reader->digest->streams[number];
	struct position *position = &reader->v[number];

	if (!stream->events)
		return;
	*position = (struct position){ .block = stream->block,
				       .events = stream->events,
				       .event = { .cpu = stream->cpu } };
	enter_block(reader->digest, position, stream->at);
	read_next(reader->digest, position);
	etl_order_add(&reader->order, (struct etl_turn){ position->previous.latest, number });
}

struct etl_digest_reader *etl_digest_reader_new(const struct etl_digest *digest)
{
	struct etl_digest_reader *reader = xcalloc(1, sizeof(*reader));

	reader->digest = digest;
	reader->v = xcalloc(digest->streams_nr, sizeof(*reader->v));
	etl_order_init(&reader->order, digest->streams_nr);
	for (size_t i = 0; i < digest->streams_nr; i++)
		begin_stream(reader, i);
	return reader;
}

void etl_digest_reader_free(struct etl_digest_reader *reader)
{
	if (!reader)
		return;
	etl_order_release(&reader->order);
	free(reader->v);
	free(reader);
}

const struct etl_brief *etl_digest_reader_first(const struct etl_digest_reader *reader)
{
	return reader->order.nr ? &reader->v[reader->order.v[0].stream].event : NULL;
}

const struct etl_brief *etl_digest_reader_next(struct etl_digest_reader *reader)
{
	struct etl_order *order = &reader->order;
	size_t stream = order->v[0].stream;
	struct position *position = &reader->v[stream];

	if (read_next(reader->digest, position))
		etl_order_replace_first(order,
					(struct etl_turn){ position->previous.latest, stream });
	else
		etl_order_remove_first(order);
	return etl_digest_reader_first(reader);
}
