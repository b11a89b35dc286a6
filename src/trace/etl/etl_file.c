#include "trace/etl/etl_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "platform/cost.h"
#include "trace/etl/etl_clock.h"
#include "trace/etl/etl_record.h"
#include "trace/etl/xpress.h"
#include "trace/trace_input.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/compare.h"
#include "util/little_endian.h"

/*
 * Offsets in the payload of the header event; from BOOT_TIME_AT on relative to TAIL32 or TAIL64, by the size of pointers.
 */
enum {
	BUFFER_SIZE_AT = 0,
	OS_MAJOR_AT = 4,
	OS_MINOR_AT = 5,
	BUILD_AT = 8,
	CPUS_AT = 12,
	END_TIME_AT = 16,
	MODE_AT = 32,
	BUFFERS_WRITTEN_AT = 36,
	POINTER_SIZE_AT = 44,
	EVENTS_LOST_AT = 48,
	CPU_MHZ_AT = 52,
	NAMES_AT = 56, /* two pointers, then the time zone */

	TAIL32 = 0xf0,
	TAIL64 = 0xf8,
	BOOT_TIME_AT = 0,
	FREQUENCY_AT = 8,
	START_TIME_AT = 16,
	CLOCK_AT = 24,
	BUFFERS_LOST_AT = 28,
	TAIL_SIZE = 32,
};

/* Offsets in a buffer's header. */
enum {
	SIZE_AT = 0,
	SEQUENCE_AT = 0x18,
	CONTEXT_AT = 0x28,
	STATE_AT = 0x2c,
	FILLED_AT = 0x30,
	FLAGS_AT = 0x34,
};

#define CPUS_MAX 2048

/*
 * A session's events become a fifth by compression; 87 bytes may claim to be a buffer of 16 MB. All compressed buffers of a
 * file together may have this size decompressed, and this many times that of the file.
 */
#define DECOMPRESSED_MAX   (UINT64_C(64) << 20)
#define DECOMPRESSED_RATIO 32

/* Bytes read at a time for headers: with several headers if buffers are small. */
#define WINDOW 4096

/* Times of the header are FILETIMEs, in units of 100 ns. */
#define FILETIME_SECOND 10000000
#define YEARS           (INT64_C(100000000) * FILETIME_SECOND)

/* Limit of times after the session's end, which is known to a few milliseconds. */
#define LATEST_SECONDS 60

/*
 * The compression of buffers, from the state of the first one. 3 is COMPRESSION_FORMAT_XPRESS, and also used without
 * compression.
 */
#define COMPRESSED_LZNT1   2
#define COMPRESSED_HUFFMAN 4

struct etl_file {
	char *path; /* NULL: in memory */
	struct trace_input input;
	struct etl_header header;
	struct etl_extent *extents;
	size_t extents_nr, extents_alloc;
	struct etl_damage damage;
	uint16_t compression;
	uint64_t latest; /* largest valid tick of an event, from the header */
};

void etl_file_set_name(struct etl_file *file, const char *name)
{
	free(file->path);
	file->path = xstrdup(name);
}

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
	*nr = file->extents_nr;
	return file->extents;
}

uint64_t etl_file_size(const struct etl_file *file)
{
	return trace_input_size(&file->input);
}

static uint64_t ticks_a_second(const struct etl_header *header, uint64_t frequency)
{
	if (header->clock == ETL_CLOCK_SYSTEM)
		return FILETIME_SECOND;
	if (header->clock == ETL_CLOCK_CYCLES && header->cpu_mhz)
		return header->cpu_mhz * UINT64_C(1000000);
	return frequency;
}

static char *take_text(struct etl_payload *payload)
{
	struct etl_text text = etl_take_wide(payload);
	struct strbuf sb = STRBUF_INIT;

	etl_text_add(&text, &sb);
	return strbuf_detach(&sb);
}

static void read_start(struct etl_header *header, const unsigned char *s)
{
	header->buffer_size = le_get32(s + BUFFER_SIZE_AT);
	header->os_major = s[OS_MAJOR_AT];
	header->os_minor = s[OS_MINOR_AT];
	header->build = le_get32(s + BUILD_AT);
	header->cpus = le_get32(s + CPUS_AT);
	header->end_time = (int64_t)le_get64(s + END_TIME_AT);
	header->mode = le_get32(s + MODE_AT);
	header->buffers_written = le_get32(s + BUFFERS_WRITTEN_AT);
	header->pointer_size = le_get32(s + POINTER_SIZE_AT);
	header->events_lost = le_get32(s + EVENTS_LOST_AT);
	header->cpu_mhz = le_get32(s + CPU_MHZ_AT);
}

static void read_tail(struct etl_header *header, const unsigned char *s)
{
	header->boot_time = (int64_t)le_get64(s + BOOT_TIME_AT);
	header->start_time = (int64_t)le_get64(s + START_TIME_AT);
	header->buffers_lost = le_get32(s + BUFFERS_LOST_AT);
	header->clock = (enum etl_clock)le_get32(s + CLOCK_AT);
	header->frequency = ticks_a_second(header, le_get64(s + FREQUENCY_AT));
}

/* No session has such values: what else the header says cannot be trusted. */
static int check_header(const struct etl_header *header, struct err *err)
{
	if (header->cpus > CPUS_MAX)
		return err_set(err, ERR_CORRUPT, "its header event has %" PRIu32 " processors",
			       header->cpus);
	if (header->pointer_size != 4 && header->pointer_size != 8)
		return err_set(err, ERR_CORRUPT,
			       "its header event has pointers of %" PRIu32 " bytes",
			       header->pointer_size);
	if (header->clock > ETL_CLOCK_CYCLES)
		return err_set(err, ERR_CORRUPT, "its header event has a clock of the type %u",
			       (unsigned)header->clock);
	if (!header->frequency || header->frequency > ETL_CLOCK_FREQUENCY_MAX)
		return err_set(err, ERR_CORRUPT, "its clock has %" PRIu64 " ticks a second",
			       header->frequency);
	return 0;
}

/* ERR_CORRUPT: the record is not a header event, or has impossible values. */
static int read_header_event(struct etl_header *header, const struct etl_record *record,
			     struct err *err)
{
	struct etl_payload payload = etl_payload_of(record);
	size_t tail = record->pointer == 4 ? TAIL32 : TAIL64;

	*header = (struct etl_header){ 0 };
	if (record->kind != ETL_SYSTEM || record->provider != ETL_EVENT_TRACE || record->opcode)
		return err_set(err, ERR_CORRUPT, "it does not begin with the header event");
	if (record->payload_nr < tail + TAIL_SIZE)
		return err_set(err, ERR_CORRUPT, "its header event has only %" PRIu32 " bytes",
			       record->payload_nr);
	read_start(header, record->payload);
	header->timezone_bias = (int32_t)le_get32(record->payload + NAMES_AT + 2 * record->pointer);
	read_tail(header, record->payload + tail);
	header->first_tick = record->time;
	if (check_header(header, err))
		return -1;
	etl_take(&payload, tail + TAIL_SIZE);
	header->session_name = take_text(&payload);
	header->file_name = take_text(&payload);
	return 0;
}

struct walk {
	struct etl_file *file;
	uint64_t size, at;
	bool compressed; /* buffers differ in size */
	unsigned char window[WINDOW];
	uint64_t window_at;
	size_t window_nr;
};

/* Count damage at `offset`; the message of the first is kept. */
PRINTF_LIKE(4, 5)
static void note_damage(struct etl_damage *damage, uint64_t *count, uint64_t offset,
			const char *fmt, ...)
{
	va_list ap;

	(*count)++;
	if (damage->first.len)
		return;
	va_start(ap, fmt);
	strbuf_addvf(&damage->first, fmt, ap);
	va_end(ap);
	strbuf_addf(&damage->first, " at 0x%" PRIx64, offset);
}

/* Count a buffer whose header is damaged. */
static void note_header(struct walk *walk, const unsigned char *header)
{
	note_damage(&walk->file->damage, &walk->file->damage.buffers, walk->at,
		    "a buffer of %" PRIu32 " bytes, %" PRIu32 " of them filled,",
		    le_get32(header + SIZE_AT), le_get32(header + FILLED_AT));
}

/*
 * Decode a buffer's header of ETL_BUFFER_HEADER bytes, and the low half of its state. False: it is not a buffer.
 */
static bool read_extent(struct etl_extent *extent, uint64_t offset, const unsigned char *header,
			uint16_t *state)
{
	*extent = (struct etl_extent){
		.offset = offset,
		.sequence = le_get64(header + SEQUENCE_AT),
		.size = le_get32(header + SIZE_AT),
		.filled = le_get32(header + FILLED_AT),
		.flags = le_get16(header + FLAGS_AT),
	};
	extent->cpu = extent->flags & ETL_BUFFER_WIDE_CPU ? le_get16(header + CONTEXT_AT)
							  : header[CONTEXT_AT];
	*state = le_get16(header + STATE_AT);
	return extent->size >= ETL_BUFFER_HEADER && extent->size <= ETL_BUFFER_MAX &&
	       extent->filled >= ETL_BUFFER_HEADER && extent->cpu < CPUS_MAX &&
	       extent->filled <=
		       (extent->flags & ETL_BUFFER_COMPRESSED ? ETL_BUFFER_MAX : extent->size);
}

/* Get the header at the walk's offset. Returns 1; 0: the file ends before; -1: failure. */
static int peek(struct walk *walk, const unsigned char **header, struct err *err)
{
	if (walk->at < walk->window_at ||
	    walk->at + ETL_BUFFER_HEADER > walk->window_at + walk->window_nr) {
		int64_t got =
			trace_input_read(&walk->file->input, walk->at, walk->window, WINDOW, err);

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
 * Skip bytes that are not a buffer: the next one is expected where it is if all have the session's size. Space that was
 * reserved and never written to is no damage.
 */
static void pass(struct walk *walk, const unsigned char *header)
{
	uint64_t first = walk->file->extents[0].size, stride = walk->file->header.buffer_size;
	struct etl_damage *damage = &walk->file->damage;
	bool regular = !walk->compressed && stride >= ETL_BUFFER_HEADER && stride <= ETL_BUFFER_MAX;
	uint64_t left = walk->size - walk->at;
	bool blank = is_blank(header);

	if (!blank)
		note_header(walk, header);
	if (regular) {
		if (!blank)
			damage->buffer_bytes += (left < stride ? left : stride) - ETL_BUFFER_HEADER;
		walk->at = first + ((walk->at - first) / stride + 1) * stride;
		return;
	}
	if (!blank) {
		damage->unread = left;
		strbuf_addf(&damage->stop, "a buffer at 0x%" PRIx64, walk->at);
	}
	walk->at = walk->size;
}

static void add_extent(struct walk *walk, const struct etl_extent *extent)
{
	struct etl_file *file = walk->file;
	struct etl_extent *added;
	uint64_t left = walk->size - extent->offset;

	ARRAY_GROW(file->extents, file->extents_nr + 1, file->extents_alloc);
	added = &file->extents[file->extents_nr++];
	*added = *extent;
	if (extent->flags & ETL_BUFFER_COMPRESSED)
		walk->compressed = true;
	if (extent->flags & (ETL_BUFFER_EVENTS_LOST | ETL_BUFFER_LOST))
		walk->file->damage.buffers_with_loss++;
	walk->at += extent->size;
	if (left >= extent->size)
		return;
	file->damage.truncated = added->truncated = true;
	file->damage.missing += extent->size - left;
	/* Without its end a buffer cannot be decompressed. */
	if (extent->flags & ETL_BUFFER_COMPRESSED) {
		file->extents_nr--;
		return;
	}
	added->size = (uint32_t)left;
	if (added->filled > left)
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
			walk->file->damage.truncated = true;
			break;
		}
		if (read_extent(&extent, walk->at, header, &state))
			add_extent(walk, &extent);
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
	return order ? order : compare_u64(x->offset, y->offset);
}

static int by_offset(const void *a, const void *b)
{
	const struct etl_extent *x = a, *y = b;

	return compare_u64(x->offset, y->offset);
}

static void sort(struct etl_extent *v, size_t nr)
{
	qsort(v, nr, sizeof(*v), by_sequence);
	for (size_t i = 0, end; i < nr; i = end) {
		bool twice = false;

		for (end = i + 1; end < nr && v[end].cpu == v[i].cpu; end++)
			twice = twice || v[end].sequence == v[end - 1].sequence;
		if (twice)
			qsort(v + i, end - i, sizeof(*v), by_offset);
	}
}

/* Report buffers that the session wrote and the file lacks. A circular file has overwritten old ones. */
static void judge_end(const struct walk *walk)
{
	const struct etl_header *header = &walk->file->header;
	struct etl_damage *damage = &walk->file->damage;
	uint64_t found = walk->file->extents_nr + damage->buffers;
	size_t nr = walk->file->extents_nr;
	/* None: the file has become shorter. */
	bool part = nr && walk->file->extents[nr - 1].truncated;

	if (header->mode & ETL_MODE_CIRCULAR || damage->unread ||
	    found - part >= header->buffers_written)
		return;
	damage->truncated = true;
	damage->missing_buffers = header->buffers_written - (found - part);
	if (found >= header->buffers_written)
		return;
	if (!walk->compressed && header->buffer_size <= ETL_BUFFER_MAX)
		damage->missing += (header->buffers_written - found) * header->buffer_size;
	/* Only of a buffer whose header is there the size is known. */
	else if (header->buffers_written - found > (damage->missing > 0))
		damage->missing = 0;
}

static int check_decompressed(const struct walk *walk, struct err *err)
{
	uint64_t compressed = trace_input_compressed(&walk->file->input), bytes = 0;
	uint64_t most = cost_raised(DECOMPRESSED_MAX + DECOMPRESSED_RATIO * compressed);

	for (size_t i = 0; i < walk->file->extents_nr; i++) {
		const struct etl_extent *extent = &walk->file->extents[i];

		if (extent->flags & ETL_BUFFER_COMPRESSED)
			bytes += extent->filled;
	}
	if (bytes <= most)
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "its %zu buffers have %" PRIu64
		       " MB decompressed, the limit for its size is "
		       "%" PRIu64 " MB: write it without compression (xperf -merge); %s",
		       walk->file->extents_nr, bytes >> 20, most >> 20, cost_remedy());
}

/*
 * Find all buffers after `first`, and sort them by processor, then by sequence number, or by offset if a processor has a
 * sequence number twice. -1: the file cannot be read, or its buffers are too large.
 */
static int find_buffers(struct etl_file *file, const struct etl_extent *first, struct err *err)
{
	struct walk walk = { .file = file,
			     .size = trace_input_size(&file->input),
			     .compressed = file->header.mode & ETL_MODE_COMPRESSED };

	add_extent(&walk, first);
	if (find(&walk, err) || check_decompressed(&walk, err))
		return -1;
	judge_end(&walk);
	sort(file->extents, file->extents_nr);
	return 0;
}

/* Read the first buffer, and its first event. */
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
	if (got < (int64_t)sizeof(head) || !read_extent(first, 0, head, &file->compression))
		return err_set(err, ERR_CORRUPT, "it does not begin with a buffer of events");
	etl_buffer_init(&buffer, 0);
	if (etl_buffer_load(&buffer, file, first, err))
		goto out;
	if (buffer.fault || etl_record_parse(buffer.bytes, buffer.nr, &record, &step) != ETL_PARSED)
		err_set(err, ERR_CORRUPT, "its first buffer is damaged");
	else
		rc = read_header_event(&file->header, &record, err);
out:
	etl_buffer_release(&buffer);
	return rc;
}

/* The tick of a number of seconds after the session's end; UINT64_MAX: its end is unknown. */
static uint64_t tick_after_end(const struct etl_header *header, uint64_t seconds)
{
	uint64_t time, ticks;

	if (header->end_time <= header->start_time || header->start_time <= 0 ||
	    header->end_time - header->start_time > YEARS)
		return UINT64_MAX;
	time = (uint64_t)(header->end_time - header->start_time);
	ticks = (time / FILETIME_SECOND + seconds) * header->frequency +
		time % FILETIME_SECOND * header->frequency / FILETIME_SECOND;
	return ticks < UINT64_MAX - header->first_tick ? header->first_tick + ticks : UINT64_MAX;
}

uint64_t etl_file_end_tick(const struct etl_file *file)
{
	return tick_after_end(&file->header, 0);
}

/* The file owns the input, also after a failure. */
static int open_input(const struct trace_input *input, struct etl_file **file, struct err *err)
{
	struct etl_file *made = xcalloc(1, sizeof(*made));
	struct etl_extent first;

	made->input = *input;
	made->damage.first = made->damage.stop = (struct strbuf)STRBUF_INIT;
	if (read_header(made, &first, err) || find_buffers(made, &first, err)) {
		etl_file_free(made);
		return -1;
	}
	made->latest = tick_after_end(&made->header, LATEST_SECONDS);
	*file = made;
	return 0;
}

int etl_file_open(const char *path, uint64_t compressed_bytes, struct etl_file **file,
		  struct err *err)
{
	struct trace_input input;

	if (trace_input_open(&input, path, err))
		return -1;
	input.compressed_bytes = compressed_bytes;
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
	free(file->header.session_name);
	free(file->header.file_name);
	free(file->extents);
	strbuf_release(&file->damage.first);
	strbuf_release(&file->damage.stop);
	free(file->path);
	free(file);
}

/* Nanoseconds of `ticks`, at most INT64_MAX. */
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

/* Decompress a buffer. Returns NULL, or why it is damaged. */
static const char *decompress(struct etl_buffer *buffer, uint16_t compression,
			      const unsigned char *compressed, size_t compressed_nr)
{
	bool (*how)(const unsigned char *, size_t, unsigned char *, size_t) =
		compression == COMPRESSED_HUFFMAN ? xpress_huffman_decompress : xpress_decompress;

	if (compression == COMPRESSED_LZNT1)
		return "a buffer compressed with LZNT1, which is not read,";
	return how(compressed, compressed_nr, buffer->bytes, buffer->nr)
		       ? NULL
		       : "a buffer that cannot be decompressed";
}

int etl_buffer_load(struct etl_buffer *buffer, const struct etl_file *file,
		    const struct etl_extent *extent, struct err *err)
{
	unsigned char *compressed = NULL;
	size_t nr;
	int64_t got;

	etl_buffer_make_room(buffer, extent);
	buffer->extent = *extent;
	buffer->latest = file->latest;
	buffer->at = 0;
	buffer->nr = nr = extent->filled - ETL_BUFFER_HEADER;
	if (extent->flags & ETL_BUFFER_COMPRESSED) {
		nr = extent->size - ETL_BUFFER_HEADER;
		compressed = xmalloc(nr + 1);
	}
	got = trace_input_read(&file->input, extent->offset + ETL_BUFFER_HEADER,
			       compressed ? compressed : buffer->bytes, nr, err);
	if (got >= 0 && (size_t)got < nr)
		buffer->fault = "a buffer that the file no longer has";
	else if (got >= 0)
		buffer->fault =
			compressed ? decompress(buffer, file->compression, compressed, nr) : NULL;
	free(compressed);
	return got < 0 ? -1 : 0;
}

/* Count the damage by which the rest of the buffer is lost. The end of a truncated one is known to be missing. */
static bool give_up(struct etl_buffer *buffer, struct etl_file *file)
{
	uint64_t offset = buffer->extent.offset;
	struct etl_damage *damage = &file->damage;

	if (buffer->fault)
		note_damage(damage, &damage->buffers, offset, "%s", buffer->fault);
	else if (!buffer->extent.truncated)
		note_damage(damage, &damage->buffers, offset,
			    "an event with an impossible size, %zu bytes into the buffer",
			    buffer->at + ETL_BUFFER_HEADER);
	if (!buffer->extent.truncated)
		damage->buffer_bytes += buffer->nr - buffer->at;
	buffer->fault = NULL;
	buffer->at = buffer->nr;
	return false;
}

/*
 * Whether the time of an event is invalid: after the session's end, while the time of the next event is not. Merged by that
 * time it would delay all events of its processor to the end.
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
		if (parse == ETL_REST_DAMAGED)
			return give_up(buffer, file);
		buffer->at += step;
		if (parse == ETL_PARSED && !is_misplaced(buffer, file, record)) {
			record->buffer_offset = buffer->extent.offset;
			record->offset = (uint32_t)(begin + ETL_BUFFER_HEADER);
			record->cpu = buffer->extent.cpu;
			record->session = buffer->session;
			return true;
		}
		if (parse == ETL_UNKNOWN)
			file->damage.unknown++;
		else
			note_damage(&file->damage, &file->damage.events, buffer->extent.offset,
				    "an event that %s, %zu bytes into the buffer",
				    parse == ETL_PARSED ? "has a time after the end of the session"
							: "lacks fields",
				    begin + ETL_BUFFER_HEADER);
	}
}
