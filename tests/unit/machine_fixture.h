/*
 * A machine, and short functions that apply events to it.
 */
#ifndef TESTS_UNIT_MACHINE_FIXTURE_H
#define TESTS_UNIT_MACHINE_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "model/machine.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/text.h"

struct machine_fixture {
	struct process_list rows;
	struct machine machine;
	struct strbuf text;
};

static inline struct machine_fixture *machine_fixture_new(void)
{
	struct machine_fixture *f = xcalloc(1, sizeof(*f));

	f->text = (struct strbuf)STRBUF_INIT;
	machine_init(&f->machine, &f->rows);
	return f;
}

static inline void machine_fixture_free(struct machine_fixture *f)
{
	machine_release(&f->machine);
	process_list_release(&f->rows);
	strbuf_release(&f->text);
	free(f);
}

/* Add a row. Rows must exist before the machine, which therefore starts again. */
static inline struct process *add_row(struct machine_fixture *f, int64_t pid, int64_t start_ns,
				      int64_t end_ns)
{
	struct process *row;

	machine_release(&f->machine);
	row = process_list_add(&f->rows);
	row->pid = pid;
	row->start_ns = start_ns;
	row->end_ns = end_ns;
	machine_init(&f->machine, &f->rows);
	return row;
}

static inline struct trace_event event_of(enum trace_event_kind kind, int64_t ms, int64_t pid,
					  int64_t tid)
{
	struct trace_event event;

	memset(&event, 0, sizeof(event));
	event.kind = kind;
	event.cpu = -1;
	event.time_ns = ms * NS_PER_MS;
	event.pid = pid;
	event.tid = tid;
	return event;
}

static inline void fork_process(struct machine_fixture *f, int64_t ms, int64_t ppid, int64_t pid)
{
	struct trace_event event = event_of(TRACE_PROCESS_START, ms, pid, pid);

	event.start = (struct trace_start){ .ppid = ppid, .copied = ms > 0 };
	machine_apply(&f->machine, &event);
}

static inline void start_thread(struct machine_fixture *f, int64_t ms, int64_t pid, int64_t tid)
{
	struct trace_event event = event_of(TRACE_THREAD_START, ms, pid, tid);

	machine_apply(&f->machine, &event);
}

static inline void exec_program(struct machine_fixture *f, int64_t ms, int64_t pid,
				const char *name)
{
	struct trace_event event = event_of(TRACE_EXEC, ms, pid, pid);

	event.name = name;
	machine_apply(&f->machine, &event);
}

static inline void name_thread(struct machine_fixture *f, int64_t ms, int64_t pid, int64_t tid,
			       const char *name)
{
	struct trace_event event = event_of(TRACE_THREAD_NAME, ms, pid, tid);

	event.name = name;
	machine_apply(&f->machine, &event);
}

static inline void end_thread(struct machine_fixture *f, int64_t ms, int64_t pid, int64_t tid)
{
	struct trace_event event = event_of(TRACE_THREAD_END, ms, pid, tid);

	machine_apply(&f->machine, &event);
}

/* Map code of a file, from its start on. */
static inline void map_file(struct machine_fixture *f, int64_t ms, int64_t pid, uint64_t address,
			    uint64_t length, const char *path)
{
	struct trace_event event = event_of(TRACE_MAP, ms, pid, pid);

	event.map = (struct trace_map){
		.address = address, .length = length, .path = path, .code = true
	};
	machine_apply(&f->machine, &event);
}

static inline void map_kernel(struct machine_fixture *f, uint64_t address, uint64_t length,
			      uint64_t offset, const char *path)
{
	struct trace_event event = event_of(TRACE_MAP, 0, -1, 0);

	event.map = (struct trace_map){ .address = address,
					.length = length,
					.offset = offset,
					.path = path,
					.kernel = true,
					.code = true };
	machine_apply(&f->machine, &event);
}

static inline void unmap(struct machine_fixture *f, int64_t ms, int64_t pid, uint64_t address,
			 uint64_t length)
{
	struct trace_event event = event_of(TRACE_UNMAP, ms, pid, pid);

	event.map = (struct trace_map){ .address = address, .length = length, .path = "" };
	machine_apply(&f->machine, &event);
}

static inline struct trace_process *process_at(struct machine_fixture *f, int64_t ms, int64_t pid)
{
	return machine_process(&f->machine, pid, ms * NS_PER_MS);
}

static inline struct trace_thread *thread_at(struct machine_fixture *f, int64_t ms, int64_t pid,
					     int64_t tid)
{
	struct trace_event event = event_of(TRACE_CPU, ms, pid, tid);

	return machine_thread(&f->machine, &event);
}

static inline struct process *row_of(struct machine_fixture *f, const struct trace_process *process)
{
	return f->rows.v[process->row];
}

/* "module+offset;...", root first; valid until the next call. */
static inline const char *stack_text(struct machine_fixture *f, uint32_t stack)
{
	struct stack_table *stacks = &f->machine.stacks;
	uint32_t frames[64];
	size_t nr = 0;

	strbuf_clear(&f->text);
	for (; stack != STACK_EMPTY && nr < 64; stack = stacks->nodes[stack].parent)
		frames[nr++] = stacks->nodes[stack].frame;
	while (nr-- > 0) {
		const struct frame *frame = &stacks->frames[frames[nr]];

		if (f->text.len)
			strbuf_addc(&f->text, ';');
		if (frames[nr] == FRAME_TRUNCATED)
			strbuf_adds(&f->text, "[truncated]");
		else if (frames[nr] == FRAME_UNKNOWN)
			strbuf_adds(&f->text, "[unknown]");
		else
			strbuf_addf(&f->text, "%s+%llx", f->machine.modules.v[frame->module].name,
				    (unsigned long long)frame->offset);
	}
	return f->text.buf;
}

#endif
