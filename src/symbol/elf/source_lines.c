#include "symbol/elf/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "symbol/elf/debug_alt.h"
#include "symbol/elf/elf_file.h"
#include "util/array.h"
#include "util/compare.h"

/*
 * libdw keeps 48 bytes for each line that it has read, so the file is opened again after this many lines. Four times as
 * many are not faster.
 */
#define LINES_KEPT ((size_t)1 << 18)

/* Up to this many addresses are looked up by one thread: a second one would have to open the file too. */
#define ALONE_MAX 256

#define ORIGINS_MAX 16  /* of a DIE, one from the other */
#define DEPTH_MAX   128 /* of nested inlined functions and blocks */

/* A range of code of a compilation unit. */
struct unit_range {
	uint64_t start, end;
	uint64_t unit; /* the offset of its DIE */
};

/* An inlining level: a function whose code contains an address. */
struct level {
	uint32_t caller; /* NO_LEVEL: it is not inlined */
	const char *name;
	const char *call_file;
	uint32_t call_line;
};

#define NO_LEVEL UINT32_MAX

/* Each thread opens the file by itself: libdw and libelf are not thread-safe. */
struct reader {
	struct elf_file file;
	struct debug_alt alt;
	Dwarf *dwarf;        /* NULL: not open */
	size_t lines_read;   /* since it was opened */
	uint64_t steps_left; /* see go_on() */
};

#define READERS 2

struct source_lines {
	char *path;
	struct reader readers[READERS];
	struct unit_range *ranges; /* by start */
	size_t ranges_nr, ranges_alloc;
};

/* An address and the unit it is in. */
struct place {
	uint64_t unit;
	size_t index;
};

/* Work shared by several threads: each takes the next unit. */
struct search {
	struct source_lines *lines;
	const uint64_t *addresses;
	struct place *places; /* by unit */
	size_t *units;        /* start of the places of each unit; the last one is the end */
	size_t units_nr;
	struct line_sink sink;
	atomic_size_t next;
};

/* The addresses of one unit. */
struct walk {
	const uint64_t *addresses; /* ascending */
	struct reader *reader;
	uint32_t *innermost; /* the innermost level of each address */
	size_t nr;
	struct level *levels;
	size_t levels_nr, levels_alloc;
	Dwarf_Files *files;
	size_t files_nr;
	const char *dir; /* to which the unit's files are relative; NULL: unknown */
	char **joined;   /* paths of its files with that directory, made when needed */
};

static int compare_ranges(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return compare_u64(x->start, y->start);
}

static void add_unit(struct source_lines *lines, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (start >= end)
			continue;
		ARRAY_ADD(lines->ranges, lines->ranges_nr, lines->ranges_alloc,
			  (struct unit_range){ start, end, dwarf_dieoffset(die) });
	}
}

static void read_units(struct source_lines *lines)
{
	Dwarf_CU *unit = NULL;
	uint8_t type;
	Dwarf_Die die;

	while (dwarf_get_units(lines->readers[0].dwarf, unit, &unit, NULL, &type, &die, NULL) ==
	       0) {
		if (type == DW_UT_compile && dwarf_tag(&die) == DW_TAG_compile_unit)
			add_unit(lines, &die);
	}
	if (lines->ranges_nr)
		qsort(lines->ranges, lines->ranges_nr, sizeof(*lines->ranges), compare_ranges);
}

static void close_reader(struct reader *reader)
{
	if (reader->dwarf)
		dwarf_end(reader->dwarf);
	debug_alt_close(&reader->alt);
	elf_file_close(&reader->file);
	*reader = (struct reader){ .dwarf = NULL };
}

static int open_reader(struct reader *reader, const char *path, struct err *err)
{
	if (elf_file_open(path, &reader->file, err))
		return -1;
	reader->dwarf = dwarf_begin_elf(reader->file.elf, DWARF_C_READ, NULL);
	if (reader->dwarf && !debug_alt_open(&reader->alt, reader->dwarf)) {
		reader->steps_left = 4 * (uint64_t)reader->file.map.size;
		return 0;
	}
	close_reader(reader);
	return err_set(err, ERR_NOT_FOUND, "'%s' has no line numbers", path);
}

static int open_dwarf(struct source_lines *lines, const char *path, struct err *err)
{
	if (open_reader(&lines->readers[0], path, err))
		return -1;
	read_units(lines);
	if (!lines->ranges_nr) {
		close_reader(&lines->readers[0]);
		return err_set(err, ERR_NOT_FOUND, "'%s' has no line numbers", path);
	}
	lines->path = xstrdup(path);
	return 0;
}

int source_lines_open(const char *path, const char *debug_path, struct source_lines **lines,
		      struct err *err)
{
	struct source_lines *opened = xcalloc(1, sizeof(*opened));
	struct err ignored = ERR_INIT;

	if (debug_path && !open_dwarf(opened, debug_path, &ignored)) {
		*lines = opened;
		return 0;
	}
	err_clear(&ignored);
	if (open_dwarf(opened, path, err)) {
		source_lines_free(opened);
		return -1;
	}
	*lines = opened;
	return 0;
}

void source_lines_free(struct source_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < READERS; i++)
		close_reader(&lines->readers[i]);
	free(lines->ranges);
	free(lines->path);
	free(lines);
}

/* Close and open the file, to free libdw's data of the units read so far. */
static void start_afresh(struct reader *reader, const char *path)
{
	struct err err = ERR_INIT;

	if (reader->dwarf && reader->lines_read < LINES_KEPT)
		return;
	close_reader(reader);
	if (open_reader(reader, path, &err))
		err_clear(&err);
}

/* An attribute of a DIE or of those it comes from. dwarf_attr_integrate() would open files that a unit names (.dwo). */
static bool find_attr(const Dwarf_Die *die, unsigned name, Dwarf_Attribute *attr)
{
	Dwarf_Die at = *die;

	for (int i = 0; i < ORIGINS_MAX; i++) {
		if (dwarf_attr(&at, name, attr))
			return true;
		if (!dwarf_attr(&at, DW_AT_abstract_origin, attr) &&
		    !dwarf_attr(&at, DW_AT_specification, attr))
			return false;
		if (!dwarf_formref_die(attr, &at))
			return false;
	}
	return false;
}

static const char *name_of(const Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (find_attr(die, DW_AT_linkage_name, &attr) ||
	    find_attr(die, DW_AT_MIPS_linkage_name, &attr) || find_attr(die, DW_AT_name, &attr))
		return dwarf_formstring(&attr);
	return NULL;
}

static bool get_number(Dwarf_Die *die, unsigned name, uint64_t *number)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value))
		return false;
	*number = value;
	return true;
}

/* The path of a file of the line table, with its directory. */
static const char *path_of(struct walk *walk, size_t file)
{
	const char *path;

	if (!walk->files || file >= walk->files_nr)
		return NULL;
	path = dwarf_filesrc(walk->files, file, NULL, NULL);
	if (!path || !strcmp(path, "???")) /* libdw's name for an unknown file */
		return NULL;
	if (path[0] == '/' || !walk->dir)
		return path;
	if (!walk->joined[file])
		walk->joined[file] = fs_join(walk->dir, path);
	return walk->joined[file];
}

static uint32_t add_level(struct walk *walk, Dwarf_Die *die, uint32_t caller)
{
	uint64_t file = 0, line = 0;
	struct level *level;

	ARRAY_GROW(walk->levels, walk->levels_nr + 1, walk->levels_alloc);
	level = &walk->levels[walk->levels_nr];
	*level = (struct level){ .caller = caller, .name = name_of(die) };
	if (caller != NO_LEVEL && get_number(die, DW_AT_call_file, &file))
		level->call_file = path_of(walk, (size_t)file);
	get_number(die, DW_AT_call_line, &line);
	level->call_line = line <= UINT32_MAX ? (uint32_t)line : 0;
	return (uint32_t)walk->levels_nr++;
}

/*
 * Real code of an address is in one function of each level, and ranges have bytes of their own: a file of which more has to
 * be gone through repeats them, and what is left of its functions is left out.
 */
static bool go_on(struct walk *walk)
{
	if (!walk->reader->steps_left)
		return false;
	walk->reader->steps_left--;
	return true;
}

/* The span of the addresses, within [from, to), that are in the code of `die`; it may be empty. */
struct span {
	size_t from, to;
};

static struct span find_span(struct walk *walk, Dwarf_Die *die, struct span in, uint32_t level)
{
	struct span span = { in.to, in.from };
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (go_on(walk) && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		size_t from, to;

		ARRAY_SEARCH(from, in.to - in.from, i, walk->addresses[in.from + i] < start);
		from += in.from;
		for (to = from; to < in.to && walk->addresses[to] < end && go_on(walk); to++) {
			if (level != NO_LEVEL)
				walk->innermost[to] = level;
		}
		if (from == to)
			continue;
		span.from = from < span.from ? from : span.from;
		span.to = to > span.to ? to : span.to;
	}
	return span;
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, struct span in, uint32_t level,
			  int depth);

/* Walk a function: not inlined, or inlined into `caller`. */
static void walk_function(struct walk *walk, Dwarf_Die *die, struct span in, uint32_t caller,
			  int depth)
{
	struct span span = find_span(walk, die, in, NO_LEVEL);
	uint32_t level;

	if (span.from >= span.to)
		return;
	level = add_level(walk, die, caller);
	find_span(walk, die, span, level);
	walk_children(walk, die, span, level, depth);
}

static void walk_die(struct walk *walk, Dwarf_Die *die, struct span in, uint32_t level, int depth)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		walk_function(walk, die, in, NO_LEVEL, depth);
		break;
	case DW_TAG_inlined_subroutine:
		if (level != NO_LEVEL)
			walk_function(walk, die, in, level, depth);
		break;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_lexical_block:
	case DW_TAG_with_stmt:
	case DW_TAG_catch_block:
	case DW_TAG_try_block:
		walk_children(walk, die, in, level, depth);
		break;
	default:
		break;
	}
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, struct span in, uint32_t level,
			  int depth)
{
	Dwarf_Die die;

	if (depth >= DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		walk_die(walk, &die, in, level, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Report the levels of an address, innermost first. The line of a caller is that of the call. */
static void report(struct walk *walk, size_t i, Dwarf_Die *unit, size_t index,
		   struct search *search)
{
	struct symbol_line chain[DEPTH_MAX + 1] = { { NULL, NULL, 0 } };
	Dwarf_Line *line = dwarf_getsrc_die(unit, walk->addresses[i]);
	size_t nr = 0, file;
	Dwarf_Files *files;
	int number = 0;

	if (line && !dwarf_lineno(line, &number))
		chain[0].line = number > 0 ? (uint32_t)number : 0;
	if (line && !dwarf_line_file(line, &files, &file) && files == walk->files)
		chain[0].file = path_of(walk, file);
	for (uint32_t at = walk->innermost[i]; at != NO_LEVEL && nr < DEPTH_MAX;) {
		const struct level *level = &walk->levels[at];

		chain[nr++].function = level->name;
		at = level->caller;
		chain[nr] = (struct symbol_line){ NULL, level->call_file, level->call_line };
	}
	if (!nr && chain[0].file)
		nr = 1;
	if (!nr)
		return;
	search->sink.add(search->sink.data, index, chain, nr);
}

static void open_tables(struct reader *reader, Dwarf_Die *unit, struct walk *walk)
{
	Dwarf_Attribute attr;
	Dwarf_Lines *table;
	size_t nr;

	if (!dwarf_getsrclines(unit, &table, &nr))
		reader->lines_read += nr;
	if (dwarf_getsrcfiles(unit, &walk->files, &walk->files_nr))
		walk->files = NULL;
	if (walk->files)
		walk->joined = xcalloc(walk->files_nr + 1, sizeof(*walk->joined));
	if (dwarf_attr(unit, DW_AT_comp_dir, &attr))
		walk->dir = dwarf_formstring(&attr);
}

static void find_in_unit(struct search *search, struct reader *reader, const struct place *places,
			 size_t nr)
{
	struct walk walk = { .nr = nr, .reader = reader };
	uint64_t *of_unit;
	Dwarf_Die unit;

	start_afresh(reader, search->lines->path);
	if (!reader->dwarf || !dwarf_offdie(reader->dwarf, places[0].unit, &unit))
		return;
	open_tables(reader, &unit, &walk);
	reader->steps_left += nr * 2 * DEPTH_MAX;
	of_unit = xcalloc(nr, sizeof(*of_unit));
	walk.innermost = xcalloc(nr, sizeof(*walk.innermost));
	for (size_t i = 0; i < nr; i++) {
		of_unit[i] = search->addresses[places[i].index];
		walk.innermost[i] = NO_LEVEL;
	}
	walk.addresses = of_unit;
	walk_children(&walk, &unit, (struct span){ 0, nr }, NO_LEVEL, 0);
	for (size_t i = 0; i < nr; i++)
		report(&walk, i, &unit, places[i].index, search);
	for (size_t i = 0; walk.joined && i < walk.files_nr; i++)
		free(walk.joined[i]);
	free(walk.joined);
	free(walk.levels);
	free(walk.innermost);
	free(of_unit);
	elf_file_drop_pages(&reader->file);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = compare_u64(x->unit, y->unit);

	return order ? order : compare_u64(x->index, y->index);
}

/* Find the unit of each address. Addresses and ranges both ascend. */
static size_t find_units(const struct source_lines *lines, const uint64_t *addresses, size_t nr,
			 struct place *places)
{
	size_t found = 0, range = 0;

	for (size_t i = 0; i < nr; i++) {
		while (range + 1 < lines->ranges_nr &&
		       lines->ranges[range + 1].start <= addresses[i])
			range++;
		if (addresses[i] >= lines->ranges[range].start &&
		    addresses[i] < lines->ranges[range].end)
			places[found++] = (struct place){ lines->ranges[range].unit, i };
	}
	return found;
}

static void search_units(struct search *search, struct reader *reader)
{
	size_t unit;

	while ((unit = atomic_fetch_add(&search->next, 1)) < search->units_nr) {
		size_t begin = search->units[unit];

		find_in_unit(search, reader, &search->places[begin],
			     search->units[unit + 1] - begin);
	}
}

static void help_search(void *data)
{
	struct search *search = data;

	search_units(search, &search->lines->readers[1]);
	close_reader(&search->lines->readers[1]);
}

static void mark_units(struct search *search, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!i || search->places[i].unit != search->places[i - 1].unit)
			search->units[search->units_nr++] = i;
	}
	search->units[search->units_nr] = nr;
}

void source_lines_find(struct source_lines *lines, const uint64_t *addresses, size_t nr,
		       struct helper *helper, struct line_sink sink)
{
	struct search search = { .lines = lines, .addresses = addresses, .sink = sink };
	size_t found;

	search.places = xcalloc(nr + 1, sizeof(*search.places));
	search.units = xcalloc(nr + 1, sizeof(*search.units));
	found = find_units(lines, addresses, nr, search.places);
	if (found)
		qsort(search.places, found, sizeof(*search.places), compare_places);
	mark_units(&search, found);
	if (search.units_nr <= 1 || found <= ALONE_MAX)
		helper = NULL;
	helper_add(helper, help_search, &search);
	search_units(&search, &lines->readers[0]);
	helper_withdraw(helper, &search);
	free(search.units);
	free(search.places);
}
