use serde_json::{Map, Value};

use super::assemble::{Placed, assemble};
use super::json::shape;
use crate::{Entry, Error, Heading, Hierarchy, Place, Relation, Source};

/// How deep a hierarchy may be in nested JSON. Most JSON readers, ours too, stop at 128 brackets within each other,
/// and a level takes two.
pub(crate) const DEPTH_LIMIT: usize = 60;

/// Reads a hierarchy of the form `{"root": "food", "children": [{"name": "fruit", "children": [...]}]}`.
pub(crate) fn from_value(value: &Value, source: &Source) -> Result<Hierarchy, Error> {
    let at = source.place();
    let Value::Object(object) = value else {
        return Err(shape(at, "an object with root and children", value));
    };
    if !object.contains_key("children") {
        let found = format!("an object with {}", object.keys().cloned().collect::<Vec<_>>().join(", "));
        return Err(Error::Shape { at, expected: "an object with root and children", found });
    }
    let root = text(object, "root", &at)?
        .or(text(object, "name", &at)?)
        .ok_or(Error::Missing { at: at.clone(), what: "root's name" })?;
    let mut heading = Heading::new(&root);
    heading.title = text(object, "title", &at)?.unwrap_or(heading.title);
    heading.language = text(object, "language", &at)?.unwrap_or(heading.language);
    if let Some(relation) = text(object, "relation", &at)? {
        heading.relation = Relation::from_text(&relation);
    }
    let mut placed = Vec::new();
    collect(object, "", 1, &at, &mut placed)?;
    assemble(Some(heading), placed, &at)
}

fn collect(
    object: &Map<String, Value>,
    parent: &str,
    depth: usize,
    at: &Place,
    into: &mut Vec<Placed>,
) -> Result<(), Error> {
    for child in list(object, "children", at)? {
        if depth > DEPTH_LIMIT {
            return Err(Error::TooDeep { at: at.clone(), found: depth, limit: DEPTH_LIMIT });
        }
        let Value::Object(fields) = child else {
            return Err(shape(at.clone(), "an object with a name for each child", child));
        };
        let name =
            text(fields, "name", at)?.ok_or(Error::Missing { at: at.clone(), what: "name of a child" })?;
        into.push(placed(fields, &name, parent, at)?);
        collect(fields, &name, depth + 1, at, into)?;
    }
    Ok(())
}

fn placed(fields: &Map<String, Value>, name: &str, parent: &str, at: &Place) -> Result<Placed, Error> {
    let synonyms = list(fields, "synonyms", at)?.iter().map(|synonym| match synonym {
        Value::String(synonym) => Ok(synonym.clone()),
        other => Err(shape(at.clone(), "a text for each synonym", other)),
    });
    let alternatives = list(fields, "alternatives", at)?.iter().map(|alternative| match alternative {
        Value::Object(fields) => {
            let parent = text(fields, "parent", at)?.unwrap_or_default();
            Ok((parent, number(fields, "certainty", at)?.unwrap_or(f64::NAN)))
        }
        other => Err(shape(at.clone(), "an object with parent and certainty", other)),
    });
    let entry = Entry {
        name: name.to_owned(),
        id: text(fields, "id", at)?,
        definition: text(fields, "definition", at)?,
        synonyms: synonyms.collect::<Result<_, _>>()?,
        certainty: number(fields, "certainty", at)?,
        yes: count(fields, "yes", at)?,
        no: count(fields, "no", at)?,
        ..Entry::default()
    };
    let alternatives = alternatives.collect::<Result<_, Error>>()?;
    Ok(Placed { entry, parent: parent.to_owned(), alternatives, at: at.clone() })
}

fn text(fields: &Map<String, Value>, name: &str, at: &Place) -> Result<Option<String>, Error> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(shape(at.clone(), "a text", other)),
    }
}

fn number(fields: &Map<String, Value>, name: &str, at: &Place) -> Result<Option<f64>, Error> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_f64().map(Some).ok_or_else(|| shape(at.clone(), "a number", value)),
    }
}

fn count(fields: &Map<String, Value>, name: &str, at: &Place) -> Result<u64, Error> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(0),
        Some(value) => value.as_u64().ok_or_else(|| shape(at.clone(), "a whole number", value)),
    }
}

fn list<'a>(fields: &'a Map<String, Value>, name: &str, at: &Place) -> Result<&'a [Value], Error> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(other) => Err(shape(at.clone(), "a list", other)),
    }
}
