#include "symbol/id_file.h"

#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "symbol/elf/elf_module.h"
#include "symbol/pdb/pdb_file.h"
#include "util/strbuf.h"
#include "util/text.h"

#define NAME_BYTES_MAX 200

bool id_file_is_pdb(const struct module *module)
{
	return module->debug_path != NULL;
}

/* The name is a stranger's: it must be one of a file on any system, and stay in its directory. */
static bool is_safe(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > NAME_BYTES_MAX || name[0] == '.' || name[len - 1] == '.' ||
	    name[len - 1] == ' ')
		return false;
	for (const char *c = name; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f || strchr("/\\:*?\"<>|;%", *c))
			return false;
	}
	return true;
}

const char *id_file_pdb_name(const struct module *module)
{
	const char *name = text_file_name(module->debug_path);

	return is_safe(name) ? name : NULL;
}

char *id_file_name(const struct module *module)
{
	struct strbuf path = STRBUF_INIT;
	const char *name;
	char *id;

	if (id_file_is_pdb(module)) {
		name = id_file_pdb_name(module);
		if (!name || module->id_length != PDB_ID_BYTES)
			return NULL;
		id = module_symbol_id(module->id);
		strbuf_addf(&path, "%s/%s/%s", name, id, name);
		free(id);
		return strbuf_detach(&path);
	}
	if (module->kind != MODULE_FILE || module->id_length < 2)
		return NULL;
	strbuf_addf(&path, ".build-id/%02x/", module->id[0]);
	text_add_hex(&path, module->id + 1, module->id_length - 1);
	strbuf_adds(&path, ".debug");
	return strbuf_detach(&path);
}

/* Whether it is shorter than its first page says. */
static bool is_truncated(const char *path)
{
	struct err ignored = ERR_INIT;
	struct file_at *file;
	char head[PDB_MSF_HEAD];
	bool is;

	if (file_at_open(path, &file, &ignored)) {
		err_clear(&ignored);
		return false;
	}
	is = file_at_read(file, 0, head, sizeof(head), &ignored) == sizeof(head) &&
	     file_at_size(file) < pdb_msf_head_size(head);
	file_at_close(file);
	err_clear(&ignored);
	return is;
}

static int check_pdb(const char *path, const struct module *module, struct err *err)
{
	struct pdb_file *file;
	char *other;
	int rc = 0;

	if (is_truncated(path))
		return err_set(err, ERR_CORRUPT, "it is truncated");
	if (pdb_file_open(path, &file, err))
		return -1;
	if (!module_id_equal(file->id, PDB_ID_BYTES, module->id, module->id_length)) {
		other = module_symbol_id(file->id);
		rc = err_set(err, ERR_CORRUPT, "its GUID and age are others: %s", other);
		free(other);
	}
	pdb_file_free(file);
	return rc;
}

int id_file_check(const char *path, const struct module *module, struct err *err)
{
	return id_file_is_pdb(module)
		       ? check_pdb(path, module, err)
		       : elf_check_debug_file(path, module->id, module->id_length, err);
}
