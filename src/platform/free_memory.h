/*
 * Memory that was freed.
 */
#ifndef PLATFORM_FREE_MEMORY_H
#define PLATFORM_FREE_MEMORY_H

/*
 * Give it back to the system, where the C library would keep it: glibc keeps what each thread freed, for that thread. For
 * the moment between two phases that need much memory.
 */
void free_memory_give_back(void);

#endif
