use super::Tag;
use crate::name::{read_name, tidy};
use crate::read::table::Table;
use crate::{Error, Source};

/// Reads free tags: one per line of a `.txt`, or columns `tag`, `worker` and, if wanted, `item` of a `.csv` or
/// `.tsv`.
///
/// # Errors
/// What is wrong, where, and what to do: see [`Error`].
pub fn read_tags(source: &Source) -> Result<Vec<Tag>, Error> {
    source.require("tag")?;
    match source.extension().as_str() {
        "txt" | "text" | "" => {
            let tag = |(line, text): (usize, &'_ str)| {
                let text = read_name(text, &source.place().line(line), "tag")?;
                Ok(Tag { item: None, worker: None, text })
            };
            source.telling_lines().map(tag).collect()
        }
        "csv" | "tsv" | "tab" => from_table(&Table::read(source, "tag")?),
        _ => Err(Error::UnknownKind { at: source.place(), known: ".txt, .csv or .tsv" }),
    }
}

fn from_table(table: &Table) -> Result<Vec<Tag>, Error> {
    let tag = table.require(&["tag", "label", "concept"])?;
    let worker = table.require(&["worker", "participant", "annotator"])?;
    let item = table.column(&["item", "image", "object"]);
    let read = |row: &crate::read::table::Row| {
        Ok(Tag {
            item: Some(tidy(row.get(item))).filter(|item| !item.is_empty()),
            worker: Some(read_name(row.get(worker), &row.at, "worker")?),
            text: read_name(row.get(tag), &row.at, "tag")?,
        })
    };
    match table.rows.is_empty() {
        true => Err(Error::Empty { at: table.at.clone(), expected: "tag" }),
        false => table.rows.iter().map(read).collect(),
    }
}
