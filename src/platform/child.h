/*
 * Runs other programs. Each child leads its own process group, so that a Ctrl-C in the terminal reaches only
 * stagetrace, which decides what to do. The standard input of a child is empty.
 *
 * Windows: a child inherits only its standard streams. A program is a file with an extension in PATHEXT: .exe and
 * .com are started directly, .bat and .cmd by cmd. The child gets exactly the arguments given.
 */
#ifndef PLATFORM_CHILD_H
#define PLATFORM_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct child_options {
	const struct strvec *argv; /* argv[0] is searched for in PATH */
	const char *cwd;           /* NULL: ours */
	const struct strvec *env;  /* NAME=value, added to our environment; NULL: none */
	/* stdout and stderr are appended to this regular file (no link), new for its owner alone; NULL: discarded */
	const char *output;
	bool apart; /* it survives when our terminal is closed; Windows: it can only be killed */
};

struct child {
	int64_t pid;
	int64_t exit_code; /* once ended: 0..255, 128 + signal if a signal ended it; Windows: 32 bits, unsigned */
	bool ended;
	int hold;   /* our end of the pipe that the child waits on; -1 once released */
	int status; /* the pipe that reports whether the program could be run */
	struct child_handles *handles; /* Windows, instead of the two pipes; NULL once ended */
};

/*
 * Fork a child that waits for child_release() before it runs the program, so that it can be tracked from the start.
 * If stagetrace ends first, the child ends too. (Windows: the program is loaded and paused before its first
 * instruction, so child_start() already reports the errors of child_release().)
 */
int child_start(const struct child_options *options, struct child *child, struct err *err);

/* Let the child run the program. ERR_NOT_FOUND: there is no such program; other errors: it cannot be run. */
int child_release(struct child *child, const struct child_options *options, struct err *err);

/* Whether the child has ended. Does not wait. */
bool child_poll(struct child *child);

/* Wait until the child ends, at most `timeout_ns`. False: it still runs. */
bool child_wait(struct child *child, int64_t timeout_ns);

enum child_signal { CHILD_INTERRUPT, CHILD_TERMINATE, CHILD_KILL };

/*
 * Send a signal to the child, not to its descendants. Windows: CHILD_KILL ends the child; the others are a
 * Ctrl-Break, which the whole process group gets. Without a console they end the child at once, with exit code 128 +
 * the signal's number.
 */
void child_signal(const struct child *child, enum child_signal signal);

/*
 * Run a short command, for `timeout_ns` at most, and append its stdout and stderr, up to 1 MB. An exit code other
 * than 0 is no error: it is in `*exit_code`.
 */
int child_capture(const struct strvec *argv, const char *cwd, int64_t timeout_ns,
		  struct strbuf *output, int64_t *exit_code, struct err *err);

/* Whether a signal, an exception or another process ended the program. */
bool exit_code_is_crash(int64_t exit_code);

/* Append "failed with exit code 3", "was ended by signal 9", "ended with 0xC0000005 (access violation)". */
void exit_code_add_failure(struct strbuf *sb, int64_t exit_code);

#endif
