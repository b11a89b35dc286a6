/*
 * Prints the events of ETL files, as decoded by the reader: etl-dump [-b] [-e] FILE...
 *
 * Events are read by time, files as one recording; with -b buffer by buffer. Lines of "header kind, group or provider,
 * opcode or id, version, count", in alphabetical order, then the total; with -e a line for each event, with its ticks and
 * nanoseconds, file and processor in place of the count. Damage is reported on stderr.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/etl/etl_file.h"
#include "trace/etl/etl_merge.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/fnv.h"
#include "util/intmap.h"
#include "util/little_endian.h"

struct row {
	char *text;
	uint64_t nr;
};

struct counts {
	bool each;          /* print events instead of counting them */
	struct intmap rows; /* by what makes them different */
	struct row **v;
	size_t nr, alloc;
	uint64_t total;
};

static char *row_text(const struct etl_record *record)
{
	static const char *const kinds[] = { "system",   "compact", "full",   "instance",
					     "perfinfo", "event",   "message" };
	const unsigned char *g = record->guid;
	unsigned id = record->kind == ETL_EVENT || record->kind == ETL_MESSAGE ? record->id
									       : record->opcode;

	if (!g)
		return xasprintf("%s\tgroup %u\t%u\t%u", kinds[record->kind], record->group, id,
				 record->version);
	return xasprintf("%s\t%08" PRIx32 "-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x\t%u\t%u",
			 kinds[record->kind], le_get32(g), le_get16(g + 4), le_get16(g + 6), g[8],
			 g[9], g[10], g[11], g[12], g[13], g[14], g[15], id, record->version);
}

static void print_event(const struct etl_record *record, const struct etl_file *file)
{
	char *text = row_text(record);

	printf("%s\t%" PRIu64 "\t%" PRId64 "\t%u\t%" PRIu32 "\n", text, record->time,
	       etl_file_ns(file, record->time), record->session, record->cpu);
	free(text);
}

static void count(struct counts *counts, const struct etl_record *record)
{
	const unsigned char key[] = { record->kind,    record->group,     record->opcode,
				      record->version, record->id & 0xff, record->id >> 8 };
	size_t used = record->kind == ETL_EVENT ? 2 : sizeof(key);
	uint64_t hash = fnv_add(FNV_FIRST, key, used);
	struct row *row;

	if (record->kind == ETL_EVENT)
		hash = fnv_add(hash, key + 3, 3);
	if (record->guid)
		hash = fnv_add(hash, record->guid, 16);
	row = intmap_get(&counts->rows, (int64_t)hash);
	if (!row) {
		row = xcalloc(1, sizeof(*row));
		row->text = row_text(record);
		intmap_put(&counts->rows, (int64_t)hash, row);
		ARRAY_GROW(counts->v, counts->nr + 1, counts->alloc);
		counts->v[counts->nr++] = row;
	}
	row->nr++;
	counts->total++;
}

static void take(struct counts *counts, const struct etl_record *record,
		 const struct etl_file *file)
{
	if (counts->each)
		print_event(record, file);
	else
		count(counts, record);
}

static int by_text(const void *a, const void *b)
{
	const struct row *const *x = a, *const *y = b;

	return strcmp((*x)->text, (*y)->text);
}

static void print(struct counts *counts)
{
	qsort(counts->v, counts->nr, sizeof(struct row *), by_text);
	for (size_t i = 0; i < counts->nr; i++) {
		printf("%s\t%" PRIu64 "\n", counts->v[i]->text, counts->v[i]->nr);
		free(counts->v[i]->text);
		free(counts->v[i]);
	}
	printf("total\t\t\t\t%" PRIu64 "\n", counts->total);
	intmap_release(&counts->rows);
	free(counts->v);
}

static int read_buffers(struct etl_file *file, struct counts *counts, struct err *err)
{
	const struct etl_extent *extents;
	struct etl_buffer buffer;
	struct etl_record record;
	size_t nr;
	int rc = 0;

	etl_buffer_init(&buffer, 0);
	extents = etl_file_extents(file, &nr);
	for (size_t i = 0; i < nr && !rc; i++) {
		rc = etl_buffer_load(&buffer, file, &extents[i], err);
		while (!rc && etl_buffer_next(&buffer, file, &record))
			take(counts, &record, file);
	}
	etl_buffer_release(&buffer);
	return rc;
}

static int read_merged(struct etl_file **files, size_t nr, struct counts *counts, struct err *err)
{
	const struct etl_record *records;
	struct etl_merge *merge;
	uint64_t latest = 0, unordered = 0;
	size_t records_nr;
	int rc;

	if (etl_merge_new(files, nr, NULL, &merge, err))
		return -1;
	while ((rc = etl_merge_next(merge, &records, &records_nr, err)) > 0) {
		for (size_t i = 0; i < records_nr; i++) {
			take(counts, &records[i], files[0]);
			if (records[i].time >= latest)
				latest = records[i].time;
			else if (records[i].time || records[i].kind != ETL_MESSAGE)
				unordered++;
		}
	}
	fprintf(stderr, "%" PRIu64 " unordered\n", unordered);
	etl_merge_free(merge);
	return rc;
}

static void print_damage(const char *path, const struct etl_file *file)
{
	const struct etl_damage *damage = etl_file_damage(file);

	fprintf(stderr,
		"%s: %" PRIu32 " events lost, %" PRIu64 " buffers and %" PRIu64
		" events damaged, %" PRIu64 " unknown%s; %s\n",
		path, etl_file_header(file)->events_lost, damage->buffers, damage->events,
		damage->unknown, damage->truncated ? ", cut" : "",
		damage->first.len ? damage->first.buf : "no damage");
}

int main(int argc, char **argv)
{
	struct counts counts = { .rows = INTMAP_INIT };
	struct err err = ERR_INIT;
	struct etl_file **files = xcalloc((size_t)argc, sizeof(*files));
	const char **paths = xcalloc((size_t)argc, sizeof(*paths));
	bool buffers = false;
	int rc = 0;
	size_t nr = 0;

	for (int i = 1; i < argc && !rc; i++) {
		if (strcmp(argv[i], "-b") == 0)
			buffers = true;
		else if (strcmp(argv[i], "-e") == 0)
			counts.each = true;
		else if (!(rc = etl_file_open(argv[i], 0, &files[nr], &err)))
			paths[nr++] = argv[i];
	}
	for (size_t i = 0; i < nr && buffers && !rc; i++)
		rc = read_buffers(files[i], &counts, &err);
	if (!buffers && !rc)
		rc = read_merged(files, nr, &counts, &err);
	if (rc)
		fprintf(stderr, "etl-dump: %s\n", err.msg);
	else if (!counts.each)
		print(&counts);
	for (size_t i = 0; i < nr; i++) {
		print_damage(paths[i], files[i]);
		etl_file_free(files[i]);
	}
	err_clear(&err);
	free(files);
	free(paths);
	return rc ? 1 : 0;
}
