#include "symbol/elf/elf_module.h"

#include <gelf.h>
#include <stdlib.h>

#include "symbol/elf/elf_file.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/elf/source_lines.h"
#include "util/alloc.h"
#include "util/compare.h"

#define OTHER_ID "its build id differs from the traced one"

struct elf_module {
	char *path;
	char *debug_path; /* of the debug file with the symbols; NULL: they are its own */
	struct elf_symbols *elf;
	struct debug_asker asker;
};

static bool has_id(const struct elf_symbols *elf, const struct module *module)
{
	const uint8_t *id;
	size_t nr;

	elf_symbols_id(elf, &id, &nr);
	return module_id_equal(id, nr, module->id, module->id_length);
}

/* The path of the debug file, which the caller frees; NULL: none. */
static char *find_debug_file(const struct elf_module *module)
{
	struct debug_want want = { .path = module->path };

	elf_symbols_id(module->elf, &want.id, &want.id_nr);
	want.link = elf_symbols_debuglink(module->elf, &want.crc);
	return debug_file_find(DEBUG_FILES_ROOT, &want);
}

/* The same from elsewhere. */
static char *ask_debug_file(const struct elf_module *module)
{
	const uint8_t *id;
	size_t nr;

	if (!module->asker.find)
		return NULL;
	elf_symbols_id(module->elf, &id, &nr);
	return xstrdup_or_null(module->asker.find(module->asker.data, module->path, id, nr));
}

/* Open the symbols again, with the debug file if there is one. */
static void add_debug_file(struct elf_module *added, const struct module *module)
{
	char *debug_path = find_debug_file(added);
	struct elf_symbols *both;
	struct err err = ERR_INIT;

	if (!debug_path)
		debug_path = ask_debug_file(added);
	if (debug_path && !elf_symbols_open(module, added->path, debug_path, &both, &err) && both) {
		elf_symbols_free(added->elf);
		added->elf = both;
		if (elf_symbols_has_table(both)) {
			added->debug_path = debug_path;
			debug_path = NULL;
		}
	}
	err_clear(&err);
	free(debug_path);
}

static bool find(const void *data, uint64_t offset, struct symbol *symbol)
{
	const struct elf_module *module = data;

	return elf_symbols_find(module->elf, offset, symbol);
}

/* The address of an offset, and the index of the offset. */
struct place {
	uint64_t address;
	size_t index;
};

struct search {
	const struct place *places;
	struct line_sink sink;
};

static void add_lines(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	const struct search *search = data;

	search->sink.add(search->sink.data, search->places[index].index, lines, nr);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return compare_u64(x->address, y->address);
}

/* The lines of the module; NULL: it has none. */
static struct source_lines *open_lines(const struct elf_module *module)
{
	char *debug_path = find_debug_file(module);
	struct source_lines *lines = NULL;
	struct err err = ERR_INIT;

	if (source_lines_open(module->path, debug_path, &lines, &err)) {
		lines = NULL;
		free(debug_path);
		debug_path = ask_debug_file(module);
	}
	if (!lines && debug_path && source_lines_open(debug_path, NULL, &lines, &err))
		lines = NULL;
	err_clear(&err);
	free(debug_path);
	return lines;
}

static void find_lines(const void *data, const uint64_t *offsets, size_t nr, struct helper *helper,
		       struct line_sink sink)
{
	const struct elf_module *module = data;
	struct place *places = xcalloc(nr + 1, sizeof(*places));
	uint64_t *addresses = xcalloc(nr + 1, sizeof(*addresses));
	struct search search = { places, sink };
	struct source_lines *lines = open_lines(module);
	size_t found = 0;

	for (size_t i = 0; lines && i < nr; i++) {
		places[found].index = i;
		if (elf_symbols_address(module->elf, offsets[i], &places[found].address))
			found++;
	}
	if (found)
		qsort(places, found, sizeof(*places), compare_places);
	for (size_t i = 0; i < found; i++)
		addresses[i] = places[i].address;
	if (lines)
		source_lines_find(lines, addresses, found, helper,
				  (struct line_sink){ &search, add_lines });
	source_lines_free(lines);
	free(addresses);
	free(places);
}

static void close_module(void *data)
{
	struct elf_module *module = data;

	elf_symbols_free(module->elf);
	free(module->debug_path);
	free(module->path);
	free(module);
}

static const struct symbol_file_ops ops = {
	.find = find,
	.find_lines = find_lines,
	.close = close_module,
};

static struct elf_module *add_module(struct symbol_file *file, const char *path,
				     struct elf_symbols *elf, struct debug_asker asker)
{
	struct elf_module *added = xcalloc(1, sizeof(*added));

	added->path = xstrdup(path);
	added->elf = elf;
	added->asker = asker;
	file->ops = &ops;
	file->data = added;
	return added;
}

static void set_flaw(struct symbol_file *file, enum symbol_flaw flaw, const char *why)
{
	file->why = xstrdup(why);
	file->flaw = flaw;
}

/* The symbols of the file; NULL, with the reason in `file`: they cannot be read. */
static struct elf_module *read_module(const struct module *module, const char *path,
				      struct debug_asker asker, struct symbol_file *file)
{
	struct elf_symbols *elf;
	struct elf_module *added;
	struct err err = ERR_INIT;

	if (elf_symbols_open(module, path, NULL, &elf, &err)) {
		set_flaw(file,
			 err.code == ERR_NOT_FOUND ? SYMBOL_FILE_MISSING : SYMBOL_FILE_UNREADABLE,
			 err.code == ERR_NOT_FOUND ? "no such file"
			 : err.code == ERR_CORRUPT ? "not an ELF file"
						   : "cannot be read");
		err_clear(&err);
		return NULL;
	}
	if (!elf) {
		set_flaw(file, SYMBOL_FILE_OTHER, OTHER_ID);
		return NULL;
	}
	added = add_module(file, path, elf, asker);
	if (!elf_symbols_has_table(elf))
		add_debug_file(added, module);
	return added;
}

void elf_module_open(const struct module *module, const char *path, const struct symbol_file *same,
		     struct debug_asker asker, struct symbol_file *file)
{
	const struct elf_module *added = same ? same->data : NULL;

	if (added && module->id_length && !has_id(added->elf, module)) {
		set_flaw(file, SYMBOL_FILE_OTHER, OTHER_ID);
		return;
	}
	if (!added)
		added = read_module(module, path, asker, file);
	if (!added)
		return;
	if (same) {
		file->ops = same->ops;
		file->data = same->data;
		file->shared = true;
	}
	file->elf_path = added->path;
	file->from = xstrdup(added->debug_path ? added->debug_path : added->path);
	if (!elf_symbols_nr(added->elf))
		set_flaw(file, SYMBOL_FILE_STRIPPED, "no symbols");
	else if (!module->id_length)
		set_flaw(file, SYMBOL_ID_MISSING,
			 "the trace has no build id for it: the file may be another version");
	else if (!elf_symbols_has_table(added->elf))
		file->flaw = SYMBOL_FILE_STRIPPED;
}

void elf_module_open_vdso(const struct module *module, const void *image, size_t size, bool same,
			  struct symbol_file *file)
{
	struct err err = ERR_INIT;
	struct elf_symbols *elf;

	if (!image || elf_symbols_open_image(image, size, &elf, &err)) {
		err_clear(&err);
	} else if (!(module->id_length ? has_id(elf, module) : same)) {
		elf_symbols_free(elf);
	} else {
		add_module(file, module->path, elf, (struct debug_asker){ .find = NULL });
		return;
	}
	set_flaw(file, SYMBOL_KERNEL_OTHER, "not that of the running kernel");
}

/* Whether all sections of the file are in it. */
static bool is_whole(const struct elf_file *file)
{
	size_t nr = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (elf_getshdrnum(file->elf, &nr) || !nr)
		return false;
	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			return false;
		if (shdr.sh_type != SHT_NOBITS && (shdr.sh_offset > file->map.size ||
						   shdr.sh_size > file->map.size - shdr.sh_offset))
			return false;
		nr--;
	}
	/* Number 0 is no section. */
	return nr <= 1;
}

bool elf_has_code(const char *path)
{
	struct elf_file file;
	struct err err = ERR_INIT;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	bool has = false;

	if (elf_file_open(path, &file, &err)) {
		err_clear(&err);
		return false;
	}
	while (!has && (scn = elf_nextscn(file.elf, scn)))
		has = gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_PROGBITS &&
		      (shdr.sh_flags & SHF_EXECINSTR);
	elf_file_close(&file);
	return has;
}

int elf_check_debug_file(const char *path, const uint8_t *id, size_t nr, struct err *err)
{
	struct elf_file file;
	int rc = 0;

	if (elf_file_open(path, &file, err)) {
		if (err->code == ERR_CORRUPT)
			err_set(err, ERR_CORRUPT, "it is not an ELF file");
		return -1;
	}
	if (!is_whole(&file))
		rc = err_set(err, ERR_CORRUPT, "it is truncated");
	else if (!elf_file_has_id(&file, id, nr))
		rc = err_set(err, ERR_CORRUPT, "its build id is another");
	elf_file_close(&file);
	return rc;
}
