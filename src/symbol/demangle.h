/*
 * Demangling of names in symbol tables: Rust (v0 and legacy, without hashes) and C++ (without parameters, as
 * perf shows them), by libiberty. Symbol versions ("malloc@@GLIBC_2.2.5") are removed.
 */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

/* The demangled name, which the caller frees; NULL: the name is not mangled, or cannot be demangled. */
char *demangle_name(const char *name);

#endif
