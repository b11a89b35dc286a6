/*
 * Folded stacks: a line of text for each distinct stack, "root;caller;leaf VALUE", as flamegraph.pl, inferno and
 * speedscope read them, and as their collapsing scripts write them.
 *
 * In a name ';' is ':' there, and control characters are '_'; stacks that become equal by it are one line.
 * Format: the README of github.com/brendangregg/FlameGraph, "Fold stacks".
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

/* A longer line is no stack: no profiler records that many frames. */
#define FOLDED_LINE_MAX ((size_t)16 << 20)

/* What was read that is no stack. */
struct folded_damage {
	uint64_t lines;      /* left out */
	struct strbuf first; /* "line 3: no value at its end" */
};

#define FOLDED_DAMAGE_INIT \
	{ \
		0, STRBUF_INIT \
	}

void folded_damage_release(struct folded_damage *damage);

/* Sorted frame by frame, from the root, by the bytes of the names. A failed write is left in ferror(out). */
void folded_write(const struct frame_tree *tree, FILE *out);

/* Frames on the way through a tree, each behind the one that calls it, or behind a sibling's last one. */
struct folded_step {
	/* Frames of the stack, this one the last of them; 0: the root's own, which is none. */
	uint32_t depth;
	uint32_t name;
	int64_t self;
};

#define FOLDED_STEPS 8192

struct folded_steps {
	struct folded_step v[FOLDED_STEPS];
	size_t nr;
};

/* A line in the making. */
struct folded_line {
	struct strbuf text;
	size_t *ends; /* of the text of its frames, by depth */
	size_t ends_alloc;
};

#define FOLDED_LINE_INIT \
	{ \
		STRBUF_INIT, NULL, 0 \
	}

void folded_line_release(struct folded_line *line);

/*
 * folded_write() in two halves, which may be done by two threads: the way through the tree, which is borrowed, and
 * the text of what it comes by. All steps are written in their order with one line.
 */
struct folded_walk;

struct folded_walk *folded_walk_new(const struct frame_tree *tree);
void folded_walk_free(struct folded_walk *walk);

/* False: there are no more. */
bool folded_walk_next(struct folded_walk *walk, struct folded_steps *steps);

void folded_write_steps(const struct folded_walk *walk, const struct folded_steps *steps,
			struct folded_line *line, FILE *out);

/*
 * Add the stacks of `in` up to its end. Values are whole numbers; of "1.5" the whole part is taken. Lines end
 * with LF or CR LF; empty ones, and those with the value 0, add nothing. A stack of no frame is the root's own.
 * ERR_FAILED where reading fails, ERR_CORRUPT where there are lines but not one of them is a stack.
 */
int folded_read(FILE *in, struct frame_tree *tree, struct folded_damage *damage, struct err *err);

#endif
