/*
 * Which memory calls of a Linux recording have a stack. The profiler puts these numbers into perf's event filters; the
 * reader computes the weight of a stack from them: the number of calls that it stands for.
 *
 * All large calls have a stack: 5 % of the events of a real stage 2, and 79 % of the bytes. Small calls are sampled by
 * address: one has a stack if certain bits of its page address have a certain value. So the reader needs nothing but the
 * call itself to know its weight.
 */
#ifndef UTIL_STACK_SAMPLING_H
#define UTIL_STACK_SAMPLING_H

#define STACK_LARGE_BYTES 65536   /* calls of at least this size all have a stack */
#define STACK_PICK_MASK   0x3f000 /* smaller ones have one if these bits of the address are 0 ... */
#define STACK_PICK_LOW \
	0x1000 /* ... or, if the address is known at the exit only, this bit is 1 ... */
#define STACK_PICK_HIGH 0x3e000 /* ... and these are 0 */

/* Each of the two patterns selects one of this many page addresses. */
#define STACK_PICK_ONE_IN (STACK_PICK_MASK / 0x1000 + 1)

#endif
