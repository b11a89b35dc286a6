//! Asks the compiler what it is, as many build scripts do: one more process that is called rustc and
//! compiles nothing.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC");
    let answer = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("rustc can be run");
    let version = String::from_utf8_lossy(&answer.stdout);
    println!("cargo:rustc-env=BASE_COMPILER={}", version.trim());
}
