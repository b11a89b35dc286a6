/*
 * Running other programs. Each child is the leader of its own process group, so that a Ctrl-C in the
 * terminal reaches stagetrace alone, which then decides; its standard input is empty.
 *
 * Windows: nothing else of ours is inherited. Programs are those with an ending of PATHEXT that the system starts by
 * itself (.exe, .com) or through cmd (.bat, .cmd). Arguments arrive as they are given.
 */
#ifndef PLATFORM_CHILD_H
#define PLATFORM_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct child_options {
	const struct strvec *argv; /* argv[0] is looked for along PATH */
	const char *cwd;           /* NULL: ours */
	const struct strvec *env;  /* NAME=value, put over our environment; NULL: nothing */
	const char *output; /* stdout and stderr are appended to this file; NULL: thrown away */
	bool apart;         /* it goes on where our terminal ends; Windows: it can only be killed */
};

struct child {
	int64_t pid;
	int64_t exit_code; /* once ended: 0..255, 128 + signal where a signal ended it; Windows: 32 bits, unsigned */
	bool ended;
	int hold;   /* our end of the pipe the child waits on; -1 once released */
	int status; /* the pipe that tells whether the program could be run */
	struct child_handles *handles; /* Windows: in place of the two; NULL once ended */
};

/*
 * Fork a child that waits for child_release() before it runs the program, so that a watch can be set
 * on it first. It ends by itself when we die before. (Windows: the program is loaded but held before its first
 * instruction, so what child_release() says of one that can't be run is said here.)
 */
int child_start(const struct child_options *options, struct child *child, struct err *err);

/* Let it run the program. A program that can't be run is an error (ERR_NOT_FOUND where there is none). */
int child_release(struct child *child, const struct child_options *options, struct err *err);

/* Has it ended? Does not wait. */
bool child_poll(struct child *child);

/* Wait for its end, at most `timeout_ns`; false where it still runs. */
bool child_wait(struct child *child, int64_t timeout_ns);

enum child_signal { CHILD_INTERRUPT, CHILD_TERMINATE, CHILD_KILL };

/*
 * To the child alone, not to what it started. Windows: what is no kill is a Ctrl-Break, which only its whole group can
 * get; without a console it is ended at once, with 128 + the signal's number.
 */
void child_signal(const struct child *child, enum child_signal signal);

/*
 * Run a short command and take its stdout and stderr, at most 1 MB and `timeout_ns`. An exit
 * code other than 0 is not an error: it is in `*exit_code`.
 */
int child_capture(const struct strvec *argv, const char *cwd, int64_t timeout_ns,
		  struct strbuf *output, int64_t *exit_code, struct err *err);

#endif
