#include "analysis/allocator.h"

#include <stddef.h>

#include "util/array.h"
#include "util/text.h"

/* Patterns of module names. */
static const char *const modules[] = {
	"libc.so*",        "libc-*.so",    "ld-linux*",    "ld-*.so*",     "ld-musl-*", "ld.so*",
	"libpthread*.so*", "libjemalloc*", "libmimalloc*", "libtcmalloc*", NULL,
};

/* The same of Windows, in any case: its heaps, and the C library that calls them. */
static const char *const windows_modules[] = {
	"ntdll.dll",  "kernelbase.dll", "kernel32.dll", "ucrtbase.dll",
	"msvcrt.dll", "ucrtbased.dll",  "verifier.dll", "vcruntime*.dll",
};

/* Patterns of function names. */
static const char *const functions[] = {
	/* C, and internal functions of glibc and musl */
	"malloc",
	"calloc",
	"realloc",
	"free",
	"cfree",
	"reallocarray",
	"posix_memalign",
	"aligned_alloc",
	"memalign",
	"valloc",
	"pvalloc",
	"mmap",
	"mmap64",
	"munmap",
	"mremap",
	"mprotect",
	"madvise",
	"brk",
	"sbrk",
	"__mmap",
	"__mmap64",
	"__munmap",
	"__mremap",
	"__mprotect",
	"__brk",
	"__sbrk",
	"__libc_malloc*",
	"__libc_calloc*",
	"__libc_realloc*",
	"__libc_memalign*",
	"__libc_free*",
	"_int_malloc",
	"_int_realloc",
	"_int_memalign",
	"_int_free*",
	"_mid_memalign*",
	"sysmalloc*",
	"systrim*",
	"new_heap",
	"alloc_new_heap",
	"grow_heap",
	"heap_trim*",
	"arena_get2*",
	"ptmalloc_init*",
	"tcache_init*",
	"mremap_chunk",
	/* C library of Windows, linked into a program */
	"_malloc_*",
	"_calloc_*",
	"_realloc_*",
	"_free_*",
	"_recalloc*",
	"_expand*",
	"_aligned_*alloc*",
	"_aligned_free*",
	"Heap*Alloc*",
	"Rtl*AllocateHeap*",
	"VirtualAlloc*",
	/* C++ */
	"operator new*",
	"operator delete*",
	"_Znw*",
	"_Zna*",
	"_Zdl*",
	"_Zda*",
	"std::allocator<*",
	"std::__new_allocator<*",
	"__gnu_cxx::new_allocator<*",
	"llvm::allocate_buffer*",
	"llvm::safe_*alloc*",
	"llvm::SmallVectorBase<*",
	"llvm::BumpPtrAllocatorImpl<*",
	/* Rust */
	"__rust_*alloc*",
	"__rdl_*alloc*",
	"__rg_*alloc*",
	"__rustc::__r*alloc*",
	"__rustc[*]::__r*alloc*",
	"alloc::alloc::*",
	"<alloc::alloc::*",
	"alloc::raw_vec::*",
	"<alloc::raw_vec::*",
	"alloc::boxed::Box<*>::new*",
	"<alloc::boxed::Box<*>>::new*",
	"alloc::boxed::Box<*>::try_new*",
	"<alloc::boxed::Box<*>>::try_new*",
	"alloc::rc::Rc<*>::new*",
	"<alloc::rc::Rc<*>>::new*",
	"alloc::sync::Arc<*>::new*",
	"<alloc::sync::Arc<*>>::new*",
	"alloc::vec::Vec<*>::push",
	"<alloc::vec::Vec<*>>::push",
	"alloc::vec::Vec<*>::push_mut",
	"<alloc::vec::Vec<*>>::push_mut",
	"alloc::vec::Vec<*>::reserve*",
	"<alloc::vec::Vec<*>>::reserve*",
	"alloc::vec::Vec<*>::try_reserve*",
	"<alloc::vec::Vec<*>>::try_reserve*",
	"alloc::vec::Vec<*>::*with_capacity*",
	"<alloc::vec::Vec<*>>::*with_capacity*",
	"thin_vec::header_with_capacity*",
	"<thin_vec::ThinVec<*>>::push",
	"<thin_vec::ThinVec<*>>::reserve*",
	"<thin_vec::ThinVec<*>>::with_capacity*",
	"std::alloc::*",
	"<std::alloc::*",
	"std::sys::alloc::*",
	"hashbrown::raw::alloc::*",
	"<hashbrown::raw::alloc::*",
	"hashbrown::raw::*::reserve*",
	"<hashbrown::raw::*::reserve*",
	"hashbrown::raw::*::resize*",
	"<hashbrown::raw::*::resize*",
	"hashbrown::raw::*::prepare_resize*",
	"<hashbrown::raw::*::prepare_resize*",
	"hashbrown::raw::*::new_uninitialized*",
	"<hashbrown::raw::*::new_uninitialized*",
	"hashbrown::raw::*with_capacity*",
	"<hashbrown::raw::*with_capacity*",
	/* jemalloc, with and without the prefix of tikv-jemalloc; mimalloc */
	"_rjem_*",
	"je_*",
	"imalloc*",
	"malloc_default",
	"malloc_init_hard*",
	"arena_malloc*",
	"arena_palloc*",
	"arena_ralloc*",
	"large_malloc*",
	"large_palloc*",
	"large_ralloc*",
	"pa_alloc",
	"pac_alloc*",
	"tsd_tcache_data_init*",
	"sz_boot",
	"pages_map*",
	"os_pages_*",
	"pages_commit*",
	"extent_alloc_*",
	"extent_grow_retained*",
	"base_block_alloc*",
	"mi_*",
	"_mi_*",
	NULL,
};

/* For speed: all patterns begin with a plain character, and most names begin with another one. */
static bool match(const char *const *globs, const char *name)
{
	for (; *globs; globs++) {
		if (**globs == *name && text_glob(*globs, name, false))
			return true;
	}
	return false;
}

static bool is_of_windows(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(windows_modules); i++) {
		if (text_glob(windows_modules[i], name, true))
			return true;
	}
	return false;
}

bool allocator_has(const struct module *module, const char *function)
{
	if (module->kernel || module->kind == MODULE_VDSO)
		return true;
	if (module->kind == MODULE_FILE &&
	    (match(modules, module->name) || is_of_windows(module->name)))
		return true;
	return match(functions, function);
}
