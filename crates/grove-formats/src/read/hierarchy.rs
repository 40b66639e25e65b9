use grove_vocabulary::Reason;

use super::assemble::{Placed, assemble};
use super::bounds::Survey;
use super::table::{Column, Row, Table};
use super::{json, rdf, skos};
use crate::concept_list::check_count;
use crate::{Entry, Error, ErrorKind, Hierarchy, Result, Source, nested, paths};

const KNOWN: &str = ".csv, .tsv, .txt (paths), .json, .ttl, .nt, .rdf, .xml or .jsonld";
pub(super) const CHILD: &[&str] = &["child", "concept", "name"];
pub(super) const PARENT: &[&str] = &["parent", "broader"];
const CERTAINTY: &str = "a number from 0 to 1";

/// Reads a hierarchy in the format given by the file's ending.
///
/// | ending | content |
/// |---|---|
/// | `.csv`, `.tsv` | columns `child` and `parent`, in this order if the first line does not name them; the other columns that Grove writes (`certainty`, `yes`, `no`, `second_parent`, `second_certainty`, `reason`, `places`) are read too |
/// | `.txt`, `.paths` | one path from the root per line, `food > fruit > apple`; `\>` is a > inside a name |
/// | `.json` | nested, as Grove writes it, or JSON-LD |
/// | `.ttl`, `.nt`, `.rdf`, `.xml`, `.owl`, `.jsonld` | SKOS |
///
/// In a table, the one parent that is not a child is the root; or leave the parent of top-level concepts empty.
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
///     "food.csv, line 2: the parents form a cycle: \"apple\" under \"fruit\" under \"apple\"; \
///      remove one of these parents",
/// );
/// # Ok::<(), grove_formats::Error>(())
/// ```
///
/// # Errors
/// A file that cannot be parsed, or whose concepts and parents do not form a valid hierarchy.
pub fn read_hierarchy(source: &Source) -> Result<Hierarchy> {
    source.require("concept")?;
    match source.extension().as_str() {
        "csv" | "tsv" | "tab" => from_table(source),
        "txt" | "text" | "paths" | "" => paths::read(source),
        "json" => match json::parse::<Survey>(source, "JSON")?.is_json_ld {
            true => from_skos(source, rdf::JSON_LD),
            false => nested::read(source),
        },
        _ => from_skos(source, rdf::format_of(source, KNOWN)?),
    }
}

fn from_skos(source: &Source, format: oxrdfio::RdfFormat) -> Result<Hierarchy> {
    let list = skos::read(source, format)?;
    let hierarchy = list.hierarchy().map_err(Error::clone)?;
    hierarchy.cloned().ok_or_else(|| source.error(ErrorKind::NoHierarchy))
}

fn from_table(source: &Source) -> Result<Hierarchy> {
    let table = Table::read_with_default(source, "concept", [CHILD, PARENT])?;
    let (child, parent) = (table.require(CHILD)?, table.require(PARENT)?);
    let [definition, certainty, yes, no, second, second_certainty, reason, places] =
        ["definition", "certainty", "yes", "no", "second_parent", "second_certainty", "reason", "places"]
            .map(|name| table.column(&[name]));
    let synonyms = table.column(&["synonyms", "synonym"]);

    let mut placed = Vec::new();
    check_count(table.rows()?.len(), &table.at)?;
    for row in table.rows()? {
        let votes = |column, what| Ok::<_, Error>(row.number(column, what, "a whole number")?.unwrap_or(0));
        let entry = Entry {
            name: row.get(child).to_owned(),
            definition: Some(row.get(definition).to_owned()),
            synonyms: row.parts(synonyms),
            certainty: row.number(certainty, "certainty", CERTAINTY)?,
            yes: votes(yes, "number of yes votes")?,
            no: votes(no, "number of no votes")?,
            reasons: reasons(row, reason)?,
            ..Entry::default()
        };
        let second_certainty = row.number(second_certainty, "second certainty", CERTAINTY)?;
        let alternatives =
            second_certainty.map(|sure| (row.get(second).to_owned(), sure)).into_iter().collect();
        placed.push(Placed {
            entry,
            parent: row.get(parent).to_owned(),
            alternatives,
            places: people_places(row, places)?,
            at: row.at.clone(),
        });
    }
    assemble(None, placed, &table.at)
}

/// The reasons in a cell, separated by spaces.
fn reasons(row: &Row, column: Option<Column>) -> Result<Vec<Reason>> {
    let reason = |word: &str| {
        let known = Reason::ALL.map(Reason::as_str).join(", ");
        let unknown = || ErrorKind::unknown_word(word, "reason", known).at(&row.at);
        Reason::parse(&word.to_lowercase()).ok_or_else(unknown)
    };
    row.get(column).split_whitespace().map(reason).collect()
}

/// The places in a cell, separated by `|`, each as `fruit 0.61 [0.52, 0.7]`.
fn people_places(row: &Row, column: Option<Column>) -> Result<Vec<grove_vocabulary::Place<String>>> {
    let place = |text: &String| {
        let malformed = || {
            ErrorKind::not_expected("places such as fruit 0.61 [0.52, 0.7]", format!("{text:?}")).at(&row.at)
        };
        let (before, interval) =
            text.trim().strip_suffix(']').and_then(|text| text.rsplit_once('[')).ok_or_else(malformed)?;
        let (parent, share) = before.trim_end().rsplit_once(char::is_whitespace).unwrap_or(("", before));
        let (low, high) = interval.split_once(',').ok_or_else(malformed)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| malformed());
        let (share, low, high) = (number(share)?, number(low)?, number(high)?);
        Ok(grove_vocabulary::Place { parent: parent.to_owned(), share, low, high })
    };
    let parts = row.parts(column);
    parts.iter().filter(|part| !part.trim().is_empty()).map(place).collect()
}
