#include "replay/place_lines.h"

#include <stdlib.h>

#include "util/alloc.h"

static bool take_stack(void *data, struct replay *replay, const struct trace_event *event)
{
	(void)data;
	replay_see_stack(replay, event);
	return true;
}

/* Frames in the order of their modules: `starts` has where each one's begin, and the end. */
static uint32_t *sort_frames(const struct machine *machine, size_t *starts)
{
	const struct stack_table *stacks = &machine->stacks;
	uint32_t *frames = xcalloc(stacks->frames_nr, sizeof(*frames));

	for (size_t i = FRAME_FIRST; i < stacks->frames_nr; i++)
		starts[stacks->frames[i].module + 1]++;
	for (size_t i = 1; i <= machine->modules.nr; i++)
		starts[i] += starts[i - 1];
	for (size_t i = FRAME_FIRST; i < stacks->frames_nr; i++)
		frames[starts[stacks->frames[i].module]++] = (uint32_t)i;
	for (size_t i = machine->modules.nr; i; i--)
		starts[i] = starts[i - 1];
	starts[0] = 0;
	return frames;
}

static void find_module_lines(struct replay *played, const struct module *module,
			      const uint32_t *frames, size_t nr, struct symbol_store *store)
{
	uint64_t *offsets = xcalloc(nr, sizeof(*offsets));

	for (size_t i = 0; i < nr; i++)
		offsets[i] = played->machine.stacks.frames[frames[i]].offset;
	symbolizer_add_lines(played->symbolizer, module, offsets, nr, store);
	free(offsets);
}

void place_lines_add(struct replay *played, struct symbol_store *store)
{
	const struct machine *machine = &played->machine;
	size_t *starts = xcalloc(machine->modules.nr + 1, sizeof(*starts));
	uint32_t *frames = sort_frames(machine, starts);

	for (size_t i = 0; i < machine->modules.nr; i++) {
		if (starts[i + 1] > starts[i])
			find_module_lines(played, &machine->modules.v[i], &frames[starts[i]],
					  starts[i + 1] - starts[i], store);
	}
	free(frames);
	free(starts);
}

static bool are_missing(const struct replay *replay)
{
	return replay->inlines && !replay->names_kept;
}

void place_lines_find(struct replay *replay)
{
	if (!are_missing(replay))
		return;
	place_lines_add(replay, replay->lines);
	symbol_store_ready(replay->lines);
}

int place_lines_find_ahead(const struct strvec *paths, struct run_source *source,
			   const struct replay_options *options, struct replay *replay,
			   struct err *err)
{
	struct replay_options places = *options;
	struct process_list rows = PROCESS_LIST_INIT;
	struct replay played;
	int rc;

	if (!are_missing(replay))
		return 0;
	places.inlines = false;
	if (replay_open(paths, source, &rows, &places, &played, err))
		return -1;
	rc = replay_play(&played, take_stack, NULL, err);
	if (!rc) {
		replay_open_files(&played);
		place_lines_add(&played, replay->lines);
		symbol_store_ready(replay->lines);
	}
	replay_close(&played);
	process_list_release(&rows);
	return rc;
}
