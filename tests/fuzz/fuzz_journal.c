/*
 * Any bytes as a journal of processes: what the tracker makes of its events are rows that can be written, and read again
 * without damage.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "record/tracker.h"
#include "rundir/journal.h"
#include "rundir/layout.h"
#include "rundir/processes.h"
#include "util/alloc.h"
#include "util/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *dir, *path;

static void remove_dir(void)
{
	struct err err = ERR_INIT;

	fs_remove_tree(dir, &err);
	err_clear(&err);
	free(path);
	free(dir);
}

static void write_journal(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	FILE *file;

	if (!dir) {
		dir = fs_temp_dir(&err);
		path = fs_join(dir, RUN_JOURNAL);
		atexit(remove_dir);
	}
	file = fopen(path, "wb");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		abort();
}

static void take_event(const struct proc_event *event, void *data)
{
	tracker_event(data, event);
}

static void check_rows(const struct process_list *list)
{
	struct process_list again = PROCESS_LIST_INIT;
	struct strbuf text = STRBUF_INIT;
	int64_t damaged = 0;

	for (size_t i = 0; i < list->nr; i++) {
		char *line = processes_line(list->v[i]);

		strbuf_adds(&text, line);
		strbuf_addc(&text, '\n');
		free(line);
	}
	processes_parse(text.buf, text.len, "rows", &again, &damaged, NULL);
	if (damaged || again.nr != list->nr)
		abort();
	process_list_release(&again);
	strbuf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tag_rules rules = TAG_RULES_INIT;
	const struct tracker_options options = {
		.rules = &rules,
		.own_script = size % 2 ? "own \"$@\"" : NULL,
		.base_ns = size % 3 ? 1000 : 0,
		.own_execs = (int)(size % 3),
	};
	struct tracker *tracker = tracker_new(&options);
	const struct process *build;
	struct err err = ERR_INIT;
	int64_t damaged;

	write_journal(data, size);
	if (journal_replay(dir, take_event, tracker, &damaged, &err))
		abort();
	check_rows(tracker_finish(tracker, &build));
	tracker_free(tracker);
	return 0;
}
