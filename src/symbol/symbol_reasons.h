/*
 * Why modules have no names: the words of these reasons, and what a recording has found out about its modules.
 */
#ifndef SYMBOL_SYMBOL_REASONS_H
#define SYMBOL_SYMBOL_REASONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/module_map.h"
#include "symbol/symbol_file.h"

/* The word of a flaw, static: "no-pdb". That of SYMBOL_FLAW_NONE is "gaps": the symbols do not cover some of the code. */
const char *symbol_flaw_word(enum symbol_flaw flaw);

struct symbol_reason {
	enum symbol_flaw flaw;
	char *why; /* for people, with details; NULL: no more is known */
};

/* By build id, else by path. All zeros: none. */
struct symbol_reasons {
	struct module_map keys;
	struct symbol_reason *v; /* as in `keys` */
	size_t nr, alloc;
};

/*
 * Add the reason of a module, which is text from a file, and is copied; of one that has some the first stays. Ignored is
 * what no recording says. `id`: in hexadecimal, or NULL, as `why`.
 */
void symbol_reasons_add(struct symbol_reasons *reasons, const char *path, const char *id,
			const char *word, const char *why);

/* NULL: none is known. Valid until one is added. */
const struct symbol_reason *symbol_reasons_find(const struct symbol_reasons *reasons,
						const struct module *module);

void symbol_reasons_release(struct symbol_reasons *reasons);

#endif
