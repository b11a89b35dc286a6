/* Any bytes as a process list: rows and a count of damage; the rows are the same after they are written and read again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rundir/processes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *text_of(const struct process_list *list)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < list->nr; i++) {
		char *line = processes_line(list->v[i]);

		strbuf_adds(&text, line);
		strbuf_addc(&text, '\n');
		free(line);
	}
	return strbuf_detach(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct process_list list = PROCESS_LIST_INIT, again = PROCESS_LIST_INIT;
	struct strbuf first = STRBUF_INIT;
	int64_t damaged, damaged_again;
	char *text, *text_again;

	processes_parse((const char *)data, size, "fuzz", &list, &damaged, &first);
	if ((damaged > 0) != (first.len > 0))
		abort();
	text = text_of(&list);
	processes_parse(text, strlen(text), "again", &again, &damaged_again, NULL);
	text_again = text_of(&again);
	/* Rows of the same time and pid may change places. */
	if (damaged_again || again.nr != list.nr || strlen(text) != strlen(text_again))
		abort();
	free(text);
	free(text_again);
	strbuf_release(&first);
	process_list_release(&list);
	process_list_release(&again);
	return 0;
}
