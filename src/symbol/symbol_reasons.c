#include "symbol/symbol_reasons.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

static const char *const words[] = {
	[SYMBOL_FLAW_NONE] = "gaps",           [SYMBOL_ID_MISSING] = "no-build-id",
	[SYMBOL_PDB_MISSING] = "no-pdb",       [SYMBOL_PDB_OTHER] = "other-pdb",
	[SYMBOL_PDB_ID_MISSING] = "no-pdb-id", [SYMBOL_PDB_EMPTY] = "empty-pdb",
	[SYMBOL_FILE_MISSING] = "no-file",     [SYMBOL_FILE_OTHER] = "other-build-id",
	[SYMBOL_FILE_STRIPPED] = "stripped",   [SYMBOL_FILE_UNREADABLE] = "unreadable",
	[SYMBOL_FILE_REFUSED] = "not-opened",  [SYMBOL_KERNEL_OTHER] = "other-kernel",
	[SYMBOL_NOT_KEPT] = "not-kept",
};

const char *symbol_flaw_word(enum symbol_flaw flaw)
{
	return words[flaw];
}

/* Of a word of a recording, which looks for files. */
static bool parse_word(const char *word, enum symbol_flaw *flaw)
{
	for (size_t i = 0; i < SYMBOL_NOT_KEPT; i++) {
		if (!strcmp(words[i], word)) {
			*flaw = (enum symbol_flaw)i;
			return true;
		}
	}
	return false;
}

void symbol_reasons_add(struct symbol_reasons *reasons, const char *path, const char *id,
			const char *word, const char *why)
{
	uint8_t bytes[MODULE_ID_MAX] = { 0 };
	struct symbol_reason reason;
	size_t bytes_nr = 0;

	if (!parse_word(word, &reason.flaw) ||
	    (id && !text_parse_hex(id, bytes, sizeof(bytes), &bytes_nr)) ||
	    module_map_add(&reasons->keys, path, bytes, bytes_nr) <= reasons->nr)
		return;
	reason.why = xstrdup_or_null(why);
	ARRAY_ADD(reasons->v, reasons->nr, reasons->alloc, reason);
}

const struct symbol_reason *symbol_reasons_find(const struct symbol_reasons *reasons,
						const struct module *module)
{
	uint32_t number =
		module_map_find(&reasons->keys, module->path, module->id, module->id_length);

	return number ? &reasons->v[number - 1] : NULL;
}

void symbol_reasons_release(struct symbol_reasons *reasons)
{
	for (size_t i = 0; i < reasons->nr; i++)
		free(reasons->v[i].why);
	free(reasons->v);
	module_map_release(&reasons->keys);
	*reasons = (struct symbol_reasons){ .v = NULL };
}
