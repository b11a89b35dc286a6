/*
 * The short form of a function's name, which text and call trees show:
 *
 *     <hashbrown::raw::RawTable<(u32, alloc::vec::Vec<u8>)>>::insert::{closure#0}
 *     <hashbrown::raw::RawTable<…>>::insert::{closure}
 *
 * Type arguments are `<…>`, closures have no numbers, crates and functions no hashes. An impl block keeps its type and
 * trait.
 */
#ifndef REPORT_SHORT_NAME_H
#define REPORT_SHORT_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

/* Append the short form. */
void short_name(struct strbuf *sb, const char *name);

/* Append the name with its type arguments, but without hashes and the numbers of closures. */
void short_name_drop_hashes(struct strbuf *sb, const char *name);

/*
 * The short form with the bytes from `*from` to `*to` kept, "<RawTable<…DefId…>>::insert"; their place in `sb` becomes
 * `*from` and `*to`.
 */
void short_name_keep(struct strbuf *sb, const char *name, size_t *from, size_t *to);

/* Whether a part of a path begins with the name of a C++ operator: "operator<", "operator new", but not "operators". */
bool short_name_is_operator(const char *part);

/*
 * Append `name` without its lists of type arguments from `level` on, 1 being the outermost. Returns the deepest level, or
 * -1 if brackets do not match: what was appended is invalid then.
 */
int short_name_elide(struct strbuf *sb, const char *name, int level);

#endif
