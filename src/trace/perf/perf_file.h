/*
 * The header, events and features of a perf.data file. In a recording written to a pipe these are records.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */
#ifndef TRACE_PERF_FILE_H
#define TRACE_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"
#include "model/trace_facts.h"
#include "trace/perf/perf_events.h"
#include "trace/perf/perf_tracing.h"
#include "trace/trace_input.h"
#include "util/printf_like.h"
#include "util/strbuf.h"

/* Maximum size of a file: a queue entry stores an offset together with other bits (perf_walk.h). */
#define PERF_SIZE_MAX (UINT64_C(1) << 47)

/* Build ids that are not in mapping records: the BUILD_ID feature, and HEADER_BUILD_ID records. */
struct perf_build_id {
	char *path;
	bool kernel;
	uint8_t id[MODULE_ID_MAX];
	uint8_t id_length;
};

struct perf_build_ids {
	struct perf_build_id *v; /* by path, once sorted */
	size_t nr, alloc;
	bool sorted;
};

struct perf_file {
	const struct trace_input *input; /* borrowed */
	bool pipe;
	bool distilled;    /* perf_rewrite.h */
	bool is_cut;       /* distilled from a truncated file, whose header does not show that */
	bool has_features; /* after the records; perf writes them last */
	bool is_part;      /* of `perf record --threads`: other files have records too */
	uint64_t size;     /* of the file */
	uint64_t data_start, data_end; /* its records */
	uint64_t decompressed_max;     /* limit of what its compressed records hold, decompressed */
	struct perf_events events;
	struct perf_tracing tracing;
	struct perf_build_ids build_ids;
	/* Borrowed; not changed once the events are known, see perf_walk_prepare(). */
	struct trace_facts *facts;
	/* Copied to the facts with the next batch. The texts are set once. */
	struct trace_counters counters;
	struct strbuf first_damage;
	char *stop;
	bool lost_records; /* compressed ones that are damaged: what they held is not read */
};

/* Count damage; the message of the first is kept. `location` is an offset in the file. */
void perf_file_damage(struct perf_file *file, uint64_t location, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* Count damage that ends the reading, as the start of the next record is unknown. `from`: the first byte not read. */
void perf_file_stop(struct perf_file *file, uint64_t location, uint64_t from, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/*
 * Read the header. ERR_UNSUPPORTED: another byte order or version; ERR_CORRUPT: nothing can be read.
 * `path` is for messages; `facts` are borrowed. Release the file in either case.
 */
int perf_file_open(struct perf_file *file, const struct trace_input *input, const char *path,
		   struct trace_facts *facts, struct err *err);
void perf_file_release(struct perf_file *file);

/* Add an event from a HEADER_ATTR record: attr and ids. */
void perf_file_add_attr(struct perf_file *file, const unsigned char *attr, size_t nr,
			uint64_t location);

/* Decode the data of a feature. Features that are not read are ignored. */
void perf_file_feature(struct perf_file *file, unsigned feature, const unsigned char *data,
		       size_t nr, uint64_t location);

/* Parse a struct build_id_event of `nr` bytes with header; the path is in `record`. False: it is invalid. */
bool perf_build_id_parse(const unsigned char *record, size_t nr, struct perf_build_id *id);

/* Add a struct build_id_event of `nr` bytes with header. False: it is invalid. */
bool perf_build_ids_add(struct perf_build_ids *ids, const unsigned char *record, size_t nr);

/* If `map` has no build id, set that of its path. */
void perf_build_ids_apply(struct perf_build_ids *ids, struct trace_map *map);

/* The name of a clock id, "CLOCK_MONOTONIC"; NULL: unknown. */
const char *perf_clock_name(int32_t clock);

/* Name all events without a name. */
void perf_file_name_events(struct perf_file *file);

#endif
