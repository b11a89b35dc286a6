/*
 * The directory of this user for symbol files that were fetched from servers. It has the layout of a symbol store, and for
 * debug files that of /usr/lib/debug: id_file.h.
 */
#ifndef SYMBOL_SYMBOL_CACHE_H
#define SYMBOL_SYMBOL_CACHE_H

/* Its path, whether it exists or not; NULL: this user has none. The caller frees it. */
char *symbol_cache_dir(void);

#endif
