/*
 * Which memory events a Linux recording gives a stack: the recorder puts these figures into perf's filters,
 * the reader tells from them for how many calls a stack stands.
 *
 * Large calls all have one: 5 % of the events of a real stage 2, and 79 % of the bytes. Of the small ones
 * those whose address has a pattern in the bits above the page's, so that the two sides need not agree on
 * anything else.
 */
#ifndef UTIL_STACK_SAMPLING_H
#define UTIL_STACK_SAMPLING_H

#define STACK_LARGE_BYTES 65536   /* this large and larger: every call */
#define STACK_PICK_MASK   0x3f000 /* of the address of a smaller one: all clear ... */
#define STACK_PICK_LOW    0x1000  /* ... or, where it is known at the exit only, this one set ... */
#define STACK_PICK_HIGH   0x3e000 /* ... and these clear */

/* Either pattern picks one page address of so many. */
#define STACK_PICK_ONE_IN (STACK_PICK_MASK / 0x1000 + 1)

#endif
