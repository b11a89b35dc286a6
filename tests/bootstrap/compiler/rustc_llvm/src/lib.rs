//! Binds to C code that a build script compiles.

extern "C" {
    fn wrapper_hash(bytes: *const u8, len: libc::size_t) -> u64;
    fn wrapper_sort(values: *mut u64, nr: libc::size_t);
}

pub fn hash(bytes: &[u8]) -> u64 {
    // SAFETY: reads exactly the slice.
    unsafe { wrapper_hash(bytes.as_ptr(), bytes.len()) }
}

pub fn sort(values: &mut [u64]) {
    // SAFETY: reorders exactly the slice.
    unsafe { wrapper_sort(values.as_mut_ptr(), values.len()) }
}
