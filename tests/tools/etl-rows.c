/*
 * Prints the fields of events in ETL files, row by row, by time: etl-rows processes|images|rsds|samples FILE
 *
 * The rows and columns are those of the tables next to the real files in ../shared/etl (snail.*.tsv), without their
 * header lines; for samples, the number of each thread.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/etl/etl_file.h"
#include "trace/etl/etl_kernel.h"
#include "trace/etl/etl_merge.h"
#include "util/array.h"
#include "util/intmap.h"

struct rows {
	uint64_t first;        /* ticks */
	struct intmap samples; /* by thread */
	struct strbuf line;
};

typedef bool add_fn(struct rows *rows, const struct etl_record *record);

static void add_text(struct strbuf *sb, const struct etl_text *text)
{
	strbuf_addc(sb, '\t');
	etl_text_add(text, sb);
}

static bool add_process(struct rows *rows, const struct etl_record *record)
{
	struct etl_process process;

	if (record->provider != ETL_PROCESS ||
	    !(record->opcode == ETL_PROCESS_DEFUNCT ||
	      (record->opcode >= ETL_OPCODE_START && record->opcode <= ETL_OPCODE_DC_END)))
		return true;
	if (!etl_decode_process(record, &process))
		return false;
	strbuf_addf(&rows->line,
		    "%u\t%" PRIu32 "\t%" PRIu32 "\t%" PRId32 "\t%" PRId32 "\t%" PRIx64 "\t%" PRIx64,
		    record->opcode, process.pid, process.ppid, (int32_t)process.session,
		    (int32_t)process.status, process.key, process.directory);
	add_text(&rows->line, &process.image);
	add_text(&rows->line, &process.command_line);
	add_text(&rows->line, &process.package);
	add_text(&rows->line, &process.application);
	return true;
}

static const char *image_kind(const struct etl_record *record)
{
	if (record->provider != ETL_PROCESS && record->provider != ETL_IMAGE)
		return NULL;
	if (record->opcode == ETL_IMAGE_LOAD)
		return "load";
	if (record->provider == ETL_PROCESS)
		return NULL;
	return record->opcode == ETL_OPCODE_END        ? "unload"
	       : record->opcode == ETL_OPCODE_DC_START ? "dcstart"
	       : record->opcode == ETL_OPCODE_DC_END   ? "dcend"
						       : NULL;
}

static bool add_image(struct rows *rows, const struct etl_record *record)
{
	const char *kind = image_kind(record);
	struct etl_image image;

	if (!kind)
		return true;
	if (!etl_decode_image(record, &image))
		return false;
	strbuf_addf(&rows->line, "%s\t%" PRIu32 "\t%" PRIx64 "\t%" PRIx64 "\t%" PRIx32 "\t%" PRIx32,
		    kind, image.pid, image.base, image.size, image.checksum, image.stamp);
	add_text(&rows->line, &image.path);
	return true;
}

static bool add_rsds(struct rows *rows, const struct etl_record *record)
{
	struct etl_rsds rsds;
	const unsigned char *g;

	if (record->provider != ETL_IMAGE_ID || record->opcode != ETL_IMAGE_ID_RSDS)
		return true;
	if (!etl_decode_rsds(record, &rsds))
		return false;
	g = rsds.guid;
	strbuf_addf(&rows->line,
		    "%" PRIu32 "\t%" PRIx64 "\t%08" PRIx32
		    "-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x\t%" PRIu32,
		    rsds.pid, rsds.base, le_get32(g), le_get16(g + 4), le_get16(g + 6), g[8], g[9],
		    g[10], g[11], g[12], g[13], g[14], g[15], rsds.age);
	add_text(&rows->line, &rsds.pdb);
	return true;
}

static bool add_sample(struct rows *rows, const struct etl_record *record)
{
	struct etl_sample sample;
	uintptr_t nr;

	if (record->provider != ETL_PERF_INFO || record->opcode != ETL_PERF_SAMPLE)
		return true;
	if (!etl_decode_sample(record, &sample))
		return false;
	nr = (uintptr_t)intmap_get(&rows->samples, sample.tid);
	intmap_put(&rows->samples, sample.tid, (void *)(nr + 1));
	return true;
}

static int print_rows(struct etl_file *file, add_fn *add, struct err *err)
{
	struct rows rows = { .line = STRBUF_INIT };
	const struct etl_record *records;
	struct etl_merge *merge;
	size_t nr;
	int rc;

	if (etl_merge_new(&file, 1, NULL, &merge, err))
		return -1;
	rows.first = etl_file_header(file)->first_tick;
	while ((rc = etl_merge_next(merge, &records, &nr, err)) > 0) {
		for (size_t i = 0; i < nr; i++) {
			strbuf_clear(&rows.line);
			if (!add(&rows, &records[i]))
				rc = err_set(err, ERR_CORRUPT, "an event lacks fields");
			else if (rows.line.len)
				printf("%" PRIu64 "\t%s\n", records[i].time - rows.first,
				       rows.line.buf);
		}
		if (rc < 0)
			break;
	}
	for (size_t i = 0; i < rows.samples.nr; i++)
		printf("%" PRId64 "\t%zu\n", rows.samples.v[i].key,
		       (size_t)(uintptr_t)rows.samples.v[i].value);
	strbuf_release(&rows.line);
	intmap_release(&rows.samples);
	etl_merge_free(merge);
	return rc;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		add_fn *add;
	} kinds[] = {
		{ "processes", add_process },
		{ "images", add_image },
		{ "rsds", add_rsds },
		{ "samples", add_sample },
	};
	struct err err = ERR_INIT;
	struct etl_file *file;
	int rc = -1;

	for (size_t i = 0; argc == 3 && i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		rc = etl_file_open(argv[2], 0, &file, &err);
		if (!rc) {
			rc = print_rows(file, kinds[i].add, &err);
			etl_file_free(file);
		}
	}
	if (rc)
		fprintf(stderr, "etl-rows: %s\n",
			err.msg ? err.msg : "usage: etl-rows processes|images|rsds|samples FILE");
	err_clear(&err);
	return rc ? 1 : 0;
}
