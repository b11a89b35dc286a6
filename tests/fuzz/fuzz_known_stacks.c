/* Any bytes as the stacks of a trace: an error, or stacks that are the same after they are written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "replay/known_stacks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define AT_HASH 12

static void begin(struct machine *machine)
{
	*machine = (struct machine){ .rows = NULL };
	stack_table_init(&machine->stacks);
}

static void release(struct machine *machine)
{
	stack_table_release(&machine->stacks);
	free(machine->known_stacks.v);
}

/* Each stack, from its sample to its outermost frame, and back by what links callers to their callees. */
static void walk(const struct machine *machine)
{
	const struct stack_table *stacks = &machine->stacks;

	for (size_t i = 0; i < machine->known_stacks.nr && i < 1000; i++) {
		uint32_t at = machine->known_stacks.v[i] >> 1, nr = 0;

		for (; at != STACK_EMPTY; at = stacks->nodes[at].parent) {
			if (stacks->nodes[at].frame >= stacks->frames_nr || nr++ > STACK_DEPTH_MAX)
				abort();
		}
	}
	for (size_t i = STACK_EMPTY + 1; i < stacks->nodes_nr; i++) {
		if (stacks->nodes[i].parent >= i)
			abort();
	}
}

static void round_trip(const struct machine *machine, const struct trace_fingerprint *trace)
{
	struct strbuf text = STRBUF_INIT, again_text = STRBUF_INIT;
	struct machine again;
	struct err err = ERR_INIT;

	begin(&again);
	if (known_stacks_add_text(machine, trace, &text, &err) ||
	    known_stacks_parse(text.buf, text.len, trace, &again, &err) ||
	    known_stacks_add_text(&again, trace, &again_text, &err) || text.len != again_text.len ||
	    memcmp(text.buf, again_text.buf, text.len) != 0)
		abort();
	release(&again);
	strbuf_release(&text);
	strbuf_release(&again_text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_fingerprint trace = { "" };
	struct machine machine;
	struct err err = ERR_INIT;
	int rc;

	if (size > AT_HASH + sizeof(trace.hash))
		memcpy(trace.hash, data + AT_HASH, sizeof(trace.hash) - 1);
	begin(&machine);
	rc = known_stacks_parse((const char *)data, size, &trace, &machine, &err);
	if (rc < 0 && (err.code != ERR_CORRUPT || !err.msg))
		abort();
	if (!rc) {
		walk(&machine);
		round_trip(&machine, &trace);
	}
	err_clear(&err);
	release(&machine);
	return 0;
}
