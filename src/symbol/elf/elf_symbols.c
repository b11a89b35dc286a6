#include "symbol/elf/elf_symbols.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/elf/elf_file.h"
#include "symbol/symbol_table.h"
#include "util/array.h"

#define SECTIONS_MAX 65536

/* A segment of the file and its address. */
struct segment {
	uint64_t offset, address, length;
	bool code;
};

struct elf_symbols {
	struct elf_file file, debug; /* debug.elf NULL: there is none */
	struct segment *segments;
	size_t segments_nr, segments_alloc;
	struct symbol_table table; /* by offset in the file */
	bool has_table;            /* the symbols are from a .symtab */
};

/* A symbol table and the sections that it refers to. */
struct name_source {
	const char *strings;
	size_t strings_nr; /* with the last NUL */
	bool text[SECTIONS_MAX];
	uint64_t ends[SECTIONS_MAX]; /* end address by section; 0: it is not code */
};

static void read_segments(struct elf_symbols *symbols)
{
	size_t nr = 0;
	GElf_Phdr phdr;

	if (elf_getphdrnum(symbols->file.elf, &nr))
		return;
	for (size_t i = 0; i < nr && i < SECTIONS_MAX; i++) {
		if (!gelf_getphdr(symbols->file.elf, (int)i, &phdr) || phdr.p_type != PT_LOAD ||
		    phdr.p_filesz > UINT64_MAX - phdr.p_vaddr ||
		    phdr.p_filesz > UINT64_MAX - phdr.p_offset)
			continue;
		ARRAY_ADD(symbols->segments, symbols->segments_nr, symbols->segments_alloc,
			  (struct segment){ phdr.p_offset, phdr.p_vaddr, phdr.p_filesz,
					    (phdr.p_flags & PF_X) != 0 });
	}
}

/* Convert a virtual address to an offset in the file. False: it is not code of the file. */
static bool to_offset(const struct elf_symbols *symbols, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < symbols->segments_nr; i++) {
		const struct segment *segment = &symbols->segments[i];

		if (segment->code && address >= segment->address &&
		    address - segment->address < segment->length) {
			*offset = address - segment->address + segment->offset;
			return true;
		}
	}
	return false;
}

/* Find the section of symbols: .symtab, else .dynsym. */
static Elf_Scn *find_symbols(Elf *elf, GElf_Word type, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == type && shdr->sh_entsize)
			return scn;
	}
	return NULL;
}

/* Find the text sections, by name as perf does: symbols without a type are functions there. */
static void find_text(Elf *elf, struct name_source *names)
{
	size_t shstrndx = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (elf_getshdrstrndx(elf, &shstrndx))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		size_t at = elf_ndxscn(scn);
		const char *name;

		if (at >= SECTIONS_MAX || !gelf_getshdr(scn, &shdr) ||
		    !(shdr.sh_flags & SHF_EXECINSTR))
			continue;
		name = elf_strptr(elf, shstrndx, shdr.sh_name);
		names->text[at] = name && strstr(name, "text");
		if (shdr.sh_size <= UINT64_MAX - shdr.sh_addr)
			names->ends[at] = shdr.sh_addr + shdr.sh_size;
	}
}

static bool find_strings(Elf *elf, size_t at, struct name_source *names)
{
	Elf_Scn *scn = elf_getscn(elf, at);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t nr = data && data->d_buf ? data->d_size : 0;

	names->strings = nr ? data->d_buf : NULL;
	while (nr && names->strings[nr - 1])
		nr--;
	names->strings_nr = nr;
	return nr > 0;
}

/* Mapping symbols such as $x, $d, $a.1 only mark code and data. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

static bool is_function(const GElf_Sym *sym, const struct name_source *names)
{
	unsigned type = GELF_ST_TYPE(sym->st_info), see = GELF_ST_VISIBILITY(sym->st_other);

	if (!sym->st_name || sym->st_name >= names->strings_nr || sym->st_shndx == SHN_UNDEF ||
	    sym->st_shndx >= SHN_LORESERVE)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && names->text[sym->st_shndx] && see != STV_HIDDEN &&
	       see != STV_INTERNAL && !is_mapping_symbol(names->strings + sym->st_name);
}

static void add_symbol(struct elf_symbols *symbols, const GElf_Sym *sym,
		       const struct name_source *names)
{
	struct symbol_entry entry = { .name = names->strings + sym->st_name };
	unsigned bind = GELF_ST_BIND(sym->st_info);

	if (!*entry.name || !to_offset(symbols, sym->st_value, &entry.start))
		return;
	entry.end =
		sym->st_size > UINT64_MAX - entry.start ? UINT64_MAX : entry.start + sym->st_size;
	if (names->ends[sym->st_shndx] > sym->st_value)
		entry.limit = entry.start + (names->ends[sym->st_shndx] - sym->st_value);
	entry.binding = bind == STB_WEAK     ? SYMBOL_WEAK
			: bind == STB_GLOBAL ? SYMBOL_GLOBAL
					     : SYMBOL_LOCAL;
	symbol_table_add(&symbols->table, entry);
}

static bool add_symbols(struct elf_symbols *symbols, Elf *elf, GElf_Word type)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_symbols(elf, type, &shdr);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	struct name_source *names;
	GElf_Sym sym;

	if (!data || !data->d_buf || !size)
		return false;
	names = xcalloc(1, sizeof(*names));
	find_text(elf, names);
	if (find_strings(elf, shdr.sh_link, names)) {
		for (size_t i = 0; i < data->d_size / size && i < INT32_MAX; i++) {
			if (gelf_getsym(data, (int)i, &sym) && is_function(&sym, names))
				add_symbol(symbols, &sym, names);
		}
	}
	free(names);
	return true;
}

/* A debug file that cannot be read is ignored. */
static void open_debug(struct elf_symbols *symbols, const char *path)
{
	struct err err = ERR_INIT;

	if (path && elf_file_open(path, &symbols->debug, &err))
		err_clear(&err);
}

static void read_tables(struct elf_symbols *symbols)
{
	read_segments(symbols);
	symbols->has_table =
		(symbols->debug.elf && add_symbols(symbols, symbols->debug.elf, SHT_SYMTAB)) ||
		add_symbols(symbols, symbols->file.elf, SHT_SYMTAB);
	if (!symbols->has_table)
		add_symbols(symbols, symbols->file.elf, SHT_DYNSYM);
	symbol_table_ready(&symbols->table);
	/* Most names are never asked for. */
	elf_file_drop_pages(&symbols->file);
	elf_file_drop_pages(&symbols->debug);
}

int elf_symbols_open(const struct module *module, const char *path, const char *debug_path,
		     struct elf_symbols **symbols, struct err *err)
{
	struct elf_symbols *opened = xcalloc(1, sizeof(*opened));

	*symbols = NULL;
	symbol_table_init(&opened->table);
	if (elf_file_open(path, &opened->file, err)) {
		elf_symbols_free(opened);
		return -1;
	}
	if (module->id_length && !elf_file_has_id(&opened->file, module->id, module->id_length)) {
		elf_symbols_free(opened);
		return 0;
	}
	open_debug(opened, debug_path);
	read_tables(opened);
	*symbols = opened;
	return 0;
}

int elf_symbols_open_image(const void *image, size_t size, struct elf_symbols **symbols,
			   struct err *err)
{
	struct elf_symbols *opened = xcalloc(1, sizeof(*opened));

	symbol_table_init(&opened->table);
	if (elf_file_open_image(image, size, &opened->file, err)) {
		elf_symbols_free(opened);
		return -1;
	}
	read_tables(opened);
	*symbols = opened;
	return 0;
}

void elf_symbols_free(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	symbol_table_release(&symbols->table);
	elf_file_close(&symbols->debug);
	elf_file_close(&symbols->file);
	free(symbols->segments);
	free(symbols);
}

void elf_symbols_id(const struct elf_symbols *symbols, const uint8_t **id, size_t *nr)
{
	elf_file_id(&symbols->file, id, nr);
}

const char *elf_symbols_debuglink(const struct elf_symbols *symbols, uint32_t *crc)
{
	return elf_file_debuglink(&symbols->file, crc);
}

bool elf_symbols_address(const struct elf_symbols *symbols, uint64_t offset, uint64_t *address)
{
	const struct segment *found = NULL;

	for (size_t i = 0; i < symbols->segments_nr; i++) {
		const struct segment *segment = &symbols->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->length &&
		    (!found || (segment->code && !found->code)))
			found = segment;
	}
	if (found)
		*address = offset - found->offset + found->address;
	return found != NULL;
}

bool elf_symbols_has_table(const struct elf_symbols *symbols)
{
	return symbols->has_table;
}

size_t elf_symbols_nr(const struct elf_symbols *symbols)
{
	return symbols->table.nr;
}

bool elf_symbols_find(const struct elf_symbols *symbols, uint64_t offset, struct symbol *symbol)
{
	return symbol_table_find(&symbols->table, offset, symbol);
}
