use serde_json::Value;

use super::assemble::{Placed, assemble};
use super::bounds::Survey;
use super::table::{Row, Table};
use super::{json, rdf, skos};
use crate::concept_list::check_count;
use crate::{Article, ConceptList, Entry, ListedConcept, Result, Source, nested};

const NAME: &[&str] = &["concept", "name", "label", "term", "child"];
const KNOWN: &str = ".txt, .csv, .tsv, .json, .ttl, .nt, .rdf, .xml or .jsonld";

/// Reads a list of concepts in the format given by the file's ending.
///
/// | ending | content |
/// |---|---|
/// | `.txt`, none | one concept per line; lines that begin with # are comments, indentation means nothing |
/// | `.csv`, `.tsv` | columns `concept` or `name`, and optionally `definition`, `synonyms` (separated by `\|`), `article`, `parent` |
/// | `.json` | a list of texts or of objects with those fields; or a hierarchy as Grove writes it |
/// | `.ttl`, `.nt`, `.rdf`, `.xml`, `.owl`, `.jsonld` | SKOS |
///
/// ```
/// use grove_formats::{Source, read_concepts};
/// let source = Source::new("food.txt", "fruit\nApple\n# a comment\napple\n".as_bytes())?;
/// assert_eq!(
///     read_concepts(&source).unwrap_err().to_string(),
///     "food.txt, line 4: \"apple\" is the same concept as \"Apple\" on line 2; remove or rename one of them",
/// );
/// # Ok::<(), grove_formats::Error>(())
/// ```
///
/// # Errors
/// A file that cannot be parsed, or a list or hierarchy that is not valid.
pub fn read_concepts(source: &Source) -> Result<ConceptList> {
    source.require("concept")?;
    match source.extension().as_str() {
        "txt" | "text" | "" => from_lines(source),
        "csv" | "tsv" | "tab" => from_table(Table::read(source, "concept")?),
        "json" => from_json(source),
        _ => skos::read(source, rdf::format_of(source, KNOWN)?),
    }
}

fn from_lines(source: &Source) -> Result<ConceptList> {
    let listed = |(line, name): (usize, &'_ str)| ListedConcept {
        name: name.to_owned(),
        line: Some(line),
        ..ListedConcept::default()
    };
    check_count(source.content_lines().count(), &source.place())?;
    ConceptList::new(source.content_lines().map(listed).collect(), &source.place())
}

fn from_json(source: &Source) -> Result<ConceptList> {
    if source.text().trim_start().starts_with('{') {
        return match json::parse::<Survey>(source, "JSON")?.is_json_ld {
            true => skos::read(source, rdf::JSON_LD),
            false => nested::read(source).map(ConceptList::of),
        };
    }
    let items = json::array(source)?;
    check_count(items.len().max(1), &source.place())?;
    for item in items.values() {
        if rdf::is_json_ld(&item?.1) {
            return skos::read(source, rdf::JSON_LD);
        }
    }
    let as_object = |item: Result<(usize, Value)>| match item? {
        (line, Value::String(name)) => Ok((line, serde_json::json!({ "name": name }))),
        other => Ok(other),
    };
    from_table(Table::from_objects(source, "concept", items.values().map(as_object))?)
}

/// Reads a table of concepts, and their hierarchy if it has a column `parent`.
fn from_table(table: Table) -> Result<ConceptList> {
    let name = table.require(NAME)?;
    let (definition, synonyms) = (table.column(&["definition"]), table.column(&["synonyms", "synonym"]));
    let article = table.column(&["article"]);
    let listed = |row: &Row| {
        Ok(ListedConcept {
            name: row.get(name).to_owned(),
            definition: Some(row.get(definition).to_owned()),
            synonyms: row.parts(synonyms),
            article: Article::read(row.get(article), &row.at)?,
            line: row.at.line,
            ..ListedConcept::default()
        })
    };
    let rows = table.rows()?;
    check_count(rows.len(), &table.at)?;
    let list = ConceptList::new(rows.iter().map(listed).collect::<Result<_>>()?, &table.at)?;
    let Some(parent) = table.column(&["parent", "broader"]) else { return Ok(list) };
    if rows.iter().all(|row| row.get(parent).trim().is_empty()) {
        return Ok(list);
    }
    let placed = list.concepts().iter().zip(rows).map(|(concept, row)| {
        let ListedConcept { name, definition, synonyms, article, .. } = concept.clone();
        Placed::new(
            Entry { name, definition, synonyms, article, ..Entry::default() },
            row.get(parent),
            &row.at,
        )
    });
    let hierarchy = assemble(None, placed.collect(), &table.at)?;
    Ok(list.with_hierarchy(Ok(hierarchy)))
}
