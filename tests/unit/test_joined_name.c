#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/joined_name.h"
#include "util/array.h"

/* Two names of one function, and the name by which they are joined. */
static const struct {
	const char *name, *other, *joined;
} functions[] = {
	/* type arguments, of v0 and of legacy names */
	{ "m::gen::<u16, 4>", "m::gen", "m::gen" },
	{ "<m::S<&str>>::inh", "m::S<T>::inh", "m::S::inh" },
	{ "<m::S<u8>>::f::{closure#0}", "m::S<u8>::f::{{closure}}", "m::S::f::{closure}" },
	{ "<m::S<Vec<u32>> as m::Tr>::go", "<m::S<u8> as m::Tr<u8>>::go", "<m::S as m::Tr>::go" },
	{ "m::call::<fn(u8) -> Vec<u8>>", "m::call::<fn()>", "m::call" },
	/* hashes */
	{ "m[1f2e3d4c5b6a7988]::f", "m::f::h0123456789abcdef", "m::f" },
	/* closures are numbered by their order in the function */
	{ "m::f::{closure#0}::{closure#1}", "m::f::{closure#2}::{closure#0}",
	  "m::f::{closure}::{closure}" },
	{ "<m::S>::f::{shim:vtable#0}", "m::S::f::{shim:vtable#3}", "m::S::f::{shim:vtable}" },
	/* clones of the optimizer */
	{ "m::f.cold", "m::f.cold.3", "m::f" },
	{ "m::f.llvm.1234567890", "m::f::h0123456789abcdef.llvm.99", "m::f" },
	{ "f.constprop.0.isra.1", "f [clone .cold]", "f" },
	{ "llvm::run(int) [clone .part.0] [clone .cold]", "llvm::run(int) (.llvm.5)",
	  "llvm::run(int)" },
	/* an operator, and what only looks like a suffix or a hash */
	{ "operator<<(A, B)", "operator<<(A, B).cold", "operator<<(A, B)" },
	{ ".cold", ".cold", ".cold" },
	{ "m::hello", "m::hello", "m::hello" },
	{ "m::h0123", "m::h0123", "m::h0123" },
	{ "", "", "" },
	/* code without a symbol has the name of its file */
	{ "librustc_driver-8ae9d3a1bc1e0d2f.so!0x1f", "librustc_driver-0123456789abcdef.so!0x1f",
	  "librustc_driver.so!0x1f" },
	/* damaged names stay texts */
	{ "<<<", "<<<", "<<<" },
	{ "{{{#", "{{{#", "{{#" },
};

static void joined_function__names_of_one_function__are_equal(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		struct strbuf one = STRBUF_INIT, other = STRBUF_INIT;

		joined_function(&one, functions[i].name, false);
		joined_function(&other, functions[i].other, false);
		assert_string_equal(one.buf, functions[i].joined);
		assert_string_equal(other.buf, functions[i].joined);
		strbuf_release(&one);
		strbuf_release(&other);
	}
}

static void joined_function__other_functions__are_different(void **state)
{
	static const char *const names[] = { "m::f", "m::g", "m::f::{closure#0}",
					     "<m::S as m::Tr>::f", "m::S::f" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		for (size_t k = 0; k < i; k++) {
			struct strbuf one = STRBUF_INIT, other = STRBUF_INIT;

			joined_function(&one, names[i], false);
			joined_function(&other, names[k], false);
			assert_string_not_equal(one.buf, other.buf);
			strbuf_release(&one);
			strbuf_release(&other);
		}
	}
}

static void joined_function__with_arguments__keeps_them(void **state)
{
	static const struct {
		const char *name, *joined;
	} names[] = {
		{ "m[1f2e3d4c5b6a7988]::gen::<u16, 4>.llvm.12", "m::gen::<u16, 4>" },
		{ "<m::S<u8>>::f::{closure#1}", "m::S<u8>::f::{closure}" },
		{ "<m::S<u8> as m::Tr<u8>>::go", "<m::S<u8> as m::Tr<u8>>::go" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct strbuf joined = STRBUF_INIT;

		joined_function(&joined, names[i].name, true);
		assert_string_equal(joined.buf, names[i].joined);
		strbuf_release(&joined);
	}
}

static void joined_module__hash__is_left_out(void **state)
{
	static const struct {
		const char *name, *joined;
	} modules[] = {
		{ "librustc_driver-8ae9d3a1bc1e0d2f.so", "librustc_driver.so" },
		{ "serde_derive-0123456789abcdef", "serde_derive" },
		{ "libLLVM.so.19.1", "libLLVM.so.19.1" },
		{ "ld-linux-x86-64.so.2", "ld-linux-x86-64.so.2" },
		{ "x-deadbeef-y", "x-deadbeef-y" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		struct strbuf joined = STRBUF_INIT;

		joined_module(&joined, modules[i].name);
		assert_string_equal(joined.buf, modules[i].joined);
		strbuf_release(&joined);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joined_function__names_of_one_function__are_equal),
		cmocka_unit_test(joined_function__other_functions__are_different),
		cmocka_unit_test(joined_function__with_arguments__keeps_them),
		cmocka_unit_test(joined_module__hash__is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
