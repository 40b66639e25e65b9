use serde_json::Value;
use serde_json::value::RawValue;

use crate::{Error, Place, Source, escape};

/// Reads one JSON value.
pub(crate) fn value(source: &Source) -> Result<Value, Error> {
    serde_json::from_str(source.text()).map_err(|error| syntax(source, 0, &error))
}

/// Reads a JSON array, each item with the line it begins on.
pub(crate) fn array(source: &Source) -> Result<Vec<(usize, Value)>, Error> {
    let text = source.text();
    let items: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| syntax(source, 0, &error))?;
    let (mut line, mut counted) = (1, 0);
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        // A raw value is a slice of the text it was read from, so its address tells where.
        let start = item.get().as_ptr() as usize - text.as_ptr() as usize;
        line += text[counted..start].matches('\n').count();
        counted = start;
        values.push((
            line,
            serde_json::from_str(item.get()).map_err(|error| syntax(source, line - 1, &error))?,
        ));
    }
    Ok(values)
}

/// Reads a JSON value from every line that is not empty.
pub(crate) fn lines(source: &Source) -> Result<Vec<(usize, Value)>, Error> {
    let parse = |(line, text): (usize, &'_ str)| {
        let value = serde_json::from_str(text).map_err(|error| syntax(source, line - 1, &error))?;
        Ok((line, value))
    };
    source.telling_lines().map(parse).collect()
}

/// A field as a table's cell: lists of texts are joined by `|`.
pub(crate) fn cell(value: Value, at: &Place) -> Result<String, Error> {
    match value {
        Value::Null => Ok(String::new()),
        Value::Bool(truth) => Ok(truth.to_string()),
        Value::Number(number) => Ok(number.to_string()),
        Value::String(text) => Ok(text),
        Value::Array(items) => {
            let part = |item| match item {
                Value::String(text) => Ok(escape::escape(&text, '|')),
                other => Err(shape(at.clone(), "a list of texts", &other)),
            };
            Ok(items.into_iter().map(part).collect::<Result<Vec<_>, _>>()?.join("|"))
        }
        Value::Object(_) => Err(shape(at.clone(), "a text, a number or a list of texts", &value)),
    }
}

/// The error for a value of another shape.
pub(crate) fn shape(at: Place, expected: &'static str, found: &Value) -> Error {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Error::Shape { at, expected, found: found.to_owned() }
}

/// The reader's error, with its line after `before` others. Its own words end in line and column, which we say first.
fn syntax(source: &Source, before: usize, error: &serde_json::Error) -> Error {
    let words = error.to_string();
    let message = words.split(" at line ").next().unwrap_or_default().to_owned();
    Error::Syntax { at: source.place().line(before + error.line().max(1)), syntax: "JSON", message }
}
