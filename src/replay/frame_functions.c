#include "replay/frame_functions.h"

#include <stdlib.h>

#include "trace/pipeline.h"
#include "util/alloc.h"

/* Small enough for the other thread to begin soon, large enough to go on while it is busy with something else. */
#define PARTS 12

struct frame_functions {
	struct replay *replay;
	size_t nr, asked, known;                      /* frames */
	struct found_functions found[PIPELINE_SLOTS]; /* of a part each */
	struct pipeline *pipeline;
};

/* A frame that is asked for. */
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

/* In the order of their places: those of a function come in a row, and tables of symbols are gone through once. */
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

int frame_functions_new(struct replay *replay, struct frame_functions **functions, struct err *err)
{
	struct frame_functions *made = xcalloc(1, sizeof(*made));

	made->replay = replay;
	made->nr = replay->machine.stacks.frames_nr;
	if (pipeline_new(make, NULL, made, replay->threads, &made->pipeline, err)) {
		free(made);
		return -1;
	}
	*functions = made;
	return 0;
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
