//! Makes one shared library of the compiler.

pub use rustc_driver_impl::*;
