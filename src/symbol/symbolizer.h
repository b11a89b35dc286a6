/*
 * Finds names and lines of frames in all sources: symbols/ of a run, the module's ELF file on this machine if it has the
 * traced build id, its separate debug file, its PDB by GUID and age, files that were fetched before, /proc/kallsyms. A
 * file is opened when it is first needed.
 */
#ifndef SYMBOL_SYMBOLIZER_H
#define SYMBOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "model/machine.h"
#include "symbol/file_places.h"
#include "symbol/symbol_file.h"
#include "symbol/symbol_store.h"
#include "symbol/unwinder.h"
#include "util/err.h"
#include "util/strbuf.h"

struct symbolizer_options {
	struct symbol_store *store; /* borrowed, filled; NULL: none */
	bool use_files; /* also read files of this machine, for modules that the store lacks */
	bool same_machine_kernel; /* the trace is of the running kernel: /proc/kallsyms may be read */
	/* The modules of the trace, borrowed, may still grow; they identify its kernel. NULL: unknown. */
	const struct module_table *modules;
	struct place_options places;
	bool mangled; /* do not demangle names */
	int threads; /* for looking up many offsets or files at once: 2, else one; results are the same */
};

struct symbolizer;

struct symbolizer *symbolizer_new(const struct symbolizer_options *options);
void symbolizer_free(struct symbolizer *symbolizer);

/* The source of symbols for function_table_init(); valid as long as the symbolizer. */
struct symbol_source symbolizer_source(struct symbolizer *symbolizer);

/* Open the files of many modules at once, before they are needed. */
void symbolizer_open_files(struct symbolizer *symbolizer, const struct module *const *modules,
			   size_t nr);

/* Offsets in a module. */
struct module_places {
	const struct module *module;
	uint64_t *offsets; /* symbolizer_add_lines() sorts them */
	size_t nr;
};

/*
 * Add inlined functions and lines of many offsets to a store, from the files of this machine: a hundred times faster than
 * one by one, and two modules at a time. Call symbol_store_ready() afterwards. `places` are reordered; `nr` of modules
 * without a file becomes 0.
 */
void symbolizer_add_lines(struct symbolizer *symbolizer, struct module_places *places, size_t nr,
			  struct symbol_store *store);

/* For machine.copies: stacks from the store, else unwound with the files of this machine. */
struct stack_source symbolizer_stacks(struct symbolizer *symbolizer);

/*
 * Gets each stack that is unwound from a stack copy: the id of the copy, and addresses as in struct trace_stack, valid
 * during the call.
 */
struct unwound_listener {
	void *data;
	void (*take)(void *data, uint64_t copy, const uint64_t *addresses, size_t nr,
		     enum stack_origin origin);
};

void symbolizer_set_listener(struct symbolizer *symbolizer, struct unwound_listener listener);

/*
 * Remember the call chain of an event without a stack copy, for completing later copies of the thread that end early
 * (stack_joiner.h). Call it in the order of time.
 */
void symbolizer_see_chain(struct symbolizer *symbolizer, const struct trace_thread *thread,
			  const struct trace_stack *stack);

/* Of the stack copies that were unwound: those that lack a file of this machine (unwinder.h). */
struct unwind_loss symbolizer_loss(const struct symbolizer *symbolizer);

/* No more copies will be unwound: free what only that needs. */
void symbolizer_end_unwinding(struct symbolizer *symbolizer);

/* Where the names of a module are from, and what is wrong with them. */
struct module_names {
	bool kept;             /* some are in the store */
	const char *from;      /* the path of a file with others, borrowed; NULL: none */
	enum symbol_flaw flaw; /* of that file, or why there is none */
	const char *word;      /* that of `flaw`, static: "no-pdb", or "gaps" without one */
	const char *why;       /* the same for people, borrowed; NULL: nothing is known */
	bool recorded; /* `flaw` and `why` are those of the recording: no file was searched now */
};

/*
 * Add why a module had no name, or not enough, when it was recorded: symbol_reasons_add(). It counts where names of a run
 * are used, and no file of the module is.
 */
void symbolizer_add_reason(struct symbolizer *symbolizer, const char *path, const char *id,
			   const char *word, const char *why);

/* Opens the file of the module unless that was done before. Not for MODULE_ANON and MODULE_UNKNOWN, which have no file. */
struct module_names symbolizer_module_names(struct symbolizer *symbolizer,
					    const struct module *module);

/* A line for each of the first modules without names, or with doubtful ones, and why; one with the number of the others. */
void symbolizer_explain(const struct symbolizer *symbolizer, struct strbuf *notes);

/* One line for each kind of problem (doubtful names, no PDB): how many modules, which, and what to do. */
void symbolizer_explain_flaws(const struct symbolizer *symbolizer, struct strbuf *notes);

#endif
