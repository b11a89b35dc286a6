//! The part of the compiler that needs the large crates.

use regex::Regex;
use rustc_middle::{Error, Item, Kind, Token};

pub fn report(text: &str) -> String {
    match tokens(text) {
        Ok(item) => serde_json::to_string_pretty(&item).expect("an item has only plain values"),
        Err(err) => err.to_string(),
    }
}

fn tokens(text: &str) -> Result<Item, Error> {
    let token =
        Regex::new(r#"([\pL_]\w*)|(\d[\d.]*)|("[^"]*")|([[:punct:]])"#).expect("it is valid");
    let kinds = [Kind::Word, Kind::Number, Kind::Text, Kind::Mark];
    let mut item = Item {
        name: "tokens".to_string(),
        ..Item::default()
    };
    for found in token.captures_iter(text) {
        let (kind, found) = kinds
            .iter()
            .zip(1..)
            .find_map(|(kind, group)| found.get(group).map(|found| (*kind, found)))
            .ok_or(Error::UnknownToken(' '))?;
        item.tokens.push(Token {
            kind,
            start: found.start(),
            text: found.as_str().to_string(),
        });
    }
    match item.tokens.is_empty() {
        true => Err(Error::NoItem(0)),
        false => Ok(item),
    }
}
