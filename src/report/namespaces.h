/*
 * Adds up functions by what they belong to, where each of them is too small to be named: a crate and its modules and
 * types, a library and its namespaces and classes. A namespace is as narrow as its sum allows: what has too little goes to
 * the namespace around it.
 *
 *     rustc_middle::ty::context    the functions of TyCtxt and its neighbours
 *     rustc_middle                 those of other modules of the crate
 *     libLLVM.so.19.1 llvm::Value  a class
 *     libLLVM.so.19.1              the functions without symbols, and those of all other classes
 */
#ifndef REPORT_NAMESPACES_H
#define REPORT_NAMESPACES_H

#include <stddef.h>
#include <stdint.h>

#include "report/frame_tree.h"
#include "util/strbuf.h"

struct namespace_sum {
	int64_t value;
	size_t functions; /* number of them */
};

struct namespaces {
	struct frame_tree tree;     /* of the parts of their names */
	struct namespace_sum *sums; /* by node; that of FRAME_TREE_ROOT belongs to nothing larger */
	size_t alloc;
};

void namespaces_init(struct namespaces *spaces);
void namespaces_release(struct namespaces *spaces);

/* Add a function by its short or full name; `module` is the file that has it, NULL: unknown. */
void namespaces_add(struct namespaces *spaces, const char *name, const char *module, int64_t value);

/* After the last function: move sums below `least` to the namespaces around them, where they leave 0. */
void namespaces_merge(struct namespaces *spaces, int64_t least);

/* Append the name of a namespace, other than FRAME_TREE_ROOT. */
void namespaces_name(const struct namespaces *spaces, uint32_t node, struct strbuf *sb);

#endif
