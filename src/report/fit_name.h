/*
 * Names of functions, and stacks of them, in a column that is too narrow for them.
 *
 * What tells most of a name stands at its ends: the crate and the function itself. So what goes first are
 * lists of type arguments, the innermost before the others; then the middle:
 *
 *     <hashbrown::raw::RawTable<(u32, alloc::vec::Vec<u8>)>>::insert
 *     <hashbrown::raw::RawTable<(u32, alloc::vec::Vec<…>)>>::insert
 *     <hashbrown::raw::RawTable<…>>::insert
 *     <hashbrown…Table<…>>::insert
 */
#ifndef REPORT_FIT_NAME_H
#define REPORT_FIT_NAME_H

#include <stddef.h>

#include "util/strbuf.h"
#include "util/strvec.h"

/* Append `name` in at most `width` (> 0) code points; whole where it fits. */
void fit_name(struct strbuf *sb, const char *name, size_t width);

/*
 * Append frames, root first, with ';' between: those of the leaf's end that fit, "…" in place of the others.
 * Control characters are escaped.
 */
void fit_stack(struct strbuf *sb, const struct strvec *frames, size_t width);

#endif
