/*
 * Symbol paths, as _NT_SYMBOL_PATH and `symbols --fetch` have them: elements separated by ';', in the order in which they
 * are searched. Each is a directory or URL, or has parts: "srv*...", "symsrv*DLL*...", which is the same, and "cache*...".
 * Prefixes are in any case.
 *
 * Definition: Microsoft, "Symbol path for Windows debuggers" and "Advanced SymSrv Use". Not supported: the debugger's own
 * directory, which an empty part stands for ("srv**URL"): such parts are left out.
 */
#ifndef SYMBOL_SYMBOL_PATH_H
#define SYMBOL_SYMBOL_PATH_H

#include <stddef.h>

enum symbol_path_kind {
	SYMBOL_PATH_DIR,     /* a directory of this machine that is only read */
	SYMBOL_PATH_CACHE,   /* one into which fetched files are put: see below */
	SYMBOL_PATH_URL,     /* a server of HTTP; without "/" at the end */
	SYMBOL_PATH_REMOTE,  /* elsewhere in another way: \\server\share, ftp://server */
	SYMBOL_PATH_UNKNOWN, /* a prefix that is not known; its parts are left out */
};

struct symbol_path_part {
	enum symbol_path_kind kind;
	char *text;
};

struct symbol_path {
	struct symbol_path_part *parts;
	size_t nr, alloc;
};

/*
 * A directory is a cache in "cache*DIR", and where a URL follows it in its element, "srv*DIR*URL". "srv*DIR" is a store
 * that may be another's: nothing is written there. NULL has no parts.
 */
void symbol_path_parse(struct symbol_path *path, const char *text);
void symbol_path_release(struct symbol_path *path);

#endif
