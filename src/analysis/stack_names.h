/*
 * Stacks whose frames are names of functions (function.name), for the machine's stacks: two addresses in one function are one
 * line, and what is inlined at an address has frames of its own.
 */
#ifndef ANALYSIS_STACK_NAMES_H
#define ANALYSIS_STACK_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "model/function.h"
#include "model/machine.h"
#include "util/strvec.h"

struct stack_names {
	const struct machine *machine;
	struct function_table *functions;
	struct stack_table table; /* of names */
	uint32_t *of_stack;       /* by the machine's stacks, the first `nr`: those of names */
	size_t nr, alloc;
	struct frame_function levels[FUNCTION_LEVELS]; /* of the frame at hand */
};

/* Both are borrowed. */
void stack_names_init(struct stack_names *names, const struct machine *machine,
		      struct function_table *functions);
void stack_names_release(struct stack_names *names);

/* That of a stack of the machine; of STACK_EMPTY it is [truncated]. */
uint32_t stack_names_find(struct stack_names *names, uint32_t stack);

/* Find those of the machine's first `nr` stacks ahead. They are the same in any case. */
void stack_names_reach(struct stack_names *names, size_t nr);

/* Give back what only finding needs. It is found again where it is asked for nevertheless, slowly. */
void stack_names_rest(struct stack_names *names);

/* Append the names of a stack of names, root first. */
void stack_names_add(const struct stack_names *names, uint32_t stack, struct strvec *frames);

#endif
