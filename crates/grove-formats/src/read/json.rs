use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{Error, ErrorKind, Place, Result, Source, escape};

/// Reads a whole file; `expected` is what it should be valid as.
pub(crate) fn parse<'s, T: Deserialize<'s>>(source: &'s Source, expected: &'static str) -> Result<T> {
    serde_json::from_str(source.text()).map_err(|error| syntax(source, expected, 0, &error))
}

/// The items of a JSON array, not yet parsed: a value in memory takes up to a hundred times its text.
pub(crate) struct Items<'s> {
    source: &'s Source,
    items: Vec<&'s RawValue>,
}

/// Reads a JSON array.
pub(crate) fn array(source: &Source) -> Result<Items<'_>> {
    Ok(Items { source, items: parse(source, "JSON")? })
}

impl Items<'_> {
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// The items, each with the line it begins on.
    pub(crate) fn values(&self) -> impl Iterator<Item = Result<(usize, Value)>> {
        let mut lines = self.source.line_counter();
        self.items.iter().map(move |item| {
            // A raw value is a slice of the text it was read from, so its address tells its position.
            let start = item.get().as_ptr() as usize - self.source.text().as_ptr() as usize;
            let line = lines.line_at(start);
            Ok((line, parse_at(self.source, line, item.get())?))
        })
    }
}

/// Reads a JSON value from every line that is not empty.
pub(crate) fn lines(source: &Source) -> impl Iterator<Item = Result<(usize, Value)>> {
    source.content_lines().map(|(line, text)| Ok((line, parse_at(source, line, text)?)))
}

/// Reads a value that begins on this line of the file.
fn parse_at(source: &Source, line: usize, text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| syntax(source, "JSON", line - 1, &error))
}

/// The parser's error, on its line after `before` others. The parser's message ends with line and column, which the
/// error begins with.
fn syntax(source: &Source, syntax: &'static str, before: usize, error: &serde_json::Error) -> Error {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or_default();
    ErrorKind::not_valid(syntax, message).at(&source.place().line(before + error.line().max(1)))
}

/// A field as a table's cell: lists of texts are joined by `|`.
pub(crate) fn cell(value: Value, at: &Place) -> Result<String> {
    match value {
        Value::Null => Ok(String::new()),
        Value::Bool(truth) => Ok(truth.to_string()),
        Value::Number(number) => Ok(number.to_string()),
        Value::String(text) => Ok(text),
        Value::Array(items) => {
            let part = |item| match item {
                Value::String(text) => Ok(escape::escape(&text, '|')),
                other => Err(shape("a list of texts", &other, at)),
            };
            Ok(items.into_iter().map(part).collect::<Result<Vec<_>, _>>()?.join("|"))
        }
        Value::Object(_) => Err(shape("a text, a number or a list of texts", &value, at)),
    }
}

/// The error for a value of another type than expected.
pub(crate) fn shape(expected: &str, found: &Value, at: &Place) -> Error {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    ErrorKind::not_expected(expected, found).at(at)
}
