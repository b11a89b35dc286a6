#include "symbol/pdb/pdb_search.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "symbol/pdb/pdb_msf.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

/* Whether it is a path on this machine: no URL, no share. */
static bool is_local(const char *path)
{
	return *path && !strstr(path, "://") && !(is_separator(path[0]) && is_separator(path[1]));
}

static bool is_absolute(const char *path)
{
	return is_separator(path[0]) || (path[0] && path[1] == ':' && is_separator(path[2]));
}

static void add_dir(struct pdb_search *search, const char *dir)
{
	if (!is_local(dir))
		return;
	for (size_t i = 0; i < search->dirs.nr; i++) {
		if (!strcmp(search->dirs.v[i], dir))
			return;
	}
	strvec_push(&search->dirs, dir);
}

/* Add the folders in one element of a symbol path. */
static void add_element(struct pdb_search *search, const char *element, size_t len)
{
	static const char *const kinds[] = { "srv", "symsrv", "cache" };
	char *copy = xstrndup(element, len), *part = copy, *next;
	size_t words = 0;

	next = strchr(part, '*');
	if (next) {
		*next++ = '\0';
		for (size_t i = 0; i < ARRAY_SIZE(kinds) && !words; i++)
			words = text_equal_fold(part, kinds[i]) ? 1 + (i == 1) : 0;
		/* Elements with another prefix are not paths either. */
		if (!words)
			next = NULL;
		part = next;
	}
	/* The second part of "symsrv*DLL*..." is the name of a program. */
	for (; part; part = next) {
		next = strchr(part, '*');
		if (next)
			*next++ = '\0';
		if (words == 2)
			words = 1;
		else
			add_dir(search, part);
	}
	free(copy);
}

void pdb_search_init(struct pdb_search *search, const struct strvec *dirs, const char *symbol_path)
{
	*search = (struct pdb_search){ .dirs = STRVEC_INIT };
	for (size_t i = 0; dirs && i < dirs->nr; i++)
		add_dir(search, dirs->v[i]);
	while (symbol_path && *symbol_path) {
		size_t len = strcspn(symbol_path, ";");

		add_element(search, symbol_path, len);
		symbol_path += len + (symbol_path[len] == ';');
	}
}

void pdb_search_release(struct pdb_search *search)
{
	strvec_release(&search->dirs);
}

char *pdb_store_name(const uint8_t *id)
{
	return xasprintf("%08X%04X%04X%02X%02X%02X%02X%02X%02X%02X%02X%X", le_get32(id),
			 le_get16(id + 4), le_get16(id + 6), id[8], id[9], id[10], id[11], id[12],
			 id[13], id[14], id[15], le_get32(id + 16));
}

/* Debuggers write GUID and age in capital letters, PerfView in small ones: both are tried if file names are case-sensitive. */
static char *in_small_letters(const char *name)
{
	char *small = xstrdup(name);

	for (char *c = small; *c; c++) {
		if (*c >= 'A' && *c <= 'F')
			*c += 'a' - 'A';
	}
	return small;
}

void pdb_search_add(const struct pdb_search *search, const char *image_path, const char *debug_path,
		    const uint8_t *id, struct strvec *paths)
{
	const char *name = text_file_name(debug_path), *image = text_file_name(image_path);
	char *store, *small;

	if (!*name || strchr(name, ':'))
		return;
	store = pdb_store_name(id);
	small = in_small_letters(store);
	if (is_absolute(image_path) && is_local(image_path))
		strvec_pushf(paths, "%.*s%s", (int)(image - image_path), image_path, name);
	if (is_absolute(debug_path) && is_local(debug_path))
		strvec_push(paths, debug_path);
	for (size_t i = 0; i < search->dirs.nr; i++) {
		const char *dir = search->dirs.v[i];

		strvec_push_nodup(paths, fs_join(dir, name));
		strvec_pushf(paths, "%s/%s/%s/%s", dir, name, store, name);
		strvec_pushf(paths, "%s/%s/%s/%s", dir, name, small, name);
	}
	free(small);
	free(store);
}
