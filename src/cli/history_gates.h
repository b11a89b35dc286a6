/*
 * The gates of `history check`: the newest run of a history, compared with those before it.
 */
#ifndef CLI_HISTORY_GATES_H
#define CLI_HISTORY_GATES_H

#include "cli/history_actions.h"
#include "gate/gate.h"
#include "util/err.h"

/* What a gate compares the newest run with: the median of at most so many before it. */
#define HISTORY_BASE_RUNS 30

/*
 * Evaluate gates about the newest run of a scope that has runs, and say what became of each. Their values are those that
 * `compare` has for the same runs. Returns the exit code: 0, EXIT_CODE_GATE or EXIT_CODE_UNDECIDED; -1: the data base
 * cannot be read.
 */
int history_gates_judge(const struct history_scope *scope, const struct gates *gates,
			struct err *err);

#endif
