/*
 * Folded stacks: a line of text for each distinct stack, "root;caller;leaf VALUE". flamegraph.pl, inferno and
 * speedscope read them, and their collapsing scripts write them.
 *
 * In a name ';' is written as ':' and control characters as '_'; stacks that become equal by this are merged into one
 * line. Format: the README of github.com/brendangregg/FlameGraph, "Fold stacks".
 */
#ifndef REPORT_FOLDED_H
#define REPORT_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/frame_tree.h"
#include "util/err.h"
#include "util/strbuf.h"

/* Longer lines are damage: no profiler records that many frames. */
#define FOLDED_LINE_MAX ((size_t)16 << 20)

/* Lines that are not stacks. */
struct folded_damage {
	uint64_t lines;      /* left out */
	struct strbuf first; /* "line 3: no value at its end" */
};

#define FOLDED_DAMAGE_INIT \
	{ \
		0, STRBUF_INIT \
	}

void folded_damage_release(struct folded_damage *damage);

/*
 * Write the tree, a line for each stack that has a value. Lines are sorted by the bytes of the frames' names, the
 * root's first. A failed write is left in ferror(out).
 */
void folded_write(const struct frame_tree *tree, FILE *out);

/*
 * Add the stacks of `in` to the tree. Values are whole numbers; the fraction of "1.5" is dropped. Lines end with LF or CR
 * LF; empty lines and values of 0 add nothing. A line without frames adds to the root. ERR_FAILED: reading fails;
 * ERR_CORRUPT: there are lines, but none is a stack.
 */
int folded_read(FILE *in, struct frame_tree *tree, struct folded_damage *damage, struct err *err);

#endif
