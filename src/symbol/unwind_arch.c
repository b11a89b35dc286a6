#include "symbol/unwind_arch.h"

#include <limits.h>

#include "util/array.h"

/* Values of e_machine in ELF headers (ELF specification). */
#define EM_X86_64  62
#define EM_AARCH64 183

#define NONE UINT8_MAX

#define BITS(from, to) ((UINT64_C(2) << (to)) - (UINT64_C(1) << (from)))

static const struct unwind_arch x86_64 = {
	.elf_machine = EM_X86_64,
	.sp = 7,
	.pc = 16,
	.fp = 6,
	.preserved = BITS(3, 3) | BITS(6, 6) | BITS(12, 15),
	.address_mask = UINT64_MAX,
};
static const struct unwind_arch arm64 = {
	.elf_machine = EM_AARCH64,
	.sp = 31,
	.pc = 32,
	.fp = 29,
	.return_in_register = true,
	.preserved = BITS(19, 29),
	.address_mask = (UINT64_C(1) << 48) - 1,
};

/* ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8 .. r15. On arm64 the numbers are the same. */
static const uint8_t x86_64_numbers[] = {
	0,    3,    2,    1,    4, 5, 6,  7,  16, NONE, NONE, NONE,
	NONE, NONE, NONE, NONE, 8, 9, 10, 11, 12, 13,   14,   15,
};

#define ARM64_SP 31

/* On x86-64 no register has a number from 24 to 31; on arm64 the stack pointer is always recorded. */
static const struct unwind_arch *detect(const struct trace_stack_copy *copy)
{
	if (copy->bits32)
		return NULL;
	return copy->mask >> ARM64_SP & 1 ? &arm64 : &x86_64;
}

const struct unwind_arch *unwind_arch_find(uint16_t elf_machine)
{
	return elf_machine == EM_X86_64 ? &x86_64 : elf_machine == EM_AARCH64 ? &arm64 : NULL;
}

static uint8_t translate(const struct unwind_arch *arch, unsigned bit)
{
	if (arch == &x86_64)
		return bit < ARRAY_SIZE(x86_64_numbers) ? x86_64_numbers[bit] : NONE;
	return bit < UNWIND_REGS ? (uint8_t)bit : NONE;
}

const struct unwind_arch *unwind_arch_load(const struct trace_stack_copy *copy,
					   struct unwind_registers *registers)
{
	const struct unwind_arch *arch = detect(copy);
	const uint64_t *value = copy->values;
	uint64_t needed;

	if (!arch)
		return NULL;
	registers->known = 0;
	for (uint64_t rest = copy->mask, bit = 0; rest; rest >>= 1, bit++) {
		uint8_t reg = translate(arch, (unsigned)bit);

		if (!(rest & 1))
			continue;
		if (reg != NONE) {
			registers->v[reg] = *value;
			registers->known |= UINT64_C(1) << reg;
		}
		value++;
	}
	needed = UINT64_C(1) << arch->sp | UINT64_C(1) << arch->pc;
	return (registers->known & needed) == needed ? arch : NULL;
}

bool unwind_register(const struct unwind_registers *registers, uint64_t reg, uint64_t *value)
{
	if (reg >= UNWIND_REGS || !(registers->known >> reg & 1))
		return false;
	*value = registers->v[reg];
	return true;
}

bool unwind_read(const struct unwind_memory *memory, uint64_t address, uint64_t *value)
{
	uint64_t at = address - memory->start;
	const unsigned char *bytes;
	uint64_t word = 0;

	if (address < memory->start || at > memory->nr || memory->nr - at < sizeof(*value))
		return false;
	bytes = memory->bytes + at;
	for (unsigned i = 0; i < sizeof(*value); i++)
		word |= (uint64_t)bytes[i] << (CHAR_BIT * i);
	*value = word;
	return true;
}
