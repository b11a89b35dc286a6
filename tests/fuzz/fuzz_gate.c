/*
 * Any text as gates: refused as a mistake of the user, or gates whose texts are gates again, with the same meaning.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/gate.h"
#include "util/alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_same(const struct gate *gate)
{
	struct gates again = GATES_INIT;
	struct err err = ERR_INIT;

	if (gates_add(&again, gate->text, &err) || again.nr != 1)
		abort();
	if (again.v[0].key != gate->key || again.v[0].measure != gate->measure ||
	    again.v[0].op != gate->op || again.v[0].kind != gate->kind ||
	    again.v[0].limit != gate->limit || !gate->name != !again.v[0].name ||
	    (gate->name && strcmp(gate->name, again.v[0].name)))
		abort();
	if ((gate->key == GATE_BUILD) != !gate->name || gate->measure >= MEASURES)
		abort();
	/* A limit is never tripped from both sides. */
	if (gate_trips(gate, gate->limit - 1) && gate_trips(gate, gate->limit + 1) &&
	    gate->limit + 1 > gate->limit)
		abort();
	gates_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	struct gates gates = GATES_INIT;
	struct err err = ERR_INIT;

	if (gates_add_list(&gates, text, &err) && err.code != ERR_USAGE)
		abort();
	for (size_t i = 0; i < gates.nr; i++)
		expect_same(&gates.v[i]);
	gates_release(&gates);
	err_clear(&err);
	free(text);
	return 0;
}
