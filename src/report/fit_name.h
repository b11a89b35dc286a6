/*
 * Shortens names of functions, and stacks, to the width of a column.
 *
 * The most useful parts of a name are its ends: the crate and the function itself. So lists of type arguments are
 * left out first, starting with the innermost; then the middle:
 *
 *     <hashbrown::raw::RawTable<(u32, alloc::vec::Vec<u8>)>>::insert
 *     <hashbrown::raw::RawTable<(u32, alloc::vec::Vec<…>)>>::insert
 *     <hashbrown::raw::RawTable<…>>::insert
 *     <hashbrown…Table<…>>::insert
 */
#ifndef REPORT_FIT_NAME_H
#define REPORT_FIT_NAME_H

#include <stddef.h>

#include "report/column.h"
#include "util/strbuf.h"

/* Ends the indentation of a row that belongs to the row directly above it. */
#define FIT_MARK "└ "

/*
 * Append `name` in at most `width` (> 0) code points; unchanged if it fits. Its indentation, blanks and maybe FIT_MARK,
 * gets half of the width at most.
 */
void fit_name(struct strbuf *sb, const char *name, size_t width);

/* The bytes of the indentation. */
size_t fit_indentation_bytes(const char *name);

/* Append the indentation of a name, in half of the width at most. Returns the code points. */
size_t fit_indentation(struct strbuf *sb, const char *name, size_t width);

/*
 * Append frames, root first, joined by ';': those at the leaf that fit, and "…" for the others. Control characters
 * are escaped, and a ';' in a name becomes ':'. Only names that may be shown are asked for.
 */
void fit_stack(struct strbuf *sb, struct frame_names frames, size_t width);

#endif
