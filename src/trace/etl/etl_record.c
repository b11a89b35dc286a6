#include "trace/etl/etl_record.h"

#include <string.h>

#include "util/array.h"
#include "util/utf8.h"

/* Byte 3 of an event: the kind of its header. */
#define MARK_TYPED        0xc0 /* byte 2 is the type */
#define MARK_MESSAGE      0x90
#define MARK_MESSAGE_MASK 0xd0

#define NO_EVENT UINT32_C(0xffffffff) /* fills the end of a buffer */
#define ALIGNED  8

/* PERFINFO: flags in the version, for u64s before the payload. */
#define VERSION_COUNTERS 0x0700
#define VERSION_PEBS     0x8000

#define EVENT_EXTENDED      1 /* flag: items before the payload */
#define ITEM_HEADER         8
#define ITEM_STACK32        5
#define ITEM_STACK64        6
#define MESSAGE_HEADER      8
#define MESSAGE_SEQUENCE    0x01
#define MESSAGE_GUID        0x02
#define MESSAGE_COMPONENT   0x04
#define MESSAGE_TIME        0x08
#define MESSAGE_SYSTEM_INFO 0x20
#define MESSAGE_POINTER32   0x40

/* A type of typed headers. */
struct header_type {
	uint8_t kind, bytes, pointer; /* bytes 0: no such type */
	uint8_t size_at;
};

static const struct header_type types[] = {
	[1] = { ETL_SYSTEM, 32, 4, 4 },    [2] = { ETL_SYSTEM, 32, 8, 4 },
	[3] = { ETL_COMPACT, 24, 4, 4 },   [4] = { ETL_COMPACT, 24, 8, 4 },
	[10] = { ETL_FULL, 48, 4, 0 },     [20] = { ETL_FULL, 48, 8, 0 },
	[11] = { ETL_INSTANCE, 72, 4, 0 }, [21] = { ETL_INSTANCE, 72, 8, 0 },
	[16] = { ETL_PERFINFO, 16, 4, 4 }, [17] = { ETL_PERFINFO, 16, 8, 4 },
	[18] = { ETL_EVENT, 80, 4, 0 },    [19] = { ETL_EVENT, 80, 8, 0 },
};

struct guid {
	uint32_t a;
	uint16_t b, c;
	unsigned char d[8];
};

struct provider {
	const char *name;
	struct guid guid;
};

#define GUID(a, b, c, ...) \
	{ \
		a, b, c, \
		{ \
			__VA_ARGS__ \
		} \
	}
#define KERNEL_GUID(a) GUID(a, 0xfe05, 0x11d0, 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c)
#define FILE_GUID(a)   GUID(a, 0x4a3e, 0x11d1, 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3)

static const struct provider providers[] = {
	[ETL_EVENT_TRACE] = { "EventTrace", FILE_GUID(0x68fdd900) },
	[ETL_PAGE_FAULT] = { "PageFault", KERNEL_GUID(0x3d6fa8d3) },
	[ETL_PROCESS] = { "Process", KERNEL_GUID(0x3d6fa8d0) },
	[ETL_FILE_IO] = { "FileIo", FILE_GUID(0x90cbdc39) },
	[ETL_THREAD] = { "Thread", KERNEL_GUID(0x3d6fa8d1) },
	[ETL_SYSTEM_CONFIG] = { "SystemConfig", GUID(0x01853a65, 0x418f, 0x4f36, 0xae, 0xfc, 0xdc,
						     0x0f, 0x1d, 0x2f, 0xd2, 0x35) },
	[ETL_PERF_INFO] = { "PerfInfo", GUID(0xce1dbfb4, 0x137e, 0x4da6, 0x87, 0xb0, 0x3f, 0x59,
					     0xaa, 0x10, 0x2c, 0xbc) },
	[ETL_HEAP] = { "Heap", GUID(0x222962ab, 0x6180, 0x4b88, 0xa8, 0x25, 0x34, 0x6b, 0x75, 0xf2,
				    0xa2, 0x4a) },
	[ETL_IMAGE] = { "Image", GUID(0x2cb15d1d, 0x5fc1, 0x11d2, 0xab, 0xe1, 0x00, 0xa0, 0xc9,
				      0x11, 0xf5, 0x18) },
	[ETL_STACK_WALK] = { "StackWalk", GUID(0xdef2fe46, 0x7bd6, 0x4b80, 0xbd, 0x94, 0xf5, 0x7f,
					       0xe2, 0x0d, 0x0c, 0xe3) },
	[ETL_IMAGE_ID] = { "ImageID", GUID(0xb3e675d7, 0x2554, 0x4f18, 0x83, 0x0b, 0x27, 0x62, 0x73,
					   0x25, 0x60, 0xde) },
	[ETL_SYS_CONFIG_EX] = { "SysConfigEx", GUID(0x9b79ee91, 0xb5fd, 0x41c0, 0xa2, 0x43, 0x42,
						    0x48, 0xe2, 0x66, 0xe9, 0xd0) },
	[ETL_HEAP_SNAPSHOT] = { "HeapSnapshot", GUID(0x901d2afa, 0x4ff6, 0x46d7, 0x8d, 0x0e, 0x53,
						     0x64, 0x5e, 0x1a, 0x47, 0xf5) },
	[ETL_KERNEL_MEMORY] = { "KernelMemory", GUID(0xd1d93ef7, 0xe1f2, 0x4f45, 0x99, 0x43, 0x03,
						     0xd2, 0x45, 0xfe, 0x6c, 0x00) },
};

const uint8_t etl_provider_groups[ETL_GROUPS] = {
	[0] = ETL_EVENT_TRACE,    [2] = ETL_PAGE_FAULT, [3] = ETL_PROCESS, [4] = ETL_FILE_IO,
	[5] = ETL_THREAD,         [15] = ETL_PERF_INFO, [16] = ETL_HEAP,   [20] = ETL_IMAGE,
	[11] = ETL_SYSTEM_CONFIG, [24] = ETL_STACK_WALK
};

const char *etl_provider_name(enum etl_provider provider)
{
	return providers[provider].name;
}

static bool is_guid(const unsigned char *s, const struct guid *guid)
{
	return le_get16(s + 4) == guid->b && le_get16(s + 6) == guid->c &&
	       memcmp(s + 8, guid->d, sizeof(guid->d)) == 0;
}

static enum etl_provider provider_of_guid(const unsigned char *s)
{
	uint32_t first = le_get32(s);

	for (int i = ETL_OTHER + 1; i < (int)ARRAY_SIZE(providers); i++) {
		if (first == providers[i].guid.a && is_guid(s, &providers[i].guid))
			return (enum etl_provider)i;
	}
	return ETL_OTHER;
}

/* The payload follows the `nr` bytes of the header. */
static void set_payload(struct etl_record *record, const unsigned char *bytes, size_t size,
			size_t nr)
{
	record->payload = bytes + nr;
	record->payload_nr = (uint32_t)(size - nr);
}

static void set_group(struct etl_record *record, const unsigned char *bytes)
{
	record->version = bytes[0];
	record->opcode = bytes[6];
	record->group = bytes[7];
	record->provider = (uint8_t)etl_provider_of_group(record->group);
}

static void set_guid(struct etl_record *record, const unsigned char *bytes)
{
	record->guid = bytes;
	record->provider = (uint8_t)provider_of_guid(bytes);
}

static void set_thread(struct etl_record *record, const unsigned char *bytes)
{
	record->tid = le_get32(bytes + 8);
	record->pid = le_get32(bytes + 12);
	record->time = le_get64(bytes + 16);
}

static enum etl_parse parse_perfinfo(struct etl_record *record, const unsigned char *bytes,
				     size_t size)
{
	unsigned version = le_get16(bytes);
	size_t begin = 16;

	begin += 8 * (size_t)((version & VERSION_COUNTERS) >> 8);
	begin += version & VERSION_PEBS ? 8 : 0;
	set_group(record, bytes);
	record->time = le_get64(bytes + 8);
	if (begin > size)
		return ETL_EVENT_DAMAGED;
	set_payload(record, bytes, size, begin);
	return ETL_PARSED;
}

static void set_stack(struct etl_record *record, const unsigned char *item, size_t nr,
		      unsigned type)
{
	if (record->stack || nr < 8)
		return;
	record->stack_pointer = type == ITEM_STACK32 ? 4 : 8;
	record->stack_match = le_get64(item);
	record->stack = item + 8;
	record->stack_nr = (uint32_t)((nr - 8) / record->stack_pointer);
}

/* Decode the extended items from `*at` on, and advance it to their end. */
static bool take_items(struct etl_record *record, const unsigned char *bytes, size_t size,
		       size_t *at)
{
	bool more = true;

	while (more) {
		const unsigned char *item = bytes + *at;
		size_t left = size - *at, total, nr;
		unsigned type;

		if (left < ITEM_HEADER)
			return false;
		total = le_get16(item);
		type = le_get16(item + 2);
		more = le_get16(item + 4) & 1;
		nr = le_get16(item + 6);
		if (total > left || total < ITEM_HEADER + nr)
			return false;
		if (type == ITEM_STACK32 || type == ITEM_STACK64)
			set_stack(record, item + ITEM_HEADER, nr, type);
		*at += total;
	}
	return true;
}

static enum etl_parse parse_event(struct etl_record *record, const unsigned char *bytes,
				  size_t size)
{
	size_t begin = 80;

	set_thread(record, bytes);
	set_guid(record, bytes + 24);
	record->id = le_get16(bytes + 40);
	record->version = bytes[42];
	record->level = bytes[44];
	record->opcode = bytes[45];
	if (le_get16(bytes + 4) & EVENT_EXTENDED && !take_items(record, bytes, size, &begin))
		return ETL_EVENT_DAMAGED;
	set_payload(record, bytes, size, begin);
	return ETL_PARSED;
}

static enum etl_parse parse_typed(struct etl_record *record, const struct header_type *type,
				  const unsigned char *bytes, size_t size)
{
	record->pointer = type->pointer;
	switch (record->kind) {
	case ETL_PERFINFO:
		return parse_perfinfo(record, bytes, size);
	case ETL_EVENT:
		return parse_event(record, bytes, size);
	case ETL_SYSTEM:
	case ETL_COMPACT:
		set_group(record, bytes);
		break;
	default:
		set_guid(record, bytes + 24);
		record->opcode = bytes[4];
		record->level = bytes[5];
		record->version = bytes[6];
		break;
	}
	set_thread(record, bytes);
	set_payload(record, bytes, size, type->bytes);
	return ETL_PARSED;
}

/* The next `nr` bytes of an event, from `*at` on. */
static const unsigned char *take(const unsigned char *bytes, size_t size, size_t *at, size_t nr)
{
	const unsigned char *taken = bytes + *at;

	if (nr > size - *at)
		return NULL;
	*at += nr;
	return taken;
}

static enum etl_parse parse_message(struct etl_record *record, const unsigned char *bytes,
				    size_t size)
{
	unsigned options = le_get16(bytes + 6);
	const unsigned char *time = NULL, *thread = NULL;
	size_t at = MESSAGE_HEADER;
	bool sound = true;

	record->kind = ETL_MESSAGE;
	record->pointer = options & MESSAGE_POINTER32 ? 4 : 8;
	record->id = le_get16(bytes + 4);
	if (options & MESSAGE_SEQUENCE)
		sound = take(bytes, size, &at, 4);
	if (options & MESSAGE_GUID)
		sound = sound && (record->guid = take(bytes, size, &at, 16));
	else if (options & MESSAGE_COMPONENT)
		sound = sound && take(bytes, size, &at, 4);
	if (options & MESSAGE_TIME)
		sound = sound && (time = take(bytes, size, &at, 8));
	if (options & MESSAGE_SYSTEM_INFO)
		sound = sound && (thread = take(bytes, size, &at, 8));
	if (!sound)
		return ETL_EVENT_DAMAGED;
	if (time)
		record->time = le_get64(time);
	if (thread) {
		record->tid = le_get32(thread);
		record->pid = le_get32(thread + 4);
	}
	set_payload(record, bytes, size, at);
	return ETL_PARSED;
}

/* Most headers begin with their size. It is considered valid if another event or the end follows. */
static enum etl_parse parse_unknown(const unsigned char *bytes, size_t nr, size_t *step)
{
	size_t size = le_get16(bytes);

	*step = etl_step_of(size, nr);
	if (size < ALIGNED || size > nr || (*step + 4 <= nr && !(bytes[*step + 3] & 0x80)))
		return ETL_REST_DAMAGED;
	return ETL_UNKNOWN;
}

/* Field by field, as GCC 12 clears a struct of this size slowly: see trace_event_none. */
static inline void clear(struct etl_record *record)
{
	record->time = record->buffer_offset = record->stack_match = 0;
	record->offset = record->cpu = 0;
	record->pid = record->tid = ETL_NO_ID;
	record->provider = ETL_OTHER;
	record->kind = record->group = record->opcode = record->version = record->level = 0;
	record->pointer = record->stack_pointer = 0;
	record->id = record->session = 0;
	record->payload_nr = record->stack_nr = 0;
	record->guid = record->payload = record->stack = NULL;
}

enum etl_parse etl_record_parse(const unsigned char *bytes, size_t nr, struct etl_record *record,
				size_t *step)
{
	static const struct header_type message = { ETL_MESSAGE, MESSAGE_HEADER, 8, 0 };
	const struct header_type *type = NULL;
	size_t size;

	if (nr < 4 || le_get32(bytes) == NO_EVENT)
		return ETL_END;
	if (nr < ALIGNED)
		return ETL_REST_DAMAGED;
	if ((bytes[3] & MARK_MESSAGE_MASK) == MARK_MESSAGE)
		type = &message;
	else if ((bytes[3] & MARK_TYPED) == MARK_TYPED && bytes[2] < ARRAY_SIZE(types))
		type = &types[bytes[2]];
	if (!type || !type->bytes)
		return parse_unknown(bytes, nr, step);
	size = le_get16(bytes + type->size_at);
	if (size < type->bytes || size > nr)
		return ETL_REST_DAMAGED;
	*step = etl_step_of(size, nr);
	clear(record);
	record->kind = type->kind;
	return type == &message ? parse_message(record, bytes, size)
				: parse_typed(record, type, bytes, size);
}

struct etl_text etl_take_text(struct etl_payload *payload)
{
	struct etl_text text = { payload->v, payload->nr, false };
	const unsigned char *end = payload->nr ? memchr(payload->v, 0, payload->nr) : NULL;

	if (end)
		text.nr = (size_t)(end - payload->v);
	etl_take(payload, text.nr + 1);
	return text;
}

static size_t find_end(const unsigned char *v, size_t nr)
{
	size_t at = 0;

	while (at + 2 <= nr && (v[at] || v[at + 1]))
		at += 2;
	return at;
}

struct etl_text etl_take_wide(struct etl_payload *payload)
{
	struct etl_text text = { payload->v, find_end(payload->v, payload->nr), true };

	etl_take(payload, text.nr + 2);
	return text;
}

struct etl_text etl_take_wide_field(struct etl_payload *payload, size_t nr)
{
	struct etl_text text = { etl_take(payload, nr), 0, true };

	if (text.v)
		text.nr = find_end(text.v, nr);
	return text;
}

void etl_text_add(const struct etl_text *text, struct strbuf *sb)
{
	if (text->wide)
		utf8_add_utf16(sb, text->v, text->nr / 2);
	else
		utf8_add_clean(sb, (const char *)text->v, text->nr);
}
