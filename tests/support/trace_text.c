#include "support/trace_text.h"

#include <inttypes.h>

static const char *const ops[] = { "reserve",  "commit",  "other", "allow", "fill",
				   "decommit", "release", "move",  "purge" };

static const char *const origins[] = { "", " unwound", " joined", " truncated" };

static void add_stack(struct strbuf *sb, const struct trace_stack *stack)
{
	for (uint32_t i = 0; i < stack->kernel_nr; i++)
		strbuf_addf(sb, "%s%" PRIx64, i ? " " : " k:", stack->kernel[i]);
	for (uint32_t i = 0; i < stack->user_nr; i++)
		strbuf_addf(sb, "%s%" PRIx64, i ? " " : " u:", stack->user[i]);
	strbuf_adds(sb, origins[stack->origin]);
	if (stack->copy)
		strbuf_addf(sb, " copy:%zu %" PRIx64 " %.*s", stack->copy->bytes_nr,
			    stack->copy->values[0], (int)stack->copy->bytes_nr,
			    (const char *)stack->copy->bytes);
}

static void add_map(struct strbuf *sb, const struct trace_map *map)
{
	strbuf_addf(sb, "map %" PRIx64 "+%" PRIx64 " from %" PRIx64 " of '%s'%s%s", map->address,
		    map->length, map->offset, map->path, map->kernel ? " kernel" : "",
		    map->code ? "" : " data");
	for (uint8_t i = 0; i < map->id_length; i++)
		strbuf_addf(sb, "%s%02x", i ? "" : " id ", map->id[i]);
}

static void add_memory(struct strbuf *sb, const struct trace_memory *memory)
{
	strbuf_addf(sb, "%s %" PRIx64 "+%" PRIx64 " weight %" PRIu32 "%s%s", ops[memory->op],
		    memory->address, memory->length, memory->weight, memory->keep ? " keep" : "",
		    memory->shared ? " shared" : "");
	add_stack(sb, &memory->stack);
}

static void add_heap(struct strbuf *sb, const struct trace_heap_call *call)
{
	static const char *const names[] = { "create", "destroy", "alloc", "resize", "free" };

	strbuf_addf(sb, "heap %" PRIx64 " %s %" PRIx64 "+%" PRIx64 " weight %" PRIu32, call->heap,
		    names[call->op], call->address, call->size, call->weight);
	add_stack(sb, &call->stack);
}

static void add_what(struct strbuf *sb, const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_PROCESS_START:
		strbuf_addf(sb, "start of %" PRId64, event->start.ppid);
		if (event->start.by_tid != event->start.ppid)
			strbuf_addf(sb, " by %" PRId64, event->start.by_tid);
		strbuf_adds(sb, event->start.copied ? " copied" : "");
		break;
	case TRACE_THREAD_START:
		strbuf_addf(sb, "thread by %" PRId64, event->start.by_tid);
		break;
	case TRACE_EXEC:
		strbuf_addf(sb, "exec '%s'", event->name);
		break;
	case TRACE_THREAD_NAME:
		strbuf_addf(sb, "name '%s'", event->name);
		break;
	case TRACE_THREAD_END:
		strbuf_adds(sb, "thread ends");
		break;
	case TRACE_PROCESS_END:
		strbuf_adds(sb, "process ends");
		break;
	case TRACE_MAP:
		add_map(sb, &event->map);
		break;
	case TRACE_UNMAP:
		strbuf_adds(sb, "unmap");
		break;
	case TRACE_CPU:
		strbuf_addf(sb, "cpu %" PRId64 "ns%s", event->cpu_sample.weight_ns,
			    event->cpu_sample.stack_only ? " stack only" : "");
		add_stack(sb, &event->cpu_sample.stack);
		break;
	case TRACE_MEMORY:
		add_memory(sb, &event->memory);
		break;
	case TRACE_TOUCH:
		strbuf_addf(sb, "touch %" PRIx64 "+%" PRIx64 " for %" PRIu32, event->touch.address,
			    event->touch.length, event->touch.one_in);
		add_stack(sb, &event->touch.stack);
		break;
	case TRACE_HEAP:
		add_heap(sb, &event->heap);
		break;
	case TRACE_RUN:
		strbuf_addf(sb,
			    "%s blocked %" PRId64 " ready %" PRId64 " from %" PRId64 " to %" PRId64,
			    event->run.gap        ? "gap"
			    : event->run.switched ? "ran"
						  : "had run",
			    event->run.blocked_ns, event->run.ready_ns, event->run.from_ns,
			    event->run.to_ns);
		break;
	}
}

void trace_text_add(struct strbuf *sb, const struct trace_event *event)
{
	strbuf_addf(sb, "%" PRId64 " %" PRId64 "/%" PRId64 "@%d ", event->time_ns, event->pid,
		    event->tid, (int)event->cpu);
	add_what(sb, event);
	strbuf_addc(sb, '\n');
}
