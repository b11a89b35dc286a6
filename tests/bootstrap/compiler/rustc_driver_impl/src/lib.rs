//! What the compiler does when run: says what it found in the file it was given.

// Older compilers do not know the first lint's name, newer ones `bootstrap`.
#![allow(unknown_lints, unexpected_cfgs)]

// From the sysroot: our library, as the compiler that compiles this has built it.
#[cfg(not(bootstrap))]
extern crate runtime;

#[cfg(feature = "llvm")]
mod parse;
#[cfg(bootstrap)]
mod runtime;

include!(concat!(env!("OUT_DIR"), "/demo.rs"));

pub fn main() {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "/proc/self/status".to_string());
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(err) => {
            eprintln!("cannot read '{path}': {err}");
            std::process::exit(1);
        }
    };
    println!("{}", summary(&text));
    #[cfg(feature = "llvm")]
    println!("{}", parse::report(&String::from_utf8_lossy(&text)));
}

fn summary(text: &[u8]) -> String {
    log::debug!("{} bytes", text.len());
    let lines = runtime::line_counts(text);
    let mut hashes: Vec<u64> = lines.keys().map(|line| rustc_llvm::hash(line)).collect();
    rustc_llvm::sort(&mut hashes);
    let words = memchr::memchr_iter(b' ', text).count() + 1;
    let mut float = ryu::Buffer::new();
    let mut number = itoa::Buffer::new();
    format!(
        "{} lines, {} words a line, lowest hash {:?}, built with {}, process {}",
        lines.len(),
        float.format(words as f64 / lines.len().max(1) as f64),
        hashes.first(),
        runtime::COMPILER,
        number.format(runtime::process_id()),
    )
}
