/*
 * Unwinding of stack copies by the call frame information of ELF files (.eh_frame, .debug_frame; libdw).
 * The rules of an address are worked out once and kept: a stack comes to a look-up for each frame.
 * x86-64 and arm64.
 */
#ifndef SYMBOL_UNWINDER_H
#define SYMBOL_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/machine.h"

/* Why a stack ended. */
enum unwind_end {
	UNWIND_WHOLE,     /* the start of the thread or process */
	UNWIND_NO_BYTES,  /* the copy of the stack ends before */
	UNWIND_NO_MODULE, /* no file for an address, or not the traced one */
	UNWIND_NO_RULE,   /* no call frame information for an address */
	UNWIND_BAD,       /* it makes no sense: does not go up, leads nowhere, too many frames */
	UNWIND_BIG_FRAME, /* as UNWIND_NO_BYTES, in a frame that is larger than any copy can be */
	UNWIND_JOINED, /* whole, by frames that the thread was seen to have before: stack_joiner.h */
};

#define UNWIND_MAX 4096 /* frames */

struct unwinder;

/* Where the ELF file of a module is; NULL: there is none that is the traced one. Borrowed. */
struct module_files {
	void *data;
	const char *(*path)(void *data, const struct module *module);
};

struct unwinder *unwinder_new(struct module_files files);
void unwinder_free(struct unwinder *unwinder);

/*
 * Addresses of the frames, leaf first, into `*v` (the unwinder's own, good until the next call). All but the
 * leaf's are return addresses; that of code interrupted by a signal is made one, by adding 1. Where the bytes
 * end and the call chain of the same event (`stack->user`) has a frame in common, the chain's frames above it
 * follow, and the stack is whole unless the kernel cut the chain; else it is joined to what `thread` (NULL: not
 * known) was seen to have before. One machine in the life of an unwinder.
 */
enum unwind_end unwinder_unwind(struct unwinder *unwinder, const struct machine *machine,
				const struct trace_process *process,
				const struct trace_thread *thread, const struct trace_stack *stack,
				const uint64_t **v, size_t *nr);

/* A call chain of the thread along frame pointers, leaf first, to join copies to. */
void unwinder_see_chain(struct unwinder *unwinder, const struct trace_thread *thread,
			const uint64_t *addresses, size_t nr);

/* The thread ended, or has another program. */
void unwinder_forget(struct unwinder *unwinder, const struct trace_thread *thread);

#endif
