#include "model/stack_steps.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

#define HEAD (sizeof(struct stack_head) / sizeof(uint32_t))

struct stack_maker {
	/* The stacks that the last one of a slot begins with; or its frames. */
	uint32_t last[STACK_SLOTS][STACK_SLOT_FRAMES];
	uint32_t *path; /* room for the frames of a stack */
	size_t path_alloc;
};

void stack_steps_release(struct stack_steps *steps)
{
	free(steps->v);
	*steps = (struct stack_steps){ NULL, 0, 0 };
}

uint32_t *stack_steps_room(struct stack_steps *steps, size_t nr)
{
	ARRAY_GROW(steps->v, steps->nr + nr, steps->alloc);
	return steps->v + steps->nr;
}

size_t stack_steps_begin(struct stack_steps *steps)
{
	stack_steps_room(steps, HEAD);
	steps->nr += HEAD;
	return steps->nr - HEAD;
}

void stack_steps_end(struct stack_steps *steps, size_t begin, const struct stack_head *head)
{
	memcpy(steps->v + begin, head, sizeof(*head));
}

const uint32_t *stack_steps_next(const struct stack_steps *steps, size_t *at,
				 struct stack_head *head)
{
	const uint32_t *frames = steps->v + *at + HEAD;

	memcpy(head, steps->v + *at, sizeof(*head));
	*at += HEAD + head->nr + head->more;
	return frames;
}

struct stack_maker *stack_maker_new(void)
{
	return xcalloc(1, sizeof(struct stack_maker));
}

void stack_maker_free(struct stack_maker *maker)
{
	if (maker)
		free(maker->path);
	free(maker);
}

uint32_t stack_maker_next(struct stack_maker *maker, struct stack_table *table,
			  const struct stack_steps *steps, size_t *at)
{
	uint32_t stack = STACK_EMPTY, *last = NULL;
	struct stack_head head;
	const uint32_t *frames = stack_steps_next(steps, at, &head);

	if (head.slot != STACK_NO_SLOT)
		last = maker->last[head.slot];
	if (head.keep)
		stack = last[head.keep - 1];
	if (last && head.keep + head.nr <= STACK_SLOT_FRAMES)
		last += head.keep;
	else
		last = NULL;
	stack = stack_table_push_all(table, stack, frames, head.nr, last);
	return stack_table_push_all(table, stack, frames + head.nr, head.more, NULL);
}

struct stack_path stack_maker_path(struct stack_maker *maker, const struct stack_steps *steps,
				   size_t *at)
{
	struct stack_head head;
	const uint32_t *frames = stack_steps_next(steps, at, &head);
	size_t user_nr = (size_t)head.keep + head.nr, nr = user_nr + head.more;
	uint32_t *last = head.slot == STACK_NO_SLOT ? NULL : maker->last[head.slot];

	ARRAY_GROW(maker->path, nr + 1, maker->path_alloc);
	if (last && user_nr <= STACK_SLOT_FRAMES)
		memcpy(last + head.keep, frames, head.nr * sizeof(*frames));
	if (head.keep)
		memcpy(maker->path, last, head.keep * sizeof(*last));
	memcpy(maker->path + head.keep, frames, ((size_t)head.nr + head.more) * sizeof(*frames));
	return (struct stack_path){ maker->path, nr, user_nr };
}
