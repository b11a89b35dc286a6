/*
 * One call of rustc, as a run has it, made ready to be run again: the same command in the same directory, with the
 * environment that the run keeps. Only its outputs go to another directory.
 */
#ifndef RECORD_COMPILER_CALL_H
#define RECORD_COMPILER_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/process.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* Which call; NULL or 0: any. */
struct compiler_choice {
	const char *crate;
	const char *part;
	int64_t pid;
};

struct compiler_call {
	struct strvec argv; /* argv[0] is the path of the compiler */
	char *arguments; /* the contents of the file `outputs`/arguments, which argv names; NULL: it names none */
	struct strvec env;     /* NAME=value, to be added to our environment */
	struct strvec missing; /* what is not there, and how to get it: then the call would fail */
	struct strvec
		notes; /* in what the call differs from the recorded one, apart from its outputs */
};

#define COMPILER_CALL_INIT \
	{ \
		STRVEC_INIT, NULL, STRVEC_INIT, STRVEC_INIT, STRVEC_INIT \
	}

/*
 * Find the call of rustc. Of several the one with this --crate-name is taken, not that of the package's build script.
 * ERR_NOT_FOUND: the run has none; ERR_USAGE: it has several, a line for each of which is appended to `several`. The
 * result is the list's.
 */
int compiler_call_find(const struct process_list *list, const struct compiler_choice *choice,
		       const struct process **process, struct strbuf *several, struct err *err);

struct compiler_options {
	const char *compiler; /* the path of another compiler; NULL: the recorded one */
	/* An absolute path of a directory for all that the compiler writes; it need not exist. */
	const char *outputs;
	bool look; /* at the files that the call names; false: none is opened or looked up, and none is missing */
	bool in_line; /* arguments that were in a file are on the command line, to be shown */
};

/*
 * Make the call from its row. Nothing is written. Variables that the crate reads and the run does not keep are taken from
 * the file of dependencies (*.d) that the recorded call left next to its output ("# env-dep:NAME=value", which rustc writes
 * since 1.46); a note has their names. ERR_FAILED: the run does not know the command line.
 */
int compiler_call_make(const struct process *process, const struct compiler_options *options,
		       struct compiler_call *call, struct err *err);
void compiler_call_release(struct compiler_call *call);

#endif
