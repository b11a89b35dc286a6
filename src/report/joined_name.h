/*
 * The names by which functions and modules of two builds are joined (docs/compare.md): what differs between builds of the
 * same source is left out.
 */
#ifndef REPORT_JOINED_NAME_H
#define REPORT_JOINED_NAME_H

#include <stdbool.h>

#include "util/strbuf.h"

/*
 * Append the name of a function without type arguments, hashes, numbers of closures and what the optimizer added:
 *
 *     <m::S<alloc::vec::Vec<u32>>>::f::{closure#0}.llvm.123
 *     m::S<T>::f::{{closure}}::h0123456789abcdef
 *     m::S::f::{closure}
 *
 * With `arguments` type arguments stay.
 */
void joined_function(struct strbuf *sb, const char *name, bool arguments);

/* Append the name of a module without the hash that cargo gives it: "librustc_driver-8ae9d3a1bc1e0d2f.so". */
void joined_module(struct strbuf *sb, const char *name);

#endif
