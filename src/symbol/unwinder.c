#include "symbol/unwinder.h"

#include <stdlib.h>

#include "symbol/elf/cfi.h"
#include "symbol/module_map.h"
#include "symbol/stack_joiner.h"
#include "symbol/unwind_arch.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/intmap.h"

#define COPY_MAX    65528 /* bytes: perf-record(1), --call-graph dwarf */
#define PLACES      8192  /* a power of two */
#define OFFSET_BITS 44

/* The call frame information of a module, opened when it is first needed. */
struct unwind_module {
	bool tried;
	struct cfi *cfi; /* one of those by path; NULL: none */
	uint64_t lost;   /* copies that lack it: see struct unwind_loss */
};

/* A cache entry: the rule of an address in an address space. */
struct place {
	uint64_t generation, address;
	const struct cfi_rule *rule; /* NULL: none */
	uint32_t module;
	uint8_t why; /* enum unwind_end: why there is no rule */
	bool filled, mapped;
};

struct unwinder {
	struct module_files files;
	struct unwind_module *modules; /* by module id */
	size_t modules_nr;
	struct module_map paths; /* of ELF files */
	struct cfi **cfis;       /* as in `paths`; NULL: none */
	size_t cfis_nr, cfis_alloc;
	struct intmap rules;  /* by module and offset */
	struct place *places; /* a direct-mapped cache, by generation and address */
	struct stack_joiner *joiner;
	struct joiner_stack stack;
	uint64_t *addresses; /* of the stack */
	size_t addresses_alloc;
};

/* The state of unwinding a stack. */
struct walk {
	const struct machine *machine;
	const struct address_space *space;
	const struct unwind_arch *arch;
	struct unwind_registers registers; /* of the frame reached */
	struct unwind_memory memory;
	bool is_return;   /* its pc is a return address */
	bool cut;         /* a register could not be restored: it is after the end of the copy */
	uint64_t top;     /* the stack pointer of the caller that was not reached; 0: not known */
	uint32_t missing; /* the first module without its file; MODULE_ID_UNKNOWN: none */
};

struct unwinder *unwinder_new(struct module_files files)
{
	struct unwinder *unwinder = xcalloc(1, sizeof(*unwinder));

	unwinder->files = files;
	unwinder->joiner = stack_joiner_new();
	unwinder->places = xcalloc(PLACES, sizeof(*unwinder->places));
	return unwinder;
}

void unwinder_free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	for (size_t i = 0; i < unwinder->cfis_nr; i++)
		cfi_free(unwinder->cfis[i]);
	free(unwinder->cfis);
	module_map_release(&unwinder->paths);
	free(unwinder->modules);
	intmap_release(&unwinder->rules);
	free(unwinder->places);
	stack_joiner_free(unwinder->joiner);
	joiner_stack_release(&unwinder->stack);
	free(unwinder->addresses);
	free(unwinder);
}

static struct unwind_module *module_at(struct unwinder *unwinder, uint32_t id)
{
	size_t nr = unwinder->modules_nr, alloc = nr;

	if (id >= nr) {
		ARRAY_GROW(unwinder->modules, (size_t)id + 1, alloc);
		for (; nr < alloc; nr++)
			unwinder->modules[nr] = (struct unwind_module){ .tried = false };
		unwinder->modules_nr = nr;
	}
	return &unwinder->modules[id];
}

/* The call frame information of a file, which is opened once; NULL: none. */
static struct cfi *open_path(struct unwinder *unwinder, const char *path)
{
	uint32_t number = module_map_add(&unwinder->paths, path, NULL, 0);
	struct cfi *cfi = NULL;
	struct err err = ERR_INIT;

	if (number <= unwinder->cfis_nr)
		return unwinder->cfis[number - 1];
	if (cfi_open(path, &cfi, &err)) {
		err_clear(&err);
		cfi = NULL;
	}
	ARRAY_ADD(unwinder->cfis, unwinder->cfis_nr, unwinder->cfis_alloc, cfi);
	return cfi;
}

static struct cfi *open_module(struct unwinder *unwinder, const struct walk *walk, uint32_t id)
{
	struct unwind_module *module = module_at(unwinder, id);
	struct cfi *cfi;
	const char *path;

	if (module->tried)
		return module->cfi;
	module->tried = true;
	path = unwinder->files.path(unwinder->files.data, &walk->machine->modules.v[id]);
	if (!path)
		return NULL;
	cfi = open_path(unwinder, path);
	if (cfi && cfi_arch(cfi) == walk->arch)
		module->cfi = cfi;
	return module->cfi;
}

static void look_up(struct unwinder *unwinder, const struct walk *walk, uint64_t address,
		    struct place *place)
{
	const struct mapping *mapping = address_space_find(walk->space, address);
	const struct cfi_rule *rule;
	struct cfi *cfi;
	uint64_t offset;
	int64_t key;

	if (!mapping || mapping->module >= walk->machine->modules.nr) {
		place->module = MODULE_ID_UNKNOWN;
		return;
	}
	place->mapped = true;
	place->module = mapping->module;
	offset = mapping->offset + (address - mapping->start);
	cfi = open_module(unwinder, walk, mapping->module);
	if (!cfi) {
		if (walk->machine->modules.v[mapping->module].kind == MODULE_FILE)
			place->why = UNWIND_NO_FILE;
		return;
	}
	place->why = UNWIND_NO_RULE;
	if (offset >> OFFSET_BITS || mapping->module >> (63 - OFFSET_BITS))
		return;
	key = (int64_t)((uint64_t)mapping->module << OFFSET_BITS | offset);
	rule = intmap_get(&unwinder->rules, key);
	if (!rule) {
		rule = cfi_find(cfi, offset);
		intmap_put(&unwinder->rules, key, (void *)rule);
	}
	if (rule->cfa.kind != CFI_UNDEFINED)
		place->rule = rule;
}

static const struct place *find_place(struct unwinder *unwinder, const struct walk *walk,
				      uint64_t address)
{
	uint64_t generation = walk->space->generation;
	uint64_t hash = (address ^ generation << 32) * UINT64_C(0x9e3779b97f4a7c15);
	struct place *place = &unwinder->places[hash >> 40 & (PLACES - 1)];

	if (!place->filled || place->address != address || place->generation != generation) {
		*place = (struct place){
			.generation = generation,
			.address = address,
			.why = UNWIND_NO_MODULE,
			.filled = true,
		};
		look_up(unwinder, walk, address, place);
	}
	return place;
}

static enum cfi_result find_value(const struct walk *walk, const struct cfi_value *value,
				  uint64_t cfa, uint64_t *result)
{
	const struct unwind_registers *registers = &walk->registers;
	enum cfi_result done;
	uint64_t base = cfa;

	switch (value->kind) {
	case CFI_PLUS:
	case CFI_AT:
		if (value->base != CFI_BASE_CFA && !unwind_register(registers, value->base, &base))
			return walk->cut ? CFI_NO_BYTES : CFI_NO_VALUE;
		*result = base + (uint64_t)value->offset;
		break;
	case CFI_EXPRESSION:
	case CFI_AT_EXPRESSION:
		done = cfi_evaluate(value->ops, value->ops_nr, registers, &walk->memory, cfa,
				    result);
		if (done != CFI_OK)
			return walk->cut ? CFI_NO_BYTES : done;
		break;
	default:
		return CFI_NO_VALUE;
	}
	if ((value->kind == CFI_AT || value->kind == CFI_AT_EXPRESSION) &&
	    !unwind_read(&walk->memory, *result, result))
		return CFI_NO_BYTES;
	return CFI_OK;
}

/* A register that is saved after the end of the copy becomes unknown: it may never be needed. */
static void restore_registers(struct walk *walk, const struct cfi_rule *rule, uint64_t cfa)
{
	struct unwind_registers caller = walk->registers;
	bool cut = walk->cut;

	caller.v[walk->arch->sp] = cfa;
	caller.known &= ~rule->undefined;
	caller.known |= UINT64_C(1) << walk->arch->sp;
	for (size_t i = 0; i < rule->saved_nr; i++) {
		const struct cfi_value *value = &rule->saved[i];
		enum cfi_result done = find_value(walk, value, cfa, &caller.v[value->reg]);

		if (done == CFI_OK)
			caller.known |= UINT64_C(1) << value->reg;
		else
			caller.known &= ~(UINT64_C(1) << value->reg);
		cut = cut || done == CFI_NO_BYTES;
	}
	walk->registers = caller;
	walk->cut = cut;
}

/* Step to the caller. Returns UNWIND_COMPLETE if it was reached. */
static enum unwind_end step_by_rule(struct walk *walk, const struct cfi_rule *rule)
{
	uint64_t sp = walk->registers.v[walk->arch->sp], cfa, pc;
	enum cfi_result done = find_value(walk, &rule->cfa, 0, &cfa);

	if (done != CFI_OK)
		return done == CFI_NO_BYTES ? UNWIND_NO_BYTES : UNWIND_NO_RULE;
	if (cfa < walk->memory.start) {
		walk->top = cfa;
		return UNWIND_NO_BYTES; /* the caller is on another stack: the program switched stacks */
	}
	/* The CFA equals the stack pointer only in a leaf that pushed nothing, on arm64, where calls push nothing. */
	if (cfa < sp || (cfa == sp && (walk->is_return || !walk->arch->return_in_register)))
		return UNWIND_BAD;
	restore_registers(walk, rule, cfa);
	if (!unwind_register(&walk->registers, rule->return_reg, &pc)) {
		if (!walk->cut)
			return UNWIND_NO_RULE;
		walk->top = cfa;
		return cfa - sp > COPY_MAX ? UNWIND_BIG_FRAME : UNWIND_NO_BYTES;
	}
	walk->registers.v[walk->arch->pc] = pc & walk->arch->address_mask;
	walk->is_return = !rule->signal;
	return UNWIND_COMPLETE;
}

static void step_to(struct walk *walk, uint64_t sp, uint64_t pc)
{
	walk->registers.v[walk->arch->sp] = sp;
	walk->registers.v[walk->arch->pc] = pc;
	walk->is_return = true;
}

/* A leaf without a rule may be an entry of a procedure linkage table: the return address is at the stack pointer. */
static bool step_from_jump(struct unwinder *unwinder, struct walk *walk)
{
	uint64_t sp = walk->registers.v[walk->arch->sp], pc;

	if (walk->arch->return_in_register || !unwind_read(&walk->memory, sp, &pc) || !pc ||
	    !find_place(unwinder, walk, pc - 1)->rule)
		return false;
	step_to(walk, sp + sizeof(pc), pc);
	return true;
}

/*
 * For an address without a rule: if the frame pointer points above the stack pointer, to a value that is followed by an
 * address of code, it is assumed that the function has set up a frame pointer.
 */
static bool step_by_frame_pointer(struct unwinder *unwinder, struct walk *walk)
{
	const struct unwind_arch *arch = walk->arch;
	struct unwind_registers *registers = &walk->registers;
	uint64_t fp, caller_fp, pc;

	if (!unwind_register(registers, arch->fp, &fp) || fp < registers->v[arch->sp] || fp % 8 ||
	    !unwind_read(&walk->memory, fp, &caller_fp) || !unwind_read(&walk->memory, fp + 8, &pc))
		return false;
	pc &= arch->address_mask;
	if (!pc || !find_place(unwinder, walk, pc - 1)->mapped)
		return false;
	registers->v[arch->fp] = caller_fp;
	step_to(walk, fp + 16, pc);
	return true;
}

static enum unwind_end step(struct unwinder *unwinder, struct walk *walk, const struct place *place)
{
	enum unwind_end why = place->why; /* the functions below may reuse the cache entry */

	if (place->rule)
		return step_by_rule(walk, place->rule);
	if (why == UNWIND_NO_FILE && !walk->missing)
		walk->missing = place->module;
	if (why == UNWIND_NO_RULE && unwinder->stack.nr == 1 && step_from_jump(unwinder, walk))
		return UNWIND_COMPLETE;
	return step_by_frame_pointer(unwinder, walk) ? UNWIND_COMPLETE : why;
}

static enum unwind_end walk_up(struct unwinder *unwinder, struct walk *walk)
{
	struct joiner_stack *stack = &unwinder->stack;
	const uint64_t *sp = &walk->registers.v[walk->arch->sp];

	joiner_stack_add(stack, *sp, walk->registers.v[walk->arch->pc]);
	for (;;) {
		uint64_t pc = walk->registers.v[walk->arch->pc];
		const struct place *place = find_place(unwinder, walk, pc - walk->is_return);
		enum unwind_end end;

		/* The caller's address is not mapped: the last step was wrong. */
		if (!place->mapped && stack->nr > 1) {
			stack->nr--;
			return UNWIND_BAD;
		}
		if (place->rule && place->rule->outermost)
			return UNWIND_COMPLETE;
		if (stack->nr == UNWIND_MAX)
			return UNWIND_BAD;
		end = step(unwinder, walk, place);
		pc = walk->registers.v[walk->arch->pc];
		if (end != UNWIND_COMPLETE || !pc)
			return end;
		joiner_stack_add(stack, *sp, walk->is_return ? pc : pc + 1);
	}
}

/*
 * Add outer frames from the event's call chain, which follows frame pointers from the same leaf and skips functions
 * without one. Up to the outermost address that both have, the chain is right; its further addresses are outside of all
 * unwound frames. Both are compared from the leaf on, so that levels of a recursion are not confused. The leaf is equal
 * in any case, and proves nothing.
 */
static bool join_chain(struct unwinder *unwinder, const struct machine *machine,
		       const struct trace_stack *stack)
{
	struct joiner_stack *ours = &unwinder->stack;
	size_t next = 1, joint = 0;

	for (size_t i = 1; i < stack->user_nr; i++) {
		size_t at = next;

		while (at < ours->nr && ours->v[at].address != stack->user[i])
			at++;
		if (at < ours->nr) {
			next = at + 1;
			joint = i;
		}
	}
	if (!joint)
		return false;
	for (size_t i = joint + 1; i < stack->user_nr; i++)
		joiner_stack_add(ours, 0, stack->user[i]);
	return !machine_may_be_truncated(machine, stack);
}

/* Complete a stack that ends early. Stacks of a thread that ended are not remembered. */
static enum unwind_end join(struct unwinder *unwinder, const struct walk *walk,
			    const struct trace_thread *thread, const struct trace_stack *stack,
			    enum unwind_end end)
{
	size_t had = unwinder->stack.nr;

	if (end != UNWIND_COMPLETE && end != UNWIND_NO_BYTES && end != UNWIND_BIG_FRAME)
		return end;
	if (end != UNWIND_COMPLETE && join_chain(unwinder, walk->machine, stack))
		end = UNWIND_COMPLETE;
	/* If the chain added frames and still is not complete, `top` is no longer that of the next caller. */
	if (!thread || !thread->alive || (end != UNWIND_COMPLETE && unwinder->stack.nr > had))
		return end;
	if (end == UNWIND_COMPLETE)
		stack_joiner_learn(unwinder->joiner, (int64_t)thread->index, &unwinder->stack);
	else if (walk->top && stack_joiner_join(unwinder->joiner, (int64_t)thread->index, walk->top,
						&unwinder->stack))
		end = UNWIND_JOINED;
	return end;
}

static void give(struct unwinder *unwinder, const uint64_t **v, size_t *nr)
{
	ARRAY_GROW(unwinder->addresses, unwinder->stack.nr, unwinder->addresses_alloc);
	for (size_t i = 0; i < unwinder->stack.nr; i++)
		unwinder->addresses[i] = unwinder->stack.v[i].address;
	*v = unwinder->addresses;
	*nr = unwinder->stack.nr;
}

enum unwind_end unwinder_unwind(struct unwinder *unwinder, const struct machine *machine,
				const struct trace_process *process,
				const struct trace_thread *thread, const struct trace_stack *stack,
				const uint64_t **v, size_t *nr)
{
	const struct trace_stack_copy *copy = stack->copy;
	struct walk walk = { .machine = machine, .space = &process->space };
	enum unwind_end end = UNWIND_NO_RULE;

	unwinder->stack.nr = 0;
	walk.arch = unwind_arch_load(copy, &walk.registers);
	if (walk.arch) {
		walk.memory = (struct unwind_memory){
			.bytes = copy->bytes,
			.start = walk.registers.v[walk.arch->sp],
			.nr = copy->bytes_nr,
		};
		end = join(unwinder, &walk, thread, stack, walk_up(unwinder, &walk));
	}
	/* Wherever it ends: a step without the rules of a file may have been wrong. */
	if (walk.missing && end != UNWIND_COMPLETE && end != UNWIND_JOINED) {
		module_at(unwinder, walk.missing)->lost++;
		end = UNWIND_NO_FILE;
	}
	give(unwinder, v, nr);
	return end;
}

struct unwind_loss unwinder_loss(const struct unwinder *unwinder)
{
	struct unwind_loss loss = { .module = MODULE_ID_UNKNOWN };

	for (size_t i = 0; i < unwinder->modules_nr; i++) {
		uint64_t lost = unwinder->modules[i].lost;

		loss.copies += lost;
		if (lost > unwinder->modules[loss.module].lost)
			loss.module = (uint32_t)i;
	}
	return loss;
}

void unwinder_see_chain(struct unwinder *unwinder, const struct trace_thread *thread,
			const uint64_t *addresses, size_t nr)
{
	if (thread->alive)
		stack_joiner_see_chain(unwinder->joiner, (int64_t)thread->index, addresses, nr);
}

void unwinder_forget(struct unwinder *unwinder, const struct trace_thread *thread)
{
	stack_joiner_forget(unwinder->joiner, (int64_t)thread->index);
}
