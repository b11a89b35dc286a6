/*
 * Which functions belong to the allocator, that is, get memory for their callers. An allocation is attributed to the
 * innermost function outside the allocator.
 *
 * All functions of some modules: C library, dynamic linker, preloaded allocators, vdso, kernel. Some functions of any
 * module, by name: the C and C++ allocation functions; Rust's `alloc` crate with its boxes; growth of vectors, thin
 * vectors and hashbrown's tables; jemalloc (as rustc links it) and mimalloc; growth of LLVM's vectors, and its bump
 * allocators. The compiler's arenas (rustc_arena) do not belong to it: their memory counts as their own.
 */
#ifndef ANALYSIS_ALLOCATOR_H
#define ANALYSIS_ALLOCATOR_H

#include <stdbool.h>

#include "model/module.h"

/* Whether a function, by its demangled name, belongs to the allocator. */
bool allocator_has(const struct module *module, const char *function);

#endif
