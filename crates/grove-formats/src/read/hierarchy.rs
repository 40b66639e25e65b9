use super::assemble::{Placed, assemble};
use super::table::Table;
use super::{json, nested, paths, skos};
use crate::{Entry, Error, Hierarchy, Source};

const KNOWN: &str = ".csv, .tsv, .txt (paths), .json, .ttl, .nt, .rdf, .xml or .jsonld";
const CHILD: &[&str] = &["child", "concept", "name"];
const PARENT: &[&str] = &["parent", "broader"];
const CERTAINTY: &str = "a number from 0 to 1";

/// Reads a hierarchy; the file's ending tells how.
///
/// | ending | content |
/// |---|---|
/// | `.csv`, `.tsv` | columns `child` and `parent`, in this order if the first line does not name them; what Grove writes beside them (`certainty`, `yes`, `no`, `second_parent`, `second_certainty`) is read too |
/// | `.txt`, `.paths` | one path from the root per line, `food > fruit > apple`; `\>` is a > inside a name |
/// | `.json` | nested, as Grove writes it, or JSON-LD |
/// | `.ttl`, `.nt`, `.rdf`, `.xml`, `.owl`, `.jsonld` | SKOS |
///
/// In a table the one parent that is no child is the root; or leave the parent of top-level concepts empty.
///
/// ```
/// use grove_formats::{Source, read_hierarchy};
/// let source = Source::new("food.tsv", b"fruit\tfood\napple\tfruit\n")?;
/// let food = read_hierarchy(&source)?;
/// assert_eq!((food.len(), food.heading().root.as_str()), (2, "food"));
///
/// let cyclic = Source::new("food.csv", b"child,parent\napple,fruit\nfruit,apple\n")?;
/// assert_eq!(
///     read_hierarchy(&cyclic).unwrap_err().to_string(),
///     "food.csv, line 2: concepts stand above themselves: \"apple\" under \"fruit\" under \"apple\"; \
///      remove one of these parents",
/// );
/// # Ok::<(), grove_formats::Error>(())
/// ```
///
/// # Errors
/// What is wrong, where, and what to do: see [`Error`].
pub fn read_hierarchy(source: &Source) -> Result<Hierarchy, Error> {
    source.require("concept")?;
    match source.extension().as_str() {
        "csv" | "tsv" | "tab" => from_table(source),
        "txt" | "text" | "paths" | "" => paths::read(source),
        "json" => match json::value(source)? {
            value if skos::is_json_ld(&value) => from_skos(source, skos::Syntax::JsonLd),
            value => nested::from_value(&value, source),
        },
        _ => match skos::Syntax::of(source) {
            Some(syntax) => from_skos(source, syntax),
            None => Err(Error::UnknownKind { at: source.place(), known: KNOWN }),
        },
    }
}

fn from_skos(source: &Source, syntax: skos::Syntax) -> Result<Hierarchy, Error> {
    let list = skos::read(source, syntax)?;
    match list.hierarchy() {
        Ok(Some(hierarchy)) => Ok(hierarchy.clone()),
        Ok(None) => Err(Error::NoHierarchy { at: source.place() }),
        Err(error) => Err(error.clone()),
    }
}

fn from_table(source: &Source) -> Result<Hierarchy, Error> {
    let table = Table::read_with_default(source, "child and parent", [CHILD, PARENT])?;
    let (child, parent) = (table.require(CHILD)?, table.require(PARENT)?);
    let [definition, certainty, yes, no, second, second_certainty] =
        ["definition", "certainty", "yes", "no", "second_parent", "second_certainty"]
            .map(|name| table.column(&[name]));
    let synonyms = table.column(&["synonyms", "synonym"]);

    let mut placed = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        let votes = |column, what| Ok::<_, Error>(row.number(column, what, "a whole number")?.unwrap_or(0));
        let entry = Entry {
            name: row.get(child).to_owned(),
            definition: Some(row.get(definition).to_owned()),
            synonyms: row.parts(synonyms),
            certainty: row.number(certainty, "certainty", CERTAINTY)?,
            yes: votes(yes, "number of yes votes")?,
            no: votes(no, "number of no votes")?,
            ..Entry::default()
        };
        let second_certainty = row.number(second_certainty, "second certainty", CERTAINTY)?;
        let alternatives =
            second_certainty.map(|sure| (row.get(second).to_owned(), sure)).into_iter().collect();
        placed.push(Placed { entry, parent: row.get(parent).to_owned(), alternatives, at: row.at.clone() });
    }
    assemble(None, placed, &table.at)
}
