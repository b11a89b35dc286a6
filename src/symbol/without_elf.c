/*
 * The build for a system without libelf and libdw has this in place of elf_*.c, debug_files.c, source_lines.c and
 * cfi*.c: programs there are not ELF files, and what is shown of a Linux recording is in the run's symbols/.
 */
#include "platform/fs.h"
#include "symbol/cfi.h"
#include "symbol/debug_files.h"
#include "symbol/elf_symbols.h"
#include "symbol/source_lines.h"

static int refuse(const char *path, struct err *err)
{
	if (!fs_exists(path))
		return err_set(err, ERR_NOT_FOUND, "no such file '%s'", path);
	return err_set(err, ERR_UNSUPPORTED, "ELF files are not read on this system");
}

int elf_symbols_open(const char *path, const char *debug_path, struct elf_symbols **symbols,
		     struct err *err)
{
	(void)debug_path;
	(void)symbols;
	return refuse(path, err);
}

int elf_symbols_open_image(const void *image, size_t size, struct elf_symbols **symbols,
			   struct err *err)
{
	(void)image;
	(void)size;
	(void)symbols;
	return err_set(err, ERR_UNSUPPORTED, "ELF images are not read on this system");
}

/* Nothing was opened, so all that follows is never asked of anything. */

void elf_symbols_free(struct elf_symbols *symbols)
{
	(void)symbols;
}

void elf_symbols_id(const struct elf_symbols *symbols, const uint8_t **id, size_t *nr)
{
	(void)symbols;
	*id = NULL;
	*nr = 0;
}

const char *elf_symbols_debuglink(const struct elf_symbols *symbols, uint32_t *crc)
{
	(void)symbols;
	(void)crc;
	return NULL;
}

bool elf_symbols_address(const struct elf_symbols *symbols, uint64_t offset, uint64_t *address)
{
	(void)symbols;
	(void)offset;
	(void)address;
	return false;
}

bool elf_symbols_has_table(const struct elf_symbols *symbols)
{
	(void)symbols;
	return false;
}

size_t elf_symbols_nr(const struct elf_symbols *symbols)
{
	(void)symbols;
	return 0;
}

bool elf_symbols_find(const struct elf_symbols *symbols, uint64_t offset, struct symbol *symbol)
{
	(void)symbols;
	(void)offset;
	(void)symbol;
	return false;
}

char *debug_file_find(const char *root, const struct debug_want *want)
{
	(void)root;
	(void)want;
	return NULL;
}

int source_lines_open(const char *path, const char *debug_path, struct source_lines **lines,
		      struct err *err)
{
	(void)debug_path;
	(void)lines;
	return refuse(path, err);
}

void source_lines_free(struct source_lines *lines)
{
	(void)lines;
}

void source_lines_find(struct source_lines *lines, const uint64_t *addresses, size_t nr,
		       int threads, struct source_lines_taker taker)
{
	(void)lines;
	(void)addresses;
	(void)nr;
	(void)threads;
	(void)taker;
}

int cfi_open(const char *path, struct cfi **cfi, struct err *err)
{
	(void)cfi;
	return refuse(path, err);
}

void cfi_free(struct cfi *cfi)
{
	(void)cfi;
}

const struct unwind_arch *cfi_arch(const struct cfi *cfi)
{
	(void)cfi;
	return NULL;
}

const struct cfi_rule *cfi_find(struct cfi *cfi, uint64_t offset)
{
	static const struct cfi_rule none = { .cfa = { .kind = CFI_UNDEFINED } };

	(void)cfi;
	(void)offset;
	return &none;
}

enum cfi_result cfi_evaluate(const void *ops, size_t nr, const struct unwind_registers *registers,
			     const struct unwind_memory *memory, uint64_t cfa, uint64_t *result)
{
	(void)ops;
	(void)nr;
	(void)registers;
	(void)memory;
	(void)cfa;
	(void)result;
	return CFI_NO_VALUE;
}
