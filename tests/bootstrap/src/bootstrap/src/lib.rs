//! A small bootstrap: builds `library` and `compiler` in stages, as rustc's own does. x.py builds and
//! starts it; see README.md next to x.py for what is true to the original and what is not.

mod args;
mod cargo;
mod config;
mod demo;
mod steps;
mod sysroot;

use std::time::Instant;

/// Do what the command line (without the program's name) asks for. The error is fit to print.
pub fn run(argv: impl Iterator<Item = String>) -> Result<(), String> {
    let start = Instant::now();
    let args = args::Args::parse(argv)?;
    let config = config::Config::from_env()?;
    let result = steps::build(&args, &config);
    let seconds = start.elapsed().as_secs();
    let time = format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    match result {
        Ok(()) => println!("Build completed successfully in {time}"),
        Err(_) => println!("Build completed unsuccessfully in {time}"),
    }
    result
}
