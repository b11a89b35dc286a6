//! Puts a compile error into the crate if demo.fail is set: late in the build, when
//! most of it has been compiled.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-env-changed=DEMO_FAIL");
    let code = match env::var("DEMO_FAIL").as_deref() {
        Ok("1") => "compile_error!(\"failed on purpose (demo.fail)\");\n",
        _ => "",
    };
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out_dir).join("demo.rs"), code).expect("OUT_DIR can be written");
}
