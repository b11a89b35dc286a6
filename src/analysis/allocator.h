/*
 * What belongs to the allocator: functions that get memory for others. An allocation is put down to the
 * innermost function that does not belong here.
 *
 * Whole modules: the C library and the dynamic linker, allocators that are preloaded, vdso and kernel. By name,
 * wherever they are linked in: the C and C++ allocation functions, those of Rust's `alloc` crate with its boxes,
 * the growth of its vectors, of thin ones and of hashbrown's tables, jemalloc (as rustc links it) and mimalloc, growth
 * of LLVM's vectors and bump allocators. An arena of the compiler's own (rustc_arena) is not: what it holds is its own.
 */
#ifndef ANALYSIS_ALLOCATOR_H
#define ANALYSIS_ALLOCATOR_H

#include <stdbool.h>

#include "model/module.h"

/* `function` is the demangled name. */
bool allocator_has(const struct module *module, const char *function);

#endif
