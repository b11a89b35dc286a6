/*
 * Features of perf.data: facts about the recording. Strings are a u32 size, which is padded, and text with NUL.
 */
#include "trace/perf/perf_file.h"

#include <stdlib.h>
#include <string.h>

#include "trace/perf/perf_format.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/byte_cursor.h"

#define ARGUMENTS_MAX 65536

/* Linux's clock ids, include/uapi/linux/time.h. */
static const char *const clock_names[] = {
	"CLOCK_REALTIME",          "CLOCK_MONOTONIC",     "CLOCK_PROCESS_CPUTIME_ID",
	"CLOCK_THREAD_CPUTIME_ID", "CLOCK_MONOTONIC_RAW", "CLOCK_REALTIME_COARSE",
	"CLOCK_MONOTONIC_COARSE",  "CLOCK_BOOTTIME",
};

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

/* u32 count, u32 bytes of an attr; of each event its attr, u32 count of ids, name, ids. */
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
	const unsigned char *at = byte_cursor_take(cursor, 8);

	if (!at || le_get64(at) > INT64_MAX / 1024)
		return false;
	facts->memory_bytes = (int64_t)le_get64(at) * 1024;
	return true;
}

/* u32 version, u32 clock; which one it is the events tell too. */
static bool read_clock(struct byte_cursor *cursor, struct trace_facts *facts)
{
	uint32_t version, clock;

	if (!byte_cursor_take32(cursor, &version) || !byte_cursor_take32(cursor, &clock))
		return false;
	if (!facts->clock && clock < ARRAY_SIZE(clock_names))
		facts->clock = xstrdup(clock_names[clock]);
	return true;
}

/* u64 version: 0, a directory whose records are all in this file, as --kcore makes it; 1, of --threads. */
static bool read_dir_format(struct byte_cursor *cursor, bool *is_part)
{
	const unsigned char *at = byte_cursor_take(cursor, 8);

	*is_part = at && le_get64(at) > 0;
	return at;
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
	struct trace_facts *facts = &file->facts;

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
	default:
		return true;
	}
}

void perf_file_feature(struct perf_file *file, unsigned feature, const unsigned char *data,
		       size_t nr, uint64_t place)
{
	struct byte_cursor cursor = { data, nr };

	if (!read_feature(file, feature, &cursor))
		perf_file_damage(file, place, "feature %u that can't be read", feature);
}

const char *perf_clock_name(int32_t clock)
{
	return clock >= 0 && (size_t)clock < ARRAY_SIZE(clock_names) ? clock_names[clock] : NULL;
}
