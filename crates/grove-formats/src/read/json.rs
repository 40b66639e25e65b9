use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{Error, ErrorKind, Place, Result, Source, escape};

/// Reads a whole file; `expected` is what it should be valid as.
pub(crate) fn parse<'s, T: Deserialize<'s>>(source: &'s Source, expected: &'static str) -> Result<T> {
    serde_json::from_str(source.text()).map_err(|error| syntax(source, expected, 0, &error))
}

/// Reads a JSON array, each item with the line it begins on.
pub(crate) fn array(source: &Source) -> Result<Vec<(usize, Value)>> {
    let items: Vec<&RawValue> = parse(source, "JSON")?;
    let mut lines = source.line_counter();
    let item = |item: &RawValue| {
        // A raw value is a slice of the text it was read from, so its address tells its position.
        let line = lines.line_at(item.get().as_ptr() as usize - source.text().as_ptr() as usize);
        Ok((line, parse_at(source, line, item.get())?))
    };
    items.into_iter().map(item).collect()
}

/// Reads a JSON value from every line that is not empty.
pub(crate) fn lines(source: &Source) -> Result<Vec<(usize, Value)>> {
    source.content_lines().map(|(line, text)| Ok((line, parse_at(source, line, text)?))).collect()
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
