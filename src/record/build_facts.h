/*
 * What decides what a build does, apart from its configuration, for the manifest (docs/run-directory.md): versions of
 * tools, variables, the number of jobs, lock files, the stage 0 compiler, LLVM from CI. The checkout has its own file,
 * record/checkout.h.
 */
#ifndef RECORD_BUILD_FACTS_H
#define RECORD_BUILD_FACTS_H

#include "model/system_facts.h"
#include "record/plan.h"

/* Append what is known before anything runs: "tools", "environment", "build". */
void build_facts_add_given(const struct record_plan *plan, struct system_facts *facts);

/* Append what stage 1 makes or downloads: "files", "stage0", "ci_llvm". Before it a fresh checkout has only a part. */
void build_facts_add_made(const struct record_plan *plan, struct system_facts *facts);

#endif
