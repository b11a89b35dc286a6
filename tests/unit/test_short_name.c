#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/short_name.h"
#include "util/array.h"

static void short_name__names_of_compilers__what_they_are(void **state)
{
	static const struct {
		const char *name, *brief;
	} cases[] = {
		{ "main", "main" },
		{ "rustc_parse::parser::parse_expr", "rustc_parse::parser::parse_expr" },
		{ "<hashbrown::raw::RawTable<(u32, alloc::vec::Vec<u8>)>>::insert",
		  "<hashbrown::raw::RawTable<…>>::insert" },
		{ "<alloc::vec::Vec<u8> as core::iter::Extend<u8>>::extend::<core::iter::Once<u8>>",
		  "<alloc::vec::Vec<…> as core::iter::Extend<…>>::extend::<…>" },
		{ "<rustc_hir_typeck::fn_ctxt::FnCtxt>::check_expr",
		  "<rustc_hir_typeck::fn_ctxt::FnCtxt>::check_expr" },
		{ "a::b::{closure#0}", "a::b::{closure}" },
		{ "a::b::<T>::{closure#12}::{closure#0}", "a::b::<…>::{closure}::{closure}" },
		{ "std::rt::lang_start::closure$0<tuple$<> >",
		  "std::rt::lang_start::{closure}<…>" },
		{ "a::impl$3::b::closure$12::closure$0", "a::impl$3::b::{closure}::{closure}" },
		{ "a::closure$::b", "a::closure$::b" },
		{ "a::closure$1x", "a::closure$1x" },
		{ "my_closure$1", "my_closure$1" },
		{ "core[5bf3fa2fc9e4b9b5]::ptr::drop", "core::ptr::drop" },
		{ "<core[1f]::A as std[2]::B>::c", "<core::A as std::B>::c" },
		{ "a::<[u8; 4]>::b", "a::<…>::b" },
		{ "a::b::h0123456789abcdef", "a::b" },
		{ "a::b::h0123456789abcde", "a::b::h0123456789abcde" },
		{ "a::b::h0123456789abcdefg", "a::b::h0123456789abcdefg" },
		{ "<[u8]>::sort", "<[u8]>::sort" },
		{ "llvm::SmallVectorImpl<llvm::Value*>::operator=",
		  "llvm::SmallVectorImpl<llvm::Value*>::operator=" },
		{ "a::operator_precedence::X<A>::f", "a::operator_precedence::X<…>::f" },
		{ "operators::my_operator<A>", "operators::my_operator<…>" },
		{ "X<A>::operator new", "X<A>::operator new" },
		{ "<dyn Fn(u32) -> u8 as Trait<A>>::f", "<dyn Fn(u32) -> u8 as Trait<…>>::f" },
		{ "[truncated]", "[truncated]" },
		{ "a<b", "a<b" },
		{ "x::{closure#", "x::{closure#" },
		{ "lib.so!0x12", "lib.so!0x12" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_adds(&sb, "");
		short_name(&sb, cases[i].name);
		assert_string_equal(sb.buf, cases[i].brief);
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_name__names_of_compilers__what_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
