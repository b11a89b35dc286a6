#include "trace/perf/perf_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "platform/cost.h"
#include "trace/perf/perf_format.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/byte_cursor.h"

#define HEADER_SIZE_OLD  72 /* of a header without features */
#define PIPE_HEADER_SIZE 16
#define IDS_MAX          1000000 /* ids of events */
#define BUILD_IDS_MAX    1000000 /* files in one recording */
#define ARGUMENTS_MAX    65536

/* Linux's clock ids, include/uapi/linux/time.h. */
static const char *const clock_names[] = {
	"CLOCK_REALTIME",          "CLOCK_MONOTONIC",     "CLOCK_PROCESS_CPUTIME_ID",
	"CLOCK_THREAD_CPUTIME_ID", "CLOCK_MONOTONIC_RAW", "CLOCK_REALTIME_COARSE",
	"CLOCK_MONOTONIC_COARSE",  "CLOCK_BOOTTIME",
};

struct section {
	uint64_t offset, size;
};

void perf_file_damage(struct perf_file *file, uint64_t location, const char *fmt, ...)
{
	struct strbuf *first = &file->first_damage;
	va_list ap;

	file->counters.damaged++;
	if (first->len)
		return;
	va_start(ap, fmt);
	strbuf_addvf(first, fmt, ap);
	va_end(ap);
	strbuf_addf(first, " at 0x%" PRIx64, location);
}

void perf_file_stop(struct perf_file *file, uint64_t location, uint64_t from, const char *fmt, ...)
{
	struct strbuf words = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&words, fmt, ap);
	va_end(ap);
	perf_file_damage(file, location, "%s", words.buf);
	if (!file->stop) {
		file->stop = xasprintf("%s at 0x%" PRIx64, words.buf, location);
		file->counters.unread_bytes = file->data_end - from;
	}
	strbuf_release(&words);
}

static struct section get_section(const unsigned char *at)
{
	return (struct section){ le_get64(at), le_get64(at + 8) };
}

static bool is_within(const struct perf_file *file, struct section section)
{
	return section.offset <= file->size && section.size <= file->size - section.offset;
}

/*
 * The bytes of a section, which the caller frees. NULL: the file lacks it, or its size is out of range; counted as damage.
 */
static unsigned char *read_section(struct perf_file *file, struct section section, const char *what)
{
	struct err err = ERR_INIT;
	unsigned char *data;

	if (!is_within(file, section) || section.size > PERF_SECTION_MAX) {
		perf_file_damage(file, section.offset, "%s of %" PRIu64 " bytes", what,
				 section.size);
		return NULL;
	}
	data = xmalloc(section.size + 1);
	if (trace_input_read(file->input, section.offset, data, section.size, &err) !=
	    (int64_t)section.size) {
		perf_file_damage(file, section.offset, "%s that cannot be read", what);
		err_clear(&err);
		free(data);
		return NULL;
	}
	return data;
}

/* The size of an attr as its own field says, at most `nr`. */
static size_t attr_size(const unsigned char *attr, size_t nr)
{
	size_t size = le_get32(attr + 4);

	if (!size)
		size = PERF_ATTR_MIN;
	return size < nr ? size : nr;
}

static void add_ids(struct perf_file *file, uint32_t event, const unsigned char *ids, size_t nr,
		    uint64_t location)
{
	if (nr / 8 > IDS_MAX - file->events.ids_nr) {
		perf_file_damage(file, location, "too many ids of events");
		return;
	}
	for (size_t i = 0; i + 8 <= nr; i += 8)
		perf_events_add_id(&file->events, le_get64(ids + i), event);
}

void perf_file_add_attr(struct perf_file *file, const unsigned char *attr, size_t nr,
			uint64_t location)
{
	size_t size = nr >= PERF_ATTR_MIN ? attr_size(attr, nr) : 0;
	uint32_t event = perf_events_add(&file->events, attr, size);

	if (event == PERF_NO_EVENT)
		perf_file_damage(file, location, "a damaged description of an event");
	else
		add_ids(file, event, attr + size, nr - size, location);
}

/* Elements of `each` bytes: an attr and, at the end, the section of its ids. */
static void read_attrs(struct perf_file *file, struct section attrs, uint64_t each)
{
	unsigned char *data = read_section(file, attrs, "a list of events");
	uint64_t nr = data ? attrs.size / each : 0;

	for (uint64_t i = 0; i < nr; i++) {
		const unsigned char *attr = data + i * each;
		uint64_t location = attrs.offset + i * each;
		uint32_t event = perf_events_add(&file->events, attr, attr_size(attr, each - 16));
		struct section ids = get_section(attr + each - 16);
		unsigned char *list;

		if (event == PERF_NO_EVENT) {
			perf_file_damage(file, location, "a damaged description of an event");
			break;
		}
		if (!ids.size)
			continue;
		list = read_section(file, ids, "a list of ids");
		if (list)
			add_ids(file, event, list, ids.size, ids.offset);
		free(list);
		if (file->counters.damaged)
			break;
	}
	free(data);
}

static void release_build_ids(struct perf_build_ids *ids)
{
	for (size_t i = 0; i < ids->nr; i++)
		free(ids->v[i].path);
	free(ids->v);
}

bool perf_build_id_parse(const unsigned char *record, size_t nr, struct perf_build_id *id)
{
	uint16_t misc;
	uint8_t length = MODULE_ID_MAX;

	if (nr <= PERF_BUILD_ID_PATH ||
	    !memchr(record + PERF_BUILD_ID_PATH, 0, nr - PERF_BUILD_ID_PATH))
		return false;
	misc = le_get16(record + 4);
	if (misc & PERF_MISC_BUILD_ID_SIZE)
		length = record[PERF_BUILD_ID_LENGTH];
	if (!length || length > MODULE_ID_MAX)
		return false;
	*id = (struct perf_build_id){ .path = (char *)(uintptr_t)record + PERF_BUILD_ID_PATH,
				      .kernel = (misc & PERF_MISC_CPUMODE) == PERF_MISC_KERNEL,
				      .id_length = length };
	memcpy(id->id, record + PERF_BUILD_ID_AT, length);
	return true;
}

bool perf_build_ids_add(struct perf_build_ids *ids, const unsigned char *record, size_t nr)
{
	struct perf_build_id id;

	if (ids->nr >= BUILD_IDS_MAX || !perf_build_id_parse(record, nr, &id))
		return false;
	id.path = xstrdup(id.path);
	ARRAY_ADD(ids->v, ids->nr, ids->alloc, id);
	ids->sorted = false;
	return true;
}

static int compare_ids(const void *a, const void *b)
{
	const struct perf_build_id *ia = a, *ib = b;

	if (ia->kernel != ib->kernel)
		return ia->kernel ? -1 : 1;
	return strcmp(ia->path, ib->path);
}

void perf_build_ids_apply(struct perf_build_ids *ids, struct trace_map *map)
{
	char kernel[] = "[kernel.kallsyms]";
	struct perf_build_id key = { .kernel = map->kernel }, *found;

	if (map->id_length || !ids->nr)
		return;
	if (!ids->sorted)
		qsort(ids->v, ids->nr, sizeof(*ids->v), compare_ids);
	ids->sorted = true;
	/* The name of the mapping may have a symbol appended: "[kernel.kallsyms]_text". */
	key.path = (char *)(uintptr_t)map->path;
	if (map->kernel && strncmp(map->path, kernel, sizeof(kernel) - 1) == 0)
		key.path = kernel;
	found = bsearch(&key, ids->v, ids->nr, sizeof(*ids->v), compare_ids);
	if (!found)
		return;
	memcpy(map->id, found->id, found->id_length);
	map->id_length = found->id_length;
}

/*
 * Features: facts about the recording. A string is a u32 size, and that many bytes of text with its NUL and padding.
 */
static char *take_string(struct byte_cursor *cursor)
{
	uint32_t size;
	const unsigned char *at =
		byte_cursor_take32(cursor, &size) ? byte_cursor_take(cursor, size) : NULL;
	const unsigned char *end = at && size ? memchr(at, 0, size) : NULL;

	return end ? xstrndup((const char *)at, (size_t)(end - at)) : NULL;
}

static bool read_string(struct byte_cursor *cursor, char **string)
{
	if (!*string)
		*string = take_string(cursor);
	return *string;
}

static bool read_command_line(struct byte_cursor *cursor, struct strvec *args)
{
	uint32_t nr;

	if (args->nr)
		return true;
	if (!byte_cursor_take32(cursor, &nr) || nr > ARGUMENTS_MAX)
		return false;
	while (nr--) {
		char *arg = take_string(cursor);

		if (!arg)
			return false;
		strvec_push_nodup(args, arg);
	}
	return true;
}

/* u32 count, u32 bytes of an attr; for each event attr, u32 count of ids, name, ids. */
static bool read_event_names(struct byte_cursor *cursor, struct perf_events *events)
{
	uint32_t nr, size, ids_nr;

	if (!byte_cursor_take32(cursor, &nr) || !byte_cursor_take32(cursor, &size) ||
	    size < PERF_ATTR_MIN)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		const unsigned char *ids;
		uint32_t at = i;
		char *name;

		if (!byte_cursor_take(cursor, size) || !byte_cursor_take32(cursor, &ids_nr))
			return false;
		name = take_string(cursor);
		if (!name)
			return false;
		ids = byte_cursor_take(cursor, (uint64_t)ids_nr * 8);
		if (ids && ids_nr && events->ids.nr)
			at = perf_events_by_id(events, le_get64(ids));
		if (at < events->nr && *name && !events->v[at].name)
			events->v[at].name = name;
		else
			free(name);
		if (!ids)
			return false;
	}
	return true;
}

static bool read_build_ids(struct byte_cursor *cursor, struct perf_build_ids *ids)
{
	while (cursor->left) {
		const unsigned char *record = cursor->at;
		size_t size = cursor->left >= PERF_RECORD_HEADER ? le_get16(record + 6) : 0;

		if (size < PERF_RECORD_HEADER || !byte_cursor_take(cursor, size) ||
		    !perf_build_ids_add(ids, record, size))
			return false;
	}
	return true;
}

/* u32 available, u32 online. */
static bool read_cpus(struct byte_cursor *cursor, struct trace_facts *facts)
{
	uint32_t available, online;

	if (!byte_cursor_take32(cursor, &available) || !byte_cursor_take32(cursor, &online))
		return false;
	facts->cpus = online;
	return true;
}

/* u64, in units of 1024 bytes. */
static bool read_memory(struct byte_cursor *cursor, struct trace_facts *facts)
{
	uint64_t nr;

	if (!byte_cursor_take64(cursor, &nr) || nr > INT64_MAX / 1024)
		return false;
	facts->memory_bytes = (int64_t)nr * 1024;
	return true;
}

/* u32 version, u32 clock id; the events have it too. */
static bool read_clock(struct byte_cursor *cursor, struct trace_facts *facts)
{
	uint32_t version, clock;

	if (!byte_cursor_take32(cursor, &version) || !byte_cursor_take32(cursor, &clock))
		return false;
	if (!facts->clock && clock < ARRAY_SIZE(clock_names))
		facts->clock = xstrdup(clock_names[clock]);
	return true;
}

/* u64 version. 0: a directory with all records in this file (--kcore); 1: records in several files (--threads). */
static bool read_dir_format(struct byte_cursor *cursor, bool *is_part)
{
	uint64_t version = 0;
	bool whole = byte_cursor_take64(cursor, &version);

	*is_part = version > 0;
	return whole;
}

/* perf_rewrite.h has the format. */
static bool read_distilled(struct perf_file *file, struct byte_cursor *cursor)
{
	uint32_t version, flags, nr, event;
	uint64_t missing;

	if (!byte_cursor_take32(cursor, &version) || version != PERF_DISTILLED_VERSION ||
	    !byte_cursor_take32(cursor, &flags) || !byte_cursor_take64(cursor, &missing) ||
	    !byte_cursor_take32(cursor, &nr) || nr != file->events.nr)
		return false;
	file->distilled = true;
	/* A view that does not read to the end says the same of both files. */
	file->is_cut = flags & PERF_DISTILLED_AT_END;
	if ((flags & PERF_DISTILLED_TRUNCATED) && !file->is_cut) {
		file->counters.truncated = true;
		file->counters.missing_bytes = missing;
	}
	for (uint32_t i = 0; i < nr; i++) {
		if (!byte_cursor_take32(cursor, &event))
			return false;
		file->events.v[i].distilled = event & PERF_DISTILLED_COPIES;
		file->events.v[i].user_chain = event & PERF_DISTILLED_CHAINS;
	}
	return true;
}

static bool read_tracing(struct perf_file *file, struct byte_cursor *cursor)
{
	struct err err = ERR_INIT;

	if (!perf_tracing_parse(&file->tracing, cursor->at, cursor->left, &err))
		return true;
	err_clear(&err);
	return false;
}

static bool read_feature(struct perf_file *file, unsigned feature, struct byte_cursor *cursor)
{
	struct trace_facts *facts = file->facts;

	switch (feature) {
	case PERF_FEATURE_TRACING_DATA:
		return read_tracing(file, cursor);
	case PERF_FEATURE_BUILD_ID:
		return read_build_ids(cursor, &file->build_ids);
	case PERF_FEATURE_HOSTNAME:
		return read_string(cursor, &facts->hostname);
	case PERF_FEATURE_OSRELEASE:
		return read_string(cursor, &facts->os_release);
	case PERF_FEATURE_VERSION:
		return read_string(cursor, &facts->tool_version);
	case PERF_FEATURE_ARCH:
		return read_string(cursor, &facts->arch);
	case PERF_FEATURE_CPUDESC:
		return read_string(cursor, &facts->cpu_model);
	case PERF_FEATURE_NRCPUS:
		return read_cpus(cursor, facts);
	case PERF_FEATURE_TOTAL_MEM:
		return read_memory(cursor, facts);
	case PERF_FEATURE_CMDLINE:
		return read_command_line(cursor, &facts->command_line);
	case PERF_FEATURE_EVENT_DESC:
		return read_event_names(cursor, &file->events);
	case PERF_FEATURE_DIR_FORMAT:
		return read_dir_format(cursor, &file->is_part);
	case PERF_FEATURE_CLOCK_DATA:
		return read_clock(cursor, facts);
	case PERF_FEATURE_DISTILLED:
		return read_distilled(file, cursor);
	default:
		return true;
	}
}

void perf_file_feature(struct perf_file *file, unsigned feature, const unsigned char *data,
		       size_t nr, uint64_t location)
{
	struct byte_cursor cursor = { data, nr };

	if (!read_feature(file, feature, &cursor))
		perf_file_damage(file, location, "a damaged feature %u", feature);
}

const char *perf_clock_name(int32_t clock)
{
	return clock >= 0 && (size_t)clock < ARRAY_SIZE(clock_names) ? clock_names[clock] : NULL;
}

/* After the records there is a section for each feature in `bits`. */
static void read_features(struct perf_file *file, const unsigned char *bits)
{
	uint64_t at = file->data_end;

	for (unsigned feature = 0; feature < PERF_FEATURES; feature++) {
		unsigned char entry[16];
		struct err err = ERR_INIT;
		struct section section;
		unsigned char *data;

		if (!(le_get64(bits + feature / 64 * 8) >> feature % 64 & 1))
			continue;
		if (trace_input_read(file->input, at, entry, sizeof(entry), &err) !=
		    sizeof(entry)) {
			err_clear(&err);
			perf_file_damage(file, at, "a truncated list of features");
			return;
		}
		at += sizeof(entry);
		section = get_section(entry);
		if (!section.size)
			continue;
		data = read_section(file, section, "a feature");
		if (data)
			perf_file_feature(file, feature, data, section.size, section.offset);
		free(data);
	}
}

static int refuse(const unsigned char *magic, const char *path, struct err *err)
{
	if (memcmp(magic, "2ELIFREP", 8) == 0)
		return err_set(
			err, ERR_UNSUPPORTED,
			"'%s' was recorded on a big-endian machine, whose files are not read",
			path);
	if (memcmp(magic, "PERFFILE", 8) == 0)
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' is of an old format that perf wrote before Linux 3.7", path);
	return err_set(err, ERR_UNSUPPORTED, "'%s' is not a perf.data file", path);
}

static int read_file_header(struct perf_file *file, const unsigned char *header, const char *path,
			    struct err *err)
{
	uint64_t size = le_get64(header + 8), each = le_get64(header + PERF_HEADER_ATTR_SIZE);
	struct section data = get_section(header + PERF_HEADER_DATA);

	if (each < PERF_ATTR_MIN + 16 || each > PERF_ATTR_MAX + 16 || each % 8 != 0)
		return err_set(err, ERR_CORRUPT,
			       "'%s' is a damaged perf.data: its header says that the description "
			       "of an event has %" PRIu64 " bytes",
			       path, each);
	if (data.offset < size || data.offset > file->size)
		return err_set(err, ERR_CORRUPT, "'%s' ends before its records", path);
	read_attrs(file, get_section(header + PERF_HEADER_ATTRS), each);
	if (!file->events.nr)
		return err_set(err, ERR_CORRUPT, "'%s' has no list of events", path);
	file->data_start = data.offset;
	file->data_end = data.offset + data.size;
	/* perf writes the size of the records, and the features, only when it ends. */
	if (!data.size || data.size > file->size - data.offset) {
		file->counters.truncated = true;
		file->data_end = file->size;
		if (data.size <= PERF_SIZE_MAX && data.size)
			file->counters.missing_bytes = data.size - (file->size - data.offset);
	} else if (size >= PERF_HEADER_SIZE) {
		file->has_features = true;
		read_features(file, header + PERF_HEADER_FEATURES);
	}
	if (file->is_part)
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' is only one of several files of a recording by 'perf record "
			       "--threads', which is not read: record without --threads",
			       path);
	return 0;
}

int perf_file_open(struct perf_file *file, const struct trace_input *input, const char *path,
		   struct trace_facts *facts, struct err *err)
{
	unsigned char header[PERF_HEADER_SIZE] = { 0 };
	int64_t got;
	uint64_t size;

	*file = (struct perf_file){ .input = input,
				    .size = trace_input_size(input),
				    .facts = facts,
				    .decompressed_max =
					    cost_records_max(trace_input_compressed(input)),
				    .first_damage = STRBUF_INIT };
	perf_events_init(&file->events);
	perf_tracing_init(&file->tracing);
	file->build_ids.sorted = true;
	if (file->size > PERF_SIZE_MAX)
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' has %" PRIu64 " bytes; at most 2^47 are read", path,
			       file->size);
	got = trace_input_read(input, 0, header, sizeof(header), err);
	if (got < 0)
		return -1;
	if (got < PIPE_HEADER_SIZE || memcmp(header, "PERFILE2", 8) != 0)
		return refuse(header, path, err);
	size = le_get64(header + 8);
	file->pipe = size == PIPE_HEADER_SIZE;
	facts->format = xstrdup(file->pipe ? "perf.data (pipe)" : "perf.data");
	if (file->pipe) {
		file->data_start = PIPE_HEADER_SIZE;
		file->data_end = file->size;
		return 0;
	}
	if (size < HEADER_SIZE_OLD || size > file->size || got < HEADER_SIZE_OLD)
		return err_set(
			err, ERR_CORRUPT,
			"'%s' is a damaged or truncated perf.data: its header says it has %" PRIu64
			" bytes, the file has %" PRIu64,
			path, size, file->size);
	return read_file_header(file, header, path, err);
}

void perf_file_release(struct perf_file *file)
{
	perf_events_release(&file->events);
	perf_tracing_release(&file->tracing);
	release_build_ids(&file->build_ids);
	strbuf_release(&file->first_damage);
	free(file->stop);
}

void perf_file_name_events(struct perf_file *file)
{
	for (size_t i = 0; i < file->events.nr; i++) {
		struct perf_event *event = &file->events.v[i];
		const struct perf_tracepoint *found = NULL;

		if (event->name)
			continue;
		if (event->type == PERF_TYPE_TRACEPOINT)
			found = perf_tracing_find(&file->tracing, event->config);
		event->name = found ? xasprintf("%s:%s", found->system, found->format.name)
				    : perf_event_default_name(event);
	}
}
