/*
 * Names for people from those in symbol tables: Rust (v0 and legacy, without hashes) and C++ (without
 * parameters, as perf shows them), by libiberty. A symbol version ("malloc@@GLIBC_2.2.5") goes.
 */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

/* NULL: the name is as it should be, or cannot be read. The caller frees it. */
char *demangle_name(const char *name);

#endif
