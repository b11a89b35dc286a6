/*
 * Facts about a machine, in sections: processors, memory, disks, volumes, ... A trace of Windows has them as events, a
 * run in its manifest.
 *
 * The end of a key is the unit of its number: "free_bytes", "start_ns"; without one it is a count. Where a section is about
 * several things the key begins with the thing: "C: free_bytes".
 */
#ifndef MODEL_SYSTEM_FACTS_H
#define MODEL_SYSTEM_FACTS_H

#include <stddef.h>
#include <stdint.h>

/* A machine has a few hundred; a damaged file may have any number. */
#define SYSTEM_FACTS_MAX 16384

struct system_fact {
	char *section, *key;
	char *text; /* NULL: it is a number */
	int64_t number;
};

struct system_facts {
	struct system_fact *v;
	size_t nr, alloc;
};

void system_facts_release(struct system_facts *facts);

/* Append a fact. Nothing is added beyond SYSTEM_FACTS_MAX. */
void system_facts_add(struct system_facts *facts, const char *section, const char *key,
		      const char *text);
void system_facts_add_number(struct system_facts *facts, const char *section, const char *key,
			     int64_t number);

/* The fact, the first one; NULL: there is none. */
const struct system_fact *system_facts_find(const struct system_facts *facts, const char *section,
					    const char *key);

/* The number of a fact; -1: there is none. */
int64_t system_facts_number(const struct system_facts *facts, const char *section, const char *key);

#endif
