/*
 * Any bytes as folded stacks: read safely; stacks that were read are the same after they are written and read again.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/folded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_tree(const void *data, size_t size, struct frame_tree *tree)
{
	struct folded_damage damage = FOLDED_DAMAGE_INIT;
	FILE *file = fmemopen((void *)(uintptr_t)data, size, "r");
	struct err err = ERR_INIT;
	int ret;

	if (!file)
		abort();
	frame_tree_init(tree);
	ret = folded_read(file, tree, &damage, &err);
	if (ret && (err.code != ERR_CORRUPT || !damage.lines || tree->total))
		abort();
	err_clear(&err);
	folded_damage_release(&damage);
	fclose(file);
	return ret;
}

static char *write_tree(const struct frame_tree *tree, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);

	if (!file)
		abort();
	folded_write(tree, file);
	if (fclose(file))
		abort();
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_tree tree, again;
	size_t text_size, again_size;
	char *text, *same;

	/* fmemopen() refuses an empty buffer. */
	if (!size)
		return 0;
	read_tree(data, size, &tree);
	text = write_tree(&tree, &text_size);
	if (text_size) {
		if (read_tree(text, text_size, &again) || again.total != tree.total)
			abort();
		same = write_tree(&again, &again_size);
		if (again_size != text_size || memcmp(same, text, text_size))
			abort();
		free(same);
		frame_tree_release(&again);
	} else if (tree.total) {
		abort();
	}
	free(text);
	frame_tree_release(&tree);
	return 0;
}
