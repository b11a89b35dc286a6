/*
 * What stagetrace's exit status says (docs/exit-codes.md).
 */
#ifndef CLI_EXIT_CODE_H
#define CLI_EXIT_CODE_H

enum exit_code {
	EXIT_CODE_DONE = 0,
	EXIT_CODE_FAILED = 1,
	EXIT_CODE_USAGE = 2,
	EXIT_CODE_GATE = 3,        /* a --fail-if gate tripped */
	EXIT_CODE_UNDECIDED = 125, /* a gate that could not be decided: `git bisect run` skips */
};

#endif
