//! Only here to depend on all that belongs into the sysroot.

pub use runtime;
