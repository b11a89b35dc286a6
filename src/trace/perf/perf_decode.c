#include "trace/perf/perf_decode.h"

#include <string.h>

#include "trace/perf/perf_format.h"
#include "util/array.h"
#include "util/bits.h"
#include "util/byte_cursor.h"

enum read_format {
	READ_TIME_ENABLED = 1 << 0,
	READ_TIME_RUNNING = 1 << 1,
	READ_ID = 1 << 2,
	READ_GROUP = 1 << 3,
	READ_LOST = 1 << 4,
};

#define BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define BRANCH_COUNTERS (UINT64_C(1) << 19)
#define NUMBERS_MAX     8192 /* more than fit into a record */

/* The next `nr` 64-bit numbers; NULL: the record has fewer. */
static const unsigned char *take(struct byte_cursor *cursor, uint64_t nr)
{
	return nr <= cursor->left / 8 ? byte_cursor_take(cursor, nr * 8) : NULL;
}

static const uint64_t *numbers(const unsigned char *at)
{
	return (const uint64_t *)(const void *)at;
}

static bool skip_read(struct byte_cursor *cursor, uint64_t format)
{
	uint64_t each = 1 + !!(format & READ_ID) + !!(format & READ_LOST);
	uint64_t times = !!(format & READ_TIME_ENABLED) + !!(format & READ_TIME_RUNNING);
	uint64_t nr = 1;

	if (format & READ_GROUP && !byte_cursor_take64(cursor, &nr))
		return false;
	return nr <= NUMBERS_MAX && take(cursor, times + nr * each);
}

static bool skip_branches(struct byte_cursor *cursor, uint64_t type)
{
	uint64_t nr;

	if (!byte_cursor_take64(cursor, &nr) || nr > NUMBERS_MAX)
		return false;
	return take(cursor,
		    nr * 3 + !!(type & BRANCH_HW_INDEX) + (type & BRANCH_COUNTERS ? nr : 0));
}

int64_t perf_chain_begin(const uint64_t *chain, uint64_t nr, int mode)
{
	if (!nr || chain[0] >= PERF_CONTEXT_FIRST)
		return 0;
	return mode == PERF_MISC_KERNEL ? PERF_CONTEXT_KERNEL
	       : mode == PERF_MISC_USER ? PERF_CONTEXT_USER
					: 0;
}

int64_t perf_chain_next(int64_t kind, uint64_t marker)
{
	return kind == PERF_CONTEXT_USER ? kind : (int64_t)marker;
}

/*
 * Decode the first sequence of addresses of each kind. In distilled samples the number of markers of the user part is its
 * origin (perf_rewrite.h).
 */
static bool take_chain(struct byte_cursor *cursor, int mode, bool distilled,
		       struct trace_stack *stack)
{
	uint64_t nr;
	const uint64_t *v;
	int64_t kind;
	unsigned markers = 0;

	if (!byte_cursor_take64(cursor, &nr))
		return false;
	v = numbers(take(cursor, nr));
	if (!v)
		return false;
	kind = perf_chain_begin(v, nr, mode);
	for (size_t i = 0; i < nr;) {
		size_t start = i;

		/* Markers are higher than all addresses: of four at once none is one if all their bits make less. */
		while (nr - i >= 4 && (v[i] | v[i + 1] | v[i + 2] | v[i + 3]) < PERF_CONTEXT_FIRST)
			i += 4;
		while (i < nr && v[i] < PERF_CONTEXT_FIRST)
			i++;
		if (i > start && kind == PERF_CONTEXT_USER && !stack->user_nr) {
			stack->user = v + start;
			stack->user_nr = (uint32_t)(i - start);
		} else if (i > start && kind == PERF_CONTEXT_KERNEL && !stack->kernel_nr) {
			stack->kernel = v + start;
			stack->kernel_nr = (uint32_t)(i - start);
		}
		if (i == nr)
			break;
		markers += v[i] == (uint64_t)PERF_CONTEXT_USER && !stack->user_nr &&
			   markers <= STACK_TRUNCATED;
		kind = perf_chain_next(kind, v[i++]);
	}
	if (distilled && markers > 1)
		stack->origin = markers - 1;
	return true;
}

static bool is_empty(const struct trace_stack *stack)
{
	return !stack->user_nr && !stack->kernel_nr && !stack->copy;
}

/* Without a call chain, or with an empty one, the stack is the address of the sample, if that is none of the markers. */
static void take_leaf(const unsigned char *ip, int mode, struct trace_stack *stack)
{
	if (le_get64(ip) >= PERF_CONTEXT_FIRST)
		return;
	if (mode == PERF_MISC_KERNEL) {
		stack->kernel = numbers(ip);
		stack->kernel_nr = 1;
	} else if (mode == PERF_MISC_USER) {
		stack->user = numbers(ip);
		stack->user_nr = 1;
	}
}

/* u32 size and bytes, together a multiple of 8. */
static bool take_raw(struct byte_cursor *cursor, struct perf_sample *sample)
{
	uint32_t size;

	if (cursor->left < 8)
		return false;
	size = le_get32(cursor->at);
	sample->raw = cursor->at + 4;
	sample->raw_nr = size;
	return (size + UINT64_C(4)) % 8 == 0 && take(cursor, (size + UINT64_C(4)) / 8);
}

static bool take_registers(struct byte_cursor *cursor, const struct perf_event *event,
			   struct trace_stack_copy *copy)
{
	uint64_t abi;

	if (!byte_cursor_take64(cursor, &abi))
		return false;
	if (!abi) /* a thread of the kernel has no user registers */
		return true;
	copy->values = numbers(take(cursor, bits_count(event->regs_user)));
	copy->mask = event->regs_user;
	copy->bits32 = abi == 1;
	return copy->values;
}

/* u64 size, bytes, u64 number of valid bytes. */
static bool take_bytes(struct byte_cursor *cursor, struct trace_stack_copy *copy)
{
	uint64_t size, filled;

	if (!byte_cursor_take64(cursor, &size))
		return false;
	if (!size)
		return true;
	if (size % 8 != 0)
		return false;
	copy->bytes = take(cursor, size / 8);
	if (!copy->bytes || !byte_cursor_take64(cursor, &filled))
		return false;
	copy->bytes_nr = (size_t)(filled < size ? filled : size);
	return true;
}

/* Decode the fields of 8 bytes each. */
static bool take_fixed(struct byte_cursor *cursor, uint64_t type, struct perf_sample *sample,
		       const unsigned char **ip)
{
	static const uint64_t order[] = { PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,
					  PERF_SAMPLE_TID,        PERF_SAMPLE_TIME,
					  PERF_SAMPLE_ADDR,       PERF_SAMPLE_ID,
					  PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,
					  PERF_SAMPLE_PERIOD };

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		const unsigned char *at;

		if (!(type & order[i]))
			continue;
		at = take(cursor, 1);
		if (!at)
			return false;
		if (order[i] == PERF_SAMPLE_IP) {
			*ip = at;
		} else if (order[i] == PERF_SAMPLE_TID) {
			sample->pid = (int32_t)le_get32(at);
			sample->tid = (int32_t)le_get32(at + 4);
		} else if (order[i] == PERF_SAMPLE_TIME) {
			sample->time = (int64_t)le_get64(at);
		} else if (order[i] == PERF_SAMPLE_CPU) {
			sample->cpu = (int32_t)le_get32(at);
		} else if (order[i] == PERF_SAMPLE_PERIOD) {
			sample->period = le_get64(at);
		}
	}
	return true;
}

static bool take_copy(struct byte_cursor *cursor, const struct perf_event *event,
		      struct perf_sample *sample)
{
	uint64_t type = event->sample_type;

	sample->copy = (struct trace_stack_copy){ .id = 0 };
	if (type & PERF_SAMPLE_REGS_USER && !take_registers(cursor, event, &sample->copy))
		return false;
	if (type & PERF_SAMPLE_STACK_USER && !take_bytes(cursor, &sample->copy))
		return false;
	if (sample->copy.values && sample->copy.bytes_nr)
		sample->stack.copy = &sample->copy;
	return true;
}

/* Decode the other fields up to the stack copy. `parts` (may be NULL) gets where they are. */
static bool take_remaining(struct byte_cursor *cursor, const struct perf_event *event, int mode,
			   struct perf_sample *sample, struct perf_sample_parts *parts)
{
	const uint64_t copies = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	uint64_t type = event->sample_type;
	struct perf_sample_parts at = { .has_copy = false };

	if (type & PERF_SAMPLE_READ && !skip_read(cursor, event->read_format))
		return false;
	at.chain = cursor->left;
	if (type & PERF_SAMPLE_CALLCHAIN &&
	    !take_chain(cursor, mode, event->distilled, &sample->stack))
		return false;
	at.chain_end = at.raw = cursor->left;
	if (type & PERF_SAMPLE_RAW && !take_raw(cursor, sample))
		return false;
	at.raw_end = cursor->left;
	/* Of the following fields only registers and stack are needed. */
	if (type & copies && type & PERF_SAMPLE_BRANCH_STACK &&
	    !skip_branches(cursor, event->branch_type))
		return false;
	at.copy = cursor->left;
	if (type & copies && !take_copy(cursor, event, sample))
		return false;
	at.copy_end = cursor->left;
	at.has_copy = sample->stack.copy;
	if (parts)
		*parts = at;
	return true;
}

/* Field by field, as GCC clears a struct of this size with `rep stos`, which takes 6 % of the time of reading a trace. */
static void clear_sample(struct perf_sample *sample)
{
	sample->pid = sample->tid = sample->cpu = -1;
	sample->time = 0;
	sample->period = 0;
	sample->stack = (struct trace_stack){ .copy = NULL };
	sample->raw = NULL;
	sample->raw_nr = 0;
}

static bool decode(const struct perf_event *event, const unsigned char *record, size_t size,
		   struct perf_sample *sample, struct perf_sample_parts *parts)
{
	struct byte_cursor cursor = { record + PERF_RECORD_HEADER, size - PERF_RECORD_HEADER };
	int mode = le_get16(record + 4) & PERF_MISC_CPUMODE;
	const unsigned char *ip = NULL;

	clear_sample(sample);
	if (!take_fixed(&cursor, event->sample_type, sample, &ip) ||
	    !take_remaining(&cursor, event, mode, sample, parts))
		return false;
	if (ip && (!(event->sample_type & PERF_SAMPLE_CALLCHAIN) || is_empty(&sample->stack)))
		take_leaf(ip, mode, &sample->stack);
	return true;
}

bool perf_decode_sample(const struct perf_event *event, const unsigned char *record, size_t size,
			struct perf_sample *sample)
{
	return decode(event, record, size, sample, NULL);
}

bool perf_sample_locate(const struct perf_event *event, const unsigned char *record, size_t size,
			struct perf_sample *sample, struct perf_sample_parts *parts)
{
	if (!decode(event, record, size, sample, parts))
		return false;
	/* They were counted from the end. */
	parts->chain = size - parts->chain;
	parts->chain_end = size - parts->chain_end;
	parts->raw = size - parts->raw;
	parts->raw_end = size - parts->raw_end;
	parts->copy = size - parts->copy;
	parts->copy_end = size - parts->copy_end;
	return true;
}

static int64_t get_id(const unsigned char *at)
{
	return (int32_t)le_get32(at);
}

/* The text from `at` on; NULL: no NUL ends it within the record. */
static const char *text_at(const unsigned char *record, size_t size, size_t at)
{
	return at < size && memchr(record + at, 0, size - at) ? (const char *)record + at : NULL;
}

/*
 * Linux has names of threads of up to 63 bytes, and paths of up to 4095, with " (deleted)" more: longer ones are
 * damage, as each process has its own copy.
 */
#define NAME_MAX_BYTES 255
#define PATH_MAX_BYTES 4105

#define TEXT_OF(value)      #value
#define TOO_LONG(what, max) what " has more than " TEXT_OF(max) " bytes"

static const char lacks_fields[] = "a record that lacks fields";

/* Of the 24 bytes of an MMAP2 record that identify the file. */
enum { FILE_ID_LENGTH = 0, FILE_ID = 4, FILE_SIZE = 24 };

/*
 * Take the build id: u8 length, 3 bytes of 0, 20 bytes of id, 0 after its end. In a record without the flag the bytes are
 * u32 major and minor number of the device, u64 inode and u64 generation of the inode. But Linux keeps the flag from the
 * record of one recording to that of the next, which may be one without build ids (perf_event_mmap_output(), seen in 6.18).
 */
static void take_build_id(const unsigned char *file, struct trace_map *map)
{
	size_t length = file[FILE_ID_LENGTH];

	if (length > MODULE_ID_MAX)
		return;
	for (size_t i = FILE_ID_LENGTH + 1; i < FILE_SIZE; i++)
		if ((i < FILE_ID || i >= FILE_ID + length) && file[i])
			return;
	map->id_length = (uint8_t)length;
	memcpy(map->id, file + FILE_ID, length);
}

/* u32 pid, tid; u64 address, length, offset; MMAP2: 24 bytes that identify the file, u32 prot, flags; path. */
static const char *decode_map(const unsigned char *record, size_t size, struct trace_event *event)
{
	uint16_t misc = le_get16(record + 4);
	bool second = le_get32(record) == PERF_MMAP2;
	struct trace_map map = { .code = !(misc & PERF_MISC_MMAP_DATA) };

	map.path = text_at(record, size, second ? 72 : 40);
	if (!map.path)
		return lacks_fields;
	if (strlen(map.path) > PATH_MAX_BYTES)
		return TOO_LONG("a mapping whose path", PATH_MAX_BYTES);
	map.address = le_get64(record + 16);
	map.length = le_get64(record + 24);
	map.offset = le_get64(record + 32);
	map.kernel = (misc & PERF_MISC_CPUMODE) == PERF_MISC_KERNEL;
	if (second && misc & PERF_MISC_MMAP_BUILD_ID)
		take_build_id(record + 40, &map);
	event->kind = TRACE_MAP;
	event->pid = get_id(record + 8);
	event->tid = get_id(record + 12);
	event->map = map;
	return NULL;
}

/* u32 pid, tid; name. */
static const char *decode_comm(const unsigned char *record, size_t size, struct trace_event *event)
{
	event->name = text_at(record, size, 16);
	if (!event->name)
		return lacks_fields;
	if (strlen(event->name) > NAME_MAX_BYTES)
		return TOO_LONG("a thread whose name", NAME_MAX_BYTES);
	event->kind = le_get16(record + 4) & PERF_MISC_COMM_EXEC ? TRACE_EXEC : TRACE_THREAD_NAME;
	event->pid = get_id(record + 8);
	event->tid = get_id(record + 12);
	return NULL;
}

/* u32 pid, ppid, tid, ptid; u64 time. */
static const char *decode_task(const unsigned char *record, size_t size, struct trace_event *event)
{
	int64_t pid, ppid, ptid;

	if (size < 32)
		return lacks_fields;
	pid = get_id(record + 8);
	ppid = get_id(record + 12);
	ptid = get_id(record + 20);
	event->pid = pid;
	event->tid = get_id(record + 16);
	if (le_get32(record) == PERF_EXIT) {
		event->kind = TRACE_THREAD_END;
	} else if (pid == ppid) {
		event->kind = TRACE_THREAD_START;
		event->start = (struct trace_start){ .by_tid = ptid };
	} else {
		event->kind = TRACE_PROCESS_START;
		event->start = (struct trace_start){ .ppid = ppid, .by_tid = ptid, .copied = true };
	}
	return NULL;
}

const char *perf_decode_event(const unsigned char *record, size_t size, size_t trailer,
			      struct trace_event *event)
{
	if (trailer > size - PERF_RECORD_HEADER)
		return lacks_fields;
	switch (le_get32(record)) {
	case PERF_MMAP:
	case PERF_MMAP2:
		return decode_map(record, size - trailer, event);
	case PERF_COMM:
		return decode_comm(record, size - trailer, event);
	default:
		return decode_task(record, size - trailer, event);
	}
}
