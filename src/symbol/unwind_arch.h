/*
 * Registers of the architectures whose stacks can be unwound: in recordings they have perf's numbers, in call frame
 * information DWARF's.
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

#define UNWIND_REGS 33 /* maximum of all architectures: DWARF numbers are below this */

struct unwind_arch {
	uint16_t elf_machine;
	uint8_t sp, pc, fp;      /* DWARF numbers; on arm64 `pc` is one that no rule saves */
	bool return_in_register; /* calls write the return address to a register, not to the stack */
	uint64_t preserved;      /* a bit for each callee-saved register */
	/* The address bits of a return address; arm64 uses others as a signature. */
	uint64_t address_mask;
};

/* The registers of a frame. `known` has a bit for each register whose value is known. */
struct unwind_registers {
	uint64_t v[UNWIND_REGS];
	uint64_t known;
};

/* The copied part of the stack. */
struct unwind_memory {
	const unsigned char *bytes;
	uint64_t start; /* address of the first byte */
	size_t nr;
};

/* The architecture of an ELF machine number; NULL: not supported. */
const struct unwind_arch *unwind_arch_find(uint16_t elf_machine);

/* Read the registers of a stack copy. Returns its architecture; NULL: 32-bit, or pc or sp was not recorded. */
const struct unwind_arch *unwind_arch_load(const struct trace_stack_copy *copy,
					   struct unwind_registers *registers);

/* Read a register; false: its value is not known, or the number is invalid. */
bool unwind_register(const struct unwind_registers *registers, uint64_t reg, uint64_t *value);

/* Read eight bytes, little endian; false: they are not in the copy. */
bool unwind_read(const struct unwind_memory *memory, uint64_t address, uint64_t *value);

#endif
