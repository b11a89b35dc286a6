/*
 * What code a frame is of, as far as its name tells.
 */
#ifndef REPORT_FRAME_KIND_H
#define REPORT_FRAME_KIND_H

#include <stddef.h>

#include "report/frame_tree.h"

/*
 * Rust paths and C++ signatures are told apart by their shape, LLVM and the allocator by what they are called;
 * a name that ends in "_[k]", as other tools mark them, is the kernel's. Never FRAME_UNTOLD.
 */
enum frame_kind frame_kind_guess(const char *name);

/*
 * The crate of a Rust path: `*len` bytes at the result, "alloc" of "<alloc::vec::Vec<T> as core::ops::Drop>::drop".
 * NULL where it has none.
 */
const char *frame_kind_crate(const char *name, size_t *len);

#endif
