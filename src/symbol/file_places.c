#include "symbol/file_places.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "platform/program.h"
#include "platform/thread.h"
#include "platform/traced_path.h"
#include "symbol/elf/elf_module.h"
#include "symbol/id_file.h"
#include "symbol/pdb/pdb_module.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/text.h"

struct file_places {
	struct run_files run;
	struct pdb_search pdbs;
	struct pdb_search users; /* the directories of _NT_SYMBOL_PATH alone */
	char *symfs;
	struct strvec caches;
	struct debug_fetcher *fetcher;
	struct monitor *monitor; /* protects `asked` */
	struct strvec asked;     /* paths that ask() has returned */
};

struct file_places *file_places_new(const struct place_options *options)
{
	struct file_places *places = xcalloc(1, sizeof(*places));
	char *symbol_path = env_get("_NT_SYMBOL_PATH");

	places->run = options->run;
	places->symfs = xstrdup_or_null(options->symfs);
	places->caches = (struct strvec)STRVEC_INIT;
	if (options->caches)
		strvec_push_all(&places->caches, options->caches);
	places->fetcher = options->fetcher;
	places->monitor = monitor_new();
	places->asked = (struct strvec)STRVEC_INIT;
	pdb_search_init(&places->pdbs, options->dirs, options->traced_dirs, symbol_path);
	pdb_search_init(&places->users, NULL, NULL, symbol_path);
	free(symbol_path);
	return places;
}

void file_places_free(struct file_places *places)
{
	if (!places)
		return;
	pdb_search_release(&places->pdbs);
	pdb_search_release(&places->users);
	monitor_free(places->monitor);
	strvec_release(&places->asked);
	free(places->symfs);
	strvec_release(&places->caches);
	free(places);
}

/* Returns the path if there is something; else frees it. */
static char *if_exists(char *path)
{
	if (fs_exists(path))
		return path;
	free(path);
	return NULL;
}

static char *find_in_symfs(const char *symfs, const struct module *module)
{
	char *found = NULL;

	if (module->id_length > 1) {
		struct strbuf path = STRBUF_INIT;

		strbuf_addf(&path, "%s/.build-id/%02x/", symfs, module->id[0]);
		text_add_hex(&path, module->id + 1, module->id_length - 1);
		found = if_exists(strbuf_detach(&path));
	}
	/* ".." in a path of the trace would lead out of the directory. */
	if (!found && !strstr(module->path, "/.."))
		found = if_exists(xasprintf("%s%s", symfs, module->path));
	if (!found)
		found = if_exists(fs_join(symfs, text_file_name(module->path)));
	return found;
}

char *file_places_elf(const struct file_places *places, const struct module *module)
{
	char *found = NULL;

	if (!traced_path_is_plain(module->path))
		return NULL;
	if (places->symfs)
		found = find_in_symfs(places->symfs, module);
	return found ? found : xstrdup(module->path);
}

/* The path of a module's file in a cache, checked, which the caller frees; NULL: it is not there. */
static char *find_in_cache(const struct file_places *places, const struct module *module)
{
	char *name = id_file_name(module), *found = NULL;

	for (size_t i = 0; name && i < places->caches.nr && !found; i++) {
		struct err err = ERR_INIT;

		found = if_exists(fs_join(places->caches.v[i], name));
		if (found && id_file_check(found, module, &err)) {
			free(found);
			found = NULL;
		}
		err_clear(&err);
	}
	free(name);
	return found;
}

/* For struct debug_asker: what was fetched before, else what a server has. */
static const char *ask(void *data, const char *path, const uint8_t *id, size_t nr)
{
	struct file_places *places = data;
	struct debug_fetcher *fetcher = places->fetcher;
	struct module module = { .kind = MODULE_FILE, .path = (char *)(uintptr_t)path };
	char *found = NULL;

	if (nr <= sizeof(module.id)) {
		memcpy(module.id, id, nr);
		module.id_length = (uint8_t)nr;
		found = find_in_cache(places, &module);
	}
	if (!found)
		return fetcher ? debug_fetcher_find(fetcher, path, id, nr) : NULL;
	monitor_enter(places->monitor);
	strvec_push_nodup(&places->asked, found);
	monitor_leave(places->monitor);
	return found;
}

/* There may be a better file elsewhere. */
static void forget_failure(struct symbol_file *file)
{
	free(file->why);
	free(file->from);
	file->why = file->from = NULL;
	file->flaw = SYMBOL_FLAW_NONE;
}

/* Use the file of a module that the run has, if it is the traced one. */
static bool open_in_run(const struct file_places *places, const struct module *module,
			const char *name, struct symbol_file *file)
{
	struct debug_asker none = { NULL, NULL };
	char *path = places->run.find(places->run.data, name);

	if (path && id_file_is_pdb(module)) {
		pdb_module_open_at(module, path, file);
	} else if (path && elf_has_code(path)) {
		elf_module_open(module, path, NULL, none, file);
		file->names_only = file->ops != NULL;
		file->elf_path = NULL;
	}
	free(path);
	if (!file->ops) {
		forget_failure(file);
		return false;
	}
	free(file->from);
	file->from = xstrdup("run");
	return true;
}

/* A run of an earlier version, or one that somebody has added files to, has PDBs as a symbol path has them. */
static bool open_of_run(const struct file_places *places, const struct module *module,
			struct symbol_file *file)
{
	char *name = places->run.find ? id_file_name(module) : NULL, *below_pdb;
	bool found = false;

	if (!name)
		return false;
	below_pdb = xasprintf("pdb/%s", name);
	if (!id_file_is_pdb(module))
		found = open_in_run(places, module, name, file);
	else
		found = open_in_run(places, module, below_pdb, file) ||
			open_in_run(places, module, name, file) ||
			open_in_run(places, module, id_file_pdb_name(module), file);
	free(below_pdb);
	free(name);
	return found;
}

void file_places_open(struct file_places *places, const struct module *module, bool kept,
		      const struct symbol_file *same, struct symbol_file *file)
{
	struct debug_asker asker = { places, ask };
	char *path;

	if (!kept && open_of_run(places, module, file))
		return;
	if (id_file_is_pdb(module)) {
		pdb_module_open(module, &places->pdbs, file);
		return;
	}
	path = file_places_elf(places, module);
	if (path) {
		elf_module_open(module, path, same, asker, file);
	} else {
		file->flaw = SYMBOL_FILE_REFUSED;
		file->why = xstrdup("not opened: the path is relative, or leads to /proc, /sys, "
				    "/dev, an automount or another machine");
	}
	free(path);
}

/* A debug file needs the module's own file, which has the places of its code. */
static void open_fetched(struct file_places *places, const struct module *module,
			 struct symbol_file *file)
{
	struct debug_asker asker = { places, ask };
	char *path = file_places_elf(places, module);

	if (path)
		elf_module_open(module, path, NULL, asker, file);
	free(path);
	if (!file->ops)
		forget_failure(file);
}

/* Open the PDB in the first of some symbol stores that has it. */
static void open_stored_pdb(const struct strvec *stores, const struct module *module,
			    struct symbol_file *file)
{
	char *name = id_file_name(module);

	for (size_t i = 0; name && i < stores->nr && !file->ops; i++) {
		char *path = fs_join(stores->v[i], name);

		pdb_module_open_at(module, path, file);
		free(path);
	}
	free(name);
}

bool file_places_open_kept(struct file_places *places, const struct module *module, bool kept,
			   struct symbol_file *file)
{
	char *cached;

	if (!kept && open_of_run(places, module, file))
		return true;
	if (id_file_is_pdb(module)) {
		open_stored_pdb(&places->caches, module, file);
		if (!file->ops)
			open_stored_pdb(&places->users.dirs, module, file);
		return file->ops != NULL;
	}
	cached = find_in_cache(places, module);
	if (cached)
		open_fetched(places, module, file);
	free(cached);
	return file->ops != NULL;
}
