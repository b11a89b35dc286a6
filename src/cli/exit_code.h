/*
 * What the exit status means (docs/exit-codes.md).
 */
#ifndef CLI_EXIT_CODE_H
#define CLI_EXIT_CODE_H

enum exit_code {
	EXIT_CODE_DONE = 0,
	EXIT_CODE_FAILED = 1,
	EXIT_CODE_USAGE = 2,
	EXIT_CODE_GATE = 3, /* reserved: a gate tripped */
	EXIT_CODE_UNDECIDED =
		125, /* reserved: a gate could not be decided; `git bisect run` skips the commit */
};

#endif
