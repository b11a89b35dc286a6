//! The lowest crate of the library: depends on nothing.

#![no_std]

/// The input of the build script.
pub const COMPILER: &str = env!("BASE_COMPILER");

/// Bytes that hold `bits` bits.
pub const fn bytes_for(bits: usize) -> usize {
    (bits + 7) / 8
}
