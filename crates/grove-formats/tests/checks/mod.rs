//! What must hold for any bytes that a reader is given. Shared by the tests and by the fuzz targets in `fuzz/`.

use grove_formats::{
    Error, Format, Hierarchy, NameIndex, Source, TagSettings, WriteOptions, prepare_concepts, read_card_sort,
    read_card_sort_concepts, read_concepts, read_hierarchy, read_placements, read_tags, read_votes, write,
};

/// The endings of file names that readers tell apart, and one that they do not know.
pub(crate) const ENDINGS: [&str; 13] =
    ["txt", "csv", "tsv", "json", "jsonl", "ttl", "nt", "rdf", "xml", "owl", "jsonld", "paths", "unknown"];

/// A reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reader {
    Concepts,
    Hierarchy,
    Votes,
    CardSort,
    Placements,
    Tags,
}

impl Reader {
    pub(crate) const ALL: [Self; 6] =
        [Self::Concepts, Self::Hierarchy, Self::Votes, Self::CardSort, Self::Placements, Self::Tags];

    /// The name of its fuzz target and of its folder of examples.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Concepts => "concepts",
            Self::Hierarchy => "hierarchy",
            Self::Votes => "votes",
            Self::CardSort => "card_sort",
            Self::Placements => "placements",
            Self::Tags => "tags",
        }
    }

    /// Reads a file whose first byte chooses its ending: `a` for txt, `b` for csv and so on. Panics if a promise is broken: an error is one line that names the file, and what
    /// was read can be written and read again.
    pub(crate) fn check(self, input: &[u8]) {
        if let Err(message) = self.read_input(input) {
            let is_one_line =
                !message.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
            assert!(message.starts_with("file.") && is_one_line, "{message:?}");
        }
    }

    /// Reads the file, and returns the message of the error if there is one.
    pub(crate) fn read_input(self, input: &[u8]) -> Result<(), String> {
        let Some((&ending, bytes)) = input.split_first() else { return Ok(()) };
        let name = format!("file.{}", ENDINGS[usize::from(ending.wrapping_sub(b'a')) % ENDINGS.len()]);
        let read = Source::new(name.as_str(), bytes).and_then(|source| self.read(&source));
        read.map_err(|error| error.to_string())
    }

    fn read(self, source: &Source) -> Result<(), Error> {
        match self {
            Self::Concepts => {
                let list = read_concepts(source)?;
                assert_eq!(list.names().len(), list.concepts().len());
                if let Ok(Some(hierarchy)) = list.hierarchy() {
                    comes_back(hierarchy);
                }
            }
            Self::Hierarchy => comes_back(&read_hierarchy(source)?),
            Self::Votes => drop(read_votes(source, &known())?),
            Self::CardSort => {
                let concepts = read_card_sort_concepts(source)?;
                drop(read_card_sort(source, &concepts.index())?);
            }
            Self::Placements => drop(read_placements(source, &known())?),
            Self::Tags => {
                let prepared = prepare_concepts(&read_tags(source)?, &TagSettings::default());
                drop(prepared.expect("tags that can be read can be prepared").concept_list());
            }
        }
        Ok(())
    }
}

/// JSON keeps everything: what is read back is written as the same text.
fn comes_back(hierarchy: &Hierarchy) {
    let json = |hierarchy: &Hierarchy| write(hierarchy, Format::Json, &WriteOptions::default());
    let text = json(hierarchy).expect("every hierarchy can be written as JSON");
    let again = Source::new("again.json", text.as_bytes()).and_then(|source| read_hierarchy(&source));
    assert_eq!(again.and_then(|again| json(&again)), Ok(text));
}

fn known() -> NameIndex {
    let list =
        Source::new("known.txt", b"fruit\napple\ncitrus\nlemon\n").and_then(|source| read_concepts(&source));
    list.expect("four names are a list").index()
}
