#include "trace/perf/perf_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "trace/perf/perf_format.h"
#include "util/alloc.h"

#define HEADER_SIZE      104
#define HEADER_SIZE_OLD  72 /* without features */
#define PIPE_HEADER_SIZE 16
#define SECTION_MAX      (UINT64_C(64) << 20)
#define IDS_MAX          1000000

/* u64 magic, size, attr_size; sections of attrs, data, event types, each u64 offset and size; features. */
enum { ATTR_SIZE_AT = 16, ATTRS_AT = 24, DATA_AT = 40, FEATURES_AT = 72 };

struct section {
	uint64_t offset, size;
};

void perf_file_damage(struct perf_file *file, uint64_t place, const char *fmt, ...)
{
	struct strbuf *first = &file->facts.first_damage;
	va_list ap;

	file->facts.damaged++;
	if (first->len)
		return;
	va_start(ap, fmt);
	strbuf_addvf(first, fmt, ap);
	va_end(ap);
	strbuf_addf(first, " at 0x%" PRIx64, place);
}

void perf_file_stop(struct perf_file *file, uint64_t place, uint64_t from, const char *fmt, ...)
{
	struct strbuf words = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&words, fmt, ap);
	va_end(ap);
	perf_file_damage(file, place, "%s", words.buf);
	if (!file->facts.stop) {
		file->facts.stop = xasprintf("%s at 0x%" PRIx64, words.buf, place);
		file->facts.unread = file->data_end - from;
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

/* All of a section; NULL where the file has not got it, or it is absurd, which is noted. */
static unsigned char *read_section(struct perf_file *file, struct section section, const char *what)
{
	struct err err = ERR_INIT;
	unsigned char *data;

	if (!is_within(file, section) || section.size > SECTION_MAX) {
		perf_file_damage(file, section.offset, "%s of %" PRIu64 " bytes", what,
				 section.size);
		return NULL;
	}
	data = xmalloc(section.size + 1);
	if (trace_input_read(file->input, section.offset, data, section.size, &err) !=
	    (int64_t)section.size) {
		perf_file_damage(file, section.offset, "%s that can't be read", what);
		err_clear(&err);
		free(data);
		return NULL;
	}
	return data;
}

/* The bytes that an attr says it has, of `nr` there are. */
static size_t attr_size(const unsigned char *attr, size_t nr)
{
	size_t size = le_get32(attr + 4);

	if (!size)
		size = PERF_ATTR_MIN;
	return size < nr ? size : nr;
}

static void add_ids(struct perf_file *file, uint32_t event, const unsigned char *ids, size_t nr,
		    uint64_t place)
{
	if (nr / 8 > IDS_MAX - file->events.ids_told) {
		perf_file_damage(file, place, "too many ids of events");
		return;
	}
	for (size_t i = 0; i + 8 <= nr; i += 8)
		perf_events_add_id(&file->events, le_get64(ids + i), event);
}

void perf_file_add_attr(struct perf_file *file, const unsigned char *attr, size_t nr,
			uint64_t place)
{
	size_t size = nr >= PERF_ATTR_MIN ? attr_size(attr, nr) : 0;
	uint32_t event = perf_events_add(&file->events, attr, size);

	if (event == PERF_NO_EVENT)
		perf_file_damage(file, place, "an event that can't be read");
	else
		add_ids(file, event, attr + size, nr - size, place);
}

/* Each an attr and, at its end, the section of its ids. */
static void read_attrs(struct perf_file *file, struct section attrs, uint64_t each)
{
	unsigned char *data = read_section(file, attrs, "a list of events");
	uint64_t nr = data ? attrs.size / each : 0;

	for (uint64_t i = 0; i < nr; i++) {
		const unsigned char *attr = data + i * each;
		uint64_t place = attrs.offset + i * each;
		uint32_t event = perf_events_add(&file->events, attr, attr_size(attr, each - 16));
		struct section ids = get_section(attr + each - 16);
		unsigned char *list;

		if (event == PERF_NO_EVENT) {
			perf_file_damage(file, place, "an event that can't be read");
			break;
		}
		if (!ids.size)
			continue;
		list = read_section(file, ids, "a list of ids");
		if (list)
			add_ids(file, event, list, ids.size, ids.offset);
		free(list);
		if (file->facts.damaged)
			break;
	}
	free(data);
}

/* Behind the records a section for each feature that there is. */
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
			perf_file_damage(file, at, "a list of features that is cut");
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
	uint64_t size = le_get64(header + 8), each = le_get64(header + ATTR_SIZE_AT);
	struct section data = get_section(header + DATA_AT);

	if (each < PERF_ATTR_MIN + 16 || each > PERF_ATTR_MAX + 16 || each % 8 != 0)
		return err_set(err, ERR_CORRUPT,
			       "'%s' is a damaged perf.data: its header says that the description "
			       "of an event has %" PRIu64 " bytes",
			       path, each);
	if (data.offset < size || data.offset > file->size)
		return err_set(err, ERR_CORRUPT, "'%s' ends before its records", path);
	read_attrs(file, get_section(header + ATTRS_AT), each);
	if (!file->events.nr)
		return err_set(err, ERR_CORRUPT, "'%s' has no list of events", path);
	file->data_start = data.offset;
	file->data_end = data.offset + data.size;
	/* Only at its end perf writes how much there is, and the features. */
	if (!data.size || data.size > file->size - data.offset) {
		file->facts.cut = true;
		file->data_end = file->size;
		if (data.size <= PERF_SIZE_MAX && data.size)
			file->facts.missing = data.size - (file->size - data.offset);
	} else if (size >= HEADER_SIZE) {
		read_features(file, header + FEATURES_AT);
	}
	if (file->is_part)
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' is only a part of a recording, the others are in files beside "
			       "it: record without --threads",
			       path);
	return 0;
}

int perf_file_open(struct perf_file *file, const struct trace_input *input, const char *path,
		   struct err *err)
{
	unsigned char header[HEADER_SIZE] = { 0 };
	int64_t got;
	uint64_t size;

	*file = (struct perf_file){ .input = input, .size = trace_input_size(input) };
	perf_events_init(&file->events);
	perf_tracing_init(&file->tracing);
	perf_build_ids_init(&file->build_ids);
	trace_facts_init(&file->facts);
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
	file->facts.format = xstrdup(file->pipe ? "perf.data (pipe)" : "perf.data");
	if (file->pipe) {
		file->data_start = PIPE_HEADER_SIZE;
		file->data_end = file->size;
		return 0;
	}
	if (size < HEADER_SIZE_OLD || size > file->size || got < HEADER_SIZE_OLD)
		return err_set(err, ERR_CORRUPT,
			       "'%s' is a damaged or cut perf.data: its header says it has %" PRIu64
			       " bytes, the file has %" PRIu64,
			       path, size, file->size);
	return read_file_header(file, header, path, err);
}

void perf_file_release(struct perf_file *file)
{
	perf_events_release(&file->events);
	perf_tracing_release(&file->tracing);
	perf_build_ids_release(&file->build_ids);
	trace_facts_release(&file->facts);
}

static char *name_tracepoint(void *data, uint64_t config)
{
	const struct perf_tracepoint *found = perf_tracing_find(data, config);

	return found ? xasprintf("%s:%s", found->system, found->format.name) : NULL;
}

void perf_file_name_events(struct perf_file *file)
{
	perf_events_name(&file->events, name_tracepoint, &file->tracing);
}
