//! The crate of the library that programs use.

pub use base::{bytes_for, COMPILER};

use std::collections::hash_map::RandomState;

pub type Map<K, V> = hashbrown::HashMap<K, V, RandomState>;

/// How often each line of `text` occurs in it.
pub fn line_counts(text: &[u8]) -> Map<&[u8], usize> {
    let mut counts = Map::default();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text) {
        *counts.entry(&text[start..end]).or_insert(0) += 1;
        start = end + 1;
    }
    counts
}

/// What a stack trace would show for `symbol`.
#[cfg(feature = "backtrace")]
pub fn symbol_name(symbol: &str) -> String {
    rustc_demangle::demangle(symbol).to_string()
}

/// Contents of a compressed debug section.
#[cfg(feature = "backtrace")]
pub fn inflate(section: &[u8]) -> Option<Vec<u8>> {
    miniz_oxide::inflate::decompress_to_vec_zlib(section).ok()
}

cfg_if::cfg_if! {
    if #[cfg(unix)] {
        pub fn process_id() -> i32 {
            // SAFETY: takes nothing and always succeeds.
            unsafe { libc::getpid() }
        }
    } else {
        pub fn process_id() -> i32 {
            std::process::id() as i32
        }
    }
}
