#include "symbol/symbol_file.h"

#include <stdlib.h>

void symbol_file_close(struct symbol_file *file)
{
	if (file->ops)
		file->ops->close(file->data);
	free(file->why);
	*file = (struct symbol_file){ .ops = NULL };
}
