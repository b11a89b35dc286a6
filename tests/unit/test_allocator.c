#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/allocator.h"
#include "util/array.h"

static void allocator_has__functions__by_module_and_name(void **state)
{
	static const struct {
		enum module_kind kind;
		const char *module, *function;
		bool allocator;
	} cases[] = {
		{ MODULE_FILE, "libc.so.6", "qsort_r", true },
		{ MODULE_FILE, "libc-2.31.so", "libc-2.31.so!0x1234", true },
		{ MODULE_FILE, "ld-linux-x86-64.so.2", "_dl_map_object", true },
		{ MODULE_FILE, "ld-2.31.so", "_start", true },
		{ MODULE_FILE, "libjemalloc.so.2", "x", true },
		{ MODULE_FILE, "ntdll.dll", "ntdll.dll!0x1234", true },
		{ MODULE_FILE, "KernelBase.dll", "VirtualAlloc", true },
		{ MODULE_FILE, "user32.dll", "x", false },
		{ MODULE_FILE, "rustc_driver-1.dll", "_malloc_base", true },
		{ MODULE_KERNEL, "[kernel.kallsyms]", "do_mmap", true },
		{ MODULE_VDSO, "[vdso]", "x", true },
		{ MODULE_FILE, "rustc", "malloc", true },
		{ MODULE_FILE, "rustc", "_rjem_je_arena_malloc_hard", true },
		{ MODULE_FILE, "rustc", "large_ralloc", true },
		{ MODULE_FILE, "rustc", "pa_alloc", true },
		{ MODULE_FILE, "rustc", "pa_allocate", false },
		{ MODULE_FILE, "librustc_driver-1.so", "__rust_alloc_zeroed", true },
		{ MODULE_FILE, "librustc_driver-1.so", "__rustc::__rust_realloc", true },
		{ MODULE_FILE, "librustc_driver-1.so", "alloc::raw_vec::RawVec<T,A>::grow_one",
		  true },
		{ MODULE_FILE, "librustc_driver-1.so",
		  "<alloc::alloc::Global as core::alloc::Allocator>::allocate", true },
		{ MODULE_FILE, "librustc_driver-1.so",
		  "<hashbrown::raw::RawTable<(u32, u32)>>::reserve_rehash::<F>", true },
		{ MODULE_FILE, "librustc_driver-1.so",
		  "hashbrown::raw::alloc::inner::do_alloc::<alloc::alloc::Global>", true },
		{ MODULE_FILE, "librustc_driver-1.so",
		  "<alloc::boxed::Box<[rustc_middle::mir::Body]>>::new_uninit_slice", true },
		{ MODULE_FILE, "librustc_driver-1.so", "alloc::boxed::Box<T>::new", true },
		{ MODULE_FILE, "librustc_driver-1.so",
		  "<alloc::boxed::Box<F> as core::ops::function::FnOnce<A>>::call_once", false },
		{ MODULE_FILE, "librustc_driver-1.so", "<alloc::sync::Arc<u8>>::new", true },
		{ MODULE_FILE, "librustc_driver-1.so", "<alloc::vec::Vec<(u8, u8)>>::push", true },
		{ MODULE_FILE, "librustc_driver-1.so", "alloc::vec::Vec<T,A>::push_mut", true },
		{ MODULE_FILE, "librustc_driver-1.so", "<alloc::vec::Vec<u8>>::reserve_exact",
		  true },
		{ MODULE_FILE, "librustc_driver-1.so", "alloc::vec::Vec<T,A>::with_capacity_in",
		  true },
		{ MODULE_FILE, "librustc_driver-1.so", "<alloc::vec::Vec<u8>>::pop", false },
		{ MODULE_FILE, "librustc_driver-1.so", "<my::Vec<u8>>::push", false },
		{ MODULE_FILE, "librustc_driver-1.so",
		  "thin_vec::header_with_capacity::<rustc_ast::ast::PathSegment>", true },
		{ MODULE_FILE, "libLLVM.so.19.1", "operator new(unsigned long)", true },
		{ MODULE_FILE, "libLLVM.so.19.1",
		  "llvm::SmallVectorBase<unsigned int>::grow_pod(void*, unsigned long)", true },
		{ MODULE_FILE, "librustc_driver-1.so", "rustc_arena::DroplessArena::grow", false },
		{ MODULE_FILE, "librustc_driver-1.so",
		  "<hashbrown::raw::RawTable<u8> as core::ops::drop::Drop>::drop", false },
		{ MODULE_FILE, "librustc_driver-1.so", "alloc::vec::Vec<T>::extend", false },
		{ MODULE_FILE, "librustc_driver-1.so", "my_malloc", false },
		{ MODULE_FILE, "librustc_driver-1.so", "malloc_stats", false },
		{ MODULE_FILE, "libclang.so", "main", false },
		{ MODULE_ANON, "libc.so.6", "x", false },
		{ MODULE_UNKNOWN, "[unknown]", "[truncated]", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct module module = { .kind = cases[i].kind,
					 .name = cases[i].module,
					 .kernel = cases[i].kind == MODULE_KERNEL };

		if (allocator_has(&module, cases[i].function) != cases[i].allocator)
			fail_msg("%s %s", cases[i].module, cases[i].function);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocator_has__functions__by_module_and_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
