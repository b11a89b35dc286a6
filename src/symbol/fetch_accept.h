/*
 * Takes a fetched file into the cache: it is checked, a cabinet is unpacked, and it gets its name.
 */
#ifndef SYMBOL_FETCH_ACCEPT_H
#define SYMBOL_FETCH_ACCEPT_H

#include "model/module.h"
#include "symbol/fetch_part.h"
#include "util/err.h"

/*
 * Give a part that has arrived its name, `name` below the cache, if it is the file of the module or a cabinet with it.
 * ERR_CORRUPT: it is not; or the errors of cabinet_unpack(), of fetch_part_write() and of below_rename().
 */
int fetch_accept(const struct fetch_part *part, const struct module *module, const char *name,
		 struct err *err);

#endif
