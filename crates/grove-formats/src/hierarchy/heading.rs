use std::fmt;

use crate::name::{read_name, read_text};
use crate::{ErrorKind, Origin, Place, Result};

/// Title, language, relation and root of a hierarchy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heading {
    /// The title, for people.
    pub title: String,
    /// The language of the names, as a BCP 47 tag; `und` if it is unknown.
    pub language: String,
    /// What "above" means.
    pub relation: Relation,
    /// The root's name.
    pub root: String,
    /// What else the source file says about its concept scheme.
    pub origin: Option<Box<Origin>>,
}

impl Heading {
    /// An is-a hierarchy in an unknown language, with its root's name as title.
    #[must_use]
    pub fn new(root: &str) -> Self {
        let language = "und".to_owned();
        Self {
            title: root.to_owned(),
            language,
            relation: Relation::IsA,
            root: root.to_owned(),
            origin: None,
        }
    }

    /// Checks and tidies a heading.
    pub(super) fn tidy(self, at: &Place) -> Result<Self> {
        let root = read_name(&self.root, at, "root's name")?;
        let title = read_text(&self.title, at)?.unwrap_or_else(|| root.clone());
        // A language-tagged literal checks the tag and puts it in lower case, as RDF compares it.
        let literal = oxrdf::Literal::new_language_tagged_literal("", self.language.trim())
            .map_err(|_| ErrorKind::NotALanguage(self.language.clone()).at(at))?;
        let language = literal.language().unwrap_or("und").to_owned();
        let relation = match self.relation {
            Relation::Own(text) => Relation::from_text(&read_name(&text, at, "wording of the relation")?),
            known => known,
        };
        Ok(Self { title, language, relation, root, origin: self.origin })
    }
}

/// What "above" means in a hierarchy.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Relation {
    /// The child is a kind of the parent.
    #[default]
    IsA,
    /// The child is a part of the parent.
    PartOf,
    /// One would look for the child under the parent, as on shelves and in menus.
    LookUnder,
    /// The owner's own wording, with `{child}` and `{parent}` in it.
    Own(String),
}

impl Relation {
    /// Reads what [`Display`](fmt::Display) writes: "is-a", "part-of", "look-under", or the owner's own wording.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        match text.trim() {
            "is-a" => Self::IsA,
            "part-of" => Self::PartOf,
            "look-under" => Self::LookUnder,
            own => Self::Own(own.to_owned()),
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::IsA => "is-a",
            Self::PartOf => "part-of",
            Self::LookUnder => "look-under",
            Self::Own(wording) => wording,
        })
    }
}
