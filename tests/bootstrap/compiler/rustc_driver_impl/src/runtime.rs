//! What the library has to offer, for stage 0: the library it came with does not have it yet.

use std::collections::HashMap;

pub const COMPILER: &str = "stage 0";

pub fn line_counts(text: &[u8]) -> HashMap<&[u8], usize> {
    let mut counts = HashMap::new();
    for line in text.split(|byte| *byte == b'\n') {
        *counts.entry(line).or_insert(0) += 1;
    }
    counts
}

pub fn process_id() -> i32 {
    std::process::id() as i32
}
