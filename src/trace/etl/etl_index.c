#include "trace/etl/etl_index.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/compare.h"
#include "util/little_endian.h"

/* Offsets in a buffer's header. */
enum {
	SIZE = 0,
	SEQUENCE = 0x18,
	CONTEXT = 0x28,
	STATE = 0x2c,
	FILLED = 0x30,
	FLAGS = 0x34,
};

#define CPUS_MAX      2048
#define MODE_CIRCULAR 0x00000002
#define MODE_PACKED   0x04000000

/* Small buffers' headers come several at a time, those of large ones one by one. */
#define WINDOW 4096

struct walk {
	const struct trace_input *input;
	const struct etl_header *header;
	struct etl_index *index;
	struct etl_damage *damage;
	uint64_t size, at;
	bool packed; /* buffers have any size */
	unsigned char window[WINDOW];
	uint64_t window_at;
	size_t window_nr;
};

void etl_damage_note(struct etl_damage *damage, uint64_t *count, uint64_t place, const char *fmt,
		     ...)
{
	va_list ap;

	(*count)++;
	if (damage->first.len)
		return;
	va_start(ap, fmt);
	strbuf_addvf(&damage->first, fmt, ap);
	va_end(ap);
	strbuf_addf(&damage->first, " at 0x%" PRIx64, place);
}

bool etl_extent_read(struct etl_extent *extent, uint64_t place, const unsigned char *header,
		     uint16_t *state)
{
	*extent = (struct etl_extent){
		.place = place,
		.sequence = le_get64(header + SEQUENCE),
		.size = le_get32(header + SIZE),
		.filled = le_get32(header + FILLED),
		.flags = le_get16(header + FLAGS),
	};
	extent->cpu =
		extent->flags & ETL_BUFFER_WIDE_CPU ? le_get16(header + CONTEXT) : header[CONTEXT];
	*state = le_get16(header + STATE);
	return extent->size >= ETL_BUFFER_HEADER && extent->size <= ETL_BUFFER_MAX &&
	       extent->filled >= ETL_BUFFER_HEADER && extent->cpu < CPUS_MAX &&
	       extent->filled <=
		       (extent->flags & ETL_BUFFER_PACKED ? ETL_BUFFER_MAX : extent->size);
}

/* The header at the walk's place: 1, or 0 where the file ends before. */
static int peek(struct walk *walk, const unsigned char **header, struct err *err)
{
	if (walk->at < walk->window_at ||
	    walk->at + ETL_BUFFER_HEADER > walk->window_at + walk->window_nr) {
		int64_t got = trace_input_read(walk->input, walk->at, walk->window, WINDOW, err);

		if (got < 0)
			return -1;
		walk->window_at = walk->at;
		walk->window_nr = (size_t)got;
		if (walk->window_nr < ETL_BUFFER_HEADER)
			return 0;
	}
	*header = walk->window + (walk->at - walk->window_at);
	return 1;
}

static bool is_blank(const unsigned char *header)
{
	for (size_t i = 0; i < ETL_BUFFER_HEADER; i++) {
		if (header[i])
			return false;
	}
	return true;
}

/*
 * What is no buffer: the next one is where it is to be if all have the session's size. Space that was not written
 * to, as at the end of a file that was made at full size, is no damage.
 */
static void pass(struct walk *walk, const unsigned char *header)
{
	uint64_t first = walk->index->v[0].size, stride = walk->header->buffer_size;
	bool regular = !walk->packed && stride >= ETL_BUFFER_HEADER && stride <= ETL_BUFFER_MAX;

	if (!is_blank(header))
		etl_damage_note(walk->damage, &walk->damage->buffers, walk->at,
				"a buffer of %" PRIu32 " bytes, %" PRIu32 " of them filled,",
				le_get32(header + SIZE), le_get32(header + FILLED));
	if (regular) {
		walk->at = first + ((walk->at - first) / stride + 1) * stride;
		return;
	}
	if (!is_blank(header))
		walk->damage->missing += walk->size - walk->at;
	walk->at = walk->size;
}

static void add(struct walk *walk, const struct etl_extent *extent)
{
	struct etl_index *index = walk->index;
	struct etl_extent *added;
	uint64_t left = walk->size - extent->place;

	ARRAY_GROW(index->v, index->nr + 1, index->alloc);
	added = &index->v[index->nr++];
	*added = *extent;
	if (extent->flags & ETL_BUFFER_PACKED)
		walk->packed = true;
	if (extent->flags & (ETL_BUFFER_EVENTS_LOST | ETL_BUFFER_LOST))
		walk->damage->buffers_with_loss++;
	walk->at += extent->size;
	if (left >= extent->size)
		return;
	walk->damage->cut = true;
	walk->damage->missing += extent->size - left;
	added->size = (uint32_t)left;
	if (!(added->flags & ETL_BUFFER_PACKED) && added->filled > left)
		added->filled = (uint32_t)left;
}

static int find(struct walk *walk, struct err *err)
{
	const unsigned char *header;
	struct etl_extent extent;
	uint16_t state;

	while (walk->at < walk->size) {
		int rc = peek(walk, &header, err);

		if (rc < 0)
			return -1;
		if (rc == 0) {
			walk->damage->cut = true;
			break;
		}
		if (etl_extent_read(&extent, walk->at, header, &state))
			add(walk, &extent);
		else
			pass(walk, header);
	}
	return 0;
}

static int by_sequence(const void *a, const void *b)
{
	const struct etl_extent *x = a, *y = b;
	int order = compare_u64(x->cpu, y->cpu);

	if (!order)
		order = compare_u64(x->sequence, y->sequence);
	return order ? order : compare_u64(x->place, y->place);
}

static int by_place(const void *a, const void *b)
{
	const struct etl_extent *x = a, *y = b;

	return compare_u64(x->place, y->place);
}

static void sort(struct etl_index *index)
{
	qsort(index->v, index->nr, sizeof(*index->v), by_sequence);
	for (size_t i = 0, end; i < index->nr; i = end) {
		bool twice = false;

		for (end = i + 1; end < index->nr && index->v[end].cpu == index->v[i].cpu; end++)
			twice = twice || index->v[end].sequence == index->v[end - 1].sequence;
		if (twice)
			qsort(index->v + i, end - i, sizeof(*index->v), by_place);
	}
}

/* Buffers that the session wrote and that are not there. In a circular file they were written over. */
static void judge_end(const struct walk *walk)
{
	uint64_t found = walk->index->nr + walk->damage->buffers;

	if (walk->header->mode & MODE_CIRCULAR || found >= walk->header->buffers_written)
		return;
	walk->damage->cut = true;
	if (!walk->packed && walk->header->buffer_size <= ETL_BUFFER_MAX)
		walk->damage->missing +=
			(walk->header->buffers_written - found) * walk->header->buffer_size;
}

int etl_index_build(struct etl_index *index, const struct trace_input *input,
		    const struct etl_extent *first, const struct etl_header *header,
		    struct etl_damage *damage, struct err *err)
{
	struct walk walk = { .input = input,
			     .header = header,
			     .index = index,
			     .damage = damage,
			     .size = trace_input_size(input),
			     .packed = header->mode & MODE_PACKED };

	add(&walk, first);
	if (find(&walk, err))
		return -1;
	judge_end(&walk);
	sort(index);
	return 0;
}

void etl_index_release(struct etl_index *index)
{
	free(index->v);
	*index = (struct etl_index){ NULL, 0, 0 };
}
