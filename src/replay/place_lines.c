#include "replay/place_lines.h"

#include <stdlib.h>

#include "util/alloc.h"

static bool take_stack(void *data, struct replay *replay, const struct trace_event *event)
{
	(void)data;
	replay_see_stack(replay, event);
	return true;
}

/* Of each module, with room for the offsets of its frames. */
static struct module_places *new_places(const struct machine *machine)
{
	const struct stack_table *stacks = &machine->stacks;
	struct module_places *places = xcalloc(machine->modules.nr, sizeof(*places));

	for (size_t i = FRAME_FIRST; i < stacks->frames_nr; i++)
		places[stacks->frames[i].module].nr++;
	for (size_t i = 0; i < machine->modules.nr; i++) {
		places[i].module = &machine->modules.v[i];
		places[i].offsets = xcalloc(places[i].nr + 1, sizeof(*places[i].offsets));
		places[i].nr = 0;
	}
	return places;
}

void place_lines_add(struct replay *played, struct symbol_store *store)
{
	const struct machine *machine = &played->machine;
	struct module_places *places = new_places(machine);

	for (size_t i = FRAME_FIRST; i < machine->stacks.frames_nr; i++) {
		const struct frame *frame = &machine->stacks.frames[i];
		struct module_places *of_module = &places[frame->module];

		of_module->offsets[of_module->nr++] = frame->offset;
	}
	symbolizer_add_lines(played->symbolizer, places, machine->modules.nr, store);
	for (size_t i = 0; i < machine->modules.nr; i++)
		free(places[i].offsets);
	free(places);
}

static bool are_missing(const struct replay *replay)
{
	return replay->inlines && !replay->names_kept;
}

void place_lines_find(struct replay *replay)
{
	if (!are_missing(replay))
		return;
	place_lines_add(replay, replay->store);
	symbol_store_ready(replay->store);
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
		place_lines_add(&played, replay->store);
		symbol_store_ready(replay->store);
	}
	replay_close(&played);
	process_list_release(&rows);
	return rc;
}
