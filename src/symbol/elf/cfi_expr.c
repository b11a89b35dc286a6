/*
 * DWARF expressions as they occur in call frame information: of signal frames, procedure linkage tables, frames
 * that realign the stack. Branches, calls and pieces never occur there, and are not supported.
 */
#include "symbol/elf/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <limits.h>

#define DEPTH 64

struct machine_stack {
	uint64_t v[DEPTH];
	size_t nr;
};

static bool push(struct machine_stack *stack, uint64_t value)
{
	if (stack->nr == DEPTH)
		return false;
	stack->v[stack->nr++] = value;
	return true;
}

static bool push_register(struct machine_stack *stack, const struct unwind_registers *registers,
			  uint64_t reg, uint64_t offset)
{
	uint64_t value;

	return unwind_register(registers, reg, &value) && push(stack, value + offset);
}

static uint64_t shift_right_signed(uint64_t value, uint64_t by)
{
	uint64_t sign = value >> 63 ? UINT64_MAX : 0;

	if (by >= 64)
		return sign;
	return by ? value >> by | sign << (64 - by) : value;
}

/* Comparisons are of signed values; the flipped sign bit orders unsigned ones the same way. */
static bool is_less(uint64_t a, uint64_t b)
{
	return (a ^ UINT64_C(1) << 63) < (b ^ UINT64_C(1) << 63);
}

/* `a` was below `b` on the stack. */
static uint64_t combine(unsigned atom, uint64_t a, uint64_t b, bool *known)
{
	*known = true;
	switch (atom) {
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_shl:
		return b < 64 ? a << b : 0;
	case DW_OP_shr:
		return b < 64 ? a >> b : 0;
	case DW_OP_shra:
		return shift_right_signed(a, b);
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_lt:
		return is_less(a, b);
	case DW_OP_gt:
		return is_less(b, a);
	case DW_OP_le:
		return !is_less(b, a);
	case DW_OP_ge:
		return !is_less(a, b);
	default:
		*known = false;
		return 0;
	}
}

/* Operations whose operands are all on the stack. */
static bool rearrange(struct machine_stack *stack, const Dwarf_Op *op)
{
	uint64_t *top = &stack->v[stack->nr]; /* after the last value */
	uint64_t value;
	bool known;

	switch (op->atom) {
	case DW_OP_dup:
		return stack->nr >= 1 && push(stack, top[-1]);
	case DW_OP_over:
		return stack->nr >= 2 && push(stack, top[-2]);
	case DW_OP_pick:
		return op->number < stack->nr && push(stack, top[-1 - (ptrdiff_t)op->number]);
	case DW_OP_drop:
		if (stack->nr < 1)
			return false;
		stack->nr--;
		return true;
	case DW_OP_swap:
		if (stack->nr < 2)
			return false;
		value = top[-1];
		top[-1] = top[-2];
		top[-2] = value;
		return true;
	case DW_OP_not:
	case DW_OP_neg:
	case DW_OP_plus_uconst:
		if (stack->nr < 1)
			return false;
		top[-1] = op->atom == DW_OP_not   ? ~top[-1]
			  : op->atom == DW_OP_neg ? -top[-1]
						  : top[-1] + op->number;
		return true;
	default:
		if (stack->nr < 2)
			return false;
		top[-2] = combine(op->atom, top[-2], top[-1], &known);
		stack->nr--;
		return known;
	}
}

static enum cfi_result load(struct machine_stack *stack, const Dwarf_Op *op,
			    const struct unwind_memory *memory)
{
	uint64_t size = op->atom == DW_OP_deref_size ? op->number : sizeof(uint64_t);
	uint64_t *top;

	if (!stack->nr || size < 1 || size > sizeof(uint64_t))
		return CFI_NO_VALUE;
	top = &stack->v[stack->nr - 1];
	if (!unwind_read(memory, *top, top))
		return CFI_NO_BYTES;
	if (size < sizeof(uint64_t))
		*top &= (UINT64_C(1) << (size * CHAR_BIT)) - 1;
	return CFI_OK;
}

static bool run(struct machine_stack *stack, const Dwarf_Op *op,
		const struct unwind_registers *registers, uint64_t cfa)
{
	unsigned atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(stack, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(stack, registers, atom - DW_OP_breg0, op->number);
	switch (atom) {
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(stack, op->number);
	case DW_OP_bregx:
		return push_register(stack, registers, op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return push(stack, cfa);
	case DW_OP_nop:
		return true;
	default:
		return rearrange(stack, op);
	}
}

enum cfi_result cfi_evaluate(const void *ops, size_t nr, const struct unwind_registers *registers,
			     const struct unwind_memory *memory, uint64_t cfa, uint64_t *result)
{
	const Dwarf_Op *op = ops, *end = op + nr;
	struct machine_stack stack;

	for (stack.nr = 0; op < end; op++) {
		enum cfi_result done = CFI_NO_VALUE;

		if (op->atom == DW_OP_deref || op->atom == DW_OP_deref_size)
			done = load(&stack, op, memory);
		else if (run(&stack, op, registers, cfa))
			done = CFI_OK;
		if (done != CFI_OK)
			return done;
	}
	if (!stack.nr)
		return CFI_NO_VALUE;
	*result = stack.v[stack.nr - 1];
	return CFI_OK;
}
