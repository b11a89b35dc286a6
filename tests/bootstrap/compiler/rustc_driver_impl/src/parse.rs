//! The part of the compiler that needs the large crates.

use rustc_middle::{Error, Item, Kind, Token};

pub fn report(text: &str) -> String {
    match tokens(text) {
        Ok(item) => serde_json::to_string_pretty(&item).expect("an item has only plain values"),
        Err(err) => err.to_string(),
    }
}

/// What a token that begins with `first` is, and whether `next` still belongs to it.
fn kind_of(first: char) -> Option<(Kind, fn(char) -> bool)> {
    match first {
        'a'..='z' | 'A'..='Z' | '_' => Some((Kind::Word, |next| next.is_alphanumeric() || next == '_')),
        '0'..='9' => Some((Kind::Number, |next| next.is_ascii_digit() || next == '.')),
        '"' => Some((Kind::Text, |next| next != '"')),
        _ if first.is_ascii_punctuation() => Some((Kind::Mark, |_| false)),
        _ => None,
    }
}

fn tokens(text: &str) -> Result<Item, Error> {
    let mut item = Item {
        name: "tokens".to_string(),
        ..Item::default()
    };
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let mut end = start + first.len_utf8();
        if let Some((kind, belongs)) = kind_of(first) {
            while let Some(next) = text[end..].chars().next().filter(|next| belongs(*next)) {
                end += next.len_utf8();
            }
            item.tokens.push(Token {
                kind,
                start,
                text: text[start..end].to_string(),
            });
        } else if !first.is_whitespace() && !first.is_alphanumeric() {
            return Err(Error::UnknownToken(first));
        }
        start = end;
    }
    match item.tokens.is_empty() {
        true => Err(Error::NoItem(0)),
        false => Ok(item),
    }
}
