#include "symbol/symbolizer_modules.h"

static const char *path_of(void *data, const struct module *module)
{
	const struct symbol_file *file;

	if (module->kind != MODULE_FILE)
		return NULL;
	file = symbolizer_file(data, module);
	return file->unwinds ? module->path : NULL;
}

static struct unwinder *unwinder_of(struct symbolizer *symbolizer)
{
	if (!symbolizer->unwinder) {
		symbolizer->unwinder = unwinder_new((struct module_files){ symbolizer, path_of });
		symbolizer->free_unwinder = unwinder_free;
	}
	return symbolizer->unwinder;
}

static uint32_t unwind(struct symbolizer *symbolizer, struct machine *machine,
		       struct trace_process *process, const struct trace_thread *thread,
		       const struct trace_stack *stack, bool *whole)
{
	enum unwind_end end;
	const uint64_t *addresses = NULL;
	uint32_t id = STACK_EMPTY;
	size_t nr = 0;

	end = unwinder_unwind(unwinder_of(symbolizer), machine, process, thread, stack, &addresses,
			      &nr);
	*whole = end == UNWIND_WHOLE || end == UNWIND_JOINED;
	while (nr--)
		id = stack_table_push(
			&machine->stacks, id,
			machine_frame(machine, process, addresses[nr], false, nr > 0));
	return id;
}

static uint32_t find_stack(void *data, struct machine *machine, struct trace_process *process,
			   const struct trace_thread *thread, const struct trace_stack *stack,
			   bool *whole)
{
	struct symbolizer *symbolizer = data;
	uint32_t id = STACK_EMPTY;

	*whole = false;
	if (!stack->copy)
		return STACK_EMPTY;
	if (symbolizer->options.store)
		id = symbol_store_stack(symbolizer->options.store, machine, stack->copy->id, whole);
	if (id == STACK_EMPTY && symbolizer->options.use_files)
		id = unwind(symbolizer, machine, process, thread, stack, whole);
	return id;
}

static void forget_stack(void *data, const struct trace_thread *thread)
{
	const struct symbolizer *symbolizer = data;

	if (symbolizer->unwinder)
		unwinder_forget(symbolizer->unwinder, thread);
}

void symbolizer_see_chain(struct symbolizer *symbolizer, const struct trace_thread *thread,
			  const struct trace_stack *stack)
{
	if (thread && symbolizer->options.use_files)
		unwinder_see_chain(unwinder_of(symbolizer), thread, stack->user, stack->user_nr);
}

struct stack_source symbolizer_stacks(struct symbolizer *symbolizer)
{
	return (struct stack_source){ symbolizer, find_stack, forget_stack };
}
