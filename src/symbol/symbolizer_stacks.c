#include "symbol/symbolizer_modules.h"

static const char *path_of(void *data, const struct module *module)
{
	const struct symbol_file *file;

	if (module->kind != MODULE_FILE)
		return NULL;
	file = symbolizer_file(data, module);
	return file->elf ? module->path : NULL;
}

static uint32_t unwind(struct symbolizer *symbolizer, struct machine *machine,
		       struct trace_process *process, const struct trace_stack *stack, bool *whole)
{
	const uint64_t *addresses = NULL;
	uint32_t id = STACK_EMPTY;
	size_t nr = 0;

	if (!symbolizer->unwinder) {
		symbolizer->unwinder = unwinder_new((struct module_files){ symbolizer, path_of });
		symbolizer->free_unwinder = unwinder_free;
	}
	*whole = unwinder_unwind(symbolizer->unwinder, machine, process, stack, &addresses, &nr) ==
		 UNWIND_WHOLE;
	while (nr--)
		id = machine_push(machine, id,
				  machine_frame(machine, process, addresses[nr], false, nr > 0));
	return id;
}

static uint32_t find_stack(void *data, struct machine *machine, struct trace_process *process,
			   const struct trace_stack *stack, bool *whole)
{
	struct symbolizer *symbolizer = data;
	uint32_t id = STACK_EMPTY;

	*whole = false;
	if (!stack->copy)
		return STACK_EMPTY;
	if (symbolizer->options.store)
		id = symbol_store_stack(symbolizer->options.store, machine, stack->copy->id, whole);
	if (id == STACK_EMPTY && symbolizer->options.use_files)
		id = unwind(symbolizer, machine, process, stack, whole);
	return id;
}

struct stack_source symbolizer_stacks(struct symbolizer *symbolizer)
{
	return (struct stack_source){ symbolizer, find_stack };
}
