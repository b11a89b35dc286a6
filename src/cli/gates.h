/*
 * Gates of `compare` and `record`: what they need of runs, and what they say.
 */
#ifndef CLI_GATES_H
#define CLI_GATES_H

#include "cli/compare_run.h"
#include "cli/compare_warn.h"
#include "gate/gate.h"
#include "report/compare_format.h"
#include "util/strvec.h"

/* A row of options: --fail-if, a struct strvec at `offset`. */
#define FAIL_IF_OPTION(offset, more) \
	{ \
		0, "fail-if", OPT_LIST, "GATE", "a condition under which the exit code is 3" more, \
			offset, NULL \
	}

struct gate_specs {
	struct gates gates;
	struct compare_spec specs[GATE_KEYS]; /* those that are used have a comparison */
	bool used[GATE_KEYS];
	struct process_filter compilers; /* of the spec of compiles, which borrows it */
	char *doubt;                     /* why no gate can be decided; NULL: they can be */
	struct strvec unknown;           /* why those of unknown names cannot */
};

/*
 * Parse the gates. Without `relative` there is no base. Mistakes are ERR_USAGE. Release them in any case. With a gate the
 * exit code of what ends the program, for want of memory or time, is from now on that of an undecided one.
 */
int gate_specs_init(struct gate_specs *specs, const struct strvec *texts, bool relative,
		    struct err *err);
void gate_specs_release(struct gate_specs *specs);

/* The same of gates that were read before, with a base; they are taken over. */
void gate_specs_init_kept(struct gate_specs *specs, struct gates *gates);

/* Add what is to be read of each run. Returns the number of specs. */
size_t gate_specs_add(struct gate_specs *specs, struct compare_spec **list);

/* Evaluate the gates, after the runs were read. The caller frees the result, one for each gate, before the specs. */
struct compare_gate *gates_evaluate(struct gate_specs *specs, const struct compare_runs *runs);

/* Whether one of the gates is of the build's peak. */
bool gates_are_of_peak(const struct gates *gates);

/*
 * Say what became of the gates, of those that tripped with their evidence: what grew most there. Returns the exit code: 0,
 * EXIT_CODE_GATE or EXIT_CODE_UNDECIDED. `split` (NULL: unknown) is said with each gate of the build's peak.
 */
int gates_say(const struct compare_gate *gates, size_t nr, const struct compare_runs *runs,
	      const struct compare_split *split);

/* Say whether a gate tripped, passed or could not be decided. */
void gate_print_result(const struct compare_gate *gate);

/*
 * The exit code under gates, once all was printed, from that which they have: of results that cannot be written, to a full
 * disk, that is no answer. main() says it.
 */
int gates_end_output(int code);

/*
 * The exit code of a command that has failed, where that is no answer: an error is printed, and if there are `gates`, that
 * none could be decided; -1: it is a mistake of the user.
 */
int gates_failed(size_t gates, struct err *err);

#endif
