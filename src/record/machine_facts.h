/*
 * Facts of the machine other than its processors and memory, for the manifest: when it was started, swap space, control
 * groups, disks.
 */
#ifndef RECORD_MACHINE_FACTS_H
#define RECORD_MACHINE_FACTS_H

#include "model/system_facts.h"

/* Append what is known of this machine, by section. */
void machine_facts_add(struct system_facts *facts);

#endif
