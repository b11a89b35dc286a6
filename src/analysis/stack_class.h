/*
 * The class of a stack: what it is about, as one word of a kind.
 *
 *   STACK_PHASE  the tag of the stack (stack_tags.h): "rustc: type check"; without one STACK_CLASS_NONE, "[untagged]". It
 *                is of the stack as a whole: of its functions the one with the highest priority decides.
 *   STACK_QUERY  the innermost query of rustc that one of its functions runs (query_name.h): "typeck"; without one
 *                STACK_CLASS_NONE, "[no query]". Each function that runs a query has that class.
 *
 * A stack that was not recorded is STACK_CLASS_NOT_SAMPLED, "[not sampled]", whatever the kind. STACK_EMPTY, of which
 * nothing is known, has none.
 */
#ifndef ANALYSIS_STACK_CLASS_H
#define ANALYSIS_STACK_CLASS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/stack_tags.h"
#include "model/function.h"
#include "model/machine.h"

enum stack_class_kind { STACK_PHASE, STACK_QUERY };

#define STACK_CLASS_NONE        STACK_TAG_NONE
#define STACK_CLASS_NOT_SAMPLED (STACK_TAG_NONE - 1)

/* The classes of one kind of a machine's stacks. Each function and each stack is classified once. */
struct stack_classes;

/* `tags`: of STACK_PHASE, else NULL. All is borrowed. */
struct stack_classes *stack_classes_new(enum stack_class_kind kind, const struct machine *machine,
					struct function_table *functions,
					const struct stack_tags *tags);
void stack_classes_free(struct stack_classes *classes); /* accepts NULL */

/* Classify the functions of the first `nr` frames early, for speed: these are known. */
void stack_classes_see_frames(struct stack_classes *classes, size_t nr);

/* Free the classes of stacks. They are found again when they are needed. */
void stack_classes_trim(struct stack_classes *classes);

/* Other classes are numbered 0, 1, 2, ...: phases as the tags, queries in the order in which they are first seen. */
uint32_t stack_classes_of_stack(struct stack_classes *classes, uint32_t stack);
uint32_t stack_classes_of_function(struct stack_classes *classes, struct frame_function function);

/* The name of a class; valid as long as the classes and the tags are. */
const char *stack_classes_name(const struct stack_classes *classes, uint32_t stack_class);

/*
 * The name most similar to `word`, of all phases and what is around them ("LLVM"), or of the queries seen so far; NULL:
 * none is similar enough. Valid as long as the classes and the tags are.
 */
const char *stack_classes_nearest(struct stack_classes *classes, const char *word);

#endif
