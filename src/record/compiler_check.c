#include "record/compiler_check.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file_map.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/text.h"

#define MIN_FUNCTIONS 50
#define SAMPLE_LIMIT  5000

/* What the ELF file of a compiler shows. */
struct compiler_file {
	bool symbols;                         /* .symtab */
	bool lines;                           /* .debug_line */
	size_t functions, with_frame_pointer; /* of a sample of its symbols */
};

/* push %rbp; mov %rsp,%rbp (x86-64), or stp x29, x30, [sp, ...] (arm64) within the first instructions. */
static bool sets_frame_pointer(const unsigned char *code, size_t len, int machine)
{
	for (size_t i = 0; machine == EM_X86_64 && i + 4 <= len && i < 24; i++) {
		if (code[i] == 0x55 && !memcmp(code + i + 1, "\x48\x89\xe5", 3))
			return true;
	}
	for (size_t i = 0; machine == EM_AARCH64 && i + 4 <= len && i < 24; i += 4) {
		/* bits 31..22 of a pre-index or offset pair store, registers 29 and 30 */
		if ((code[i] & 0x1f) == 29 && (code[i + 1] & 0x7c) == 0x78 &&
		    (code[i + 3] & 0xfe) == 0xa8)
			return true;
	}
	return false;
}

static void sample_function(Elf *elf, const GElf_Sym *sym, int machine, struct compiler_file *file)
{
	Elf_Scn *section = elf_getscn(elf, sym->st_shndx);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	GElf_Shdr header;
	uint64_t at;

	/* Short functions need no frame. */
	if (!data || !data->d_buf || !gelf_getshdr(section, &header) || sym->st_size < 256 ||
	    sym->st_value < header.sh_addr)
		return;
	at = sym->st_value - header.sh_addr;
	if (at >= data->d_size || data->d_size - at < 32)
		return;
	file->functions++;
	file->with_frame_pointer +=
		sets_frame_pointer((unsigned char *)data->d_buf + at, 32, machine);
}

static void sample_symbols(Elf *elf, Elf_Scn *section, int machine, struct compiler_file *file)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Sym sym;
	size_t count, step;

	if (!data || !gelf_getshdr(section, &header) || !header.sh_entsize)
		return;
	count = data->d_size / header.sh_entsize;
	step = count / SAMPLE_LIMIT + 1;
	for (size_t i = 0; i < count; i += step) {
		if (gelf_getsym(data, (int)i, &sym) && GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
		    sym.st_shndx != SHN_UNDEF && sym.st_shndx < SHN_LORESERVE)
			sample_function(elf, &sym, machine, file);
	}
}

static void read_sections(Elf *elf, struct compiler_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr elf_header;
	GElf_Shdr header;
	size_t names;

	if (!gelf_getehdr(elf, &elf_header) || elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && strstr(name, "debug_line"))
			file->lines = true;
		if (header.sh_type == SHT_SYMTAB) {
			file->symbols = true;
			sample_symbols(elf, section, elf_header.e_machine, file);
		}
	}
}

static bool read_compiler(const char *path, struct compiler_file *result)
{
	struct err err = ERR_INIT;
	struct file_map map;
	Elf *elf = NULL;

	memset(result, 0, sizeof(*result));
	if (elf_version(EV_CURRENT) == EV_NONE || file_map_open(path, &map, &err)) {
		err_clear(&err);
		return false;
	}
	if (map.data)
		elf = elf_memory(map.data, map.size);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		read_sections(elf, result);
	elf_end(elf);
	file_map_close(&map);
	return elf != NULL;
}

/* The value of KEY in KEY=VALUE pairs, quotes of TOML dropped. The caller frees it; NULL where there is none. */
static char *find_set(const struct strvec *set, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < set->nr; i++) {
		const char *value = set->v[i] + len + 1;

		if (strncmp(set->v[i], key, len) || set->v[i][len] != '=')
			continue;
		if (*value == '"' && value[1] && text_ends_with(value + 1, "\""))
			return xstrndup(value + 1, strlen(value) - 2);
		return xstrdup(value);
	}
	return NULL;
}

/* build/<host>/stage1 with a bin/rustc in it, the host being any; NULL where there is none. */
static char *find_stage1(const char *build_dir)
{
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;
	char *found = NULL;

	if (!fs_is_dir(build_dir) || fs_list(build_dir, &names, &err))
		err_clear(&err);
	for (size_t i = 0; i < names.nr && !found; i++) {
		char *rustc = xasprintf("%s/%s/stage1/bin/rustc", build_dir, names.v[i]);

		if (strcmp(names.v[i], "host") && fs_is_executable(rustc))
			found = xasprintf("%s/%s/stage1", build_dir, names.v[i]);
		free(rustc);
	}
	strvec_release(&names);
	return found;
}

/*
 * Nearly all of the compiler is in librustc_driver; a wrapper has only its own file. A link to another compiler's
 * may lie beside the one that was built.
 */
static char *find_driver(const char *stage1)
{
	char *lib = fs_join(stage1, "lib"), *found = NULL;
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;

	if (!fs_is_dir(lib) || fs_list(lib, &names, &err))
		err_clear(&err);
	for (size_t i = 0; i < names.nr; i++) {
		char *path = fs_join(lib, names.v[i]);

		if (text_starts_with(names.v[i], "librustc_driver-") &&
		    text_ends_with(names.v[i], ".so") && (!found || fs_is_link(found))) {
			free(found);
			found = path;
		} else {
			free(path);
		}
	}
	strvec_release(&names);
	free(lib);
	return found ? found : fs_join(stage1, "bin/rustc");
}

static void report_compiler(const char *path, const struct compiler_file *file,
			    struct finding_list *findings)
{
	if (!file->symbols)
		finding_add(
			findings, FINDING_WARNING, "its functions will have no names",
			"build stage 1 again with rust.debuginfo-level = 1 and without stripping",
			"the stage 1 compiler has no symbols: %s", path);
	else if (!file->lines)
		finding_add(findings, FINDING_WARNING,
			    "stacks will have no lines and no inlined functions",
			    "build stage 1 again with rust.debuginfo-level = 1",
			    "the stage 1 compiler has no line information: %s", path);
	if (file->functions >= MIN_FUNCTIONS && file->with_frame_pointer * 2 < file->functions)
		finding_add(findings, FINDING_WARNING, "most stacks will stop after a few frames",
			    "build stage 1 again with rust.frame-pointers = true, or set "
			    "cpu-stacks = dwarf",
			    "only %zu of %zu functions of the stage 1 compiler that were looked at "
			    "set up a "
			    "frame pointer: %s",
			    file->with_frame_pointer, file->functions, path);
	else if (file->symbols && file->lines)
		finding_add(findings, FINDING_OK, NULL, NULL,
			    "the stage 1 compiler has symbols, lines and frame pointers");
}

void compiler_check(const char *source, const struct strvec *set, struct finding_list *findings)
{
	char *build = find_set(set, "build.build-dir");
	char *build_dir = fs_join(source, build ? build : "build");
	char *stage1 = find_stage1(build_dir);
	struct compiler_file file;

	if (!stage1) {
		finding_add(findings, FINDING_ERROR, "stage 2 is built by it",
			    "leave out --skip-stage1", "there is no stage 1 compiler below %s",
			    build_dir);
	} else {
		char *driver = find_driver(stage1);

		if (read_compiler(driver, &file))
			report_compiler(driver, &file, findings);
		else
			finding_add(findings, FINDING_WARNING, "its stacks may have no names",
				    "build stage 1 again",
				    "the stage 1 compiler cannot be read: %s", driver);
		free(driver);
	}
	free(stage1);
	free(build_dir);
	free(build);
}
