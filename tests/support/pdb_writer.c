#include "support/pdb_writer.h"

#include <string.h>

#include "util/alloc.h"
#include "util/array.h"

enum { INFO = 1, TYPES, MODULES, IDS, FIRST_FREE };

#define NONE 0xffffu

void put16(struct strbuf *to, unsigned value)
{
	strbuf_addc(to, (char)value);
	strbuf_addc(to, (char)(value >> 8));
}

void put32(struct strbuf *to, uint32_t value)
{
	put16(to, value & 0xffff);
	put16(to, value >> 16);
}

void put_string(struct strbuf *to, const char *s)
{
	strbuf_add(to, s, strlen(s) + 1);
}

void put_align(struct strbuf *to)
{
	strbuf_pad(to, '\0', (to->len + 3) / 4 * 4);
}

static void set32(struct strbuf *to, size_t at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to->buf[at + (size_t)i] = (char)(value >> 8 * i);
}

size_t pdb_record_begin(struct strbuf *to, unsigned kind)
{
	size_t begin = to->len;

	put16(to, 0);
	put16(to, kind);
	return begin;
}

void pdb_record_end(struct strbuf *to, size_t begin)
{
	size_t length;

	while ((to->len - begin) % 4)
		strbuf_addc(to, '\0');
	length = to->len - begin - 2;
	to->buf[begin] = (char)length;
	to->buf[begin + 1] = (char)(length >> 8);
}

void pdb_put_public(struct strbuf *to, unsigned segment, uint32_t offset, const char *name)
{
	size_t begin = pdb_record_begin(to, 0x110e);

	put32(to, 2); /* a function */
	put32(to, offset);
	put16(to, segment);
	put_string(to, name);
	pdb_record_end(to, begin);
}

void pdb_put_procedure(struct strbuf *to, unsigned segment, uint32_t offset, uint32_t length,
		       const char *name)
{
	size_t begin = pdb_record_begin(to, 0x1110);

	for (int i = 0; i < 3; i++) /* parent, end, next */
		put32(to, 0);
	put32(to, length);
	for (int i = 0; i < 3; i++) /* of debugging; the type */
		put32(to, 0);
	put32(to, offset);
	put16(to, segment);
	strbuf_addc(to, '\0');
	put_string(to, name);
	pdb_record_end(to, begin);
}

size_t pdb_table_begin(struct strbuf *to, unsigned kind)
{
	put32(to, kind);
	put32(to, 0);
	return to->len;
}

void pdb_table_end(struct strbuf *to, size_t begin)
{
	set32(to, begin - 4, (uint32_t)(to->len - begin));
	put_align(to);
}

void pdb_writer_init(struct pdb_writer *writer)
{
	*writer = (struct pdb_writer){ .info_age = 1, .age = 1, .streams_nr = FIRST_FREE };
	writer->modules = writer->contributions = writer->sections = writer->original_sections =
		writer->omap = writer->names = writer->publics = writer->stale = writer->types =
			writer->ids = (struct strbuf)STRBUF_INIT;
	for (size_t i = 0; i < PDB_WRITER_STREAMS; i++)
		writer->streams[i] = (struct strbuf)STRBUF_INIT;
	for (unsigned i = 0; i < 16; i++)
		writer->guid[i] = (uint8_t)(i * 17);
	strbuf_addc(&writer->names, '\0');
}

void pdb_writer_release(struct pdb_writer *writer)
{
	strbuf_release(&writer->modules);
	strbuf_release(&writer->contributions);
	strbuf_release(&writer->sections);
	strbuf_release(&writer->original_sections);
	strbuf_release(&writer->omap);
	strbuf_release(&writer->names);
	strbuf_release(&writer->publics);
	strbuf_release(&writer->stale);
	strbuf_release(&writer->types);
	strbuf_release(&writer->ids);
	for (size_t i = 0; i < PDB_WRITER_STREAMS; i++)
		strbuf_release(&writer->streams[i]);
}

void pdb_writer_section(struct strbuf *to, uint32_t start, uint32_t length, bool code)
{
	size_t begin = to->len;

	strbuf_add(to, code ? ".text\0\0" : ".data\0\0", 8);
	put32(to, length);
	put32(to, start);
	strbuf_pad(to, '\0', begin + 36);
	put32(to, code ? 0x60000020 : 0xc0000040);
}

static void put_contribution(struct strbuf *to, unsigned segment, uint32_t offset, uint32_t length,
			     unsigned module)
{
	put32(to, segment);
	put32(to, offset);
	put32(to, length);
	put32(to, 0x60500020);
	put32(to, module);
	put32(to, 0);
	put32(to, 0);
}

void pdb_writer_contribution(struct pdb_writer *writer, unsigned segment, uint32_t offset,
			     uint32_t length, unsigned module)
{
	put_contribution(&writer->contributions, segment, offset, length, module);
}

void pdb_writer_module(struct pdb_writer *writer, const char *name, const struct strbuf *symbols,
		       const struct strbuf *tables)
{
	struct strbuf *stream = &writer->streams[writer->streams_nr], *to = &writer->modules;

	put32(stream, 4);
	strbuf_add(stream, symbols->buf, symbols->len);
	strbuf_add(stream, tables->buf, tables->len);
	put32(to, 0);
	put_contribution(to, 1, 0, 0, 0);
	put16(to, 0);
	put16(to, writer->streams_nr++);
	put32(to, (uint32_t)symbols->len + 4);
	put32(to, 0);
	put32(to, (uint32_t)tables->len);
	for (int i = 0; i < 4; i++)
		put32(to, 0);
	put_string(to, name);
	put_string(to, "object");
	put_align(to);
}

uint32_t pdb_writer_name(struct pdb_writer *writer, const char *s)
{
	uint32_t place = (uint32_t)writer->names.len;

	put_string(&writer->names, s);
	return place;
}

uint32_t pdb_writer_id(struct pdb_writer *writer, unsigned kind, uint32_t scope, const char *name)
{
	size_t begin = pdb_record_begin(&writer->ids, kind);

	put32(&writer->ids, scope);
	if (kind != 0x1605) /* strings have no type */
		put32(&writer->ids, 0);
	put_string(&writer->ids, name);
	pdb_record_end(&writer->ids, begin);
	return 0x1000 + writer->ids_nr++;
}

uint32_t pdb_writer_class(struct pdb_writer *writer, const char *name)
{
	size_t begin = pdb_record_begin(&writer->types, 0x1505);

	for (int i = 0; i < 4; i++)
		put32(&writer->types, 0);
	put16(&writer->types, 0x8004); /* its size, as a number of 4 bytes */
	put32(&writer->types, 1 << 20);
	put_string(&writer->types, name);
	pdb_record_end(&writer->types, begin);
	return 0x1000 + writer->types_nr++;
}

static void put_info(const struct pdb_writer *writer, unsigned names, struct strbuf *to)
{
	put32(to, 20000404);
	put32(to, 0);
	put32(to, writer->info_age);
	strbuf_add(to, writer->guid, sizeof(writer->guid));
	put32(to, 7);
	put_string(to, "/names");
	put32(to, 1); /* one of one place in the table is used, none was deleted */
	put32(to, 1);
	put32(to, 1);
	put32(to, 1);
	put32(to, 0);
	put32(to, 0);
	put32(to, names);
}

/* Marks at each record, as if they were large. */
static unsigned put_marks(struct pdb_writer *writer, const struct strbuf *records)
{
	struct strbuf *to = &writer->streams[writer->streams_nr];
	uint32_t number = 0x1000;

	for (size_t at = 0; at + 4 <= records->len; number++) {
		put32(to, number);
		put32(to, (uint32_t)at);
		at += 2u + (unsigned char)records->buf[at] +
		      ((size_t)(unsigned char)records->buf[at + 1] << 8);
	}
	return writer->streams_nr++;
}

static void put_types(struct pdb_writer *writer, const struct strbuf *records, unsigned nr,
		      struct strbuf *to)
{
	unsigned marks = writer->no_marks ? NONE : put_marks(writer, records);
	uint32_t marks_len = marks == NONE ? 0 : (uint32_t)writer->streams[marks].len;

	put32(to, 20040203);
	put32(to, 56);
	put32(to, 0x1000);
	put32(to, 0x1000 + nr);
	put32(to, (uint32_t)records->len);
	put16(to, marks);
	put16(to, NONE);
	for (int i = 0; i < 4; i++)
		put32(to, 0);
	put32(to, 0);
	put32(to, marks_len);
	put32(to, 0);
	put32(to, 0);
	strbuf_add(to, records->buf, records->len);
}

static unsigned add_stream(struct pdb_writer *writer, const struct strbuf *bytes)
{
	strbuf_add(&writer->streams[writer->streams_nr], bytes->buf, bytes->len);
	return writer->streams_nr++;
}

/* Of the public symbols that count. */
static unsigned put_map(struct pdb_writer *writer)
{
	struct strbuf *to = &writer->streams[writer->streams_nr], map = STRBUF_INIT;
	const struct strbuf *records = &writer->publics;

	for (size_t at = 0; at + 4 <= records->len;) {
		put32(&map, (uint32_t)(writer->stale.len + at));
		at += writer->map_overlaps
			      ? 4
			      : 2u + (unsigned char)records->buf[at] +
					((size_t)(unsigned char)records->buf[at + 1] << 8);
	}
	put32(to, 8);
	put32(to, (uint32_t)map.len);
	strbuf_pad(to, '\0', 28 + 8); /* the table by name is not read */
	strbuf_add(to, map.buf, map.len);
	strbuf_release(&map);
	return writer->streams_nr++;
}

static void put_modules(struct pdb_writer *writer, unsigned publics, struct strbuf *to)
{
	unsigned debug[11], map = writer->no_map ? NONE : put_map(writer);

	for (size_t i = 0; i < 11; i++)
		debug[i] = NONE;
	if (!writer->no_sections)
		debug[5] = add_stream(writer, &writer->sections);
	if (writer->omap.len) {
		debug[3] = add_stream(writer, &writer->omap);
		debug[10] = add_stream(writer, &writer->original_sections);
	}
	put32(to, UINT32_MAX);
	put32(to, 19990903);
	put32(to, writer->age);
	put16(to, NONE);
	put16(to, 0);
	put16(to, map);
	put16(to, 0);
	put16(to, publics);
	put16(to, 0);
	put32(to, (uint32_t)writer->modules.len);
	put32(to, (uint32_t)writer->contributions.len + 4);
	for (int i = 0; i < 4; i++)
		put32(to, 0);
	put32(to, ARRAY_SIZE(debug) * 2);
	put32(to, 0);
	put16(to, 0);
	put16(to, writer->machine ? writer->machine : 0x8664);
	put32(to, 0);
	strbuf_add(to, writer->modules.buf, writer->modules.len);
	put32(to, 0xeffe0000u + 19970605);
	strbuf_add(to, writer->contributions.buf, writer->contributions.len);
	for (size_t i = 0; i < 11; i++)
		put16(to, debug[i]);
}

void pdb_writer_finish(struct pdb_writer *writer, struct strbuf *file)
{
	struct strbuf names = STRBUF_INIT;
	unsigned names_stream, publics;

	put32(&names, 0xeffeeffe);
	put32(&names, 1);
	put32(&names, (uint32_t)writer->names.len);
	strbuf_add(&names, writer->names.buf, writer->names.len);
	names_stream = add_stream(writer, &names);
	publics = add_stream(writer, &writer->stale);
	strbuf_add(&writer->streams[publics], writer->publics.buf, writer->publics.len);
	put_info(writer, names_stream, &writer->streams[INFO]);
	put_types(writer, &writer->types, writer->types_nr, &writer->streams[TYPES]);
	put_types(writer, &writer->ids, writer->ids_nr, &writer->streams[IDS]);
	put_modules(writer, publics, &writer->streams[MODULES]);
	msf_write(writer->streams, writer->streams_nr, writer->page_size ? writer->page_size : 512,
		  writer->scatter, file);
	strbuf_release(&names);
}

/* Pages of the file in the order in which they are given out. */
struct pages {
	uint32_t size, used;
	bool scatter;
	struct strbuf *file;
};

static uint32_t take_page(struct pages *pages)
{
	uint32_t page = pages->used++;

	/* Two pages of each interval are the map of free ones. */
	while (page % pages->size == 1 || page % pages->size == 2)
		page = pages->used++;
	if (pages->scatter)
		pages->used++;
	strbuf_pad(pages->file, '\0', (size_t)(page + 1) * pages->size);
	return page;
}

/* The bytes into pages, whose numbers go to `list`. */
static void put_stream(struct pages *pages, const struct strbuf *bytes, struct strbuf *list)
{
	for (size_t at = 0; at < bytes->len; at += pages->size) {
		size_t nr = bytes->len - at < pages->size ? bytes->len - at : pages->size;
		uint32_t page = take_page(pages);

		memcpy(pages->file->buf + (size_t)page * pages->size, bytes->buf + at, nr);
		put32(list, page);
	}
}

void msf_write(const struct strbuf *streams, size_t nr, uint32_t page_size, bool scatter,
	       struct strbuf *file)
{
	static const char magic[] = "Microsoft C/C++ MSF 7.00\r\n\x1a"
				    "DS\0\0";
	struct strbuf directory = STRBUF_INIT, pages_of = STRBUF_INIT, list = STRBUF_INIT,
		      lists = STRBUF_INIT, head = STRBUF_INIT;
	struct pages pages = { page_size, 1, scatter, file };

	strbuf_clear(file);
	strbuf_pad(file, '\0', page_size);
	put32(&directory, (uint32_t)nr);
	for (size_t i = 0; i < nr; i++) {
		put32(&directory, (uint32_t)streams[i].len);
		put_stream(&pages, &streams[i], &pages_of);
	}
	strbuf_add(&directory, pages_of.buf, pages_of.len);
	put_stream(&pages, &directory, &list);
	put_stream(&pages, &list, &lists);
	strbuf_add(&head, magic, 32);
	put32(&head, page_size);
	put32(&head, 1);
	put32(&head, (uint32_t)(file->len / page_size));
	put32(&head, (uint32_t)directory.len);
	put32(&head, 0);
	strbuf_add(&head, lists.buf, lists.len);
	memcpy(file->buf, head.buf, head.len < page_size ? head.len : page_size);
	strbuf_release(&directory);
	strbuf_release(&pages_of);
	strbuf_release(&list);
	strbuf_release(&lists);
	strbuf_release(&head);
}

static void put_site(struct strbuf *to, uint32_t id, const char *program, size_t nr)
{
	size_t begin = pdb_record_begin(to, 0x114d);

	put32(to, 0);
	put32(to, 0);
	put32(to, id);
	strbuf_add(to, program, nr);
	pdb_record_end(to, begin);
}

static void put_end(struct strbuf *to, unsigned kind)
{
	pdb_record_end(to, pdb_record_begin(to, kind));
}

/*
 * Section 1 at 0x1000. outer() from 0 to 0x40 in main.c: lines 10, at 4 11, at 0x30 12. Into it Shape::area() of shape.h is
 * inlined from 4 to 0x20 and from 0x28 to 0x30, and into that geo::square() from 8 to 0x10. Another function, of no
 * module's records, at 0x40, and its piece ends at 0x50.
 */
void pdb_writer_example(struct pdb_writer *writer)
{
	/* Line 20, +4 bytes; 22, +12; the piece is 16 long; 20, +8 bytes behind it, 8 long. */
	static const char area[] = { 3, 4, 11, 0x4c, 4, 16, 6, 5, 3, 8, 4, 8 };
	/* Line 7 + 1 in the file of the caller, 8 bytes from the start, 8 long. */
	static const char square[] = { 5, 8, 6, 2, 12, 8, 8 };
	struct strbuf symbols = STRBUF_INIT, tables = STRBUF_INIT;
	uint32_t main_c = pdb_writer_name(writer, "C:\\src\\main.c");
	uint32_t shape_h = pdb_writer_name(writer, "C:\\src\\shape.h");
	uint32_t scope = pdb_writer_id(writer, 0x1605, 0, "geo");
	uint32_t square_id = pdb_writer_id(writer, 0x1601, scope, "square");
	uint32_t area_id = pdb_writer_id(writer, 0x1602, pdb_writer_class(writer, "Shape"), "area");
	size_t begin;

	pdb_writer_section(&writer->sections, 0x1000, 0x1000, true);
	pdb_writer_section(&writer->sections, 0x2000, 0x1000, false);
	pdb_writer_contribution(writer, 1, 0, 0x40, 0);
	pdb_writer_contribution(writer, 1, 0x40, 0x10, 0);
	pdb_put_public(&writer->publics, 1, 0, "_RNvCs1_4crat5outer");
	pdb_put_public(&writer->publics, 1, 0x40, "other");
	pdb_put_public(&writer->publics, 2, 0, "data");
	pdb_put_procedure(&symbols, 1, 0, 0x40, "crat::outer");
	put_site(&symbols, area_id, area, sizeof(area));
	put_site(&symbols, square_id, square, sizeof(square));
	put_end(&symbols, 0x114e);
	put_end(&symbols, 0x114e);
	put_end(&symbols, 6);
	begin = pdb_table_begin(&tables, 0xf4);
	put32(&tables, main_c);
	put32(&tables, 0);
	put32(&tables, shape_h);
	put32(&tables, 0);
	pdb_table_end(&tables, begin);
	begin = pdb_table_begin(&tables, 0xf6);
	put32(&tables, 0);
	put32(&tables, area_id);
	put32(&tables, 8);
	put32(&tables, 20);
	put32(&tables, square_id);
	put32(&tables, 0);
	put32(&tables, 7);
	pdb_table_end(&tables, begin);
	begin = pdb_table_begin(&tables, 0xf2);
	put32(&tables, 0);
	put16(&tables, 1);
	put16(&tables, 0);
	put32(&tables, 0x40);
	put32(&tables, 0);
	put32(&tables, 3);
	put32(&tables, 12 + 3 * 8);
	put32(&tables, 0);
	put32(&tables, 0x80000000u | 10);
	put32(&tables, 4);
	put32(&tables, 0x80000000u | 11);
	put32(&tables, 0x30);
	put32(&tables, 0x80000000u | 12);
	pdb_table_end(&tables, begin);
	pdb_writer_module(writer, "c:\\Obj\\main.obj", &symbols, &tables);
	strbuf_release(&symbols);
	strbuf_release(&tables);
}
