#include "trace/etl/etl_file.h"

#include <stdlib.h>

#include "trace/etl/etl_clock.h"
#include "trace/etl/xpress.h"
#include "trace/trace_input.h"
#include "util/alloc.h"

/* FILETIMEs. */
#define FILETIME_SECOND 10000000
#define YEARS           (INT64_C(100000000) * FILETIME_SECOND)

/* Behind the session's end, which is told to some milliseconds. */
#define LATEST_SECONDS 60

/* How buffers are packed, by the first one's state: COMPRESSION_FORMAT_XPRESS, which a plain file has as well, is 3. */
#define PACKED_LZNT1   2
#define PACKED_HUFFMAN 4

struct etl_file {
	char *path; /* NULL: in memory */
	struct trace_input input;
	struct etl_header header;
	struct etl_index index;
	struct etl_damage damage;
	uint16_t packing;
	uint64_t latest; /* tick that an event may have, by the header */
};

const char *etl_file_path(const struct etl_file *file)
{
	return file->path ? file->path : "-";
}

const struct etl_header *etl_file_header(const struct etl_file *file)
{
	return &file->header;
}

const struct etl_damage *etl_file_damage(const struct etl_file *file)
{
	return &file->damage;
}

const struct etl_extent *etl_file_extents(const struct etl_file *file, size_t *nr)
{
	*nr = file->index.nr;
	return file->index.v;
}

uint64_t etl_file_size(const struct etl_file *file)
{
	return trace_input_size(&file->input);
}

/* The first buffer, and its first event. */
static int read_header(struct etl_file *file, struct etl_extent *first, struct err *err)
{
	unsigned char head[ETL_BUFFER_HEADER];
	struct etl_buffer buffer;
	struct etl_record record;
	size_t step;
	int rc = -1;
	int64_t got = trace_input_read(&file->input, 0, head, sizeof(head), err);

	if (got < 0)
		return -1;
	if (got < (int64_t)sizeof(head) || !etl_extent_read(first, 0, head, &file->packing))
		return err_set(err, ERR_CORRUPT, "it does not begin with a buffer of events");
	etl_buffer_init(&buffer, 0);
	if (etl_buffer_load(&buffer, file, first, err))
		goto out;
	if (buffer.fault || etl_record_parse(buffer.bytes, buffer.nr, &record, &step) != ETL_PARSED)
		err_set(err, ERR_CORRUPT, "its first buffer can't be read");
	else
		rc = etl_header_read(&file->header, &record, err);
out:
	etl_buffer_release(&buffer);
	return rc;
}

static uint64_t find_latest(const struct etl_header *header)
{
	uint64_t ticks;

	if (header->end_time <= header->start_time || header->start_time <= 0 ||
	    header->end_time - header->start_time > YEARS)
		return UINT64_MAX;
	ticks = (uint64_t)(header->end_time - header->start_time) / FILETIME_SECOND;
	ticks = (ticks + LATEST_SECONDS) * header->frequency;
	return ticks < UINT64_MAX - header->first_tick ? header->first_tick + ticks : UINT64_MAX;
}

/* Takes the input over. */
static int open_input(const struct trace_input *input, struct etl_file **file, struct err *err)
{
	struct etl_file *made = xcalloc(1, sizeof(*made));
	struct etl_extent first;

	made->input = *input;
	made->damage.first = (struct strbuf)STRBUF_INIT;
	if (read_header(made, &first, err) || etl_index_build(&made->index, &made->input, &first,
							      &made->header, &made->damage, err)) {
		etl_file_free(made);
		return -1;
	}
	made->latest = find_latest(&made->header);
	*file = made;
	return 0;
}

int etl_file_open(const char *path, struct etl_file **file, struct err *err)
{
	struct trace_input input;

	if (trace_input_open(&input, path, err))
		return -1;
	if (open_input(&input, file, err))
		return err_wrap(err, "cannot read '%s'", path);
	(*file)->path = xstrdup(path);
	return 0;
}

int etl_file_open_memory(const void *memory, size_t nr, struct etl_file **file, struct err *err)
{
	struct trace_input input;

	trace_input_memory(&input, memory, nr);
	return open_input(&input, file, err);
}

void etl_file_free(struct etl_file *file)
{
	if (!file)
		return;
	trace_input_close(&file->input);
	etl_header_release(&file->header);
	etl_index_release(&file->index);
	strbuf_release(&file->damage.first);
	free(file->path);
	free(file);
}

/* Of `ticks`; INT64_MAX where it is more. */
static int64_t limited_ns(uint64_t ticks, uint64_t frequency)
{
	return ticks / frequency < INT64_MAX / ETL_CLOCK_SECOND
		       ? (int64_t)etl_clock_ns(ticks, frequency)
		       : INT64_MAX;
}

int64_t etl_file_ns(const struct etl_file *file, uint64_t ticks)
{
	uint64_t first = file->header.first_tick, frequency = file->header.frequency;

	return ticks >= first ? limited_ns(ticks - first, frequency)
			      : -limited_ns(first - ticks, frequency);
}

void etl_buffer_init(struct etl_buffer *buffer, uint16_t session)
{
	*buffer = (struct etl_buffer){ .session = session };
}

void etl_buffer_release(struct etl_buffer *buffer)
{
	free(buffer->bytes);
	etl_buffer_init(buffer, buffer->session);
}

void etl_buffer_make_room(struct etl_buffer *buffer, const struct etl_extent *extent)
{
	size_t nr = extent->filled - ETL_BUFFER_HEADER;

	if (buffer->bytes && nr <= buffer->alloc)
		return;
	free(buffer->bytes);
	buffer->alloc = nr ? nr : 1;
	buffer->bytes = xmalloc(buffer->alloc);
}

/* How it went: NULL, or a fault. */
static const char *unpack(struct etl_buffer *buffer, uint16_t packing, const unsigned char *packed,
			  size_t packed_nr)
{
	bool (*how)(const unsigned char *, size_t, unsigned char *, size_t) =
		packing == PACKED_HUFFMAN ? xpress_huffman_unpack : xpress_unpack;

	if (packing == PACKED_LZNT1)
		return "a buffer packed with LZNT1, which is not read,";
	return how(packed, packed_nr, buffer->bytes, buffer->nr)
		       ? NULL
		       : "a buffer that can't be unpacked";
}

int etl_buffer_load(struct etl_buffer *buffer, const struct etl_file *file,
		    const struct etl_extent *extent, struct err *err)
{
	unsigned char *packed = NULL;
	size_t nr;
	int64_t got;

	etl_buffer_make_room(buffer, extent);
	buffer->extent = *extent;
	buffer->at = 0;
	buffer->nr = nr = extent->filled - ETL_BUFFER_HEADER;
	if (extent->flags & ETL_BUFFER_PACKED) {
		nr = extent->size - ETL_BUFFER_HEADER;
		packed = xmalloc(nr + 1);
	}
	got = trace_input_read(&file->input, extent->place + ETL_BUFFER_HEADER,
			       packed ? packed : buffer->bytes, nr, err);
	if (got >= 0 && (size_t)got < nr)
		buffer->fault = "a buffer that the file ended in meanwhile";
	else if (got >= 0)
		buffer->fault = packed ? unpack(buffer, file->packing, packed, nr) : NULL;
	free(packed);
	return got < 0 ? -1 : 0;
}

/* What the rest of the buffer is lost by. */
static bool give_up(struct etl_buffer *buffer, struct etl_file *file)
{
	uint64_t place = buffer->extent.place;

	if (buffer->fault)
		etl_damage_note(&file->damage, &file->damage.buffers, place, "%s", buffer->fault);
	else
		etl_damage_note(&file->damage, &file->damage.events, place,
				"an event that can't be, %zu bytes into the buffer",
				buffer->at + ETL_BUFFER_HEADER);
	buffer->fault = NULL;
	buffer->at = buffer->nr;
	return false;
}

/*
 * Whether its time is that of no event: it is behind the session's end, and the next event is not. It would have all that
 * follows on its processor wait for the end.
 */
static bool is_misplaced(const struct etl_buffer *buffer, const struct etl_file *file,
			 const struct etl_record *record)
{
	struct etl_record next;
	size_t step;

	return record->time > file->latest &&
	       etl_record_parse(buffer->bytes + buffer->at, buffer->nr - buffer->at, &next,
				&step) == ETL_PARSED &&
	       next.time <= file->latest;
}

bool etl_buffer_next(struct etl_buffer *buffer, struct etl_file *file, struct etl_record *record)
{
	if (buffer->fault)
		return give_up(buffer, file);
	for (;;) {
		size_t begin = buffer->at, step = 0;
		enum etl_parse parse =
			etl_record_parse(buffer->bytes + begin, buffer->nr - begin, record, &step);

		if (parse == ETL_END)
			return false;
		if (parse == ETL_DAMAGED)
			return give_up(buffer, file);
		buffer->at += step;
		if (parse == ETL_PARSED && !is_misplaced(buffer, file, record)) {
			record->place = buffer->extent.place;
			record->offset = (uint32_t)(begin + ETL_BUFFER_HEADER);
			record->cpu = buffer->extent.cpu;
			record->session = buffer->session;
			return true;
		}
		if (parse == ETL_UNKNOWN)
			file->damage.unknown++;
		else
			etl_damage_note(&file->damage, &file->damage.events, buffer->extent.place,
					"an event that %s, %zu bytes into the buffer",
					parse == ETL_PARSED ? "has a time behind the end"
							    : "lacks fields",
					begin + ETL_BUFFER_HEADER);
	}
}
