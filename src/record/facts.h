/*
 * What a reader of a run needs to know of the machine and the checkout, put into the manifest.
 */
#ifndef RECORD_FACTS_H
#define RECORD_FACTS_H

#include "rundir/manifest.h"

void facts_add_host(struct manifest *manifest);

/* Commit, branch and number of changed files of the checkout, where it is a git one and git is there. */
void facts_add_git(struct manifest *manifest, const char *source);

#endif
