//! The shim: cargo runs this wherever it wants rustc. It picks the compiler of the stage, adds what
//! only bootstrap knows, and stays alive above it until it is done.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::process::{exit, Command};
use std::time::Instant;

fn main() {
    let mut argv = env::args_os();
    let me = argv.next().unwrap_or_default();
    let mut args: Vec<OsString> = argv.collect();
    // As RUSTC_WRAPPER we get the compiler to wrap as an argument: RUSTC, which is us again. A build script
    // that runs $RUSTC does not pass it.
    if args.first() == Some(&me) {
        args.remove(0);
    }

    // Without --target it is for the host: a build script, a proc macro, or what these need.
    let for_target = args.iter().any(|arg| {
        arg.to_str().map_or(false, |arg| {
            arg == "--target" || arg.starts_with("--target=")
        })
    });
    let (rustc, libdir) = if for_target {
        ("RUSTC_REAL", "RUSTC_LIBDIR")
    } else {
        ("RUSTC_SNAPSHOT", "RUSTC_SNAPSHOT_LIBDIR")
    };

    let mut command = Command::new(required(rustc));
    command.args(&args);
    if for_target {
        command.arg("--sysroot").arg(required("RUSTC_SYSROOT"));
    }
    command.env("LD_LIBRARY_PATH", library_path(&required(libdir)));

    let start = Instant::now();
    let status = command.status().unwrap_or_else(|err| {
        eprintln!("cannot run {:?}: {err}", command.get_program());
        exit(1);
    });
    if let (Some(name), Some(_)) = (crate_name(&args), env::var_os("RUSTC_PRINT_STEP_TIMINGS")) {
        let is_test = args.iter().any(|arg| arg == "--test");
        let seconds = start.elapsed().as_secs_f64();
        eprintln!("[RUSTC-TIMING] {name} test:{is_test} {seconds:.3}");
    }
    exit(
        status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
    );
}

fn required(name: &str) -> OsString {
    env::var_os(name).unwrap_or_else(|| {
        eprintln!("{name} is not set: this rustc is only for cargo as bootstrap runs it");
        exit(1);
    })
}

/// None for a question (`-vV`, `--print`): cargo asks those with no crate or with one called `___`.
fn crate_name(args: &[OsString]) -> Option<&str> {
    let at = args.iter().position(|arg| arg == "--crate-name")?;
    args.get(at + 1)
        .and_then(|name| name.to_str())
        .filter(|name| *name != "___")
}

fn library_path(first: &OsStr) -> OsString {
    let mut path = first.to_os_string();
    if let Some(rest) = env::var_os("LD_LIBRARY_PATH").filter(|rest| !rest.is_empty()) {
        path.push(":");
        path.push(rest);
    }
    path
}
