#include "symbol/symbol_path.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/url.h"

static void add(struct symbol_path *path, enum symbol_path_kind kind, const char *text, size_t len)
{
	ARRAY_ADD(path->parts, path->nr, path->alloc,
		  (struct symbol_path_part){ kind, xstrndup(text, len) });
}

static void add_part(struct symbol_path *path, const char *text, enum symbol_path_kind dir)
{
	size_t len = strlen(text);

	if (!len)
		return;
	if (url_is_http(text)) {
		while (text[len - 1] == '/')
			len--;
		add(path, SYMBOL_PATH_URL, text, len);
	} else if (!text_is_local_path(text)) {
		add(path, SYMBOL_PATH_REMOTE, text, len);
	} else {
		add(path, dir, text, len);
	}
}

/* The directories before a URL in an element, whose parts begin at `first`, are its caches. */
static void mark_caches(struct symbol_path *path, size_t first)
{
	size_t end = path->nr;

	while (end > first && path->parts[end - 1].kind != SYMBOL_PATH_URL)
		end--;
	for (size_t i = first; i < end; i++) {
		if (path->parts[i].kind == SYMBOL_PATH_DIR)
			path->parts[i].kind = SYMBOL_PATH_CACHE;
	}
}

static void add_element(struct symbol_path *path, char *element)
{
	char *next = strchr(element, '*'), *part;
	size_t first = path->nr;
	bool cache, dll;

	if (!next) {
		add_part(path, element, SYMBOL_PATH_DIR);
		return;
	}
	*next++ = '\0';
	cache = text_equal_fold(element, "cache");
	dll = text_equal_fold(element, "symsrv");
	if (!cache && !dll && !text_equal_fold(element, "srv")) {
		add(path, SYMBOL_PATH_UNKNOWN, element, strlen(element));
		return;
	}
	/* The second part of "symsrv*DLL*..." is the name of a program. */
	if (dll) {
		next = strchr(next, '*');
		next = next ? next + 1 : NULL;
	}
	for (part = next; part; part = next) {
		next = strchr(part, '*');
		if (next)
			*next++ = '\0';
		add_part(path, part, cache ? SYMBOL_PATH_CACHE : SYMBOL_PATH_DIR);
	}
	mark_caches(path, first);
}

void symbol_path_parse(struct symbol_path *path, const char *text)
{
	*path = (struct symbol_path){ 0 };
	while (text && *text) {
		size_t len = strcspn(text, ";");
		char *element = xstrndup(text, len);

		add_element(path, element);
		free(element);
		text += len + (text[len] == ';');
	}
}

void symbol_path_release(struct symbol_path *path)
{
	for (size_t i = 0; i < path->nr; i++)
		free(path->parts[i].text);
	free(path->parts);
	*path = (struct symbol_path){ 0 };
}
