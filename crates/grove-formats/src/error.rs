use std::fmt;
use std::sync::Arc;

use crate::concept_list::CONCEPT_LIMIT;
use crate::name::NAME_LIMIT;
use crate::nested::DEPTH_LIMIT;
use crate::read::VOTE_LIMIT;

/// How many names an error lists.
const LISTED: usize = 20;
/// The longest message, in characters, without the place: a file may have a name or a word that is as long as itself.
const LONGEST: usize = 10_000;

/// The result of reading, checking or writing.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What is wrong with a file, or with a hierarchy to be written, and where.
///
/// The message is one line: the place, the cause and what to do about it.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{place}{}", brief(kind))]
pub struct Error {
    /// Where the error is.
    pub place: Place,
    /// What the error is.
    pub kind: ErrorKind,
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        kind.at(&Place::default())
    }
}

/// A place in the input, printed at the beginning of an error: `food.csv, line 3: `.
///
/// A value built by a program has no place, the default, and its error begins with the cause.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The file's name, as the caller gave it. Shared, because every row of a table has its place.
    pub file: Option<Arc<str>>,
    /// The line, counted from 1.
    pub line: Option<usize>,
}

impl Place {
    /// A file as a whole.
    #[must_use]
    pub fn file(name: &str) -> Self {
        Self { file: Some(name.into()), line: None }
    }

    /// This line of the same file.
    #[must_use]
    pub fn line(&self, line: usize) -> Self {
        Self { line: Some(line), ..self.clone() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}, line {line}: "),
            (Some(file), None) => write!(f, "{file}: "),
            (None, Some(line)) => write!(f, "line {line}: "),
            (None, None) => Ok(()),
        }
    }
}

/// The kinds of [`Error`].
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file without any of what it should contain.
    #[error("the file contains no {0}; add at least one")]
    Empty(&'static str),
    /// A file that is not UTF-8, at its first invalid line.
    #[error("this line is not UTF-8 text; save the file as UTF-8")]
    NotUtf8,
    /// A character that no text needs, such as NUL or escape.
    #[error("this line contains the control character U+{:04X}; remove it", u32::from(*.0))]
    ControlCharacter(char),
    /// More concepts than the limit: how many there are.
    #[error("there are {0} concepts, but at most {CONCEPT_LIMIT} can be read; split the list")]
    TooManyConcepts(usize),
    /// A card sort that stands for more votes than the limit: how many.
    #[error(
        "this card sort stands for {0} votes, but at most {VOTE_LIMIT} can be read, and fewer where participants have long names; \
         split it by participant"
    )]
    TooManyVotes(usize),
    /// Very many tags that are all similar to each other.
    #[error("too many tags are similar to each other to look for misspellings among them; split the file")]
    AlikeTags,
    /// A table with very many short rows: the limit.
    #[error("there are more than {0} rows; split the file")]
    TooManyRows(usize),
    /// A table with very many columns, or objects with so many different fields that a table of them would be far larger than the file.
    #[error("there are {0} different columns or fields; give only those that are read")]
    TooManyFields(usize),
    /// XML with a document type, in which entities can be declared.
    #[error(
        "this file declares a document type, which is not read: its entities could make a short file very long; \
         save it without, or as Turtle"
    )]
    DocumentType,
    /// Brackets or elements within one another, deeper than the limit.
    #[error("brackets or elements are more than {0} levels deep; write the file with fewer levels")]
    DeepBrackets(usize),
    /// Prefixes, bases or contexts that make the content far longer than the file.
    #[error("prefixes, bases or contexts make the content far longer than the file; shorten them")]
    Expands,
    /// A file whose name has none of the known endings.
    #[error("unknown file type; the file's name must end in {0}")]
    UnknownFileType(&'static str),
    /// A table lacks a column.
    #[error("there is no column {missing}, only {}; name the columns in the first line", list(.found))]
    MissingColumn {
        /// The names that the column may have.
        missing: String,
        /// The columns that are there.
        found: Vec<String>,
    },
    /// A row with more cells than the header.
    #[error(
        "this row has {found} cells, but the first row has {expected}; quote cells that contain the separator"
    )]
    UnevenRow {
        /// The cells of the header.
        expected: usize,
        /// The cells of this row.
        found: usize,
    },
    /// CSV, JSON, Turtle, RDF/XML or JSON-LD that cannot be parsed, or has something else in a place than expected.
    #[error("{0}; correct it there")]
    Malformed(String),
    /// A cell or field that must not be empty is empty or missing.
    #[error("the {0} is missing; fill it in or remove the line")]
    Missing(&'static str),
    /// A name of several lines, mostly because a quote was not closed.
    #[error("a name continues on the next line; close the quote it begins with, or write it on one line")]
    NameOverLines,
    /// A name beyond the limit: its number of characters.
    #[error(
        "a name has {0} characters, but at most {NAME_LIMIT} are allowed; shorten it, or close a quote before it"
    )]
    LongName(usize),
    /// A concept that was listed before, perhaps in another spelling of the same letters.
    #[error("{name:?} is the same concept as {first:?}{}; remove or rename one of them", on_line(.first_line))]
    RepeatedConcept {
        /// The name of the later one.
        name: String,
        /// The name of the earlier one, or of the root.
        first: String,
        /// The line of the earlier one.
        first_line: Option<usize>,
    },
    /// The name of no concept.
    #[error("{name:?} is not among the concepts{}", advice(.nearest))]
    UnknownConcept {
        /// The name.
        name: String,
        /// The most similar name of a concept, if any is similar.
        nearest: Option<String>,
    },
    /// A concept with two parents.
    #[error("{child:?} has two parents, {:?} and {:?}; keep one of them", .parents[0], .parents[1])]
    TwoParents {
        /// The concept.
        child: String,
        /// Its parents, in the order given.
        parents: [String; 2],
    },
    /// The root, placed under something.
    #[error("{0:?} is the root, which is under nothing; remove the line")]
    RootPlaced(String),
    /// Parents that form a cycle: each concept followed by its parent.
    #[error("the parents form a cycle: {}; remove one of these parents", cycle(.0))]
    Cycle(Vec<String>),
    /// Several names without a parent where one root is needed.
    #[error("several names have no parent, but only one can be the root: {}; put the others under a concept", list(.0))]
    SeveralRoots(Vec<String>),
    /// A list of concepts without parents where a hierarchy is needed.
    #[error("these concepts have no parents; give a table of child and parent, or another hierarchy")]
    NoHierarchy,
    /// A vote on a concept and itself.
    #[error("the vote compares {0:?} with itself; name two concepts, or remove the vote")]
    VoteOnItself(String),
    /// A vote on the root.
    #[error("{0:?} is the root, which is above everything; remove the vote")]
    VoteOnRoot(String),
    /// A screen that cannot be asked, or a reply that does not fit it.
    #[error("{0}; correct the row or remove it")]
    BadScreen(grove_vocabulary::Error),
    /// A row with something that its form does not have.
    #[error("a {form} has no {what}; leave that cell empty, or give the row another form")]
    NotOfForm {
        /// The form.
        form: grove_vocabulary::Form,
        /// What it does not have.
        what: &'static str,
    },
    /// A chosen concept beside an answer that chooses none: the answer.
    #[error(
        "the answer {0:?} chooses nothing, but there is a chosen concept; \
         write picked, ticked or under, or leave the chosen concept out"
    )]
    ChosenWithout(String),
    /// A word that is none of those allowed.
    #[error("{found:?} is not a valid {what}; write {known}")]
    UnknownWord {
        /// The word.
        found: String,
        /// What it should be: an answer, a kind of question, a format.
        what: &'static str,
        /// The words allowed.
        known: String,
    },
    /// A number outside its range, or not a number.
    #[error("the {what} is {found}; give {expected}")]
    NotInRange {
        /// The quantity.
        what: String,
        /// The value given.
        found: String,
        /// The values allowed.
        expected: &'static str,
    },
    /// An invalid language tag.
    #[error(
        "{0:?} is not a language tag; write one such as en, de or pt-BR, or und if the language is unknown"
    )]
    NotALanguage(String),
    /// An identifier that is given twice, or that some format cannot hold.
    #[error(
        "{id:?} cannot be the identifier of {name:?}; use ASCII letters, digits, - and _, each identifier once"
    )]
    NotAnId {
        /// The identifier.
        id: String,
        /// The concept.
        name: String,
    },
    /// What is no article: too long, or of several lines.
    #[error("{0:?} is not an article; write one such as an or the, none, or plural, or leave it empty")]
    NotAnArticle(String),
    /// A base or licence that is not an absolute IRI.
    #[error("{0:?} is not an absolute IRI; write one such as https://example.org/food/")]
    NotAnIri(String),
    /// A parent beyond the last concept.
    #[error("{name:?} has the parent number {parent}, but the last concept is number {count}")]
    UnknownParent {
        /// The concept.
        name: String,
        /// The number of the missing parent.
        parent: usize,
        /// The number of concepts.
        count: usize,
    },
    /// An alternative parent that is the concept itself, its parent, or a repetition.
    #[error(
        "{name:?} has the alternative parent {parent:?}, which is itself, its parent, or listed before; remove it"
    )]
    RedundantAlternative {
        /// The concept.
        name: String,
        /// The alternative.
        parent: String,
    },
    /// A place where people put a concept that is the concept itself or a repetition.
    #[error("{name:?} has the place {parent:?}, which is itself or listed before; remove it")]
    RedundantPlace {
        /// The concept.
        name: String,
        /// The parent there.
        parent: String,
    },
    /// Places where people put a concept, though they do not differ: the concept.
    #[error(
        "{0:?} has places where people put it, but not the reason differ; add that reason or remove the places"
    )]
    PlacesWithoutDiffer(String),
    /// A concept that is settled, with another reason beside it.
    #[error("{name:?} is settled and {other} at once; keep settled alone or remove it")]
    SettledAndNot {
        /// The concept.
        name: String,
        /// The other reason.
        other: &'static str,
    },
    /// A hierarchy too deep for nested JSON: its depth.
    #[error(
        "the hierarchy is {0} levels deep, but nested JSON is limited to {DEPTH_LIMIT}; use csv or paths"
    )]
    TooDeep(usize),
    /// A sampled tree whose number of concepts is not that of the hierarchy.
    #[error(
        "a sampled tree has {found} concepts, but the hierarchy has {expected}; sample the same concepts"
    )]
    OtherTree {
        /// The concepts of the tree.
        found: usize,
        /// The concepts of the hierarchy.
        expected: usize,
    },
}

impl ErrorKind {
    /// The error for a text that its parser refused with this message.
    pub(crate) fn not_valid(syntax: &str, message: impl fmt::Display) -> Self {
        Self::Malformed(format!("this is not valid {syntax}: {message}"))
    }

    /// The error for something else than expected.
    pub(crate) fn not_expected(expected: &str, found: impl fmt::Display) -> Self {
        Self::Malformed(format!("expected {expected}, but found {found}"))
    }

    /// The error for a word that is none of the `known` ones.
    pub(crate) fn unknown_word(found: &str, what: &'static str, known: impl Into<String>) -> Self {
        Self::UnknownWord { found: found.to_owned(), what, known: known.into() }
    }

    /// The error at a place.
    pub(crate) fn at(self, place: &Place) -> Error {
        Error { place: place.clone(), kind: self }
    }
}

/// The message on one line, whatever it quotes from a file, and without its middle if that is very long.
fn brief(kind: &ErrorKind) -> String {
    let ends_line = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let text = kind.to_string().replace(ends_line, " ");
    let boundary = |nth: usize| text.char_indices().nth(nth).map_or(text.len(), |(at, _)| at);
    let length = text.chars().count();
    if length <= LONGEST {
        return text;
    }
    format!("{} … {}", &text[..boundary(LONGEST / 2)], &text[boundary(length - LONGEST / 2)..])
}

/// The first of these names.
fn list(names: &[String]) -> String {
    let shown = names.iter().take(LISTED).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    if names.len() > LISTED { format!("{shown} and {} more", names.len() - LISTED) } else { shown }
}

/// `"a" under "b" under "a"` for the cycle [a, b].
fn cycle(names: &[String]) -> String {
    if names.len() > LISTED {
        let shown: Vec<String> = names.iter().take(LISTED).map(|name| format!("{name:?}")).collect();
        return format!("{} under {} more", shown.join(" under "), names.len() - LISTED);
    }
    names.iter().chain(names.first()).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" under ")
}

fn on_line(line: &Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!(" on line {line}"))
}

fn advice(nearest: &Option<String>) -> String {
    match nearest {
        Some(name) => format!("; did you mean {name:?}?"),
        None => "; add it to them or correct the name".to_owned(),
    }
}
