/*
 * Unwinding of stack copies by the call frame information of ELF files (.eh_frame, .debug_frame; libdw).
 * The rule of an address is computed once and cached, so that each further frame there is only a lookup.
 * Supports x86-64 and arm64.
 */
#ifndef SYMBOL_UNWINDER_H
#define SYMBOL_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/machine.h"

/* Why a stack ended. */
enum unwind_end {
	UNWIND_COMPLETE,  /* it reaches the start of the thread or process */
	UNWIND_NO_BYTES,  /* the stack copy is too short */
	UNWIND_NO_MODULE, /* an address is in no file */
	UNWIND_NO_FILE,   /* the file of an address is missing here, or is not the traced one */
	UNWIND_NO_RULE,   /* an address has no call frame information */
	UNWIND_BAD, /* invalid: the stack does not go up, an unmapped caller, too many frames */
	UNWIND_BIG_FRAME, /* as UNWIND_NO_BYTES, in a frame that is larger than any stack copy */
	UNWIND_JOINED, /* complete, with frames of earlier stacks of the thread: stack_joiner.h */
};

#define UNWIND_MAX 4096 /* maximum number of frames */

struct unwinder;

/*
 * The path of a module's ELF file, borrowed; NULL: the traced file is not available. Modules of the same file have the same
 * path.
 */
struct module_files {
	void *data;
	const char *(*path)(void *data, const struct module *module);
};

struct unwinder *unwinder_new(struct module_files files);
void unwinder_free(struct unwinder *unwinder);

/*
 * Set `*v` to the addresses of the frames, leaf first; owned by the unwinder, valid until the next call. All but the
 * leaf's are return addresses; for code interrupted by a signal it is the address plus 1. If the copy ends early, the
 * remaining frames come from the call chain of the same event (`stack->user`) if they have a frame in common (the stack
 * is then complete unless the chain is truncated), else from earlier stacks of `thread` (NULL: unknown). Use an unwinder
 * with one machine only.
 */
enum unwind_end unwinder_unwind(struct unwinder *unwinder, const struct machine *machine,
				const struct trace_process *process,
				const struct trace_thread *thread, const struct trace_stack *stack,
				const uint64_t **v, size_t *nr);

/* Copies whose unwinding ended early at code whose file is missing here (UNWIND_NO_FILE). */
struct unwind_loss {
	uint64_t copies;
	uint32_t module; /* that most of them lack; MODULE_ID_UNKNOWN: none */
};

struct unwind_loss unwinder_loss(const struct unwinder *unwinder);

/* Remember a call chain of the thread (by frame pointers, leaf first) for joining later copies. */
void unwinder_see_chain(struct unwinder *unwinder, const struct trace_thread *thread,
			const uint64_t *addresses, size_t nr);

/* The thread ended, or runs another program: forget its stacks. */
void unwinder_forget(struct unwinder *unwinder, const struct trace_thread *thread);

#endif
