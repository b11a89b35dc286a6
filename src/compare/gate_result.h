/*
 * Whether a gate (gate/gate.h) trips, by the values of runs.
 */
#ifndef COMPARE_GATE_RESULT_H
#define COMPARE_GATE_RESULT_H

#include "compare/comparison.h"
#include "gate/gate.h"

enum gate_outcome { GATE_PASSED, GATE_TRIPPED, GATE_UNDECIDED };

struct gate_result {
	enum gate_outcome outcome;
	const char *why;              /* it is undecided; borrowed */
	struct compare_change change; /* of the medians */
};

/*
 * Evaluate a gate by a comparison of its kind of key, with one text, of the build without one. A gate of a value needs runs
 * of the new side alone. Of three runs a side or more a change trips the gate if all of the 90 % interval of its shift
 * does, passes if none of it does, and is else undecided; of fewer runs the medians decide.
 */
struct gate_result gate_evaluate(const struct gate *gate, const struct comparison *comparison);

#endif
