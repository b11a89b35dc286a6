#include "rundir/symbol_dirs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* build/host is bootstrap's link to the directory of the machine's triple. */
#define STAGE1_BIN "build/host/stage1/bin"

#define DIRS_MAX 64 /* a build has some five; each is searched for each PDB */

/* The directory of a path, with the separators of any system. */
static char *dir_of(const char *path)
{
	size_t len = strlen(path);

	while (len && path[len - 1] != '/' && path[len - 1] != '\\')
		len--;
	return len > 1 ? xstrndup(path, len - 1) : NULL;
}

static bool has(const struct strvec *dirs, const char *dir)
{
	for (size_t i = 0; i < dirs->nr; i++) {
		if (!strcmp(dirs->v[i], dir))
			return true;
	}
	return false;
}

enum symbol_dir_kind symbol_dir_kind(const char *dir)
{
	for (const char *s = dir; *s; s++) {
		if ((unsigned char)*s < ' ' || strchr("\"<>|", *s))
			return SYMBOL_DIR_NONE;
	}
	/* '*' as in srv*SERVER; after a ';' comes another part. */
	return text_is_local_path(dir) && !strpbrk(dir, "*;") ? SYMBOL_DIR_LOCAL : SYMBOL_DIR_OTHER;
}

void symbol_dirs_add(const struct process_list *processes, const char *source, struct strvec *dirs)
{
	size_t before = dirs->nr;

	for (size_t i = 0; i < processes->nr && dirs->nr < before + DIRS_MAX; i++) {
		const struct process *process = processes->v[i];
		bool compiler =
			process->tag.role == ROLE_RUSTC || process->tag.role == ROLE_RUSTDOC;
		char *dir = compiler && process->exe ? dir_of(process->exe) : NULL;

		if (dir && !has(dirs, dir))
			strvec_push(dirs, dir);
		free(dir);
	}
	if (dirs->nr == before && source)
		strvec_pushf(dirs, "%s/%s", source, STAGE1_BIN);
}
