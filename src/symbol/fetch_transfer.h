/*
 * Fetches one file from a URL into the cache. What an answer that was cut has brought stays in a .part file, and the next
 * one goes on from its end.
 */
#ifndef SYMBOL_FETCH_TRANSFER_H
#define SYMBOL_FETCH_TRANSFER_H

#include "model/module.h"
#include "platform/http.h"
#include "symbol/fetch_part.h"
#include "util/err.h"

/*
 * Fetch the file of a module to `name` below the cache, whose directories exist; a PDB that is not there may be at URL
 * with "_" for its last letter, as a cabinet. The errors are those of symbol_fetch_get() of one server.
 */
int fetch_transfer(const struct fetch_rules *rules, struct http *http, const char *url,
		   const struct module *module, const char *name, struct err *err);

#endif
