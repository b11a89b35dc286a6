/*
 * Names for frames, from wherever they can be had: what a run keeps in symbols/, the module's ELF
 * file on this machine where its build id is the traced one, its separate debug file, its PDB by GUID and age, the
 * kernel's list. A file is opened when it is first asked for.
 */
#ifndef SYMBOL_SYMBOLIZER_H
#define SYMBOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "model/machine.h"
#include "symbol/symbol_store.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct symbolizer_options {
	struct symbol_store *store; /* borrowed, filled; NULL: none */
	bool use_files; /* look at files of this machine too, for what the store has not */
	bool same_machine_kernel; /* the trace is of the running kernel: /proc/kallsyms may be asked */
	/* Those of the trace, borrowed, which may still grow: they tell which kernel it was. NULL: not known. */
	const struct module_table *modules;
	/* Folders where PDBs may be, copied; _NT_SYMBOL_PATH follows. NULL: none. */
	const struct strvec *dirs;
	bool mangled; /* names as in the symbol table */
	int threads; /* that may look up many places or files at once: 2, else one; the answers are the same */
};

struct symbolizer;

struct symbolizer *symbolizer_new(const struct symbolizer_options *options);
void symbolizer_free(struct symbolizer *symbolizer);

/* For function_table_init(); good as long as the symbolizer. */
struct symbol_source symbolizer_source(struct symbolizer *symbolizer);

/* Open the files of many modules, before they are asked for one by one. */
void symbolizer_open_files(struct symbolizer *symbolizer, const struct module *const *modules,
			   size_t nr);

/* Places of a module. */
struct module_places {
	const struct module *module;
	uint64_t *offsets; /* sorted by who asks */
	size_t nr;
};

/*
 * Put inlined functions and lines of many places into a store, from the files of this machine: a hundred times faster
 * than one by one, and two modules at a time. The store is not ready after it. `places` are put into another
 * order; those of modules that have no file are taken out.
 */
void symbolizer_add_lines(struct symbolizer *symbolizer, struct module_places *places, size_t nr,
			  struct symbol_store *store);

/* For machine.copies: what the store has, else by unwinding with the files of this machine. */
struct stack_source symbolizer_stacks(struct symbolizer *symbolizer);

/*
 * The call chain of an event without a copy, in the order of time: copies of the thread that end early may be made
 * whole by it (stack_joiner.h).
 */
void symbolizer_see_chain(struct symbolizer *symbolizer, const struct trace_thread *thread,
			  const struct trace_stack *stack);

/* The modules that had no names, or names that are in doubt, and why: a line each. */
void symbolizer_explain(const struct symbolizer *symbolizer, struct strbuf *notes);

/* How many had names in doubt or, for want of a PDB, none, which, and what to do: a line for each kind. */
void symbolizer_explain_flaws(const struct symbolizer *symbolizer, struct strbuf *notes);

#endif
