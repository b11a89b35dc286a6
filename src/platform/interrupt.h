/*
 * Ctrl-C and its kin: counted, for the recording to act on between two steps.
 */
#ifndef PLATFORM_INTERRUPT_H
#define PLATFORM_INTERRUPT_H

/* Count SIGINT, SIGTERM and SIGHUP (Windows: console events) from now on instead of ending. */
void interrupt_catch(void);

/* How often so far. */
int interrupt_count(void);

#endif
