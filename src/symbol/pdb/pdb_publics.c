#include "symbol/pdb/pdb_publics.h"

#include <stdlib.h>

#include "util/alloc.h"

#define HEADER_BYTES 28

static int compare_offsets(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static uint32_t *make_offsets(const unsigned char *bytes, size_t nr)
{
	uint32_t *offsets = xcalloc(nr + 1, sizeof(*offsets));

	for (size_t i = 0; i < nr; i++)
		offsets[i] = le_get32(bytes + i * 4);
	if (nr)
		qsort(offsets, nr, sizeof(*offsets), compare_offsets);
	return offsets;
}

/* Where the records are, ascending. NULL: that is not known. Behind the header a table by name, then the map. */
static uint32_t *read_map(const struct pdb_file *file, size_t *nr)
{
	unsigned char head[HEADER_BYTES], *bytes = NULL;
	uint32_t *offsets = NULL;
	struct err err = ERR_INIT;
	struct pdb_stream stream;

	if (file->publics == PDB_NO_STREAM ||
	    pdb_stream_open(file->msf, file->publics, &stream, &err)) {
		err_clear(&err);
		return NULL;
	}
	if (!pdb_stream_read(&stream, 0, head, sizeof(head), &err)) {
		*nr = le_get32(head + 4) / 4;
		bytes = pdb_stream_load(&stream, (uint64_t)HEADER_BYTES + le_get32(head), *nr * 4,
					&err);
	}
	if (bytes)
		offsets = make_offsets(bytes, *nr);
	free(bytes);
	err_clear(&err);
	pdb_stream_close(&stream);
	return offsets;
}

static void read_mapped(struct pdb_reader *reader, const uint32_t *offsets, size_t nr,
			void (*take)(void *data, const struct pdb_record *record), void *data)
{
	struct pdb_record record;

	for (size_t i = 0; i < nr; i++) {
		if (i && offsets[i] == offsets[i - 1])
			continue;
		reader->offset = offsets[i];
		if (pdb_read_record(reader, &record) && record.kind == S_PUB32)
			take(data, &record);
	}
}

void pdb_publics_read(const struct pdb_file *file,
		      void (*take)(void *data, const struct pdb_record *record), void *data)
{
	struct pdb_record record;
	struct pdb_stream stream;
	struct pdb_reader reader;
	struct err err = ERR_INIT;
	uint32_t *offsets;
	size_t nr = 0;

	if (file->symbols == PDB_NO_STREAM ||
	    pdb_stream_open(file->msf, file->symbols, &stream, &err)) {
		err_clear(&err);
		return;
	}
	pdb_reader_init(&reader, &stream, 0, stream.size);
	offsets = read_map(file, &nr);
	if (offsets)
		read_mapped(&reader, offsets, nr, take, data);
	while (!offsets && pdb_read_record(&reader, &record)) {
		if (record.kind == S_PUB32)
			take(data, &record);
	}
	free(offsets);
	pdb_reader_release(&reader);
	pdb_stream_close(&stream);
}
