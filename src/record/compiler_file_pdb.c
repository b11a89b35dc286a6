/*
 * A PE file has its symbols in a PDB, which the bootstrap puts into the same directory. Only its presence is checked:
 * lines are assumed. Stacks are unwound by tables that each file has, so frame pointers do not matter.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "record/compiler_check.h"
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
		.good = "a PDB in the same directory",
	};
	free(pdb);
	return fs_exists(path);
}
