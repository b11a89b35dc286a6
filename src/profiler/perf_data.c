#include "profiler/perf_data.h"

#include <string.h>

#include "platform/fs.h"
#include "util/little_endian.h"

#define HEADER_SIZE    104
#define DATA_OFFSET_AT 40 /* in the file header: magic, size, attr_size, attrs, data */
#define LOST_LIMIT     (UINT64_C(1) << 50) /* more events than any recording has */

enum {
	RECORD_LOST = 2,
	RECORD_SAMPLE = 9,
	RECORD_LOST_SAMPLES = 13,
	RECORD_FINISHED_ROUND = 68, /* all buffers were emptied once more */
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
};

static bool seek(FILE *file, int64_t offset)
{
	return offset >= 0 && !fs_seek(file, offset, SEEK_SET);
}

static bool read_header(FILE *file, struct perf_data_walk *walk)
{
	unsigned char header[HEADER_SIZE];
	uint64_t offset;

	if (!seek(file, 0) || fread(header, sizeof(header), 1, file) != 1)
		return false;
	offset = le_get64(header + DATA_OFFSET_AT);
	if (memcmp(header, "PERFILE2", 8) || offset < HEADER_SIZE || offset > INT64_C(1) << 40) {
		walk->damaged = 1;
		return false;
	}
	walk->offset = (int64_t)offset;
	return true;
}

/* perf writes synthetic records first: note the first record from the kernel. */
static void note_type(struct perf_data_walk *walk, uint32_t type)
{
	if (type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2)
		walk->compressed = true;
	else if (type == RECORD_LOST || type == RECORD_SAMPLE || type == RECORD_LOST_SAMPLES ||
		 type == RECORD_FINISHED_ROUND)
		walk->started = true;
}

/* Read one record at the walk's offset; false at the end of the written part. */
static bool step(FILE *file, int64_t end, struct perf_data_walk *walk)
{
	unsigned char record[24];
	size_t got = fread(record, 1, sizeof(record), file);
	uint64_t lost = 0;
	int64_t *sum;
	uint32_t type;
	uint16_t size;

	if (got < 8)
		return false;
	type = le_get32(record);
	size = le_get16(record + 6);
	if (size < 8) {
		/* Zeros are space that perf has not written yet, or the end of a truncated file. */
		walk->damaged = type != 0 || size != 0;
		return false;
	}
	if (walk->offset + size > end || got < (size < sizeof(record) ? size : sizeof(record)))
		return false;
	/* LOST: id, lost; LOST_SAMPLES: lost. */
	if (type == RECORD_LOST && size >= 24)
		lost = le_get64(record + 16);
	else if (type == RECORD_LOST_SAMPLES && size >= 16)
		lost = le_get64(record + 8);
	note_type(walk, type);
	sum = type == RECORD_LOST ? &walk->lost_records : &walk->lost_samples;
	if (lost > LOST_LIMIT - (uint64_t)*sum) {
		walk->damaged = 1;
		return false;
	}
	*sum += (int64_t)lost;
	/* Since Linux 6.0 perf ends with LOST_SAMPLES records that repeat the sum of all LOST records. */
	walk->lost =
		walk->lost_records > walk->lost_samples ? walk->lost_records : walk->lost_samples;
	walk->records++;
	walk->offset += size;
	return true;
}

void perf_data_walk(FILE *file, struct perf_data_walk *walk)
{
	unsigned char header[HEADER_SIZE];
	int64_t end;

	if (walk->damaged || (!walk->offset && !read_header(file, walk)))
		return;
	if (fs_seek(file, 0, SEEK_END))
		return;
	end = fs_tell(file);
	/* Once perf is done its header says where the records end and the features begin. */
	if (seek(file, 0) && fread(header, sizeof(header), 1, file) == 1) {
		uint64_t size = le_get64(header + DATA_OFFSET_AT + 8);
		uint64_t start = le_get64(header + DATA_OFFSET_AT);

		if (size && size < INT64_C(1) << 50 && (int64_t)(start + size) < end)
			end = (int64_t)(start + size);
	}
	while (walk->offset < end && seek(file, walk->offset) && step(file, end, walk))
		;
}

/* Compressed records are not read: a count found outside of them is right, but without one the number is unknown. */
int64_t perf_data_lost(const struct perf_data_walk *walk)
{
	if (walk->lost)
		return walk->lost;
	return walk->started && !walk->compressed ? 0 : -1;
}
