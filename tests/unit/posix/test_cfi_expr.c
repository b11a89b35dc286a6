#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "symbol/elf/cfi.h"
#include "util/array.h"

#define CFA   0x7000
#define START 0x1000

static const unsigned char bytes[] = {
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x00, 0x10, 0, 0, 0, 0, 0, 0,
};

static enum cfi_result evaluate(const Dwarf_Op *ops, size_t nr, uint64_t *result)
{
	struct unwind_registers registers = { .known = 1 << 7 | 1 << 16 };
	struct unwind_memory memory = { bytes, START, sizeof(bytes) };

	registers.v[7] = START;
	registers.v[16] = 0x40100d;
	return cfi_evaluate(ops, nr, &registers, &memory, CFA, result);
}

static void cfi_evaluate__operations__give_their_value(void **state)
{
	static const struct {
		Dwarf_Op ops[10];
		uint64_t expected;
	} cases[] = {
		{ { { .atom = DW_OP_lit0 } }, 0 },
		{ { { .atom = DW_OP_lit31 } }, 31 },
		{ { { .atom = DW_OP_call_frame_cfa } }, CFA },
		{ { { .atom = DW_OP_breg7, .number = 8 } }, START + 8 },
		{ { { .atom = DW_OP_bregx, .number = 7, .number2 = 9 } }, START + 9 },
		{ { { .atom = DW_OP_const1s, .number = UINT64_MAX } }, UINT64_MAX },
		{ { { .atom = DW_OP_breg7 }, { .atom = DW_OP_deref } },
		  UINT64_C(0x8877665544332211) },
		{ { { .atom = DW_OP_breg7 }, { .atom = DW_OP_deref_size, .number = 2 } }, 0x2211 },
		{ { { .atom = DW_OP_breg7, .number = 8 },
		    { .atom = DW_OP_deref },
		    { .atom = DW_OP_deref_size, .number = 1 } },
		  0x11 },
		{ { { .atom = DW_OP_lit5 }, { .atom = DW_OP_lit3 }, { .atom = DW_OP_minus } }, 2 },
		{ { { .atom = DW_OP_lit5 }, { .atom = DW_OP_plus_uconst, .number = 7 } }, 12 },
		{ { { .atom = DW_OP_lit5 },
		    { .atom = DW_OP_neg },
		    { .atom = DW_OP_lit1 },
		    { .atom = DW_OP_shra } },
		  (uint64_t)-3 },
		{ { { .atom = DW_OP_lit5 },
		    { .atom = DW_OP_not },
		    { .atom = DW_OP_lit28 },
		    { .atom = DW_OP_dup },
		    { .atom = DW_OP_plus },
		    { .atom = DW_OP_shr } },
		  0xff },
		{ { { .atom = DW_OP_lit1 },
		    { .atom = DW_OP_constu, .number = 64 },
		    { .atom = DW_OP_shl } },
		  0 },
		{ { { .atom = DW_OP_lit1 },
		    { .atom = DW_OP_neg },
		    { .atom = DW_OP_lit1 },
		    { .atom = DW_OP_lt } },
		  1 },
		{ { { .atom = DW_OP_lit1 },
		    { .atom = DW_OP_neg },
		    { .atom = DW_OP_lit1 },
		    { .atom = DW_OP_ge } },
		  0 },
		{ { { .atom = DW_OP_lit6 }, { .atom = DW_OP_lit3 }, { .atom = DW_OP_and } }, 2 },
		{ { { .atom = DW_OP_lit9 },
		    { .atom = DW_OP_lit8 },
		    { .atom = DW_OP_swap },
		    { .atom = DW_OP_drop } },
		  8 },
		{ { { .atom = DW_OP_lit9 }, { .atom = DW_OP_lit8 }, { .atom = DW_OP_over } }, 9 },
		{ { { .atom = DW_OP_lit9 },
		    { .atom = DW_OP_lit8 },
		    { .atom = DW_OP_lit7 },
		    { .atom = DW_OP_pick, .number = 2 } },
		  9 },
		/* A procedure linkage table's, behind the push of its entry: sp + 8 + (pc & 15 >= 11) * 8. */
		{ { { .atom = DW_OP_breg7, .number = 8 },
		    { .atom = DW_OP_breg16 },
		    { .atom = DW_OP_lit15 },
		    { .atom = DW_OP_and },
		    { .atom = DW_OP_lit11 },
		    { .atom = DW_OP_ge },
		    { .atom = DW_OP_lit3 },
		    { .atom = DW_OP_shl },
		    { .atom = DW_OP_plus } },
		  START + 16 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t result = 0;
		size_t nr = 0;

		while (nr < ARRAY_SIZE(cases[i].ops) && cases[i].ops[nr].atom)
			nr++;
		assert_int_equal(evaluate(cases[i].ops, nr, &result), CFI_OK);
		assert_int_equal(result, cases[i].expected);
	}
}

static void cfi_evaluate__no_value__says_why(void **state)
{
	static const struct {
		Dwarf_Op ops[3];
		size_t nr;
		enum cfi_result expected;
	} cases[] = {
		{ { { .atom = 0 } }, 0, CFI_NO_VALUE },
		{ { { .atom = DW_OP_breg6 } }, 1, CFI_NO_VALUE }, /* not known */
		{ { { .atom = DW_OP_bregx, .number = UINT64_MAX } }, 1, CFI_NO_VALUE }, /* none */
		{ { { .atom = DW_OP_deref } }, 1, CFI_NO_VALUE },
		{ { { .atom = DW_OP_lit1 }, { .atom = DW_OP_plus } }, 2, CFI_NO_VALUE },
		{ { { .atom = DW_OP_lit1 }, { .atom = DW_OP_pick, .number = 1 } },
		  2,
		  CFI_NO_VALUE },
		{ { { .atom = DW_OP_lit1 }, { .atom = DW_OP_drop } }, 2, CFI_NO_VALUE },
		{ { { .atom = DW_OP_lit1 }, { .atom = DW_OP_swap } }, 2, CFI_NO_VALUE },
		{ { { .atom = DW_OP_skip, .number = 1 } }, 1, CFI_NO_VALUE },
		{ { { .atom = DW_OP_breg7 }, { .atom = DW_OP_deref_size, .number = 9 } },
		  2,
		  CFI_NO_VALUE },
		{ { { .atom = DW_OP_breg7, .number = 9 }, { .atom = DW_OP_deref } },
		  2,
		  CFI_NO_BYTES },
		{ { { .atom = DW_OP_breg7, .number = UINT64_MAX }, { .atom = DW_OP_deref } },
		  2,
		  CFI_NO_BYTES },
		{ { { .atom = DW_OP_lit0 }, { .atom = DW_OP_deref } }, 2, CFI_NO_BYTES },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t result;

		assert_int_equal(evaluate(cases[i].ops, cases[i].nr, &result), cases[i].expected);
	}
}

static void cfi_evaluate__too_much__is_no_value(void **state)
{
	Dwarf_Op ops[65];
	uint64_t result;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = (Dwarf_Op){ .atom = DW_OP_lit1 };
	assert_int_equal(evaluate(ops, 64, &result), CFI_OK);
	assert_int_equal(evaluate(ops, 65, &result), CFI_NO_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cfi_evaluate__operations__give_their_value),
		cmocka_unit_test(cfi_evaluate__no_value__says_why),
		cmocka_unit_test(cfi_evaluate__too_much__is_no_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
