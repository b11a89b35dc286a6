//! The types that the other crates of the compiler share.

use rustc_macros::VariantName;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

bitflags::bitflags! {
    #[derive(Default)]
    pub struct Flags: u32 {
        const PUBLIC = 1;
        const CONST = 2;
        const UNSAFE = 4;
    }
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize, VariantName)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Word,
    Number,
    Text,
    Mark,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub text: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Item {
    pub name: String,
    #[serde(default)]
    pub flags: u32,
    pub tokens: Vec<Token>,
    pub children: Vec<Item>,
}

impl Item {
    pub fn flags(&self) -> Flags {
        Flags::from_bits_truncate(self.flags)
    }

    /// Names of the item and all below it, outermost first.
    pub fn names(&self) -> SmallVec<[&str; 8]> {
        let mut names = SmallVec::new();
        names.push(self.name.as_str());
        for child in &self.children {
            names.extend(child.names());
        }
        names
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("nothing in the language starts with '{0}'")]
    UnknownToken(char),
    #[error("an item was expected after byte {0}")]
    NoItem(usize),
}
