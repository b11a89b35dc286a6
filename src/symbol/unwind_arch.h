/*
 * Registers of the machines whose stacks are unwound: those of a recording, by perf's numbers, and those of
 * call frame information, by DWARF's.
 *
 * Sources: <asm/perf_regs.h> of Linux for both machines; "System V ABI, AMD64 Architecture Processor
 * Supplement", figure 3.36; "DWARF for the Arm 64-bit Architecture", section 4.1.
 */
#ifndef SYMBOL_UNWIND_ARCH_H
#define SYMBOL_UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"

#define UNWIND_REGS 33 /* the most that a machine has: DWARF numbers are below this */

struct unwind_arch {
	uint16_t elf_machine;
	uint8_t sp, pc, fp;      /* DWARF numbers; on arm64 `pc` is one that no rule saves */
	bool return_in_register; /* calls put the return address there, not on the stack */
	uint64_t preserved;      /* a bit for each register that a call leaves as it was */
	uint64_t address_mask;   /* bits of a return address that are one: arm64 signs the others */
};

/* The registers of a frame. Those whose bit in `known` is not set were not restored on the way here. */
struct unwind_registers {
	uint64_t v[UNWIND_REGS];
	uint64_t known;
};

/* The piece of the stack that there is. */
struct unwind_memory {
	const unsigned char *bytes;
	uint64_t start; /* address of the first */
	size_t nr;
};

/* NULL: not one of ours. */
const struct unwind_arch *unwind_arch_find(uint16_t elf_machine);

/* The machine of a copy and its registers; NULL for a 32-bit one, or where pc or sp were not recorded. */
const struct unwind_arch *unwind_arch_load(const struct trace_stack_copy *copy,
					   struct unwind_registers *registers);

/* A register; false where it is not known, or there is none of the number. */
bool unwind_register(const struct unwind_registers *registers, uint64_t reg, uint64_t *value);

/* Eight bytes, little endian; false where they were not copied. */
bool unwind_read(const struct unwind_memory *memory, uint64_t address, uint64_t *value);

#endif
