/*
 * Queries of rustc: the functions of its query system have the names of the queries that they run.
 *
 * The forms of these names, from rustc 1.63 on: define_queries! in compiler/rustc_query_impl/src/plumbing.rs of the rust
 * repository (query_impl.rs and query_vtables.rs in later versions), pull requests 101126, 108938, 109611, 151739, 160843.
 */
#ifndef ANALYSIS_QUERY_NAME_H
#define ANALYSIS_QUERY_NAME_H

#include <stddef.h>

/*
 * Find the query that a function runs, by its demangled name, with or without hashes. Returns its name, as a part of
 * `function`, and the length in `*len`; NULL: it runs none, or only keeps the books of the query system.
 */
const char *query_name(const char *function, size_t *len);

#endif
