/*
 * Shows what tells texts apart that look equal when they are shortened, as
 *
 *     <hashbrown::map::HashMap<rustc_span::def_id::DefId, u32>>::insert
 *     <hashbrown::map::HashMap<rustc_span::def_id::LocalDefId, u32>>::insert
 *
 * which have one short form, or long names with equal ends: the part that differs is kept, where it is.
 *
 *     <hashbrown::map::HashMap<…DefId…>>::insert
 *     <hashbrown::map::HashMap<…LocalDefId…>>::insert
 */
#ifndef REPORT_DISTINCT_H
#define REPORT_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

/* Bytes of a text: an identifier or path, with its neighbours where they differ. */
struct text_part {
	uint32_t from, to; /* `to` 0: nothing tells the text apart */
	uint32_t at;       /* in it: the first byte that differs from the most similar text */
};

/*
 * Find the part of each text that no other one has there. With `from_end` texts are compared from their ends. Texts that
 * are equal have equal parts.
 */
void distinct_find(const char *const *texts, size_t nr, bool from_end, struct text_part *parts);

/*
 * Append a text in at most `width` (> 0) code points: its ends, and the part, with "…" for what is left out. Its
 * indentation (fit_name.h) gets half of the width at most. Of a `stack`, whose frames are separated by ';', the leaf's end
 * is more important.
 */
void distinct_fit(struct strbuf *sb, const char *text, struct text_part part, bool stack,
		  size_t width);

#endif
