/*
 * "did you mean" for a pattern that no name matches, of functions, modules, crates and so on: names that contain it, or
 * differ by few letters, the most important first.
 */
#ifndef ANALYSIS_NAME_HINT_H
#define ANALYSIS_NAME_HINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"
#include "util/strset.h"

/* As many names are given at most. */
#define NAME_HINTS 3

struct name_hint {
	size_t distance; /* in letters; 0: it contains the word */
	int64_t weight;
};

struct name_hints {
	char *word; /* the pattern without * and ? at its ends, in which case does not matter */
	struct strset names;
	struct name_hint *v; /* of each name */
	size_t alloc;
	size_t with_word; /* functions whose names have the word; 0 if the pattern has * or ? */
	bool plain;       /* it has none */
};

/* Release them. */
void name_hints_init(struct name_hints *hints, const char *pattern);
void name_hints_release(struct name_hints *hints);

/*
 * A name that may have been meant, as it is to be written (`shown`), with its importance; those of one name are added up.
 */
void name_hints_see(struct name_hints *hints, const char *name, const char *shown, int64_t weight);

/* The same of a function, written as short as it is enough to match it (function_pattern.h), given its names. */
void name_hints_see_function(struct name_hints *hints, const char *name, const char *short_name,
			     int64_t weight);

/*
 * Append " (did you mean 'check_expr' or 'check_pat'?)", or nothing if no name is similar enough; and, if the word is in
 * names of functions, ", '*FnCtxt*' matches 7 functions".
 */
void name_hints_add(const struct name_hints *hints, struct strbuf *sb);

/*
 * Append the name by which people know a function: what is after the last "::", without type arguments, closures and
 * parameters. "<rustc_hir_typeck::FnCtxt>::check_expr::{closure#0}" is "check_expr".
 */
void name_hint_last_part(struct strbuf *sb, const char *function);

#endif
