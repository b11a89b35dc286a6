/*
 * Call frame information of an ELF file, made short: how to get from a frame to that of its caller.
 * From .eh_frame, or where that has nothing for an address, .debug_frame of the same file.
 *
 * Format: DWARF 5, section 6.4, and the LSB's ".eh_frame" chapter; by libdw.
 */
#ifndef SYMBOL_CFI_H
#define SYMBOL_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/unwind_arch.h"
#include "util/err.h"

enum cfi_kind {
	CFI_UNDEFINED,
	CFI_PLUS,          /* base + offset */
	CFI_AT,            /* what is in memory at base + offset */
	CFI_EXPRESSION,    /* the value of the expression */
	CFI_AT_EXPRESSION, /* what is in memory at that address */
};

#define CFI_BASE_CFA 0xff /* for a register; otherwise the base is one */

/* How a register had its value in the caller, or the canonical frame address (CFA). */
struct cfi_value {
	uint8_t kind;
	uint8_t reg; /* which one it is about */
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
	uint64_t undefined;   /* a bit for each register that has no value in the caller */
	uint8_t return_reg;   /* has the return address, once the rule is applied */
	bool outermost;       /* it has no caller: the return address is undefined */
	bool signal; /* its caller was interrupted: the "return address" is not behind a call */
	uint8_t saved_nr;
	struct cfi_value saved[];
};

struct cfi;

/* ERR_CORRUPT where the file is none of ELF, ERR_UNSUPPORTED where of another kind of machine. */
int cfi_open(const char *path, struct cfi **cfi, struct err *err);
void cfi_free(struct cfi *cfi);

const struct unwind_arch *cfi_arch(const struct cfi *cfi);

/* The rule at an offset in the file; never NULL, good as long as the cfi; equal rules are one. */
const struct cfi_rule *cfi_find(struct cfi *cfi, uint64_t offset);

/* The value of an expression; false with no result. See cfi_expr.c for the operations it knows. */
enum cfi_result {
	CFI_OK,
	CFI_NO_BYTES, /* memory was needed that was not copied */
	CFI_NO_VALUE, /* a register was needed that is not known, or the operation is not */
};

enum cfi_result cfi_evaluate(const void *ops, size_t nr, const struct unwind_registers *registers,
			     const struct unwind_memory *memory, uint64_t cfa, uint64_t *result);

#endif
