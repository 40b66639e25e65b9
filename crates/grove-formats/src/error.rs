use crate::Place;
use crate::name::NAME_LIMIT;

/// What can be wrong with a file, or with a hierarchy to be written.
///
/// Every message is one line: where, what, and what to do about it.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file without anything to read in it.
    #[error("{at}the file holds no {expected}; put at least one into it")]
    Empty {
        /// The file.
        at: Place,
        /// What should have been there.
        expected: &'static str,
    },
    /// A file that is not UTF-8.
    #[error("{at}this line is not UTF-8 text; save the file as UTF-8")]
    NotUtf8 {
        /// The first broken line.
        at: Place,
    },
    /// A character that no text holds, such as NUL or escape.
    #[error("{at}the control character U+{code:04X} stands in this line; remove it")]
    ControlCharacter {
        /// Its line.
        at: Place,
        /// Its Unicode number.
        code: u32,
    },
    /// More concepts than Grove takes.
    #[error("{at}there are {found} concepts, but {limit} is the most that is read; split the list")]
    TooManyConcepts {
        /// The file.
        at: Place,
        /// How many there are.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A file whose kind its name does not tell.
    #[error("{at}the kind of this file is not known; name it {known}")]
    UnknownKind {
        /// The file.
        at: Place,
        /// The endings that are known here.
        known: &'static str,
    },
    /// A table lacks a column.
    #[error("{at}there is no column {missing}, only {}; name the columns in the first line", list(.seen))]
    MissingColumn {
        /// The file.
        at: Place,
        /// The column, with the other names it may have.
        missing: String,
        /// The columns there are.
        seen: Vec<String>,
    },
    /// A row of another length than the first.
    #[error(
        "{at}this row has {found} cells where the first has {expected}; quote a cell that holds the separator"
    )]
    UnevenRow {
        /// The row.
        at: Place,
        /// The cells of the first row.
        expected: usize,
        /// The cells of this row.
        found: usize,
    },
    /// JSON, Turtle, RDF/XML or JSON-LD that does not parse.
    #[error("{at}this is not valid {syntax}: {message}; correct it there")]
    Syntax {
        /// Where the reader stopped.
        at: Place,
        /// The language that was expected.
        syntax: &'static str,
        /// What its reader says.
        message: String,
    },
    /// JSON of another shape than expected.
    #[error("{at}expected {expected}, but found {found}; change it to that")]
    Shape {
        /// Where.
        at: Place,
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A cell or field that must have a text has none.
    #[error("{at}the {what} is missing; fill it in or remove the line")]
    Missing {
        /// The row.
        at: Place,
        /// What is missing.
        what: &'static str,
    },
    /// A name over several lines, mostly because a quote was not closed.
    #[error("{at}a name goes on over a line's end; close the quote it begins with, or write it on one line")]
    NameOverLines {
        /// Where it begins.
        at: Place,
    },
    /// A name longer than any name.
    #[error(
        "{at}a name has {found} characters, but {NAME_LIMIT} is the most; shorten it, or close a quote before it"
    )]
    LongName {
        /// Where.
        at: Place,
        /// Its length.
        found: usize,
    },
    /// A concept that is there already, perhaps in another spelling of the same letters.
    #[error("{at}{name:?} is the same concept as {first:?}{}; remove or rename one of them", on_line(.first_line))]
    RepeatedConcept {
        /// The later one.
        at: Place,
        /// Its name.
        name: String,
        /// The name of the earlier one, or of the root.
        first: String,
        /// The line of the earlier one.
        first_line: Option<usize>,
    },
    /// A name that is no concept.
    #[error("{at}{name:?} is not among the concepts{}", advice(.nearest))]
    UnknownConcept {
        /// Where it is named.
        at: Place,
        /// The name.
        name: String,
        /// The concept whose name is nearest, if one is near.
        nearest: Option<String>,
    },
    /// A concept with two parents.
    #[error("{at}{child:?} has two parents, {:?} and {:?}; keep one of them", .parents[0], .parents[1])]
    TwoParents {
        /// Where the second is given.
        at: Place,
        /// The concept.
        child: String,
        /// Its parents, in the order given.
        parents: [String; 2],
    },
    /// Concepts that stand above themselves.
    #[error("{at}concepts stand above themselves: {}; remove one of these parents", around(.names))]
    Cycle {
        /// Where one of them is.
        at: Place,
        /// Each concept followed by its parent.
        names: Vec<String>,
    },
    /// Several names without a parent where one root is needed.
    #[error("{at}several names have no parent, but only one can be the root: {}; put the others under something", list(.names))]
    SeveralRoots {
        /// The file.
        at: Place,
        /// The names.
        names: Vec<String>,
    },
    /// Concepts without any relation between them where a hierarchy is needed.
    #[error("{at}these concepts have no parents; give a table of child and parent, or another hierarchy")]
    NoHierarchy {
        /// The file.
        at: Place,
    },
    /// A vote about a concept and itself.
    #[error("{at}{name:?} is asked about itself; name two concepts, or remove the vote")]
    VoteOnItself {
        /// The vote.
        at: Place,
        /// The concept.
        name: String,
    },
    /// A vote about the root.
    #[error("{at}{name:?} is the root, which is above everything; remove the vote")]
    VoteOnRoot {
        /// The vote.
        at: Place,
        /// The root's name.
        name: String,
    },
    /// An answer that is none of the known words.
    #[error("{at}{found:?} is no {what}; write {known}")]
    UnknownWord {
        /// Where.
        at: Place,
        /// What was read.
        found: String,
        /// What was expected: an answer, a kind of question.
        what: &'static str,
        /// The words that are known.
        known: &'static str,
    },
    /// A number outside its range, or no number.
    #[error("{at}the {what} is {found}; give {expected}")]
    NotInRange {
        /// Where.
        at: Place,
        /// What the number says.
        what: String,
        /// What was given.
        found: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// A language tag that is none.
    #[error("{at}{tag:?} is no language tag; write one such as en, de or pt-BR, or und if it is not known")]
    NotALanguage {
        /// Where.
        at: Place,
        /// What was given.
        tag: String,
    },
    /// An identifier that cannot stand in every format.
    #[error(
        "{at}{id:?} cannot be the identifier of {name:?}; use ASCII letters, digits, - and _, each identifier once"
    )]
    NotAnId {
        /// Where.
        at: Place,
        /// The identifier.
        id: String,
        /// The concept.
        name: String,
    },
    /// A base or licence that is no absolute IRI.
    #[error("{given:?} is no absolute IRI; write one such as https://example.org/food/")]
    NotAnIri {
        /// What was given.
        given: String,
    },
    /// A parent beyond the last concept.
    #[error("{name:?} has the parent number {parent}, but there are only {count} concepts")]
    UnknownParent {
        /// The concept.
        name: String,
        /// The number that does not exist.
        parent: usize,
        /// How many concepts there are.
        count: usize,
    },
    /// An alternative parent that is the concept itself, or its parent, or given twice.
    #[error(
        "{name:?} has the alternative parent {parent:?}, which is itself, its parent, or given before; remove it"
    )]
    IdleAlternative {
        /// The concept.
        name: String,
        /// The alternative.
        parent: String,
    },
    /// A hierarchy too deep for nested JSON.
    #[error(
        "{at}the hierarchy is {found} levels deep, but nested JSON is read to {limit} only; use csv or paths"
    )]
    TooDeep {
        /// The file, if one was read.
        at: Place,
        /// Its depth.
        found: usize,
        /// The most.
        limit: usize,
    },
    /// A format of another name.
    #[error("{found:?} is no format; choose one of {known}")]
    UnknownFormat {
        /// What was asked for.
        found: String,
        /// All names.
        known: String,
    },
    /// A tree over another number of concepts than the hierarchy it is written with.
    #[error(
        "a sampled tree has {found} concepts, but the hierarchy has {expected}; sample the same concepts"
    )]
    OtherTree {
        /// The tree's concepts.
        found: usize,
        /// The hierarchy's.
        expected: usize,
    },
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

/// `"a" under "b" under "a"` for the cycle [a, b].
fn around(cycle: &[String]) -> String {
    cycle.iter().chain(cycle.first()).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" under ")
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
