#include "symbol/pdb/pdb_file.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/compare.h"

enum { STREAM_INFO = 1, STREAM_DBI = 3 };

#define DBI_HEADER        64
#define INFO_MAX          ((uint32_t)1 << 24) /* bytes of the info stream, which names streams */
#define MODULE_HEADER     64
#define SECTION_HEADER    40 /* PE's IMAGE_SECTION_HEADER */
#define SECTIONS_MAX      65535
#define SECTION_HAS_CODE  0x00000020u
#define SECTION_RUNS      0x20000000u
#define CONTRIBUTIONS_1   (0xeffe0000u + 19970605)
#define CONTRIBUTIONS_2   (0xeffe0000u + 20140516)
#define DBI_VERSION_MARK  0xffffffffu
#define DEBUG_OMAP_TO_SRC 3 /* index in the list of streams at the end of the DBI stream */
#define DEBUG_SECTIONS    5
#define DEBUG_ORIGINAL    10

/* The DBI stream and the positions of its parts. */
struct dbi {
	struct pdb_stream stream;
	uint64_t modules, contributions, debug; /* offsets */
	uint32_t modules_size, contributions_size, debug_size;
};

/* Find a named stream: after two bit sets there are pairs of a name's offset and a stream. */
static uint32_t find_named(struct byte_cursor bytes, const char *wanted)
{
	uint32_t names_nr, nr, capacity, words, key, stream;
	const unsigned char *names;

	names = byte_cursor_take32(&bytes, &names_nr) ? byte_cursor_take(&bytes, names_nr) : NULL;
	if (!names || !byte_cursor_take32(&bytes, &nr) || !byte_cursor_take32(&bytes, &capacity))
		return PDB_NO_STREAM;
	for (int set = 0; set < 2; set++) {
		if (!byte_cursor_take32(&bytes, &words) ||
		    !byte_cursor_take(&bytes, (uint64_t)words * 4))
			return PDB_NO_STREAM;
	}
	while (nr-- && byte_cursor_take32(&bytes, &key) && byte_cursor_take32(&bytes, &stream)) {
		const char *name = pdb_string(names, names_nr, key);

		if (name && !strcmp(name, wanted))
			return stream;
	}
	return PDB_NO_STREAM;
}

static int read_info(struct pdb_file *file, struct err *err)
{
	struct pdb_stream stream;
	unsigned char *bytes = NULL;
	size_t nr;

	if (pdb_stream_open(file->msf, STREAM_INFO, &stream, err))
		return -1;
	nr = stream.size < INFO_MAX ? stream.size : INFO_MAX;
	bytes = pdb_stream_load(&stream, 0, nr, err);
	pdb_stream_close(&stream);
	if (!bytes)
		return -1;
	if (nr < 28) {
		free(bytes);
		return err_set(err, ERR_CORRUPT, "it has no GUID and age");
	}
	file->info_age = file->age = le_get32(bytes + 8);
	memcpy(file->id, bytes + 12, 16);
	file->names = find_named((struct byte_cursor){ bytes + 28, nr - 28 }, "/names");
	free(bytes);
	return 0;
}

static int open_dbi(const struct pdb_file *file, struct dbi *dbi, unsigned char *head,
		    struct err *err)
{
	uint64_t at = DBI_HEADER;

	if (pdb_stream_open(file->msf, STREAM_DBI, &dbi->stream, err))
		return -1;
	if (pdb_stream_read(&dbi->stream, 0, head, DBI_HEADER, err)) {
		pdb_stream_close(&dbi->stream);
		return -1;
	}
	if (le_get32(head) != DBI_VERSION_MARK) {
		pdb_stream_close(&dbi->stream);
		return err_set(err, ERR_UNSUPPORTED, "its module list has an old format");
	}
	dbi->modules = at;
	dbi->modules_size = le_get32(head + 24);
	at += dbi->modules_size;
	dbi->contributions = at;
	dbi->contributions_size = le_get32(head + 28);
	/* Then: a section map, lists of source files and type servers, names for edit and continue. */
	at += dbi->contributions_size;
	at += (uint64_t)le_get32(head + 32) + le_get32(head + 36) + le_get32(head + 40) +
	      le_get32(head + 52);
	dbi->debug = at;
	dbi->debug_size = le_get32(head + 48);
	return 0;
}

static void set_id(struct pdb_file *file)
{
	for (int i = 0; i < 4; i++)
		file->id[16 + i] = (uint8_t)(file->age >> 8 * i);
}

int pdb_file_open(const char *path, struct pdb_file **file, struct err *err)
{
	struct pdb_file *opened = xcalloc(1, sizeof(*opened));
	unsigned char head[DBI_HEADER];
	struct err ignored = ERR_INIT;
	struct dbi dbi;

	opened->publics = opened->symbols = PDB_NO_STREAM;
	if (pdb_msf_open(path, &opened->msf, err) || read_info(opened, err)) {
		pdb_file_free(opened);
		return -1;
	}
	if (!open_dbi(opened, &dbi, head, &ignored)) {
		opened->age = le_get32(head + 8);
		opened->publics = le_get16(head + 16);
		opened->symbols = le_get16(head + 20);
		opened->machine = le_get16(head + 58);
		pdb_stream_close(&dbi.stream);
	}
	err_clear(&ignored);
	set_id(opened);
	*file = opened;
	return 0;
}

void pdb_file_free(struct pdb_file *file)
{
	if (!file)
		return;
	pdb_msf_close(file->msf);
	free(file->sections);
	free(file->modules);
	free(file->contributions);
	free(file->omap);
	free(file);
}

/* Read a string and set `*hash`. Returns the number of bytes, with the NUL. */
static uint64_t hash_string(struct pdb_reader *reader, uint64_t *hash)
{
	const unsigned char *c;
	uint64_t nr = 0;

	*hash = key_hash_first();
	while ((c = pdb_reader_peek(reader, 1))) {
		bool end = !*c;

		if (!end)
			*hash = pdb_name_add(*hash, *c);
		pdb_reader_skip(reader, 1);
		nr++;
		if (end)
			break;
	}
	return nr;
}

/*
 * Each module is a header of fixed size and two names, padded to a multiple of 4 bytes. Modules whose streams have together
 * more bytes than the file share them: those beyond that size have none.
 */
static void read_modules(struct pdb_file *file, const struct dbi *dbi)
{
	uint64_t left = pdb_msf_file_size(file->msf);
	struct pdb_reader reader;
	const unsigned char *head;

	pdb_reader_init(&reader, &dbi->stream, dbi->modules, dbi->modules + dbi->modules_size);
	while ((head = pdb_reader_peek(&reader, MODULE_HEADER))) {
		struct pdb_module module = { .stream = le_get16(head + 34),
					     .symbols_size = le_get32(head + 36),
					     .lines_size = le_get32(head + 44) };
		uint32_t old_lines = le_get32(head + 40); /* in the format used before 2002 */
		uint64_t size = pdb_msf_size(file->msf, module.stream), object, length;

		module.lines_start = module.symbols_size + old_lines;
		if (module.lines_start < old_lines || size > left)
			module.stream = PDB_NO_STREAM;
		else
			left -= size;
		pdb_reader_skip(&reader, MODULE_HEADER);
		length = MODULE_HEADER + hash_string(&reader, &module.name) +
			 hash_string(&reader, &object);
		pdb_reader_skip(&reader, (4 - length % 4) % 4);
		ARRAY_ADD(file->modules, file->modules_nr, file->modules_alloc, module);
	}
	pdb_reader_release(&reader);
}

static void add_contribution(struct pdb_file *file, const unsigned char *bytes)
{
	uint32_t segment = le_get16(bytes), length = le_get32(bytes + 8), start;

	if (!pdb_file_is_code(file, segment) ||
	    !pdb_file_place(file, segment, le_get32(bytes + 4), &start) || !length ||
	    length > UINT32_MAX - start)
		return;
	ARRAY_ADD(file->contributions, file->contributions_nr, file->contributions_alloc,
		  (struct pdb_contribution){ start, start + length, le_get16(bytes + 16) });
}

static int compare_contributions(const void *a, const void *b)
{
	const struct pdb_contribution *x = a, *y = b;

	return compare_u64(x->start, y->start);
}

static void read_contributions(struct pdb_file *file, const struct dbi *dbi)
{
	struct pdb_reader reader;
	const unsigned char *bytes;
	uint32_t version;
	size_t size;

	pdb_reader_init(&reader, &dbi->stream, dbi->contributions,
			dbi->contributions + dbi->contributions_size);
	bytes = pdb_reader_peek(&reader, 4);
	version = bytes ? le_get32(bytes) : 0;
	size = version == CONTRIBUTIONS_1 ? 28 : version == CONTRIBUTIONS_2 ? 32 : 0;
	pdb_reader_skip(&reader, 4);
	while (size && (bytes = pdb_reader_peek(&reader, size))) {
		add_contribution(file, bytes);
		pdb_reader_skip(&reader, size);
	}
	pdb_reader_release(&reader);
	if (file->contributions_nr)
		qsort(file->contributions, file->contributions_nr, sizeof(*file->contributions),
		      compare_contributions);
}

/* Load a whole stream; NULL: it cannot be read. */
static unsigned char *load(const struct pdb_file *file, uint32_t number, size_t *nr)
{
	struct pdb_stream stream;
	struct err err = ERR_INIT;
	unsigned char *bytes = NULL;

	if (number != PDB_NO_STREAM && !pdb_stream_open(file->msf, number, &stream, &err)) {
		*nr = stream.size;
		bytes = pdb_stream_load(&stream, 0, stream.size, &err);
		pdb_stream_close(&stream);
	}
	err_clear(&err);
	return bytes;
}

static void read_sections(struct pdb_file *file, uint32_t stream)
{
	size_t nr = 0, count;
	unsigned char *bytes = load(file, stream, &nr);

	count = nr / SECTION_HEADER < SECTIONS_MAX ? nr / SECTION_HEADER : SECTIONS_MAX;
	if (bytes && count)
		file->sections = xcalloc(count, sizeof(*file->sections));
	for (size_t i = 0; bytes && i < count; i++) {
		const unsigned char *header = bytes + i * SECTION_HEADER;
		struct pdb_section *section = &file->sections[file->sections_nr++];

		section->length = le_get32(header + 8);
		section->start = le_get32(header + 12);
		section->code = le_get32(header + 36) & (SECTION_HAS_CODE | SECTION_RUNS);
		if (section->length > UINT32_MAX - section->start)
			section->length = UINT32_MAX - section->start;
	}
	free(bytes);
}

static int compare_omap(const void *a, const void *b)
{
	const struct pdb_omap *x = a, *y = b;

	return compare_u64(x->from, y->from);
}

static void read_omap(struct pdb_file *file, uint32_t stream)
{
	size_t nr;
	unsigned char *bytes = load(file, stream, &nr);

	if (!bytes)
		return;
	file->omap_nr = nr / 8;
	file->omap = xcalloc(file->omap_nr + 1, sizeof(*file->omap));
	for (size_t i = 0; i < file->omap_nr; i++)
		file->omap[i] =
			(struct pdb_omap){ le_get32(bytes + i * 8), le_get32(bytes + i * 8 + 4) };
	if (file->omap_nr)
		qsort(file->omap, file->omap_nr, sizeof(*file->omap), compare_omap);
	free(bytes);
}

/* Read the optional debug streams. An image with OMAP has its sections as linked in another stream. */
static void read_debug(struct pdb_file *file, const struct dbi *dbi)
{
	uint32_t streams[DEBUG_ORIGINAL + 1];
	unsigned char bytes[2];
	struct err err = ERR_INIT;

	for (uint32_t i = 0; i <= DEBUG_ORIGINAL; i++) {
		streams[i] = PDB_NO_STREAM;
		if (i < dbi->debug_size / 2 &&
		    !pdb_stream_read(&dbi->stream, dbi->debug + i * 2, bytes, 2, &err))
			streams[i] = le_get16(bytes);
		err_clear(&err);
	}
	read_omap(file, streams[DEBUG_OMAP_TO_SRC]);
	read_sections(file, streams[DEBUG_ORIGINAL]);
	if (!file->sections_nr)
		read_sections(file, streams[DEBUG_SECTIONS]);
}

void pdb_file_read(struct pdb_file *file)
{
	unsigned char head[DBI_HEADER];
	struct err err = ERR_INIT;
	struct dbi dbi;

	if (open_dbi(file, &dbi, head, &err)) {
		err_clear(&err);
		return;
	}
	read_debug(file, &dbi);
	read_modules(file, &dbi);
	read_contributions(file, &dbi);
	pdb_stream_close(&dbi.stream);
}

bool pdb_file_place(const struct pdb_file *file, uint32_t segment, uint32_t offset,
		    uint32_t *linked)
{
	const struct pdb_section *section;

	if (!segment || segment > file->sections_nr)
		return false;
	section = &file->sections[segment - 1];
	if (offset >= section->length)
		return false;
	*linked = section->start + offset;
	return true;
}

bool pdb_file_is_code(const struct pdb_file *file, uint32_t segment)
{
	return segment && segment <= file->sections_nr && file->sections[segment - 1].code;
}

bool pdb_file_linked(const struct pdb_file *file, uint64_t rva, struct pdb_piece *piece)
{
	size_t low;
	uint32_t into;

	if (rva >= UINT32_MAX)
		return false;
	if (!file->omap_nr) {
		*piece = (struct pdb_piece){ (uint32_t)rva, (uint32_t)rva,
					     UINT32_MAX - (uint32_t)rva };
		return true;
	}
	ARRAY_SEARCH(low, file->omap_nr, i, file->omap[i].from <= rva);
	if (!low || !file->omap[low - 1].to)
		return false;
	into = (uint32_t)rva - file->omap[low - 1].from;
	if (into > UINT32_MAX - file->omap[low - 1].to)
		return false;
	piece->linked = file->omap[low - 1].to + into;
	piece->before = into;
	piece->after = (low < file->omap_nr ? file->omap[low].from : UINT32_MAX) - (uint32_t)rva;
	return true;
}

const struct pdb_contribution *pdb_file_contribution(const struct pdb_file *file, uint32_t linked)
{
	size_t low;

	ARRAY_SEARCH(low, file->contributions_nr, i, file->contributions[i].start <= linked);
	return low && file->contributions[low - 1].end > linked ? &file->contributions[low - 1]
								: NULL;
}
