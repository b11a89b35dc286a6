#include "trace/etl/etl_merge.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trace/etl/etl_kernel.h"
#include "trace/etl/etl_order.h"
#include "trace/etl/etl_prefetch.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define BATCH      512
#define MEMORY_MAX (UINT64_C(1) << 30)

/* Maximum change of the clock while a recording starts: 10 s, in units of 100 ns. A restart takes longer. */
#define CLOCK_SET_MAX INT64_C(100000000)

/*
 * The buffers of one processor of one file. The index of a stream decides the order of equal times, and is the number of
 * its run in the prefetch.
 */
struct stream {
	struct etl_file *file;
	struct etl_buffer *buffer; /* the current one */
	struct etl_record head;    /* its next event ... */
	uint64_t time;             /* ... and its time */
};

struct etl_merge {
	struct etl_prefetch *prefetch;
	struct stream *streams;
	size_t streams_nr, streams_alloc;
	uint64_t bytes;         /* sum of the open buffers of all streams */
	struct etl_order order; /* of streams that have a head */
	/* Streams that need their next buffer; the last one is next. */
	struct stream **pending;
	size_t pending_nr;
	unsigned kinds; /* of short events that are delivered */
	struct etl_record records[BATCH];
	size_t nr;
	bool ended;
};

/*
 * Skip events that are to be left out, as far as their times rise. True: a short event is the next one.
 *
 * The last event that is skipped is not left out if what follows is earlier, or may be: a stream whose next event is late
 * has to wait until all others have come to the time of the one before.
 */
static inline bool skip(const struct etl_merge *merge, struct etl_buffer *buffer,
			struct etl_short *event)
{
	size_t skipped = SIZE_MAX;
	uint64_t time = 0;

	for (;;) {
		bool found = etl_buffer_peek_short(buffer, event);

		if (skipped != SIZE_MAX && (!found || event->time < time)) {
			buffer->at = skipped;
			return etl_buffer_peek_short(buffer, event);
		}
		if (!found || etl_short_kind(event) & merge->kinds)
			return found;
		skipped = buffer->at;
		time = event->time;
		etl_buffer_pass_short(buffer, event);
	}
}

/* The next event of a stream in its buffer. A message without a time keeps its position. */
static inline bool read_next(const struct etl_merge *merge, struct stream *stream,
			     struct etl_record *record)
{
	struct etl_short event;

	if (skip(merge, stream->buffer, &event)) {
		etl_buffer_take_short(stream->buffer, &event, record);
		stream->time = event.time;
		return true;
	}
	if (!etl_buffer_next(stream->buffer, stream->file, record))
		return false;
	if (record->time || record->kind != ETL_MESSAGE)
		stream->time = record->time;
	return true;
}

static inline struct etl_turn turn_of(const struct etl_merge *merge, const struct stream *stream)
{
	return (struct etl_turn){ stream->time, (size_t)(stream - merge->streams) };
}

/* Get the next buffers of streams that have none. The events of the last batch are no longer needed. */
static int read_on(struct etl_merge *merge, struct err *err)
{
	while (merge->pending_nr) {
		struct stream *stream = merge->pending[merge->pending_nr - 1];
		int rc;

		do {
			rc = etl_prefetch_next(merge->prefetch, (size_t)(stream - merge->streams),
					       &stream->buffer, err);
		} while (rc > 0 && !read_next(merge, stream, &stream->head));
		if (rc < 0)
			return -1;
		merge->pending_nr--;
		if (rc > 0)
			etl_order_add(&merge->order, turn_of(merge, stream));
	}
	return 0;
}

/* The first stream has no more events in its buffer. */
static void await_buffer(struct etl_merge *merge, struct stream *stream)
{
	merge->pending[merge->pending_nr++] = stream;
	etl_order_remove_first(&merge->order);
}

/* Take all events of the first stream that are before those of all others: often many. */
static void take_run(struct etl_merge *merge)
{
	struct stream *stream = &merge->streams[merge->order.v[0].stream];
	const struct etl_turn *other = etl_order_second(&merge->order);

	merge->records[merge->nr++] = stream->head;
	while (merge->nr < BATCH) {
		struct etl_record *next = &merge->records[merge->nr];
		struct etl_turn turn;

		if (!read_next(merge, stream, next)) {
			await_buffer(merge, stream);
			return;
		}
		turn = turn_of(merge, stream);
		if (other && !etl_turn_before(&turn, other)) {
			stream->head = *next;
			etl_order_replace_first(&merge->order, turn);
			return;
		}
		merge->nr++;
	}
	if (read_next(merge, stream, &stream->head))
		etl_order_replace_first(&merge->order, turn_of(merge, stream));
	else
		await_buffer(merge, stream);
}

int etl_merge_next(struct etl_merge *merge, const struct etl_record **records, size_t *nr,
		   struct err *err)
{
	if (merge->ended)
		return 0;
	if (read_on(merge, err)) {
		merge->ended = true;
		return -1;
	}
	merge->nr = 0;
	while (merge->order.nr && merge->nr < BATCH && !merge->pending_nr)
		take_run(merge);
	*records = merge->records;
	*nr = merge->nr;
	merge->ended = !merge->nr;
	return !merge->ended;
}

static uint32_t largest(const struct etl_extent *extents, size_t nr)
{
	uint32_t most = 0;

	for (size_t i = 0; i < nr; i++) {
		if (extents[i].filled > most)
			most = extents[i].filled;
	}
	return most;
}

static void add_streams(struct etl_merge *merge, struct etl_file *file, uint16_t session)
{
	size_t nr, begin = 0;
	const struct etl_extent *extents = etl_file_extents(file, &nr);

	for (size_t end = 1; begin < nr; end++) {
		if (end < nr && extents[end].cpu == extents[begin].cpu)
			continue;
		ARRAY_GROW(merge->streams, merge->streams_nr + 1, merge->streams_alloc);
		merge->streams[merge->streams_nr++] = (struct stream){ .file = file };
		merge->bytes += largest(extents + begin, end - begin);
		etl_prefetch_add(merge->prefetch, file, extents + begin, end - begin, session);
		begin = end;
	}
}

/* Whether two files are of the same session: no two sessions have equal names, files and start ticks. */
static bool is_same(const struct etl_header *a, const struct etl_header *b)
{
	return a->first_tick == b->first_tick && a->start_time == b->start_time &&
	       !strcmp(a->session_name, b->session_name) && !strcmp(a->file_name, b->file_name);
}

/* Whether Windows was not restarted in between. Setting the clock changes the boot time in the header by as much. */
static bool is_same_start(const struct etl_header *a, const struct etl_header *b)
{
	int64_t first = a->boot_time, second = b->boot_time;

	if (first <= 0 || second <= 0)
		return true;
	return (first < second ? second - first : first - second) <= CLOCK_SET_MAX;
}

static int check_pair(const struct etl_file *first, const struct etl_file *file, struct err *err)
{
	const struct etl_header *a = etl_file_header(first), *b = etl_file_header(file);

	if (a->clock != b->clock || a->frequency != b->frequency)
		return err_set(err, ERR_UNSUPPORTED,
			       "the clocks of '%s' and '%s' are not the same: they are not of one "
			       "recording",
			       etl_file_path(first), etl_file_path(file));
	if (!is_same_start(a, b))
		return err_set(err, ERR_UNSUPPORTED,
			       "Windows was restarted between '%s' and '%s': they are not of one "
			       "recording",
			       etl_file_path(first), etl_file_path(file));
	if (is_same(a, b) && etl_file_size(first) == etl_file_size(file))
		return err_set(err, ERR_UNSUPPORTED, "'%s' and '%s' are the same: give one of them",
			       etl_file_path(first), etl_file_path(file));
	return 0;
}

static int check(const struct etl_merge *merge, struct etl_file *const *files, size_t nr,
		 struct err *err)
{
	for (size_t i = 1; i < nr; i++) {
		for (size_t k = 0; k < i; k++) {
			if (check_pair(files[k], files[i], err))
				return -1;
		}
	}
	if (merge->bytes > MEMORY_MAX)
		return err_set(err, ERR_UNSUPPORTED,
			       "the open buffers of all processors (%zu) take %" PRIu64
			       " MB, and the limit is %d MB",
			       merge->streams_nr, merge->bytes >> 20, (int)(MEMORY_MAX >> 20));
	return 0;
}

int etl_merge_new(struct etl_file *const *files, size_t nr, struct helper *helper,
		  struct etl_merge **merge, struct err *err)
{
	struct etl_merge *made = xcalloc(1, sizeof(*made));

	assert(nr <= UINT16_MAX);
	made->kinds = ETL_SAMPLES | ETL_MEMORY | ETL_STACKS | ETL_OTHERS;
	made->prefetch = etl_prefetch_new(helper, false);
	for (size_t i = 0; i < nr; i++)
		add_streams(made, files[i], (uint16_t)i);
	etl_order_init(&made->order, made->streams_nr);
	made->pending = xcalloc(made->streams_nr, sizeof(struct stream *));
	for (size_t i = made->streams_nr; i-- > 0;)
		made->pending[made->pending_nr++] = &made->streams[i];
	if (check(made, files, nr, err)) {
		etl_merge_free(made);
		return -1;
	}
	*merge = made;
	return 0;
}

void etl_merge_only(struct etl_merge *merge, unsigned kinds)
{
	merge->kinds = kinds;
}

void etl_merge_free(struct etl_merge *merge)
{
	if (!merge)
		return;
	etl_prefetch_free(merge->prefetch);
	free(merge->streams);
	etl_order_release(&merge->order);
	free(merge->pending);
	free(merge);
}

/* Of the files that begin before files[i] the one that ends last; NULL: none, or an end is unknown. */
static const struct etl_file *find_previous(struct etl_file *const *files, size_t nr, size_t i)
{
	uint64_t begin = etl_file_header(files[i])->first_tick;
	const struct etl_file *previous = NULL;

	for (size_t k = 0; k < nr; k++) {
		if (k == i || etl_file_header(files[k])->first_tick >= begin)
			continue;
		if (!previous || etl_file_end_tick(files[k]) > etl_file_end_tick(previous))
			previous = files[k];
	}
	return previous && etl_file_end_tick(previous) != UINT64_MAX ? previous : NULL;
}

/* A session may go on in another file, whose start is the end of this one. */
static bool goes_on(const struct etl_header *a, const struct etl_header *b)
{
	return a->mode & b->mode & ETL_MODE_NEW_FILE && !strcmp(a->session_name, b->session_name);
}

char *etl_merge_gap(struct etl_file *const *files, size_t nr)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < nr && !sb.len; i++) {
		const struct etl_header *header = etl_file_header(files[i]);
		const struct etl_file *previous = find_previous(files, nr, i);

		if (!previous || etl_file_end_tick(previous) >= header->first_tick ||
		    goes_on(etl_file_header(previous), header))
			continue;
		strbuf_addf(&sb, "'%s' begins ", etl_file_path(files[i]));
		text_add_duration(&sb, etl_file_ns(previous, header->first_tick) -
					       etl_file_ns(previous, etl_file_end_tick(previous)));
		strbuf_addf(&sb,
			    " after the end of '%s': if they are two recordings, all sums are of "
			    "both together",
			    etl_file_path(previous));
	}
	return sb.len ? strbuf_detach(&sb) : NULL;
}
