/*
 * Completes call chains that end before the start of their thread, because code without frame pointers breaks them, by the
 * whole stacks of the same thread: those of samples that were recorded for their stack copies alone (trace_cpu.stack_only),
 * and of other chains that reach the start.
 *
 * A chain waits for the next whole stacks of its thread. Its callers are the innermost ones that 16 whole stacks in a
 * row, some before and some after it, have in common, without the frames in which they were executing: callers that stay
 * so long are seldom left in between, while a frequent callee is often on both sides of something else. If the chain has
 * a return address that is in the whole stack before or after it too, it goes on from there; else FRAME_MISSING stands
 * between the callers and the frames of the chain. Before the first whole stack of a thread and after its last one, the
 * first and the last 16 count. If it has fewer, the callers are those that all its whole stacks have in common, or, with
 * fewer than two, all of its process, where the main thread is apart from the others.
 *
 * Whole stacks from copies have the outermost frames of the program's start, which chains lack where libc has no frame
 * pointers: these are left out from the frame on at which chains of the recording end.
 */
#ifndef ANALYSIS_STACK_COMPLETER_H
#define ANALYSIS_STACK_COMPLETER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/stack.h"

/* Samples of one thread with one stack and one place; what they count for is private to the caller. */
struct completer_samples {
	uint32_t place;
	int64_t samples, ns;
	uint64_t unwound;
};

/* Takes samples whose stack is final: as recorded, or with its callers completed. */
typedef void completer_fn(void *data, uint32_t stack, bool completed,
			  const struct completer_samples *samples);

struct stack_completer;

/* Only final and whole stacks are put into `stacks` (borrowed): a chain that waits is kept as its frames. */
struct stack_completer *stack_completer_new(struct stack_table *stacks, completer_fn *take,
					    void *data);
void stack_completer_free(struct stack_completer *completer);

/*
 * A sample of a thread, in the order of time. It is taken now, or when enough of the thread's next whole stacks, or its
 * end, are known.
 */
void stack_completer_add(struct stack_completer *completer, int64_t pid, int64_t tid,
			 const struct stack_path *path, const struct completer_samples *samples);

/* A stack from a copy; the kernel's frames are not looked at. It is whole unless its root is FRAME_TRUNCATED. */
void stack_completer_see(struct stack_completer *completer, int64_t pid, int64_t tid,
			 const struct stack_path *path);

void stack_completer_end_thread(struct stack_completer *completer, int64_t pid, int64_t tid);

/* Another program begins in the process, or another process with its pid: what is known of stacks of `pid` is void. */
void stack_completer_end_program(struct stack_completer *completer, int64_t pid);

/* No samples follow: all that wait are taken. */
void stack_completer_finish(struct stack_completer *completer);

#endif
