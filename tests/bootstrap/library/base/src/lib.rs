//! The lowest crate of the library: depends on nothing.

#![no_std]

/// What the build script was told.
pub const COMPILER: &str = env!("BASE_COMPILER");

/// Bytes that hold `bits` bits.
pub const fn bytes_for(bits: usize) -> usize {
    (bits + 7) / 8
}
