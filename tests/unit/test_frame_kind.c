#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/frame_kind.h"
#include "util/array.h"

static void frame_kind_guess__names__of_each_kind(void **state)
{
	static const struct {
		const char *name;
		enum frame_kind kind;
	} cases[] = {
		{ "core::fmt::write", FRAME_RUST },
		{ "<alloc::vec::Vec<(u8, [u8; 4])> as core::ops::drop::Drop>::drop", FRAME_RUST },
		{ "<fn() as core::ops::function::FnOnce<()>>::call_once", FRAME_RUST },
		{ "rustc_codegen_llvm::llvm_::build_pass", FRAME_RUST },
		{ "rustc_middle[5bf3fa2fc9e4b9b5]::ty::fold::{closure#0}", FRAME_RUST },
		{ "<str>::parse", FRAME_NATIVE },
		{ "llvm::Instruction::eraseFromParent()", FRAME_LLVM },
		{ "LLVMRustOptimize", FRAME_LLVM },
		{ "void std::sort<llvm::Value**>(llvm::Value**, llvm::Value**)", FRAME_LLVM },
		{ "_ZN4llvm5ValueD1Ev", FRAME_LLVM },
		{ "libLLVM.so.19.1!0x1f00d", FRAME_LLVM },
		{ "std::vector<int>::push_back(int const&)", FRAME_NATIVE },
		{ "main", FRAME_NATIVE },
		{ "malloc", FRAME_ALLOCATOR },
		{ "_int_malloc", FRAME_ALLOCATOR },
		{ "operator new(unsigned long)", FRAME_ALLOCATOR },
		{ "__rust_alloc", FRAME_ALLOCATOR },
		{ "alloc::raw_vec::finish_grow", FRAME_ALLOCATOR },
		{ "<alloc::alloc::Global as core::alloc::Allocator>::allocate", FRAME_ALLOCATOR },
		{ "_rjem_je_malloc", FRAME_ALLOCATOR },
		{ "mmap_region", FRAME_NATIVE },
		{ "clear_page_erms_[k]", FRAME_KERNEL },
		{ "[kernel.kallsyms]!0x1000", FRAME_KERNEL },
		{ "libc.so.6!0x8a2f1", FRAME_UNNAMED },
		{ "[truncated]", FRAME_SPECIAL },
		{ "[not sampled]", FRAME_SPECIAL },
		{ "!0x", FRAME_NATIVE },
		{ "", FRAME_NATIVE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (frame_kind_guess(cases[i].name) != cases[i].kind)
			fail_msg("'%s' is %d, not %d", cases[i].name,
				 frame_kind_guess(cases[i].name), cases[i].kind);
	}
}

static void frame_kind_crate__paths__their_first_part(void **state)
{
	static const struct {
		const char *name, *crate;
	} cases[] = {
		{ "core::fmt::write", "core" },
		{ "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop", "alloc" },
		{ "<&mut dyn rustc_errors::Emitter as core::any::Any>::type_id", "rustc_errors" },
		{ "<u8 as core::fmt::Debug>::fmt", "core" },
		{ "<(A, B) as rustc_middle::ty::TypeFoldable>::fold", "rustc_middle" },
		{ "rustc_ast[0123]::visit::walk", "rustc_ast" },
		{ "main", NULL },
		{ "<u8>::f", NULL },
		{ "9::a", NULL },
		{ "::a", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len;
		const char *crate = frame_kind_crate(cases[i].name, &len);

		assert_true(!crate == !cases[i].crate);
		if (!crate)
			continue;
		assert_int_equal(len, strlen(cases[i].crate));
		assert_memory_equal(crate, cases[i].crate, len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_kind_guess__names__of_each_kind),
		cmocka_unit_test(frame_kind_crate__paths__their_first_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
