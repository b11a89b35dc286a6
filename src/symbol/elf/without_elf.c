/*
 * Replaces the other files of this directory on a system without libelf and libdw: programs there are not ELF files, and
 * the names of a Linux recording are in the run's symbols/.
 */
#include "platform/fs.h"
#include "symbol/elf/cfi.h"
#include "symbol/elf/elf_module.h"
#include "util/alloc.h"

void elf_module_open(const struct module *module, const char *path, const struct symbol_file *same,
		     struct debug_asker asker, struct symbol_file *file)
{
	(void)module;
	(void)same;
	(void)asker;
	file->flaw = fs_exists(path) ? SYMBOL_FILE_UNREADABLE : SYMBOL_FILE_MISSING;
	file->why = xstrdup(file->flaw == SYMBOL_FILE_MISSING
				    ? "no such file"
				    : "ELF files are not read on this system");
}

void elf_module_open_vdso(const struct module *module, const void *image, size_t size, bool same,
			  struct symbol_file *file)
{
	(void)module;
	(void)image;
	(void)size;
	(void)same;
	file->flaw = SYMBOL_KERNEL_OTHER;
	file->why = xstrdup("not that of the running kernel");
}

bool elf_has_code(const char *path)
{
	(void)path;
	return false;
}

int elf_check_debug_file(const char *path, const uint8_t *id, size_t nr, struct err *err)
{
	(void)id;
	(void)nr;
	return err_set(err, ERR_UNSUPPORTED,
		       "cannot check '%s': ELF files are not read on this system", path);
}

int cfi_open(const char *path, struct cfi **cfi, struct err *err)
{
	(void)cfi;
	if (!fs_exists(path))
		return err_set(err, ERR_NOT_FOUND, "no such file '%s'", path);
	return err_set(err, ERR_UNSUPPORTED, "ELF files are not read on this system");
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
