/*
 * A PE file has its symbols in a PDB, which the bootstrap puts beside it. That is looked for, and not into: lines are
 * taken to be there. Stacks are unwound by tables that each file has, so frame pointers do not matter.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "record/compiler_file.h"
#include "util/alloc.h"
#include "util/text.h"

bool compiler_file_read(const char *path, struct compiler_file *result)
{
	const char *name = text_file_name(path), *dot = strrchr(name, '.');
	size_t len = dot ? (size_t)(dot - path) : strlen(path);
	char *pdb = xasprintf("%.*s.pdb", (int)len, path);

	*result = (struct compiler_file){
		.symbols = fs_exists(pdb),
		.lines = true,
		.good = "a PDB beside it",
	};
	free(pdb);
	return fs_exists(path);
}
