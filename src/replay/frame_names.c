#include "replay/frame_names.h"

#include <stdlib.h>

#include "platform/pipeline.h"
#include "util/alloc.h"

/* Many parts, so that the other thread can begin soon; not too many, so that no thread waits often for the other. */
#define PARTS 12

struct frame_functions {
	struct replay *replay;
	size_t nr, asked, known;                      /* frames */
	struct found_functions found[PIPELINE_SLOTS]; /* of one part each */
	struct pipeline *pipeline;
};

/* A frame that is looked up. */
struct asked {
	uint64_t offset;
	uint32_t module, frame;
};

static int compare_asked(const void *a, const void *b)
{
	const struct asked *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Sorted by module and offset: frames of one function are adjacent, and symbol tables are read in order. */
static void ask(struct frame_functions *functions, size_t from, size_t nr,
		struct found_functions *found)
{
	const struct frame *frames = functions->replay->machine.stacks.frames;
	struct asked *asked = xcalloc(nr, sizeof(*asked));

	for (size_t i = 0; i < nr; i++)
		asked[i] = (struct asked){ frames[from + i].offset, frames[from + i].module,
					   (uint32_t)(from + i) };
	qsort(asked, nr, sizeof(*asked), compare_asked);
	for (size_t i = 0; i < nr; i++)
		function_finder_find(&functions->replay->functions.finder, asked[i].frame, found);
	free(asked);
}

static int make(void *data, size_t slot, struct err *err)
{
	struct frame_functions *functions = data;
	size_t left = functions->nr - functions->asked, part = functions->nr / PARTS + 1;

	(void)err;
	if (!left)
		return 0;
	part = left < part ? left : part;
	ask(functions, functions->asked, part, &functions->found[slot]);
	functions->asked += part;
	return 1;
}

struct frame_functions *frame_functions_new(struct replay *replay)
{
	struct frame_functions *made = xcalloc(1, sizeof(*made));

	made->replay = replay;
	made->nr = replay->machine.stacks.frames_nr;
	made->pipeline = pipeline_new(make, NULL, made, replay->threads);
	return made;
}

size_t frame_functions_next(struct frame_functions *functions)
{
	struct err never = ERR_INIT;
	size_t slot;

	pipeline_next(functions->pipeline, &slot, &never);
	functions->known += functions->found[slot].frames_nr;
	function_table_take(&functions->replay->functions, &functions->found[slot]);
	return functions->known;
}

void frame_functions_free(struct frame_functions *functions)
{
	pipeline_free(functions->pipeline);
	for (size_t i = 0; i < PIPELINE_SLOTS; i++)
		found_functions_release(&functions->found[i]);
	free(functions);
}

static bool take_stack(void *data, struct replay *replay, const struct trace_event *event)
{
	(void)data;
	replay_add_frames(replay, event);
	return true;
}

/* For each module, with room for the offsets of its frames. */
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

void frame_lines_add(struct replay *played, struct symbol_store *store)
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

void frame_lines_find(struct replay *replay)
{
	if (!are_missing(replay))
		return;
	frame_lines_add(replay, replay->store);
	symbol_store_ready(replay->store);
}

int frame_lines_find_early(const struct strvec *paths, struct run_source *source,
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
		frame_lines_add(&played, replay->store);
		symbol_store_ready(replay->store);
	}
	replay_close(&played);
	process_list_release(&rows);
	return rc;
}
