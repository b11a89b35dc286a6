/*
 * The kind of code of a frame, for its colour in a graph; guessed from its name.
 */
#ifndef REPORT_FRAME_KIND_H
#define REPORT_FRAME_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum frame_kind {
	FRAME_UNKNOWN_KIND, /* to be guessed from the name: frame_kind_guess() */
	FRAME_RUST,
	FRAME_LLVM,
	FRAME_KERNEL,
	FRAME_ALLOCATOR,
	FRAME_NATIVE,
	FRAME_UNNAMED, /* module!0x1234 */
	FRAME_PROCESS, /* a process or what it works on */
	FRAME_SPECIAL, /* [truncated], [not sampled] */
	FRAME_KINDS,
};

/*
 * Guess the kind: Rust paths and C++ signatures differ in syntax; LLVM and the allocator are known by their names;
 * the suffix "_[k]" of other tools means the kernel. Never returns FRAME_UNKNOWN_KIND.
 */
enum frame_kind frame_kind_guess(const char *name);

/* Whether it is that of a function without symbols, "module!0x1234". */
bool frame_kind_is_unnamed(const char *name);

/*
 * Find the crate in a Rust path: "alloc" in "<alloc::vec::Vec<T> as core::ops::Drop>::drop". Returns its start in
 * `name`, and its length in `*len`; NULL: there is none.
 */
const char *frame_kind_crate(const char *name, size_t *len);

#endif
