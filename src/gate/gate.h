/*
 * Gates: conditions under which a comparison or a recording fails (docs/gates.md).
 *
 *     peak > +5%      crate:rustc_middle.own-peak >= 1.2GiB      phase:LLVM: passes.cpu > +10s
 */
#ifndef GATE_GATE_H
#define GATE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/measure.h"
#include "util/err.h"
#include "util/strvec.h"

/* A compile is what the compilers of a crate do, without its linkers and the build script that runs. */
enum gate_key { GATE_BUILD, GATE_PART, GATE_ROLE, GATE_CRATE, GATE_COMPILE, GATE_PHASE, GATE_KEYS };

enum gate_op { GATE_ABOVE, GATE_AT_LEAST, GATE_BELOW, GATE_AT_MOST };

/* What the limit is of. */
enum gate_limit {
	GATE_VALUE,   /* of the new side, in bytes or nanoseconds */
	GATE_CHANGE,  /* of the change, in the same */
	GATE_PERCENT, /* of the change, in percent of the base */
};

struct gate {
	char *text; /* as given */
	enum gate_key key;
	char *name; /* NULL: the build */
	enum measure measure;
	enum gate_op op;
	enum gate_limit kind;
	double limit;
	char *unread; /* why it is undecided, and has no limit: it cannot be read; else NULL */
};

struct gates {
	struct gate *v;
	size_t nr, alloc;
};

#define GATES_INIT \
	{ \
		NULL, 0, 0 \
	}

void gates_release(struct gates *gates);

/* Add the gate of a text. ERR_USAGE: it is none; the message suggests similar words. */
int gates_add(struct gates *gates, const char *text, struct err *err);

/* The same of texts that commas separate; a text without any adds none. */
int gates_add_list(struct gates *gates, const char *text, struct err *err);

/*
 * The same of a text that another version may have written: what is no gate of this one is added as one that nobody can
 * decide.
 */
void gates_add_kept(struct gates *gates, const char *text);

/* Add a gate that nobody can decide, as it cannot be read. */
void gates_add_unread(struct gates *gates, const char *text, const char *why);

/* Add the texts of such a list, if all are gates. */
int gates_split(const char *text, struct strvec *texts, struct err *err);

/* Whether the limit is of a change: a base is needed. */
bool gate_compares(const struct gate *gate);

/* Whether a value is on the side of the limit that the gate is against. */
bool gate_trips(const struct gate *gate, double value);

#endif
