/*
 * Call frame information of an ELF file as compact rules: how to get from a frame to its caller's frame.
 * From .eh_frame or, for addresses without information there, from .debug_frame of the same file.
 *
 * Format: DWARF 5, section 6.4, and the LSB's ".eh_frame" chapter; by libdw.
 */
#ifndef SYMBOL_ELF_CFI_H
#define SYMBOL_ELF_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/unwind_arch.h"
#include "util/err.h"

enum cfi_kind {
	CFI_UNDEFINED,
	CFI_PLUS,          /* base + offset */
	CFI_AT,            /* the value in memory at base + offset */
	CFI_EXPRESSION,    /* the value of the expression */
	CFI_AT_EXPRESSION, /* the value in memory at the address that the expression computes */
};

#define CFI_BASE_CFA 0xff /* the base is the CFA, not a register */

/* How to compute the caller's value of a register, or the canonical frame address (CFA). */
struct cfi_value {
	uint8_t kind;
	uint8_t reg; /* the register that is computed */
	uint16_t base;
	uint32_t ops_nr;
	union {
		int64_t offset;
		const void *ops; /* Dwarf_Op[] of libdw */
	};
};

/* Registers that are neither undefined nor saved have the same value as in the frame itself. */
struct cfi_rule {
	struct cfi_value cfa; /* CFI_UNDEFINED: there is no rule for the address */
	uint64_t undefined;   /* a bit for each register whose value in the caller is lost */
	uint8_t return_reg;   /* has the return address after the rule is applied */
	bool outermost;       /* the frame has no caller: the return address is undefined */
	bool signal; /* a signal frame: its "return address" is that of the interrupted instruction */
	uint8_t saved_nr;
	struct cfi_value saved[];
};

struct cfi;

/* ERR_CORRUPT: not an ELF file; ERR_UNSUPPORTED: of another architecture. */
int cfi_open(const char *path, struct cfi **cfi, struct err *err);
void cfi_free(struct cfi *cfi);

const struct unwind_arch *cfi_arch(const struct cfi *cfi);

/* The rule for an offset in the file; never NULL, valid as long as the cfi. Equal rules have the same pointer. */
const struct cfi_rule *cfi_find(struct cfi *cfi, uint64_t offset);

enum cfi_result {
	CFI_OK,
	CFI_NO_BYTES, /* it needs memory that was not copied */
	CFI_NO_VALUE, /* it needs a register whose value is unknown, or an unsupported operation */
};

/* Evaluate an expression; see cfi_expr.c for the supported operations. */
enum cfi_result cfi_evaluate(const void *ops, size_t nr, const struct unwind_registers *registers,
			     const struct unwind_memory *memory, uint64_t cfa, uint64_t *result);

#endif
