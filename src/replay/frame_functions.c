#include "replay/frame_functions.h"

#include <stdlib.h>

#include "trace/pipeline.h"
#include "util/alloc.h"

/* Small enough for the other thread to begin soon, large enough to go on while it is busy with something else. */
#define PARTS 12

struct frame_functions {
	struct replay *replay;
	struct frame_function *v;
	size_t nr, found;
	size_t known[PIPELINE_SLOTS]; /* `found` when the slot was filled */
	struct pipeline *pipeline;
};

static void find(struct frame_functions *functions, size_t to)
{
	struct function_table *table = &functions->replay->functions;

	for (; functions->found < to; functions->found++) {
		uint32_t id = function_table_of(table, (uint32_t)functions->found);

		functions->v[functions->found] = (struct frame_function){ id, table->v[id].name };
	}
}

static int make(void *data, size_t slot, struct err *err)
{
	struct frame_functions *functions = data;
	size_t left = functions->nr - functions->found, part = functions->nr / PARTS + 1;

	(void)err;
	if (!left)
		return 0;
	find(functions, functions->found + (left < part ? left : part));
	functions->known[slot] = functions->found;
	return 1;
}

int frame_functions_new(struct replay *replay, struct frame_functions **functions, struct err *err)
{
	struct frame_functions *made = xcalloc(1, sizeof(*made));

	made->replay = replay;
	made->nr = replay->machine.stacks.frames_nr;
	made->v = xcalloc(made->nr, sizeof(*made->v));
	replay_open_files(replay);
	if (pipeline_new(make, made, replay->threads, &made->pipeline, err)) {
		free(made->v);
		free(made);
		return -1;
	}
	*functions = made;
	return 0;
}

const struct frame_function *frame_functions_all(const struct frame_functions *functions)
{
	return functions->v;
}

size_t frame_functions_next(struct frame_functions *functions)
{
	struct err never = ERR_INIT;
	size_t slot;

	pipeline_next(functions->pipeline, &slot, &never);
	return functions->known[slot];
}

void frame_functions_free(struct frame_functions *functions)
{
	pipeline_free(functions->pipeline);
	free(functions->v);
	free(functions);
}
