#include "replay/frame_functions.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/pool.h"
#include "trace/pipeline.h"
#include "util/alloc.h"

/* Small enough for the other thread to begin soon, large enough to go on while it is busy with something else. */
#define PARTS 12

struct frame_functions {
	struct replay *replay;
	struct frame_levels *v;
	size_t nr, found;
	struct pool pool;             /* what they have */
	size_t known[PIPELINE_SLOTS]; /* `found` when the slot was filled */
	struct pipeline *pipeline;
};

static void find(struct frame_functions *functions, uint32_t frame)
{
	struct frame_function levels[FUNCTION_LEVELS];
	size_t nr = function_table_levels(&functions->replay->functions, frame, levels);
	struct frame_function *kept = pool_alloc(&functions->pool, nr * sizeof(*kept));

	memcpy(kept, levels, nr * sizeof(*kept));
	functions->v[frame] = (struct frame_levels){ kept, nr };
}

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
static void ask(struct frame_functions *functions, size_t from, size_t to)
{
	const struct frame *frames = functions->replay->machine.stacks.frames;
	struct asked *asked = xcalloc(to - from, sizeof(*asked));

	for (size_t i = from; i < to; i++)
		asked[i - from] = (struct asked){ frames[i].offset, frames[i].module, (uint32_t)i };
	qsort(asked, to - from, sizeof(*asked), compare_asked);
	for (size_t i = 0; i < to - from; i++)
		function_table_of(&functions->replay->functions, asked[i].frame);
	free(asked);
}

static int make(void *data, size_t slot, struct err *err)
{
	struct frame_functions *functions = data;
	size_t left = functions->nr - functions->found, part = functions->nr / PARTS + 1;
	size_t to = functions->found + (left < part ? left : part);

	(void)err;
	if (!left)
		return 0;
	ask(functions, functions->found, to);
	while (functions->found < to)
		find(functions, (uint32_t)functions->found++);
	functions->known[slot] = functions->found;
	return 1;
}

int frame_functions_new(struct replay *replay, struct frame_functions **functions, struct err *err)
{
	struct frame_functions *made = xcalloc(1, sizeof(*made));

	made->replay = replay;
	made->nr = replay->machine.stacks.frames_nr;
	made->v = xcalloc(made->nr, sizeof(*made->v));
	if (pipeline_new(make, made, replay->threads, &made->pipeline, err)) {
		free(made->v);
		free(made);
		return -1;
	}
	*functions = made;
	return 0;
}

const struct frame_levels *frame_functions_all(const struct frame_functions *functions)
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
	pool_release(&functions->pool);
	free(functions->v);
	free(functions);
}
