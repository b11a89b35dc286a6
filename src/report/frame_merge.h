/*
 * A tree of stacks without its small parts. Most of the distinct stacks of a large build carry next to nothing, but take
 * gigabytes as text.
 */
#ifndef REPORT_FRAME_MERGE_H
#define REPORT_FRAME_MERGE_H

#include <stdint.h>

#include "report/frame_tree.h"

/* The frame that stands for what was merged. */
#define FRAME_MERGED "[other]"

/*
 * The length of the tree as text with a line for each stack, in bytes, if it is merged with `least`; 0: as it is. A frame
 * takes `frame_length` bytes; 0, in folded text: those of its name, a little more than the text has where names must be
 * changed for it.
 */
uint64_t frame_merge_text_length(const struct frame_tree *tree, int64_t least,
				 uint32_t frame_length);

/*
 * Replace the subtrees of `tree` whose total is below `least` by one frame FRAME_MERGED of their caller, which has their
 * value: the total of every other stack stays what it is. Returns the number of stacks with a value that are gone.
 */
uint64_t frame_merge(struct frame_tree *tree, int64_t least);

/* `least` for a share of the whole in percent: at least 1 if the share is above 0. */
int64_t frame_merge_least(int64_t total, double share);

#endif
