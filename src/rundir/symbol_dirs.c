#include "rundir/symbol_dirs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/ascii.h"
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

/* On its drive or, as on Linux, from the root on. What a tool makes of others depends on where it runs, and on blanks. */
static bool is_absolute(const char *dir)
{
	if (ascii_is_letter_or_digit(dir[0]) && !ascii_is_digit(dir[0]) && dir[1] == ':')
		dir += 2;
	return *dir == '/' || *dir == '\\';
}

enum symbol_dir_kind symbol_dir_kind(const char *dir)
{
	for (const char *s = dir; *s; s++) {
		if ((unsigned char)*s < ' ' || strchr("\"<>|", *s))
			return SYMBOL_DIR_NONE;
	}
	/* '*' as in srv*SERVER; after a ';' comes another part. */
	return is_absolute(dir) && text_is_local_path(dir) && !strpbrk(dir, "*;")
		       ? SYMBOL_DIR_LOCAL
		       : SYMBOL_DIR_OTHER;
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

/* Append a directory, unless it is the root of a file system. */
static void add_place(struct strvec *dirs, char *dir)
{
	size_t parts = 0;

	for (const char *c = dir; c && *c; c++)
		parts += (*c == '/' || *c == '\\') && c[1] && c[1] != '/' && c[1] != '\\';
	if (parts && dirs->nr < DIRS_MAX && !has(dirs, dir))
		strvec_push(dirs, dir);
	free(dir);
}

static void add_program(struct build_places *places, const struct process *process)
{
	char *dir = process->exe ? dir_of(process->exe) : NULL;

	switch (process->tag.role) {
	case ROLE_RUSTC:
	case ROLE_RUSTDOC:
		/* bin/rustc; its libraries are in lib/, or in bin/ too. */
		if (dir)
			add_place(&places->sysroots, dir_of(dir));
		break;
	case ROLE_RUSTC_SHIM:
	case ROLE_BOOTSTRAP:
	case ROLE_BUILD_SCRIPT:
		add_place(&places->dirs, dir);
		return;
	case ROLE_CARGO:
		add_place(&places->sysroots, dir ? dir_of(dir) : NULL);
		break;
	default:
		break;
	}
	free(dir);
}

void build_places_add(struct build_places *places, const struct process_list *processes,
		      const char *source)
{
	if (!source && processes->nr)
		source = processes->v[0]->cwd;
	add_place(&places->dirs, xstrdup_or_null(source));
	for (size_t i = 0; i < processes->nr; i++)
		add_program(places, processes->v[i]);
}

void build_places_release(struct build_places *places)
{
	strvec_release(&places->dirs);
	strvec_release(&places->sysroots);
}

static char plain(char c)
{
	if (c == '\\')
		return '/';
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* Without case, as Windows writes one path in several ways. */
static bool is_below(const char *path, const char *dir)
{
	for (; *dir; dir++, path++) {
		if (plain(*path) != plain(*dir))
			return false;
	}
	return plain(*path) == '/' || plain(dir[-1]) == '/';
}

static bool is_below_any(const char *path, const struct strvec *dirs)
{
	for (size_t i = 0; i < dirs->nr; i++) {
		if (is_below(path, dirs->v[i]))
			return true;
	}
	return false;
}

/* The compiler of a distribution is in directories with files of other programs. */
static bool is_rusts(const char *name)
{
	static const char *const globs[] = { "rust*",     "*rustc_driver-*", "cargo*",
					     "std-*",     "libstd-*",        "test-*",
					     "libtest-*", "LLVM*",           "libLLVM*-rust-*" };

	for (size_t i = 0; i < ARRAY_SIZE(globs); i++) {
		if (text_glob(globs[i], name, false))
			return true;
	}
	return false;
}

bool build_places_has(const struct build_places *places, const char *path)
{
	return is_below_any(path, &places->dirs) ||
	       (is_rusts(text_file_name(path)) && is_below_any(path, &places->sysroots));
}
